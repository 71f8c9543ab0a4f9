#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Tonelli's theorem as printed asks for f >= 0; the step of the Mercer proof that cites it has a signed integrand.
class TonelliFubini final : public Claim {
 public:
  struct Params {
    bool signed_function = false;
    static void declare(Fields& f, Params& p) {
      f.field("signed_function", p.signed_function, "take a function of both signs; the statement asks for f >= 0");
    }
  };
  explicit TonelliFubini(const Params& p) : p_(p) {}

  std::string title() const override { return "Tonelli-Fubini"; }
  std::string how() const override {
    return "Iterated integrals in both orders by nested quadrature: non-negative functions with closed forms, the "
           "signed textbook example; the integrand that the Mercer proof applies it to.";
  }

  void check(const ClaimContext& context, Evidence& evidence) const override {
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

    // Step 5 of the Mercer proof: terms c_i c_j k_t(x_i, x_j) of both signs.
    const auto op = context.op.with_epsilon(1);
    auto g = generator_of(context.seed);
    const Tensor x = normals({12, 3}, g), c = normals({12, 1}, g);
    const Tensor weights = at::matmul(c, c.t());
    const Tensor distance = (x.unsqueeze(1) - x.unsqueeze(0)).square().sum(2), dots = at::matmul(x, x.t()).square();
    const auto integrand = [&](double t) { return weights * dots * (-t * (1 + distance)).exp(); };
    evidence.at_least(Role::kReading, "smallest term of the integrand that the Mercer proof exchanges by Tonelli",
                      integrand(0.1).min().item<double>(), 0, 0,
                      "c_i c_j (x_i.x_j)^2 e^(-t eps) e^(-t |x_i-x_j|^2), 12 random points, t = 0.1");
    const double exchanged = half_line.integrate([&](double t) { return integrand(t).sum().item<double>(); }, 1e-9);
    const double sum = (weights * gram(*op, x)).sum().item<double>();
    const double gross = (weights.abs() * gram(*op, x).abs()).sum().item<double>();
    evidence.equals(Role::kCorrected, "(sum of the integrals - integral of the sum) / sum of sizes", (sum - exchanged) / gross, 0, 1e-8,
                    "by linearity of the integral (a finite sum of integrable terms)");
    evidence.counterexample("c = (1, -1), x1 = (1, 0), x2 = (2, 0): the term with i = 1, j = 2 of Step 5 is -4 e^(-t eps) e^(-t) < 0");
    evidence.corrected(
        "true as printed. Step 5 of the Mercer proof needs linearity (or Fubini with an integrable majorant, Step 4), "
        "not Tonelli");
    evidence.tried("f >= 0 with and without a limit at infinity; a signed f; the proof's integrand on 12 points");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, TonelliFubini, "thm:tonelli-fubini",
                "for measurable f ≥ 0 on σ-finite spaces the double integral equals both iterated integrals");

}  // namespace
}  // namespace yatlab
