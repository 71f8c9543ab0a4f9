#include <fmt/format.h>

#include <algorithm>

#include "core/measure/claim.h"
#include "core/ops/search.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Outputs stay bounded over all inputs; whether this gives tighter bounds than ReLU's is a separate question.
class TighterBounds final : public Claim {
 public:
  struct Params {
    double factor = 1;
    static void declare(Fields& f, Params& p) {
      f.field("factor", p.factor, "factor of the bound |w|^4 / eps + |w|^2 on one unit").positive();
    }
  };
  explicit TighterBounds(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    auto g = generator_of(context.seed);
    double worst = 0, tail = 0;
    for (const double epsilon : {1e-3, 0.1, 1.0, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      context.tick(0.1 * epsilon, fmt::format("ascent, eps = {:g}", epsilon));
      for (const std::int64_t d : {1, 2, 16}) {
        // [R, 2, d]: w, and x divided by |w|'s size; the starts of x are from 0.1 to 1e6 times as far out.
        const auto share = [&](const Tensor& z) {
          const Tensor w = z.slice(1, 0, 1), x = z.slice(1, 1, 2);
          const Tensor s = w.square().sum({1, 2});
          return op->scores(x, w).flatten() / (s * s / epsilon + s);
        };
        Tensor starts = normals({context.scaled(64, 12), 2, d}, g);
        starts.select(1, 1).mul_(at::pow(10.0, 7 * uniforms({starts.size(0), 1}, g) - 1));
        starts.slice(0, 0, starts.size(0) / 2).select(1, 1).copy_(starts.slice(0, 0, starts.size(0) / 2).select(1, 0) * 1.01);
        SearchOptions o;
        o.steps = context.scaled(150, 20);
        o.refinements = context.scaled(200, 40);
        o.seed = context.seed;
        worst = std::max(worst, maximise(share, starts, {}, o).value);
        const Tensor w = normals({64, d}, g);
        Tensor u = normals({64, d}, g);
        u /= u.norm(2, {1}, true);
        const Tensor far = op->scores((1e8 * u).unsqueeze(1), w.unsqueeze(1)).flatten() / w.square().sum(1);
        tail = std::max(tail, far.abs().max().item<double>());
      }
    }
    evidence.at_most(Role::kCore, "largest E(w,x) / (|w|^4/eps + |w|^2) found", worst, p_.factor, 1e-9,
                     "d = 1, 2, 16, eps = 1e-3..10, |x| from 0.1 to 1e6; reached at x = (1 + eps/|w|^2) w");
    evidence.at_most(Role::kCore, "largest E(w,x) / |w|^2 at |x| = 1e8", tail, 1, 1e-6, "ReLU's w.x grows to 1e8 |w| there");

    const auto op = context.op.with_epsilon(1e-5);
    const Tensor e1 = vector_of({1, 0});
    evidence.at_most(Role::kReading, "kappa = sup k(x,x) of the product / of the arc-cosine kernel (R^2)", score(*op, e1, e1), 1, 1e-9,
                     "R = 1, eps = 1e-5, the operator's default");
    const auto wide = context.op.with_epsilon(1);
    evidence.note("the same with eps = 1, R = 10", score(*wide, 10 * e1, 10 * e1) / 100);
    evidence.note("E(w,x) at its peak / ReLU(w.x) there, |w| = 1, eps = 1e-5", score(*op, e1 * (1 + 1e-5), e1));
    const double kappa = score(*op, e1, e1);
    evidence.set("kappa", kappa);
    evidence.set("wide", score(*wide, 10 * e1, 10 * e1));
    evidence.set("relu_wide", (10 * e1).square().sum().item<double>());
    evidence.set("relu", e1.square().sum().item<double>());
    evidence.counterexample_stands(kappa > 1);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, TighterBounds, "rem:tighter-bounds");

}  // namespace
}  // namespace yatlab
