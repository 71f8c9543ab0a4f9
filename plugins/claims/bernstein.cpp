#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Bernstein's theorem holds on (0, inf). On [0, inf) with derivatives at 0, as printed, it misses Laplace transforms such as exp(-sqrt t). And 1/y,
/// for which the paper quotes it, is not defined at 0.
class Bernstein final : public Claim {
 public:
  struct Params {
    double sign = 1;
    static void declare(Fields& f, Params& p) { f.field("sign", p.sign, "sign of s in exp(-t s), as printed"); }
  };
  explicit Bernstein(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    powers(context, evidence);
    signed_measure(evidence);
    domain(evidence);
    along_distance(context, evidence);
  }

 private:
  void powers(const ClaimContext& context, Evidence& evidence) const {
    // f(t) = (eps + t)^(-a) has the density s^(a-1) e^(-eps s) / Gamma(a).
    boost::math::quadrature::exp_sinh<double> rule;
    double transform = 0, alternating = std::numeric_limits<double>::infinity(), inversion = 0;
    const auto points = context.scaled(40, 6);
    for (const double a : {0.5, 1.0, 3.0}) {
      for (const double epsilon : {0.01, 1.0, 10.0}) {
        // e^(-rate s) density(s), in one exponential: does not overflow where the product does not.
        const auto damped = [&](double s, double rate) {
          return std::exp((a - 1) * std::log(s) - (epsilon + rate) * s) / boost::math::tgamma(a);
        };
        for (std::int64_t i = 0; i < points; ++i) {
          const double t = std::pow(10.0, -2 + 4 * static_cast<double>(i) / static_cast<double>(points));
          if (epsilon + p_.sign * t > 0) {
            const double integral = rule.integrate([&](double s) { return damped(s, p_.sign * t); }, 1e-12);
            transform = std::max(transform, std::abs(integral * std::pow(epsilon + t, a) - 1));
          } else {
            transform = std::numeric_limits<double>::infinity();
          }
          // Differences of f alternate in sign as its derivatives do; relative to the sum of their magnitudes.
          for (int order = 0; order <= 6; ++order) {
            double sum = 0, binomial = 1;
            for (int k = 0; k <= order; ++k) {
              sum += (k % 2 == 0 ? 1 : -1) * binomial * std::pow(epsilon + t * (1 + k), -a);
              binomial = binomial * (order - k) / (k + 1);
            }
            alternating = std::min(alternating, sum * std::pow(epsilon + t, a));
          }
          // Post-Widder: (-1)^n f^(n)(n/s) (n/s)^(n+1) / n! -> density(s), with an error of order 1/n.
          const int n = 400;
          const double s = t / epsilon, y = n / s;
          const double log_value = boost::math::lgamma(a + n) - boost::math::lgamma(a) - boost::math::lgamma(n + 1.0) -
                                   (a + n) * std::log(epsilon + y) + (n + 1) * std::log(y);
          if (epsilon * s < 5) inversion = std::max(inversion, std::abs(std::exp(log_value) / damped(s, 0) - 1));
        }
      }
    }
    evidence.at_most(Role::kCore, "largest relative difference of (eps + t)^(-a) from the transform of its measure", transform, 0, 1e-7,
                     "a = 0.5, 1, 3, eps = 0.01, 1, 10");
    evidence.at_least(Role::kCore, "smallest alternating difference of f of order 0..6, over f(t)", alternating, 0, 64 * 64 * kEps,
                      "step t, so that signs are those of the derivatives");
    evidence.at_most(Role::kCore, "largest relative difference of the density recovered from 400 derivatives", inversion, 0, 0.05,
                     "Post-Widder, eps s < 5; its error is of order (eps s)^2 / 800");
  }

  static void signed_measure(Evidence& evidence) {
    // 1/(1 + t^2) = integral of e^(-ts) sin(s) ds: f'' < 0 near 0, and the density reaches -1.
    const double h = 1e-3, second = (1 / (1 + 4 * h * h) - 2 / (1 + h * h) + 1) / (h * h);
    evidence.at_most(Role::kCore, "1/(1 + t^2): its second derivative at 0, where its density sin(s) is signed", second, -1.9, 0,
                     "neither completely monotone nor a transform of a measure >= 0");
  }

  static void domain(Evidence& evidence) {
    boost::math::quadrature::exp_sinh<double> rule;
    double off = 0;
    for (const double t : {0.01, 1.0, 9.0}) {
      const auto density = [](double s) { return s < 1e-4 ? 0 : std::exp(-0.25 / s) / (2 * std::sqrt(M_PI) * s * std::sqrt(s)); };
      const double integral = rule.integrate([&](double s) { return std::exp(-t * s) * density(s); }, 1e-10);
      off = std::max(off, std::abs(integral - std::exp(-std::sqrt(t))));
    }
    evidence.equals(Role::kContext, "exp(-sqrt t) less the transform of its measure", off, 0, 1e-7);
    const auto slope = [](double t) { return -std::expm1(-std::sqrt(t)) / t; };
    evidence.set("slope", -slope(1e-6));
    evidence.at_most(Role::kContext,
                     "domain [0, inf): exp(-sqrt t) has a derivative at 0: growth of (f(0) - f(t)) / t from t = 1e-6 to 1e-12",
                     slope(1e-12) / slope(1e-6), 1, 0.01, "it is the transform of a measure >= 0 all the same");
    evidence.is_true(Role::kContext, "1/y, which the context line calls completely monotone, is finite on [0, inf)", std::isfinite(1 / 0.0),
                     "its measure ds is infinite; the theorem for (0, inf) covers it");
  }

  static void along_distance(const ClaimContext& context, Evidence& evidence) {
    // x = w + sqrt(r) u with u orthogonal to w: x.w stays |w|^2, and E = |w|^4 / (r + eps).
    const auto op = context.op.with_epsilon(1);
    const Tensor w = vector_of({1, 0});
    double lowest = std::numeric_limits<double>::infinity();
    for (int order = 0; order <= 5; ++order) {
      double sum = 0, binomial = 1;
      for (int k = 0; k <= order; ++k) {
        sum += (k % 2 == 0 ? 1 : -1) * binomial * score(*op, vector_of({1, std::sqrt(0.5 * k)}), w);
        binomial = binomial * (order - k) / (k + 1);
      }
      lowest = std::min(lowest, sum);
    }
    const double mass = score(*op, w, w);
    evidence.at_least(Role::kContext, "r -> E along a line at right angles to w: smallest alternating difference of order 0..5", lowest, 0,
                      1e-12, fmt::format("[0, inf) in r = |x-w|^2, finite at 0: {:g} = the measure's mass / eps", mass));
  }

  Params p_;
};

YATLAB_REGISTER(Claim, Bernstein, "thm:bernstein");

}  // namespace
}  // namespace yatlab
