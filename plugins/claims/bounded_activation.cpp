#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

class BoundedActivation final : public Claim {
 public:
  void check(const ClaimContext& c, Evidence& e) const override {
    double over = 0, under = 1e300, identity = 0, limit = 0, highest = 0, reached = 1e300, lowest = 0;
    std::string where;
    double done = 0;
    auto g = generator(c.seed);
    for (const double epsilon : {1e-5, 1e-2, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const double length : {0.3, 1.0, 3.0}) {
        for (const std::int64_t d : {1, 2, 16}) {
          const Tensor w = length * directions(1, d, g);
          const double W = length * length, printed = W * W / epsilon;
          const std::int64_t n = c.scaled(64, 12);
          Tensor starts = w * (1 + epsilon / W * 3 * uniform({n, 1}, g));
          starts = at::cat({starts, 3 * length * normal({n, d}, g), w}, 0);
          const auto response = [&](const Tensor& x) { return paired(*op, x, w.expand_as(x)); };
          SearchOptions o = search_options(c, 100);
          o.step_size = 0.02 * std::min(1.0, std::sqrt(epsilon) / length);
          const auto found = maximise(response, starts, {}, o);
          if (!(found.value / printed <= over)) {
            over = found.value / printed;
            where = fmt::format("d = {}, eps = {:g}, |w| = {:g}: E = {:.6g} at |x|/|w| = {:.5g}", d, epsilon, length, found.value,
                                found.point.norm().item<double>() / length);
          }
          highest = std::max(highest, found.value / true_maximum(W, epsilon));
          reached = std::min(reached, found.value / true_maximum(W, epsilon));
          lowest = std::min(lowest, response(starts).min().item<double>());
          const double at_w = response(w).item<double>();
          identity = std::max(identity, std::abs(at_w / printed - 1));
          under = std::min(under, at_w / found.value);
          const Tensor u = directions(32, d, g);
          limit = std::max(limit, ((response(1e8 * u) - (u * w).sum(-1).square()).abs().max() / W).item<double>());
          c.tick(++done / 37, "climbing to the highest response");
        }
      }
    }
    e.part("(1)");
    e.at_least(Role::kCore, "smallest response found", lowest, 0, 0);
    e.at_most(Role::kCore, "largest E(w, x) found / (|w|^4/eps + |w|^2): bounded", highest, 1, 1e-9);
    e.at_most(Role::kDetail, "largest E(w, x) found / (|w|^4/eps)", over, 1, 1e-9, where);
    e.part("(2)");
    e.at_most(Role::kCore, "largest relative difference of E(w, w) from |w|^4/eps", identity, 0, 1e-9);
    e.at_least(Role::kCore, "smallest E(w, w) / largest E(w, x) found ('maximum at identity')", under, 1, 1e-9);
    e.part("(3)");
    e.at_most(Role::kCore, "largest |E(w, k u) - |w|^2 cos^2(theta)| / |w|^2 at k = 1e8", limit, 0, 1e-6);
    const auto op = c.op.with_epsilon(1);
    e.at_most(Role::kReading, "response left at distance 1e6 from w over that at w ('localized')",
              score(*op, {1e6, 0}, {1, 0}) / score(*op, {1, 0}, {1, 0}), 0, 0.1, "w = (1, 0), x = (1e6, 0), eps = 1");
    e.at_least(Role::kCorrected, "smallest maximum found / (|w|^4/eps + |w|^2): the bound is reached", reached, 1, 1e-3);
    e.equals(Role::kCorrected, "E at (1 + eps/|w|^2) w for w = (1, 0), eps = 1", score(*op, {2, 0}, {1, 0}), 2, 1e-12);
    const double at_w = score(*op, {1, 0}, {1, 0}), beyond = score(*op, {2, 0}, {1, 0});
    e.set("at_w", at_w);
    e.set("beyond", beyond);
    e.counterexample_stands(beyond > at_w);
    e.set("starts", 2 * c.scaled(64, 12) + 1);
  }
};

YATLAB_REGISTER(Claim, BoundedActivation, "prop:bounded-activation");

}  // namespace
}  // namespace yatlab
