#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <cmath>

#include "core/measure/claim.h"

namespace yatlab {
namespace {

/// 1/y as a Laplace transform. A statement about numbers, without an operator.
class LaplaceIdentity final : public Claim {
 public:
  struct Params {
    double power = 1;
    static void declare(Fields& f, Params& p) { f.field("power", p.power, "power of y on the left, as printed"); }
  };
  explicit LaplaceIdentity(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    boost::math::quadrature::exp_sinh<double> rule;
    boost::math::quadrature::exp_sinh<long double> fine;
    double worst = 0, worst_fine = 0, where = 1;
    const auto count = context.scaled(400, 25);
    for (std::int64_t i = 0; i < count; ++i) {
      const double y = std::pow(10.0, -12 + 24 * static_cast<double>(i) / static_cast<double>(count - 1));
      const double integral = rule.integrate([y](double s) { return std::exp(-s * y); }, 1e-13);
      const double relative = std::abs(integral * std::pow(y, p_.power) - 1);
      if (relative > worst) {
        worst = relative;
        where = y;
      }
      const auto z = static_cast<long double>(y);
      const long double exact = fine.integrate([z](long double s) { return std::exp(-s * z); }, 1e-17L);
      worst_fine = std::max(worst_fine, static_cast<double>(std::abs(exact * std::pow(z, static_cast<long double>(p_.power)) - 1)));
    }
    evidence.at_most(Role::kCore, "largest |y integral - 1| in double", worst, 0, 1e-13, fmt::format("y = {:.3g}", where));
    evidence.at_most(Role::kCore, "largest |y integral - 1| with 64 bits", worst_fine, 0, 1e-16, "y = 1e-12..1e12");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, LaplaceIdentity, "thm:laplace-identity");

}  // namespace
}  // namespace yatlab
