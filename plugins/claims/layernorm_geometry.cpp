#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// "forcing |x|^2 = d ...: all inputs become equidistant from the origin, collapsing the proximity structure".
class LayernormGeometry final : public Claim {
 public:
  struct Params {
    double collapsed = 0.1;
    static void declare(Fields& f, Params& p) {
      f.field("collapsed", p.collapsed, "largest ratio of the spread of distances after LayerNorm to that before which counts as collapse")
          .positive();
    }
  };
  explicit LayernormGeometry(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    auto g = generator_of(context.seed);
    const double epsilon = 1e-2;
    const auto op = context.op.with_epsilon(epsilon);
    double norm_gap = 0, identity = 0, spread = 0, score_spread = 0, clusters_kept = 1, chance = 0, correlation = 1, function_gap = 0;
    std::string where;
    for (const std::int64_t d : {16, 64, 768}) {
      context.tick(0.3, fmt::format("d = {}", d));
      for (const bool clusters : {false, true}) {
        const std::int64_t n = context.scaled(300, 60), k = 10;
        const Tensor w = normals({k, d}, g), owner = at::arange(n, at::kLong).remainder(k);
        const Tensor noise = normals({n, d}, g);
        const Tensor x = clusters ? w.index_select(0, owner) + 0.7 * noise : noise;
        const Tensor y = at::layer_norm(x, {d}), v = at::layer_norm(w, {d});
        norm_gap = std::max(norm_gap, (y.square().sum(1) / static_cast<double>(d) - 1).abs().max().item<double>());
        const Tensor before = distances(x, w), after = distances(y, v);
        const Tensor s = at::matmul(x, w.t());
        const Tensor expanded = x.square().sum(1, true) + w.square().sum(1) - 2 * s;
        identity = std::max(
            identity, ((op->scores(x, w) - s.square() / (expanded + epsilon)).abs().max() / op->scores(x, w).abs().max()).item<double>());
        const double kept = coefficient_of_variation(after) / coefficient_of_variation(before);
        if (kept > spread) spread = kept, where = fmt::format("d = {}, {}", d, clusters ? "clusters" : "one cloud");
        if (clusters) {
          score_spread = std::max(score_spread, coefficient_of_variation(op->scores(y, v)) / coefficient_of_variation(op->scores(x, w)));
          clusters_kept = std::min(clusters_kept, at::eq(after.argmin(1), before.argmin(1)).to(at::kDouble).mean().item<double>());
          chance = 1.0 / static_cast<double>(k);
          correlation = std::min(correlation, rank_correlation(before.flatten(), after.flatten()));
        }
        // On the sphere |y|^2 = |v|^2 = d the distance is a function of the product.
        const Tensor t = at::matmul(y, v.t());
        const Tensor one_number = t.square() / (2 * static_cast<double>(d) - 2 * t + epsilon);
        function_gap = std::max(function_gap, ((op->scores(y, v) - one_number).abs() / one_number.abs().max()).max().item<double>());
      }
    }
    const std::string tried = "d = 16, 64, 768, one cloud and 10 clusters";
    evidence.part("norms in the denominator");
    evidence.at_most(Role::kCore, "the score against its form with |w|^2 + |x|^2 - 2 w.x: largest relative difference", identity, 0, 1e-9,
                     tried);
    evidence.part("equidistant from the origin");
    evidence.at_most(Role::kCore, "after LayerNorm, largest | |x|^2/d - 1 |: all inputs equidistant from the origin", norm_gap, 0, 0.01,
                     tried);
    evidence.part("proximity collapses");
    evidence.at_most(Role::kCore, "spread of the distances to prototypes after LayerNorm / before: collapsed", spread, p_.collapsed, 0,
                     where + ": equally far from the origin is not equally far from w");
    evidence.note("spread of the scores after LayerNorm / before, clusters", score_spread, tried);
    evidence.at_least(Role::kCorrected, "inputs whose nearest prototype stays the nearest, smallest share", clusters_kept, 0.8, 0,
                      fmt::format("clusters; chance is {:g}", chance));
    evidence.at_least(Role::kCorrected, "rank correlation of the distances before and after, smallest", correlation, 0.4, 0, "clusters");
    evidence.at_most(Role::kCorrected, "scores after LayerNorm on both sides against (x.w)^2 / (2d - 2 x.w + eps): a function of x.w alone",
                     function_gap, 0, 0.01, tried);
    const auto normed = [](std::initializer_list<double> x) { return at::layer_norm(vector_of(x), {4}); };
    const Tensor first = normed({3, 1, 0, 0});
    evidence.set("length", fmt::format("{:.3g}", first.square().sum().item<double>()));
    evidence.set("apart", (first - normed({0, 0, 1, 3})).norm().item<double>());
    evidence.set("same", fmt::format("{:.1g}", (first - normed({6, 2, 0, 0})).norm().item<double>()));
    evidence.set("where", tried);
  }

 private:
  static Tensor distances(const Tensor& x, const Tensor& w) { return (x.unsqueeze(1) - w).square().sum(2).sqrt(); }
  static double coefficient_of_variation(const Tensor& t) { return (t.std() / t.mean()).item<double>(); }
  static double rank_correlation(const Tensor& a, const Tensor& b) {
    const auto ranks = [](const Tensor& t) {
      const Tensor r = t.argsort().argsort().to(at::kDouble);
      return r - r.mean();
    };
    const Tensor p = ranks(a), q = ranks(b);
    return ((p * q).sum() / (p.norm() * q.norm())).item<double>();
  }

  Params p_;
};

YATLAB_REGISTER(Claim, LayernormGeometry, "claim:layernorm-geometry");

}  // namespace
}  // namespace yatlab
