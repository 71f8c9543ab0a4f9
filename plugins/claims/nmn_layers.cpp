#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/ops/nmn.h"
#include "core/ops/search.h"
#include "plugins/claims/cost.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;
using claims::cost::relative_gap;

/// The layer h(x) = s sum_i K(w_i, x, b_i), as printed in the paper.
class NmnLayers final : public Claim {
 public:
  struct Params {
    std::int64_t outputs = 1;
    static void declare(Fields& f, Params& p) {
      f.field("outputs", p.outputs, "outputs of the layer for one input, as printed: the sum gives a single number").min(1);
    }
  };
  explicit NmnLayers(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const double epsilon = 0.5;
    const auto op = context.op.with_epsilon(epsilon);
    auto g = generator_of(context.seed);
    const std::int64_t n = 24, d = 6, batch = context.scaled(200, 40);
    const Tensor x = normals({batch, d}, g), w = normals({n, d}, g), b = normals({n}, g);
    const Tensor formula = (at::matmul(x, w.t()) + b).square() / ((x.unsqueeze(1) - w).square().sum(2) + epsilon);
    evidence.at_most(Role::kCore, "units with a bias against the printed quotient: largest relative difference",
                     relative_gap(op->scores(x, w, b), formula), 0, 1e-10, fmt::format("B = {}, n = {}, d = {}", batch, n, d));

    NmnOptions options;
    options.inputs = d;
    options.units = n;
    options.bias = true;
    options.scale.scale = ScaleKind::kNOverLog;
    Nmn layer(op, options);
    layer.to(at::kDouble);
    {
      at::NoGradGuard no_grad;
      layer.weight.copy_(w);
      layer.bias.copy_(b);
    }
    const Tensor h = layer.forward(x).detach();
    const double s = static_cast<double>(n) / std::log1p(static_cast<double>(n));
    evidence.at_most(Role::kCore, "the layer against s times the units, one output each: largest relative difference",
                     relative_gap(h, s * formula), 0, 1e-6, "s = n / ln(1 + n), in float");
    evidence.equals(Role::kDetail, "outputs of a layer of n units, as the paper's classifier and MLP block use it / n",
                    static_cast<double>(h.size(1)) / static_cast<double>(n), static_cast<double>(p_.outputs) / static_cast<double>(n), 0,
                    "10 class scores; 'NMN d -> 4d' before 'Linear 4d -> d'");
    non_negative(context, evidence, h.sum(1));
    bounded(context, evidence);
    const double smallest = h.sum(1).min().item<double>();
    evidence.set("smallest", smallest);
    evidence.set("error", 1 + smallest);
    evidence.set("outputs", h.size(1));
    evidence.set("batch", batch);
    evidence.set("units", n);
  }

 private:
  /// "enabling universal function approximation": false for the printed sum.
  void non_negative(const ClaimContext& context, Evidence& evidence, const Tensor& sums) const {
    evidence.at_most(Role::kReading, "sup error of the printed sum for f = -1: at least 1 + its smallest value",
                     1 + sums.min().item<double>(), 0, 0.5, fmt::format("{} inputs; the sum has no signed coefficients", sums.numel()));
    const auto op = context.op.with_epsilon(0.5);
    auto g = generator_of(context.seed + 1);
    const Tensor w = normals({1, 3}, g), b = normals({1}, g);
    SearchOptions o;
    o.steps = 60;
    o.seed = context.seed;
    const auto lowest = [&](const Tensor& x) { return -op->scores(x, w, b).squeeze(1); };
    evidence.at_least(Role::kContext, "smallest value of a unit with a bias, by search",
                      -maximise(lowest, normals({context.scaled(64, 16), 3}, g), {}, o).value, 0, 0, "d = 3");
  }

  /// "ensures that outputs remain bounded", also with a bias.
  void bounded(const ClaimContext& context, Evidence& evidence) const {
    context.tick(0.5, "largest response with a bias");
    auto g = generator_of(context.seed + 2);
    double worst = 0, tight = 0;
    std::string where;
    for (const double epsilon : {0.01, 1.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 3, 8}) {
        const Tensor w = normals({1, d}, g), b = normals({1}, g);
        const double length = w.square().sum().item<double>(), a = length + b.item<double>();
        const double bound = a * a / epsilon + length;
        const auto response = [&](const Tensor& x) { return op->scores(x, w, b).squeeze(1); };
        SearchOptions o;
        o.seed = context.seed;
        Tensor starts = w + normals({context.scaled(64, 16), d}, g);
        starts[0].copy_(((1 + epsilon / a) * w).squeeze(0));
        const double found = maximise(response, starts, {}, o).value / bound;
        tight = std::max(tight, found);
        if (found > worst) worst = found, where = fmt::format("d = {}, eps = {:g}, b = {:.3f}", d, epsilon, b.item<double>());
      }
    }
    evidence.at_most(Role::kCore, "largest response found / ((|w|^2 + b)^2/eps + |w|^2): bounded", worst, 1, 1e-9, where);
    evidence.at_least(Role::kCorrected, "the same: attained", tight, 1, 1e-6, where);
  }

  Params p_;
};

YATLAB_REGISTER(Claim, NmnLayers, "subsec:nmn_layers");

}  // namespace
}  // namespace yatlab
