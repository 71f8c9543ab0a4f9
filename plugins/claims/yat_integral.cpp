#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Eq. (yat_integral): the product as a mixture of positive definite kernels, the core of the Mercer proof.
class YatIntegral final : public Claim {
 public:
  struct Params {
    double power = 2;
    static void declare(Fields& f, Params& p) { f.field("power", p.power, "power of |x.w| in the integrand, as printed").positive(); }
  };
  explicit YatIntegral(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    boost::math::quadrature::exp_sinh<double> rule;
    auto g = generator_of(context.seed);
    double worst = 0, domination = 0, tail = 0;
    const auto pairs = context.scaled(200, 10);
    for (const double epsilon : {1e-8, 1e-5, 1e-2, 1.0, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (std::int64_t i = 0; i < pairs; ++i) {
        const std::int64_t d = 1 + i % 16;
        const Tensor x = normals({1, d}, g);
        const double nearness = std::pow(10.0, -static_cast<double>(i % 5));
        const Tensor w = i % 6 == 5 ? x : x + nearness * normals({1, d}, g);
        const double r = (x - w).square().sum().item<double>();
        const double dot = (x * w).sum().item<double>();
        if (std::abs(dot) <= 1e-2) continue;  // only rounding error would be visible
        const double top = std::pow(std::abs(dot), p_.power);
        const auto integrand = [&](double t) { return top * std::exp(-t * epsilon) * std::exp(-t * r); };
        const double integral = rule.integrate(integrand, 1e-13);
        const double value = score(*op, x, w);
        worst = std::max(worst, std::abs(value - integral) / (std::abs(value) + std::abs(integral)));
        const double m = std::max(x.norm().item<double>(), w.norm().item<double>());
        domination = std::max(domination, top / std::pow(m, 2 * p_.power));
        // The tail beyond T = 30 / eps, relative to M^4 e^(-T eps) / eps.
        const double cut = 30 / epsilon;
        const double rest = rule.integrate([&](double t) { return integrand(t + cut); }, 1e-10);
        tail = std::max(tail, rest / (std::pow(m, 2 * p_.power) * std::exp(-30.0) / epsilon));
      }
    }
    evidence.at_most(Role::kCore, "largest |E - integral| / (|E| + |integral|)", worst, 0, 4e4 * kEps,
                     "d = 1..16, x = w among the pairs, |x.w| > 0.01, eps = 1e-8..10");
    evidence.at_most(Role::kDetail, "Step 4: largest integrand / (M^4 e^(-t eps))", domination, 1, 1e-12, "at t = 0, where it is largest");
    evidence.at_most(Role::kDetail, "Step 6: largest rest of the integral beyond T / (M^4 e^(-T eps) / eps)", tail, 1, 1e-6,
                     "T = 30 / eps: convergence is uniform on a compact set");
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, YatIntegral, "eq:yat_integral");

}  // namespace
}  // namespace yatlab
