#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>

#include "core/measure/claim.h"
#include "core/ops/search.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/gram.h"
#include "plugins/claims/precise.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

constexpr double kEpsilons[] = {1e-6, 1e-3, 1, 10};

/// The product is symmetric, continuous and positive definite: the paper's first theorem. Its definition of
/// "positive definite" is semi-definite, so Gram matrices may be singular (k(0, 0) = 0).
class Mercer final : public Claim {
 public:
  struct Params {
    double bias = 0;
    static void declare(Fields& f, Params& p) { f.field("bias", p.bias, "bias added to x.w inside the square; the statement has none"); }
  };
  explicit Mercer(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    symmetry(context, evidence);
    context.tick(0.15, "Gram matrices");
    Worst worst = families(context);
    context.tick(0.5, "descent on the smallest eigenvalue");
    descend(context, worst);
    evidence.at_least(Role::kCore, "smallest eigenvalue / largest, in double, beyond rounding", worst.margin, 0, 0, worst.where);
    context.tick(0.75, "113 bits");
    precise(context, evidence, worst.hard);
    continuity(context, evidence);
    context.tick(0.9, "with a bias");
    with_bias(context, evidence);
    exchanged(context, evidence);
    const auto op = context.op.with_epsilon(1);
    const Tensor origin = at::zeros({1, 2}, at::kDouble);
    evidence.note("k(0, 0): a Gram matrix with the origin among its points is singular", score(*op, origin, origin),
                  "semi-definite, which is what the paper's definition asks for");
    evidence.set("sets", worst.sets);
    evidence.set("kinds", point_families().size());
    evidence.set("largest", context.scaled(200, 20));
    evidence.set("descents", worst.descents);
  }

 private:
  struct Worst {
    double margin = std::numeric_limits<double>::infinity();
    std::string where;
    std::int64_t sets = 0, descents = 0;
    std::vector<std::pair<Tensor, double>> hard;  ///< small point sets with their epsilon, for higher precision
    /// share + the possible rounding error; negative: not positive semi-definite.
    void hold(double share, std::int64_t n, const std::string& at) {
      const double m = share + share_rounding(n);
      if (m < margin) {
        margin = m;
        where = fmt::format("{}: {:.3g} of the largest", at, share);
      }
    }
  };

  Tensor bias_of(std::int64_t n) const { return p_.bias == 0 ? Tensor() : at::full({n}, p_.bias, at::kDouble); }

