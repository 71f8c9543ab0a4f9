#include "plugins/claims/lipschitz_search.h"

namespace yatlab {
namespace {

using namespace claims;

/// Two inputs per row, [R, 2, d]: the distance of their outputs under a layer of units w, relative to the distance of the inputs.
Tensor stretch(const Operator& op, const Tensor& pairs, const Tensor& w) {
  const Tensor y = op.scores(pairs, w, {});
  return ((y.select(1, 0) - y.select(1, 1)).square().sum(-1) + 1e-300).sqrt() / norms(pairs.select(1, 0) - pairs.select(1, 1));
}

class ContrastYat final : public Claim {
 public:
  void check(const ClaimContext& c, Evidence& e) const override {
    const auto op = c.op.with_epsilon(1);
    auto g = generator(c.seed);
    const std::int64_t points = c.scaled(20000, 1000), d = 4;
    const Tensor w = normal({d, d}, g), x = 2 * normal({points, d}, g);
    Tensor flat = at::ones({points}, at::kBool);
    for (std::int64_t unit_index = 0; unit_index < d; ++unit_index) {
      flat = at::logical_and(flat, norms(gradient(*op, x, w[unit_index].expand_as(x))) < 1e-12);
    }
    e.at_most(Role::kCore, "share of random inputs around which 4 units are constant (d = 4)", flat.to(at::kDouble).mean().item<double>(),
              0, 0, fmt::format("{} inputs", points));
    e.note("the same for 4 ReLU units without bias (exact on average: 1/16)",
           (at::matmul(x, w.t()) <= 0).all(1).to(at::kDouble).mean().item<double>());
    c.tick(0.1, "listed properties");

    double steep = 0, high = 0;
    for (const double epsilon : {0.01, 1.0}) {
      const auto curved = c.op.with_epsilon(epsilon);
      steep = std::max(steep, steepest(*curved, epsilon, 3, c).value / printed_lipschitz(epsilon));
      const Tensor prototype = directions(1, 3, g);
      const Tensor starts = at::cat({prototype * (1 + 2 * epsilon * uniform({64, 1}, g)), 3 * normal({64, 3}, g)}, 0);
      SearchOptions o = search_options(c, 80);
      o.step_size = 0.02 * std::min(1.0, std::sqrt(epsilon));
      high = std::max(high, maximise([&](const Tensor& p) { return paired(*curved, p, prototype.expand_as(p)); }, starts, {}, o).value /
                                true_maximum(1, epsilon));
    }
    e.at_most(Role::kCore, "Lipschitz on the unit ball: largest |grad_x E| / (2/eps + 4/eps^2)", steep, 1, 1e-9);
    e.at_most(Role::kCore, "bounded output: largest E over |w|^4/eps + |w|^2", high, 1, 1e-6);
    c.tick(0.4, "looking for collapsed inputs");

    // One unit: on the whole hyperplane orthogonal to w the output is 0.
    const Tensor prototype = directions(1, d, g);
    Tensor across = 3 * normal({points, d}, g);
    for (int again = 0; again < 2; ++again) across = across - (across * prototype).sum(-1, true) * prototype;
    const Tensor outputs = paired(*op, across, prototype.expand_as(across));
    e.at_least(Role::kReading, "one unit: spread of outputs over the hyperplane across w, over the spread of inputs ('without collapsing')",
               ((outputs.max() - outputs.min()) / norms(across).max()).item<double>(), 1e-6, 0,
               fmt::format("{} inputs up to {:.3g} from 0", points, norms(across).max().item<double>()));
    double done = 0;
    for (const std::int64_t units : {2, 4, 8, 16}) {
      const Tensor layer = normal({units, 2}, g);
      const auto closeness = [&](const Tensor& p) { return -at::log(stretch(*op, p, layer)); };
      const auto apart = [](const Tensor& p) {  // keeps the two inputs at least 1/2 apart, near the prototypes
        const Tensor middle = 0.5 * (p.select(1, 0) + p.select(1, 1)), half = 0.5 * (p.select(1, 1) - p.select(1, 0));
        const Tensor length = half.square().sum(-1, true).sqrt().clamp_min(1e-12);
        const Tensor longer = half * (length.clamp_min(0.25) / length);
        return onto_ball(at::stack({middle - longer, middle + longer}, 1), 6);
      };
      const auto found = maximise(closeness, 1.5 * normal({c.scaled(256, 64), 2, 2}, g), apart, search_options(c, 300));
      e.note(fmt::format("{} units, d = 2: smallest output distance / input distance found, inputs >= 0.5 apart and |x| <= 6", units),
             std::exp(-found.value), fmt::format("x = {}, x' = {}", text(found.point[0]), text(found.point[1])));
      c.tick(0.4 + 0.14 * ++done, "looking for collapsed inputs");
    }
    // n = d = 2 by hand: w = e1, e2, eps = 1, x = (3 -+ sqrt 3)(1, 1).
    const Tensor e12 = at::eye(2, at::kDouble),
                 two = at::stack({row({1, 1})[0] * (3 - std::sqrt(3.0)), row({1, 1})[0] * (3 + std::sqrt(3.0))}, 0);
    e.at_least(Role::kReading, "d units, d = 2: output distance / input distance of two inputs 4.9 apart ('injective')",
               stretch(*op, two.unsqueeze(0), e12).item<double>(), 1e-6, 0, "w = e1, e2, eps = 1, x = (3 -+ sqrt 3)(1, 1)");
    const Tensor u = directions(1, 4, g), ray = at::stack({1e4 * u, 2e4 * u}, 1);
    e.note("16 units, d = 4: the same between 1e4 u and 2e4 u (no lower Lipschitz bound, as for sigmoid)",
           stretch(*op, ray, normal({16, 4}, g)).item<double>());
    const double across_near = score(*op, {0, 1}, {1, 0}), across_far = score(*op, {0, 5}, {1, 0});
    const auto outputs_of = [&](std::int64_t r) { return text(op->scores(two.narrow(0, r, 1), e12)); };
    e.set("across_near", across_near);
    e.set("across_far", across_far);
    e.set("first", text(two[0]));
    e.set("second", text(two[1]));
    e.set("first_outputs", outputs_of(0));
    e.set("second_outputs", outputs_of(1));
    e.counterexample_stands(std::abs(across_near - across_far) < 1e-9);
    e.set("points", points);
    e.set("starts", c.scaled(256, 64));
  }
};

YATLAB_REGISTER(Claim, ContrastYat, "rem:contrast-yat");

}  // namespace
}  // namespace yatlab
