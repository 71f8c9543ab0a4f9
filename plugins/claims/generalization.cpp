#include "plugins/claims/generalization.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

using namespace claims;

/// The printed bound on kernel ridge regression. Its variance terms do not come from any analysis: for a target of 0 it requires an error below M^2
/// kappa / n whatever lambda is.
class Generalization final : public Claim {
 public:
  struct Params {
    double variance_factor = 1;
    double bound_rate = 0.5;
    static void declare(Fields& f, Params& p) {
      f.field("variance_factor", p.variance_factor, "factor of M^2 kappa / n, as printed").positive();
      f.field("bound_rate", p.bound_rate, "r: the printed bound with lambda = n^(-1/2) falls like n^(-r)").positive();
    }
  };
  explicit Generalization(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    one_input(context, evidence);
    context.tick(0.05, "kernel ridge regression");
    simulate(context, evidence);
    estimator(context, evidence);
    details(context, evidence);
  }

 private:
  static double proved(double norm2, double m, double kappa, double lambda, double n) {
    const double inflation = 1 + kappa / (lambda * n);
    return inflation * inflation * (m * m + lambda * norm2) - m * m;
  }
  double printed(double norm2, double m, double kappa, double lambda, double n) const {
    return norm2 / (lambda * n) + lambda * norm2 + p_.variance_factor * m * m * kappa / n;
  }

  void one_input(const ClaimContext& context, Evidence& evidence) const {
    // All inputs at (1, 0): f_lambda = k / (k + lambda) mean(y), so the error is (k / (k + lambda))^2 M^2 / n.
    const double n = 100, lambda = 0.1;
    const Tensor x = kernels::vector_of({1, 0});
    const auto op = context.op.with_epsilon(4);
    const double k = kernels::score(*op, x, x), shrink = k / (k + lambda);
    evidence.part("bound");
    evidence.at_most(Role::kCore, "error / printed bound, inputs all at (1, 0), f* = 0", shrink * shrink / n / printed(0, 1, k, lambda, n),
                     1, 1e-9, "eps = 4, n = 100, lambda = 1/10 = n^(-1/2), y = +-1");
    const double error = shrink * shrink / n, bound = printed(0, 1, k, lambda, n);
    evidence.set("kappa", k);
    evidence.set("shrink", shrink);
    evidence.set("error", error);
    evidence.set("bound", bound);
    evidence.counterexample_stands(error > bound);
  }

  void simulate(const ClaimContext& context, Evidence& evidence) const {
    auto g = kernels::generator_of(context.seed);
    double worst = 0, worst_target = 0, worst_proved = 0;
    std::string where, where_target;
    const auto designs = context.scaled(20, 2);
    for (const double epsilon : {0.1, 1.0, 10.0}) {
      for (const bool with_target : {false, true}) {
        ridge::Problem problem;
        problem.op = context.op.with_epsilon(epsilon);
        double size = 0;
        if (with_target) {  // scaled to |f| <= 1/10 on the disc
          problem.centres = problem.sample(5, g);
          problem.coefficients = kernels::normals({5, 1}, g);
          const double top = problem.target(problem.sample(2000, g)).abs().max().item<double>();
          problem.coefficients *= 0.1 / std::max(top, 1e-300);
          size = 0.12;  // the largest |f| may be between the samples
        }
        const double m = problem.noise + size, kappa = 1 / epsilon, norm2 = problem.norm2();
        for (const std::int64_t n : {std::int64_t{10}, std::int64_t{40}, context.scaled(160, 60)}) {
          for (const double lambda : {1e-3, 1e-2, 0.1, 1 / std::sqrt(static_cast<double>(n)), 1.0}) {
            const double found = ridge::error(problem, n, lambda, designs, g), count = static_cast<double>(n);
            const double ratio = found / printed(norm2, m, kappa, lambda, count);
            const auto at = fmt::format("disc, eps = {:g}, n = {}, lambda = {:.3g}: error {:.3g}", epsilon, n, lambda, found);
            if (!with_target && ratio > worst) {
              worst = ratio;
              where = at;
            }
            if (with_target && ratio > worst_target) {
              worst_target = ratio;
              where_target = fmt::format("{}, |f*|^2 = {:.3g}, |f*| <= 0.12, noise +-1", at, norm2);
            }
            worst_proved = std::max(worst_proved, found / proved(norm2, m, kappa, lambda, count));
          }
        }
        context.tick(0.1 + 0.15 * std::log10(epsilon * 10) * 2, fmt::format("ridge regression, eps = {:g}", epsilon));
      }
    }
    evidence.at_most(Role::kCore, "largest error / printed bound, f* = 0", worst, 1, 0.05, where);
    evidence.at_most(Role::kCore, "largest error / printed bound, f* in the space and not 0", worst_target, 1, 0.05, where_target);
    evidence.at_most(Role::kCorrected, "largest error / ((1 + kappa/(lambda n))^2 (M^2 + lambda |f*|^2) - M^2)", worst_proved, 1, 0.05,
                     "the same problems");
    evidence.set("largest", context.scaled(160, 60));
    evidence.set("designs", designs);
  }

