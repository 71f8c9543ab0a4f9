#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

class Superposition final : public Claim {
 public:
  struct Params {
    bool negate_both = false;
    static void declare(Fields& f, Params& p) {
      f.field("negate_both", p.negate_both, "compare E(w,x) with E(−w,−x); false: with E(w,−x), as printed");
    }
  };
  explicit Superposition(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double worst = 0, expanded = 0, together = 0;
    std::string where;
    double done = 0;
    for (const double epsilon : {1e-3, 0.1, 1.0, 10.0}) {
      const auto op = c.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2, 8}) {
        const auto difference = [&](const Tensor& p) {
          const Tensor x = p.select(1, 0), w = p.select(1, 1);
          const Tensor here = paired(*op, x, w), there = paired(*op, -x, p_.negate_both ? -w : w);
          return (here - there).abs() / (at::maximum(here.abs(), there.abs()) + 1e-12);
        };
        const auto found = maximise(
            difference, normal({c.scaled(128, 24), 2, d}, g), [](const Tensor& p) { return onto_ball(p, 3); }, search_options(c, 80));
        if (!(found.value <= worst)) {
          worst = found.value;
          where = fmt::format("d = {}, eps = {:g}: x = {}, w = {}", d, epsilon, text(found.point[0]), text(found.point[1]));
        }
        const Tensor x = normal({256, d}, g), w = normal({256, d}, g), s = (x * w).sum(-1);
        const Tensor here = paired(*op, x, w), there = paired(*op, -x, w), D = (x - w).square().sum(-1) + epsilon;
        expanded = std::max(expanded, ((there * (D + 4 * s) - s.square()).abs() / (s.square() + 1e-12)).max().item<double>());
        together = std::max(together, ((paired(*op, -x, -w) - here).abs() / (here.abs() + 1e-12)).max().item<double>());
        c.tick(++done / 13, "negating inputs");
      }
    }
    e.at_most(Role::kCore, "largest relative difference of the responses to x and -x found", worst, 0, 1e-9, where);
    e.is_true(Role::kReading, "(0,1) and (1,0), which 'must share a class', are antipodal",
              (row({0, 1}) + row({1, 0})).abs().sum().item<double>() == 0, "(0,1) + (1,0) = (1,1)");
    e.at_most(Role::kCorrected, "largest relative difference of E(w, -x) from s^2/(D + 4s)", expanded, 0, 1e-9);
    e.at_most(Role::kCorrected, "largest relative difference of E(-w, -x) from E(w, x)", together, 0, 1e-9);
    const auto op = c.op.with_epsilon(1);
    e.note("E(w, x) / E(w, -x) at x = w = (1, 0), eps = 1", score(*op, {1, 0}, {1, 0}) / score(*op, {-1, 0}, {1, 0}));
    const double here = score(*op, {1, 0}, {1, 0}), there = score(*op, {-1, 0}, {1, 0});
    e.set("here", here);
    e.set("there", there);
    e.counterexample_stands(std::abs(here - there) > 1e-9);
    e.set("starts", c.scaled(128, 24));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, Superposition, "rem:superposition");

}  // namespace
}  // namespace yatlab
