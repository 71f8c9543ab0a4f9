#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "core/measure/claim.h"

namespace yatlab {
namespace {

/// Tonelli's theorem: the order of integration does not matter for f >= 0.
class TonelliFubini final : public Claim {
 public:
  struct Params {
    bool signed_function = false;
    static void declare(Fields& f, Params& p) {
      f.field("signed_function", p.signed_function, "use a function of both signs; the statement asks for f >= 0");
    }
  };
  explicit TonelliFubini(const Params& p) : p_(p) {}

  void check(const ClaimContext&, Evidence& evidence) const override {
    using Finite = boost::math::quadrature::gauss_kronrod<double, 31>;
    boost::math::quadrature::exp_sinh<double> half_line;
    const auto unit = [](auto&& f) { return Finite::integrate(f, 0.0, 1.0, 8, 1e-11); };
    double apart = 0, closed = 0;
    for (const double epsilon : {0.1, 1.0, 10.0}) {
      // x^2 e^(-t (eps + x^2)) over x in [0, 1], t in [0, inf): 1 - sqrt(eps) atan(1 / sqrt(eps)).
      const auto f = [&](double x, double t) { return x * x * std::exp(-t * (epsilon + x * x)); };
      const double inner_t = unit([&](double x) { return half_line.integrate([&](double t) { return f(x, t); }, 1e-10); });
      const double inner_x = half_line.integrate([&](double t) { return unit([&](double x) { return f(x, t); }); }, 1e-10);
      apart = std::max(apart, std::abs(inner_t - inner_x) / inner_t);
      closed = std::max(closed, std::abs(inner_t - (1 - std::sqrt(epsilon) * std::atan(1 / std::sqrt(epsilon)))));
    }
    evidence.at_most(Role::kCore, "largest relative difference of the two orders, f >= 0", apart, 0, 1e-7,
                     "x^2 exp(-t (eps + x^2)) on [0,1] x [0,inf), eps = 0.1, 1, 10");
    evidence.at_most(Role::kCore, "largest difference from the closed form", closed, 0, 1e-7);

    const auto kink = [](double u, double v) { return std::abs(u - v); };
    double xy = unit([&](double x) { return unit([&](double y) { return kink(x, y); }); });
    double yx = unit([&](double y) { return unit([&](double x) { return kink(x, y); }); });
    // (x^2 - y^2) / (x^2 + y^2)^2, signed: dy first leaves 1 / (1 + x^2), dx first -1 / (1 + y^2).
    const double quarter_pi = unit([](double x) { return 1 / (1 + x * x); });
    if (p_.signed_function) {
      xy = quarter_pi;
      yx = -quarter_pi;
    }
    evidence.equals(Role::kCore, "difference of the two orders on the unit square", xy - yx, 0, 1e-7,
                    p_.signed_function ? "(x^2 - y^2) / (x^2 + y^2)^2" : "|x - y|");
    evidence.note("(x^2 - y^2) / (x^2 + y^2)^2 on the unit square: dy first less dx first", 2 * quarter_pi,
                  "pi/2: without f >= 0 the orders can differ");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, TonelliFubini, "thm:tonelli-fubini");

}  // namespace
}  // namespace yatlab
