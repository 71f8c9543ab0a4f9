#include <fmt/format.h>

#include <algorithm>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/simplex.h"

namespace yatlab {
namespace {

using namespace claims;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Similarity of a distribution with itself, and its singular limits. The title, but not the statement, says that q = p is the most similar; this is
/// wrong for most p.
class MaxSimilarity final : public Claim {
 public:
  struct Params {
    double exponent = 4;
    static void declare(Fields& f, Params& p) { f.field("exponent", p.exponent, "exponent of |p| in E(p,p), as printed"); }
  };
  explicit MaxSimilarity(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    self_similarity(context, evidence);
    context.tick(0.2, "joint limit");
    joint_limit(context, evidence);
    context.tick(0.4, "is q = p the maximum?");
    maximum(context, evidence);
  }

 private:
  static Tensor paired(const Operator& op, const Tensor& p, const Tensor& q) { return op.scores(p.unsqueeze(1), q.unsqueeze(1)).flatten(); }

  void self_similarity(const ClaimContext& context, Evidence& evidence) const {
    auto g = kernels::generator_of(context.seed);
    double worst = 0, largest = 0;
    std::vector<double> epsilons, smallest;
    for (const double epsilon : {1e-9, 1e-6, 1e-3, 1.0, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      double low = kInfinity;
      for (const std::int64_t n : {2, 3, 10, 64}) {
        const Tensor p = simplex::random(context.scaled(500, 20), n, 0.2, g);
        const Tensor self = paired(*op, p, p), printed = p.norm(2, {1}).pow(p_.exponent) / epsilon;
        worst = std::max(worst, ((self - printed) / printed).abs().max().item<double>());
        low = std::min(low, self.min().item<double>());
        const auto shares = [&](const Tensor& z) {
          const Tensor both = simplex::from_free(z);
          return epsilon * paired(*op, both.select(1, 0), both.select(1, 1));
        };
        SearchOptions o;
        o.steps = context.scaled(60, 15);
        o.refinements = context.scaled(60, 15);
        largest = std::max(largest, maximise(shares, kernels::normals({context.scaled(32, 8), 2, n}, g), {}, o).value);
      }
      epsilons.push_back(epsilon);
      smallest.push_back(std::max(low, 1e-300));
    }
    evidence.at_most(Role::kCore, "E is finite: largest eps E(p,q) found", largest, 1, 1e-9, "by ascent; reached at p = q = a vertex");
    evidence.at_most(Role::kCore, "largest relative difference of E(p,p) from |p|^4 / eps as printed", worst, 0, 4e4 * kernels::kEps,
                     "n = 2..64");
    evidence.at_most(Role::kCore, "power of eps in the smallest E(p,p) as eps -> 0", fit_power_law(epsilons, smallest).slope, -1, 0.1,
                     "eps = 10 down to 1e-9: it diverges like 1/eps");
  }

  static void joint_limit(const ClaimContext& context, Evidence& evidence) {
    auto g = kernels::generator_of(context.seed + 1);
    double growth = kInfinity;
    std::string slowest;
    for (const std::int64_t n : {2, 10, 64}) {
      const Tensor p = simplex::random(20, n, 0.2, g), other = simplex::random(20, n, 0.5, g);
      for (const double near : {0.5, 1.0, 2.0}) {
        for (const double small : {0.5, 1.0, 2.0}) {
          const auto at = [&](double k) {
            const auto op = context.op.with_epsilon(std::pow(10.0, -small * k));
            return paired(*op, p, p + std::pow(10.0, -near * k) * (other - p));
          };
          const double least = (at(6) / at(1)).min().item<double>();
          if (!(least >= growth)) {
            growth = least;
            slowest = fmt::format("|q - p| ~ 10^(-{:g} k), eps = 10^(-{:g} k), n = {}", near, small, n);
          }
        }
      }
    }
    evidence.at_least(Role::kCore, "joint limit: least growth of E(p,q_k) from k = 1 to k = 6", growth, 100, 0, slowest);
  }

  static void maximum(const ClaimContext& context, Evidence& evidence) {
    const auto one = context.op.with_epsilon(1);
    const Tensor p = kernels::vector_of({0.75, 0.25}), vertex = kernels::vector_of({1, 0});
    auto g = kernels::generator_of(context.seed + 2);
    double uniform = 0, general = 0;
    for (const double epsilon : {1e-3, 1e-1, 1.0, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      context.tick(0.4 + 0.06 * epsilon, "is q = p the maximum?");
      SearchOptions o;
      o.steps = context.scaled(200, 20);
      o.refinements = context.scaled(100, 20);
      for (const std::int64_t n : {2, 5, 20}) {
        const auto restarts = context.scaled(32, 8);
        const auto free_pair = [&](const Tensor& z) {
          const Tensor both = simplex::from_free(z);
          return paired(*op, both.select(1, 0), both.select(1, 1)) / paired(*op, both.select(1, 0), both.select(1, 0));
        };
        general = std::max(general, maximise(free_pair, kernels::normals({restarts, 2, n}, g), {}, o).value);
        for (const std::int64_t support : {std::int64_t{1}, (n + 1) / 2, n}) {
          Tensor flat = at::zeros({1, n}, at::kDouble);
          flat.slice(1, 0, support).fill_(1.0 / static_cast<double>(support));
          const double self = kernels::score(*op, flat, flat);
          const auto to_flat = [&](const Tensor& z) {
            const Tensor q = simplex::from_free(z);
            return paired(*op, q, flat.expand_as(q)) / self;
          };
          uniform = std::max(uniform, maximise(to_flat, kernels::normals({restarts, n}, g), {}, o).value);
        }
      }
    }
    evidence.at_most(Role::kReading, "the title's \"maximal\": E(p,q) / E(p,p)",
                     kernels::score(*one, p, vertex) / kernels::score(*one, p, p), 1, 1e-9, "p = (3/4, 1/4), q = (1, 0), eps = 1");
    evidence.note("largest E(p,q) / E(p,p) found", general, "by ascent over p and q, n = 2..20, eps = 1e-3..10");
    evidence.at_most(Role::kCorrected, "largest E(p,q) / E(p,p) for p uniform on its support", uniform, 1, 1e-9,
                     "by ascent over q, supports of 1, n/2 and n outcomes, n = 2, 5, 20");
    const double cross = kernels::score(*one, p, vertex), self = kernels::score(*one, p, p);
    evidence.set("cross", cross);
    evidence.set("self", self);
    evidence.counterexample_stands(cross > self);
  }

  Params p_;
};

YATLAB_REGISTER(Claim, MaxSimilarity, "thm:max-similarity");

}  // namespace
}  // namespace yatlab