  void symmetry(const ClaimContext& context, Evidence& evidence) const {
    double worst = 0;
    auto g = generator_of(context.seed);
    for (const double epsilon : kEpsilons) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2, 16}) {
        const auto gap = [&](const Tensor& pairs) {  // [R, 2, d]
          const Tensor k = gram(*op, pairs, bias_of(2));
          const Tensor a = k.select(-2, 0).select(-1, 1), b = k.select(-2, 1).select(-1, 0);
          return (a - b).abs() / (a.abs() + b.abs() + 1e-300);
        };
        SearchOptions o;
        o.steps = 20;
        o.refinements = 20;
        worst = std::max(worst, maximise(gap, normals({context.scaled(200, 20), 2, d}, g), {}, o).value);
      }
    }
    evidence.at_most(Role::kCore, "largest |k(x,w) - k(w,x)| / (|k(x,w)| + |k(w,x)|)", worst, 0, 4e4 * kEps,
                     "d = 1, 2, 16, eps = 1e-6..10, by search");
  }

  Worst families(const ClaimContext& context) const {
    Worst worst;
    auto g = generator_of(context.seed + 1);
    const std::int64_t largest = context.scaled(200, 20);
    for (const double epsilon : kEpsilons) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const auto& family : point_families()) {
        for (const std::int64_t d : {1, 2, 3, 8, 64}) {
          for (const std::int64_t n : {std::int64_t{2}, std::int64_t{5}, std::int64_t{12}, largest}) {
            const Tensor x = points(family, n, d, n == 5 ? 10 : 1, g);
            worst.hold(smallest_share(gram(*op, x, bias_of(n))).item<double>(), n,
                       fmt::format("{} points, d = {}, n = {}, eps = {:g}", family, d, n, epsilon));
            ++worst.sets;
            if (n == 12 && d <= 3) worst.hard.emplace_back(x, epsilon);
          }
        }
      }
    }
    return worst;
  }

  void descend(const ClaimContext& context, Worst& worst) const {
    auto g = generator_of(context.seed + 2);
    const std::int64_t restarts = context.scaled(48, 6);
    for (const double epsilon : kEpsilons) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2, 5}) {
        for (const std::int64_t n : {3, 8}) {
          const auto badness = [&](const Tensor& x) { return -smallest_share(gram(*op, x, bias_of(n))); };
          SearchOptions o;
          o.steps = context.scaled(200, 15);
          o.refinements = context.scaled(60, 10);
          o.seed = context.seed;
          const auto found = maximise(badness, normals({restarts, n, d}, g), {}, o);
          worst.hold(-found.value, n, fmt::format("found by descent: d = {}, n = {}, eps = {:g}", d, n, epsilon));
          worst.hard.emplace_back(found.point, epsilon);
          worst.descents += restarts;
        }
      }
      context.tick(0.5 + 0.06 * static_cast<double>(&epsilon - kEpsilons), "descent on the smallest eigenvalue");
    }
  }

  void precise(const ClaimContext& context, Evidence& evidence, const std::vector<std::pair<Tensor, double>>& sets) const {
    const auto count = std::min<std::int64_t>(context.scaled(200, 8), static_cast<std::int64_t>(sets.size()));
    double smallest = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < count; ++i) {  // from the end: results of the descent come first
      if (i % 40 == 0) context.tick(0.75 + 0.1 * static_cast<double>(i) / static_cast<double>(count), "113 bits");
      const auto& [x, epsilon] = sets[sets.size() - 1 - static_cast<std::size_t>(i)];
      const auto [low, high] = extreme_eigenvalues(quad_gram(x, epsilon, p_.bias));
      smallest = std::min(smallest, static_cast<double>(low / high));
    }
    // 113 bits and n = 12; distances are computed directly.
    evidence.at_least(Role::kCore, "smallest eigenvalue / largest, of the formula with 113 bits", smallest, 0, 12 * 64 * 1.9e-34,
                      fmt::format("{} sets of n <= 12 points, those found by descent among them", count));
  }

  static void continuity(const ClaimContext& context, Evidence& evidence) {
    // The change over a step h decreases with h, uniformly on the compact set.
    double slope = std::numeric_limits<double>::infinity();
    auto g = generator_of(context.seed + 3);
    for (const double epsilon : kEpsilons) {
      const auto op = context.op.with_epsilon(epsilon);
      Tensor w = normals({64, 3}, g), x = normals({64, 3}, g), u = normals({64, 3}, g);
      x.slice(0, 0, 32).copy_(w.slice(0, 0, 32));  // half of them start at the peak
      u /= u.norm(2, {1}, true);
      std::vector<double> steps, changes;
      const Tensor before = op->scores(x, w).diagonal();
      for (const double h : {1e-1, 1e-2, 1e-3, 1e-4}) {
        const double step = h * std::min(1.0, std::sqrt(epsilon));
        steps.push_back(step);
        changes.push_back((op->scores(x + step * u, w).diagonal() - before).abs().max().item<double>());
      }
      slope = std::min(slope, fit_power_law(steps, changes).slope);
    }
    evidence.at_least(Role::kCore, "continuity: power of h with which the largest change over a step h falls", slope, 1, 0.25,
                      "x = w and random pairs, d = 3, h from 0.1 to 1e-4 of sqrt(eps)");
  }

  /// Step 5 of the proof exchanges the integral and a sum over terms c_i c_j k_t(x_i, x_j) of both signs, naming Tonelli.
  static void exchanged(const ClaimContext& context, Evidence& evidence) {
    boost::math::quadrature::exp_sinh<double> half_line;
    const auto op = context.op.with_epsilon(1);
    auto g = generator_of(context.seed + 5);
    const Tensor x = normals({12, 3}, g), c = normals({12, 1}, g);
    const Tensor weights = at::matmul(c, c.t());
    const Tensor distance = (x.unsqueeze(1) - x.unsqueeze(0)).square().sum(2), dots = at::matmul(x, x.t()).square();
    const auto integrand = [&](double t) { return weights * dots * (-t * (1 + distance)).exp(); };
    evidence.note("smallest term of the integrand that Step 5 exchanges by Tonelli, which asks for terms >= 0",
                  integrand(0.1).min().item<double>(), "c_i c_j (x_i.x_j)^2 e^(-t eps) e^(-t |x_i-x_j|^2), 12 random points, t = 0.1");
    const double integral = half_line.integrate([&](double t) { return integrand(t).sum().item<double>(); }, 1e-9);
    const double sum = (weights * gram(*op, x)).sum().item<double>();
    const double gross = (weights.abs() * gram(*op, x).abs()).sum().item<double>();
    evidence.equals(Role::kCorrected, "(sum of the integrals - integral of the sum) / sum of sizes", (sum - integral) / gross, 0, 1e-8,
                    "by linearity of the integral: a finite sum of integrable terms");
  }

  static void with_bias(const ClaimContext& context, Evidence& evidence) {
    const auto op = context.op.with_epsilon(1);
    const Tensor pair = at::cat({vector_of({1, 0}), vector_of({2, 0})});
    const double share = eigenvalues(gram(*op, pair, at::full({2}, -1.0, at::kDouble)))[0].item<double>();
    evidence.note("smallest eigenvalue with one bias b for all units, as in an NMN layer", share,
                  "b = -1, x1 = (1, 0), x2 = (2, 0), eps = 1");
    const Tensor k_pair = gram(*op, pair, at::full({2}, -1.0, at::kDouble));
    evidence.set("k11", k_pair[0][0].item<double>());
    evidence.set("k12", k_pair[0][1].item<double>());
    evidence.set("k22", k_pair[1][1].item<double>());
    const Tensor own = at::tensor(std::vector<double>{0, 1}, at::kDouble);
    const Tensor apart = gram(*op, at::eye(2, at::kDouble), own);
    evidence.note("k(x,w) - k(w,x) with a bias for each unit", (apart[0][1] - apart[1][0]).item<double>(),
                  "x = (1, 0), b = 0 and w = (0, 1), b = 1, eps = 1");
    auto g = generator_of(context.seed + 4);
    double margin = std::numeric_limits<double>::infinity();
    for (const double epsilon : kEpsilons) {
      const auto biased = context.op.with_epsilon(epsilon);
      for (const auto& family : point_families()) {
        for (const double b : {1e-3, 1.0, 30.0}) {
          const Tensor k = gram(*biased, points(family, 10, 2, 1, g), at::full({10}, b, at::kDouble));
          margin = std::min(margin, smallest_share(k).item<double>() + share_rounding(10));
        }
      }
    }
    evidence.at_least(Role::kCorrected, "smallest eigenvalue / largest with one bias b >= 0, beyond rounding", margin, 0, 0,
                      "b = 1e-3, 1, 30, all kinds of point sets, d = 2, n = 10");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, Mercer, "thm:mercer");

}  // namespace
}  // namespace yatlab
