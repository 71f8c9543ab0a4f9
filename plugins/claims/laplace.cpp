#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Eq. (laplace): the inverse multiquadric as a mixture of Gaussians.
class LaplaceMixture final : public Claim {
 public:
  struct Params {
    double rate = 1;
    static void declare(Fields& f, Params& p) { f.field("rate", p.rate, "factor of t in both exponents, as printed").positive(); }
  };
  explicit LaplaceMixture(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    boost::math::quadrature::exp_sinh<double> rule;
    auto g = generator_of(context.seed);
    double formula = 0, denominator = 0;
    const auto pairs = context.scaled(200, 10);
    for (const double epsilon : {1e-8, 1e-5, 1e-2, 1.0, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (std::int64_t i = 0; i < pairs; ++i) {
        const std::int64_t d = 1 + i % 16;
        const Tensor x = normals({1, d}, g);
        const double nearness = std::pow(10.0, -static_cast<double>(i % 5));
        const Tensor w = i % 6 == 5 ? x : x + nearness * normals({1, d}, g);
        const double r = (x - w).square().sum().item<double>();
        const auto integrand = [&](double t) { return std::exp(-p_.rate * t * epsilon) * std::exp(-p_.rate * t * r); };
        const double integral = rule.integrate(integrand, 1e-13);
        formula = std::max(formula, std::abs(integral * (r + epsilon) - 1));
        const double dot = (x * w).sum().item<double>();
        if (std::abs(dot) > 1e-2) {
          denominator = std::max(denominator, std::abs(score(*op, x, w) / (dot * dot) / integral - 1));
        }
      }
    }
    evidence.at_most(Role::kCore, "largest relative difference of the integral from 1 / (|x - w|^2 + eps)", formula, 0, 1e-11,
                     "d = 1..16, x = w among the pairs, eps = 1e-8..10");
    // The operator's denominator: 4e4 roundings (see share_rounding), and the dot product's relative error.
    evidence.at_most(Role::kCore, "largest relative difference of E / (x.w)^2 from the integral", denominator, 0, 4e4 * kEps,
                     "the same pairs, |x.w| > 0.01");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, LaplaceMixture, "eq:laplace");

}  // namespace
}  // namespace yatlab