  static void estimator(const ClaimContext& context, Evidence& evidence) {
    // No step from a = (K + lambda n)^(-1) y may lower |y - K a|^2 / n + lambda a'Ka, and K a is the printed estimator.
    auto g = kernels::generator_of(context.seed + 1);
    const auto op = context.op.with_epsilon(1);
    const std::int64_t n = 20;
    const double lambda = 0.2;
    const Tensor x = kernels::normals({n, 3}, g), y = kernels::normals({n, 1}, g), k = kernels::gram(*op, x);
    const Tensor system = k + lambda * static_cast<double>(n) * at::eye(n, at::kDouble);
    const Tensor a = at::linalg_solve(system, y), fitted = at::linalg_solve(system, at::matmul(k, y));
    const auto objective = [&](const Tensor& c) {
      const Tensor kc = at::matmul(k, c);
      return ((y - kc).square().mean() + lambda * (c * kc).sum()).item<double>();
    };
    double lowest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 200; ++i) {
      const Tensor step = std::pow(10.0, -i % 4) * kernels::normals({n, 1}, g);
      lowest = std::min(lowest, objective(a + step) - objective(a));
    }
    evidence.at_least(Role::kDetail, "least change of the ridge objective by a step from the estimator", lowest, 0, 1e-12,
                      "objective |y - f|^2 / n + lambda |f|^2, n = 20, d = 3, 200 steps");
    evidence.at_most(Role::kDetail, "largest difference of its fitted values from (K + lambda n I)^(-1) K y",
                     (at::matmul(k, a) - fitted).abs().max().item<double>(), 0, 1e-10,
                     "the printed estimator is the vector of fitted values, not the coefficients");
  }

  void details(const ClaimContext& context, Evidence& evidence) const {
    auto g = kernels::generator_of(context.seed + 2);
    double diagonal = 0;
    for (const double epsilon : {1e-5, 0.1, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const double radius : {0.5, 1.0, 3.0}) {
        ridge::Problem ball;
        ball.dim = 5;
        Tensor x = radius * ball.sample(200, g);
        x[0] = radius * x[0] / x[0].norm();
        const Tensor k = op->scores(x.unsqueeze(1), x.unsqueeze(1));
        diagonal = std::max(diagonal, k.max().item<double>() * epsilon / std::pow(radius, 4));
      }
    }
    evidence.equals(Role::kDetail, "largest k(x,x) / (R^4 / eps) on the ball", diagonal, 1, 1e-9, "R = 0.5, 1, 3, eps = 1e-5..10");
    std::vector<double> sizes, bounds;
    for (double n = 1e6; n < 1e13; n *= 10) {
      sizes.push_back(n);
      bounds.push_back(printed(1, 1, 1, 1 / std::sqrt(n), n));
    }
    evidence.equals(Role::kDetail, "power of n in the printed bound with lambda = n^(-1/2)", fit_power_law(sizes, bounds).slope,
                    -p_.bound_rate, 1e-3, "f* not 0; the last term, M^2 kappa / n, does not contain f*");
    // The kernel c k with c lambda is the same estimator.
    evidence.note("printed bound for the kernel 100 k with 100 lambda / for k with lambda: the same estimator",
                  printed(0.01, 1, 100, 10, 100) / printed(1, 1, 1, 0.1, 100),
                  "|f*|^2 = M = kappa = 1, n = 100, lambda = 0.1: the terms differ in units");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, Generalization, "thm:generalization");

}  // namespace
}  // namespace yatlab
