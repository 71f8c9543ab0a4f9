#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

class YatProduct final : public Claim {
 public:
  struct Params {
    double power = 2;
    static void declare(Fields& f, Params& p) { f.field("power", p.power, "power of the dot product, as printed").positive(); }
  };
  explicit YatProduct(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    double worst = 0, asymmetry = 0;
    std::string where, where_asymmetry;
    const std::vector<double> epsilons{1e-5, 1e-3, 0.1, 1, 10};
    const std::vector<std::int64_t> dims{1, 2, 5, 32};
    auto g = generator(c.seed);
    double done = 0;
    for (const double epsilon : epsilons) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : dims) {
        const std::int64_t n = c.scaled(128, 16);
        Tensor starts = normal({n, 2, d}, g);
        // Half of the pairs nearly touch, where a formula through |x|^2 + |w|^2 - 2x.w would cancel.
        starts.narrow(0, 0, n / 2).select(1, 1).copy_(starts.narrow(0, 0, n / 2).select(1, 0) + 1e-4 * normal({n / 2, d}, g));
        const auto error = [&](const Tensor& p) {
          const Tensor x = p.select(1, 0), w = p.select(1, 1);
          const Tensor D = (x - w).square().sum(-1) + epsilon;
          const Tensor expected = (x * w).sum(-1).abs().pow(p_.power) / D;
          // Relative to the formula with all its terms positive: the smallest possible rounding error.
          const Tensor size = (x * w).abs().sum(-1).pow(p_.power) / D;
          return (paired(*op, x, w) - expected).abs() / (size + 1e-12);
        };
        const auto found = maximise(error, starts, {}, search_options(c, 60));
        if (found.value > worst) {
          worst = found.value;
          where = fmt::format("d = {}, eps = {:g}: x = {}, w = {}", d, epsilon, text(found.point[0]), text(found.point[1]));
        }
        const Tensor x = starts.select(1, 0), w = starts.select(1, 1);
        const Tensor there = paired(*op, x, w), back = paired(*op, w, x);
        const double gap = ((there - back).abs() / (there.abs() + 1e-12)).max().item<double>();
        if (gap > asymmetry) {
          asymmetry = gap;
          where_asymmetry = fmt::format("d = {}, eps = {:g}", d, epsilon);
        }
        c.tick(++done / 21, "comparing with the formula");
      }
    }
    // D is rounded relative to |x|^2 + |w|^2, at most ~1e2 here, and compared with eps >= 1e-5.
    e.at_most(Role::kCore, "largest relative difference from the formula", worst, 0, 1e-8, where);
    e.at_most(Role::kCore, "largest relative difference between E(w,x) and E(x,w)", asymmetry, 0, 1e-8, where_asymmetry);

    const auto op = c.op.with_epsilon(1);
    // Same direction as w = (1, 0): they differ only in distance.
    const double at_w = score(*op, {1, 0}, {1, 0}), beyond = score(*op, {2, 0}, {1, 0});
    e.at_most(Role::kReading, "response at distance 1 from w over that at w itself, both exactly aligned", beyond / at_w, 1, 1e-12,
              "w = (1, 0), eps = 1: x = (2, 0) against x = w");
    const double near = score(*op, {0.2, 0}, {0.1, 0}), far = score(*op, {1e6, 0}, {0.1, 0});
    e.note("share of the response near a short prototype that remains infinitely far away", far / near,
           "w = (0.1, 0), eps = 1: x = (1e6, 0) against x = 2w");
    e.set("at_w", at_w);
    e.set("beyond", beyond);
    e.counterexample_stands(beyond > at_w);
    e.set("pairs", c.scaled(128, 16));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, YatProduct, "eq:yat_product");

}  // namespace
}  // namespace yatlab
