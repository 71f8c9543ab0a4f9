#include "plugins/claims/boundary.h"

namespace yatlab {
namespace {

using namespace claims;

class SoftmaxTessellation final : public Claim {
 public:
  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    const auto op = c.op.with_epsilon(1);
    const auto dot = Registry<Operator>::create("dot");
    const std::int64_t n = c.scaled(20000, 1000);
    double ties = 0, wrong = 0, growth = 0, limit = 0, unbounded = 0, linear = 0;
    std::string where;
    double done = 0;
    for (const std::int64_t d : {2, 10}) {
      for (const std::int64_t classes : {3, 10}) {
        const Tensor w = normal({classes, d}, g), x = 3 * normal({n, d}, g);
        const Tensor y = op->scores(x, w), p = at::softmax(y, 1);
        const Tensor top = std::get<0>(y.topk(2, 1));
        ties = std::max(ties, (top.select(1, 0) == top.select(1, 1)).to(at::kDouble).mean().item<double>());
        wrong = std::max(wrong, (p.argmax(1) != y.argmax(1)).to(at::kDouble).mean().item<double>());
        // Log-odds between any two classes: the spread of the scores.
        const auto spread = [](const Tensor& s) { return s.amax(at::IntArrayRef{1}) - s.amin(at::IntArrayRef{1}); };
        const Tensor u = directions(256, d, g);
        const Tensor near = spread(op->scores(1e6 * u, w)), far = spread(op->scores(1e12 * u, w));
        growth = std::max(growth, (far / near.clamp_min(1e-12)).max().item<double>());
        const Tensor expected = spread(at::matmul(u, w.t()).square());
        limit = std::max(limit, ((far - expected).abs() / w.square().sum(-1).max()).max().item<double>());
        linear = std::max(linear, (spread(dot->scores(1e12 * u, w)) / spread(dot->scores(1e6 * u, w))).max().item<double>());
        const double bound = true_maximum(w.square().sum(-1).max().item<double>(), 1);
        SearchOptions o = search_options(c, 100);
        const Tensor starts = at::cat({1.5 * w, 3 * normal({c.scaled(64, 16), d}, g)}, 0);
        const auto found = maximise([&](const Tensor& q) { return spread(op->scores(q, w)); }, starts, {}, o);
        if (!(found.value / bound <= unbounded)) {
          unbounded = found.value / bound;
          where = fmt::format("d = {}, {} classes: log-odds {:.4g}", d, classes, found.value);
        }
        c.tick(++done / 5, "following confidence");
      }
    }
    e.part("regions");
    e.at_most(Role::kCore, "share of random inputs in no region (ties)", ties, 0, 0,
              fmt::format("{} inputs, 3 and 10 classes, d = 2 and 10", n));
    e.at_most(Role::kCore, "share of inputs whose region is not that of the largest score", wrong, 0, 0);
    e.part("bounded confidence");
    e.at_most(Role::kCore, "largest growth of the log-odds from |x| = 1e6 to 1e12", growth, 1, 1e-3, "256 directions each");
    e.note("the same for a linear classifier (exact: 1e6)", linear);
    e.at_most(Role::kCore, "largest distance of far log-odds from max - min of <w_j, u>^2, over max |w|^2", limit, 0, 1e-4);
    e.at_most(Role::kCore, "largest log-odds found anywhere / (|w|^4/eps + |w|^2), the largest prototype's", unbounded, 1, 1e-9, where);
    e.part("smooth boundaries");
    e.at_most(Role::kCore, "sign changes of E_i - E_j on a small circle around 0 (at most 2 if boundaries are smooth)",
              sign_changes(*op, row({1, 0}), row({0.5, 1}), 1e-3), 2, 0, "w_i = (1, 0), w_j = (0.5, 1), eps = 1");
    // Far away +u and -u give the same scores: every region extends to infinity on both sides.
    const Tensor w = normal({10, 2}, g), u = directions(2000, 2, g);
    const auto far_class = [&](double k) { return op->scores(k * u, w).argmax(1); };
    e.note("share of directions whose far class is the same on the opposite side",
           (far_class(1e9) == far_class(-1e9)).to(at::kDouble).mean().item<double>());
    const auto sharp = c.op.with_epsilon(1e-5);
    e.note(
        "log-odds at a unit prototype against an orthogonal one, eps = 1e-5: bounded, yet a confidence of 1 in any "
        "precision",
        score(*sharp, {1, 0}, {1, 0}) - score(*sharp, {1, 0}, {0, 1}));
    const int crossings = sign_changes(*op, row({1, 0}), row({0.5, 1}), 1e-3);
    e.set("crossings", crossings);
    e.counterexample_stands(crossings > 2);
    e.set("inputs", n);
  }
};

YATLAB_REGISTER(Claim, SoftmaxTessellation, "sec:softmax-tessellation");

}  // namespace
}  // namespace yatlab
