#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

class DistanceExpansion final : public Claim {
 public:
  struct Params {
    double cross = -2;
    static void declare(Fields& f, Params& p) { f.field("cross", p.cross, "factor of wᵀx, as printed"); }
  };
  explicit DistanceExpansion(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    double exact = 0, rewritten = 0;
    std::string where;
    const std::int64_t n = c.scaled(4096, 128);
    double done = 0;
    for (const std::int64_t d : {1, 3, 64, 1024}) {
      const Tensor w = (2000 * uniform({n, d}, g) - 1000).round(), x = (2000 * uniform({n, d}, g) - 1000).round();
      const Tensor expanded = w.square().sum(-1) + x.square().sum(-1) + p_.cross * (w * x).sum(-1);
      exact = std::max(exact, ((w - x).square().sum(-1) - expanded).abs().max().item<double>());
      for (const double epsilon : {1e-2, 1.0}) {
        const auto op = c.op.with_epsilon(epsilon);
        const Tensor a = w / 500, b = x / 500, s = (a * b).sum(-1);
        const Tensor D = a.square().sum(-1) + b.square().sum(-1) + p_.cross * s + epsilon;
        const double gap =
            ((paired(*op, b, a) - s.square() / D).abs() / (((a * b).abs().sum(-1)).square() / D.abs() + 1e-12)).max().item<double>();
        if (!(gap <= rewritten)) {
          rewritten = gap;
          where = fmt::format("d = {}, eps = {:g}", d, epsilon);
        }
      }
      c.tick(++done / 5, "expanding");
    }
    e.equals(Role::kCore, "largest difference of the two sides, integer vectors", exact, 0, 0);
    e.at_most(Role::kCore, "largest relative difference of the operator from the rewritten product", rewritten, 0, 1e-9, where);

    // The precision that the identity loses in float, where implementations use it to save a pass.
    const Tensor w = directions(256, 64, g).to(at::kFloat), x = w + 1e-3 * directions(256, 64, g).to(at::kFloat);
    const Tensor direct = (w.to(at::kDouble) - x.to(at::kDouble)).square().sum(-1);
    const Tensor expanded = w.square().sum(-1) + x.square().sum(-1) - 2 * (w * x).sum(-1);
    e.note("largest relative error of the expanded distance in float at |w| = 1, |x - w| = 1e-3",
           ((expanded.to(at::kDouble) - direct).abs() / direct).max().item<double>(), "d = 64: the leading terms cancel");
    e.set("pairs", n);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, DistanceExpansion, "eq:distance_expansion");

}  // namespace
}  // namespace yatlab
