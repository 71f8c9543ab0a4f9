#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/ops/search.h"
#include "plugins/claims/cost.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;
using namespace claims::cost;

/// "Cache |W|^2 between forward passes."
class NormCaching final : public Claim {
 public:
  struct Params {
    double step = 0.001;
    static void declare(Fields& f, Params& p) {
      f.field("step", p.step, "change of every weight in one training step (Adam's learning rate)").positive();
    }
  };
  explicit NormCaching(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const double epsilon = 1e-3;
    const auto op = context.op.with_epsilon(epsilon);
    auto g = generator_of(context.seed);
    const std::int64_t d = 16, batch = context.scaled(200, 40), units = 32;
    const Tensor x = normals({batch, d}, g), w = normals({units, d}, g);
    const Tensor cache = w.square().sum(1);
    evidence.at_most(Role::kCore, "cached against fresh, same weights: largest relative difference",
                     relative_gap(from_cache(x, w, cache, epsilon), op->scores(x, w)), 0, 1e-9,
                     fmt::format("B = {}, n = {}, d = {}", batch, units, d));

    // After a step of Adam, with the norms from before it, over pairs near w where the kernel responds most.
    const auto stale = [&](const Tensor& offsets) {  // [R, 2, d]: x - w, and the signs of the step
      const Tensor base = w.slice(0, 0, offsets.size(0)).expand({offsets.size(0), d});
      const Tensor moved = base + p_.step * offsets.select(1, 1).sign();
      const Tensor point = moved + offsets.select(1, 0);
      const Tensor s = (point * moved).sum(1), apart = (point - moved).square().sum(1);
      const Tensor denominator = point.square().sum(1) + base.square().sum(1) - 2 * s + epsilon;
      const Tensor fresh = s.square() / (apart + epsilon), old = s.square() / denominator;
      return ((old - fresh).abs() / fresh.abs().clamp_min(1e-12)).clamp_max(1e12);
    };
    SearchOptions o;
    o.steps = 100;
    o.seed = context.seed;
    const std::int64_t restarts = std::min<std::int64_t>(units, context.scaled(32, 8));
    context.tick(0.3, "stale norms");
    const auto worst = maximise(stale, 0.02 * normals({restarts, 2, d}, g), {}, o);
    evidence.at_most(Role::kReading, "after one training step: largest relative error of the score", worst.value, 0, 0.01,
                     fmt::format("by search near w, every weight moved by {:g}, d = {}, eps = {:g}", p_.step, d, epsilon));
    const Tensor grown = w[0] + p_.step * w[0].sign();
    const double denominator = (grown.square().sum() + cache[0] - 2 * grown.square().sum()).item<double>() + epsilon;
    evidence.at_least(Role::kReading, "denominator at x = w, when the step has lengthened w", denominator, 0, 0,
                      "|w_old|^2 - |w_new|^2 + eps: below 0 the score is negative");

    Tensor learned = w.clone().requires_grad_();
    from_cache(x, learned, cache, epsilon).sum().backward();
    const Tensor without = learned.grad().clone();
    learned = w.clone().requires_grad_();
    op->scores(x, learned).sum().backward();
    evidence.at_most(Role::kReading, "gradient in W when the cached norm is a constant: relative error",
                     relative_gap(without, learned.grad()), 0, 1e-6, "it needs the norm's own part, -2 (S/D)^2 W");
    const double b = 32, n = 3072, k = 768;
    evidence.note("what caching saves of the forward pass: nd / (2Bnd)", n * k / (2 * b * n * k), "B = 32: half an input's worth");
    const Tensor old_w = vector_of({1, 0}), new_w = vector_of({1.1, 0});
    const double kept = old_w.square().sum().item<double>(), now = new_w.square().sum().item<double>();
    evidence.set("denominator", now + kept - 2 * now + epsilon);
    evidence.set("stale", from_cache(new_w, new_w, old_w.square().sum(1), epsilon).item<double>());
    evidence.set("fresh", score(*op, new_w, new_w));
    evidence.set("pairs", batch * units);
    evidence.set("restarts", restarts);
  }

 private:
  static Tensor from_cache(const Tensor& x, const Tensor& w, const Tensor& cache, double epsilon) {
    const Tensor s = at::matmul(x, w.t());
    return s.square() / (x.square().sum(1, true) + cache - 2 * s + epsilon);
  }

  Params p_;
};

YATLAB_REGISTER(Claim, NormCaching, "claim:norm-caching");

}  // namespace
}  // namespace yatlab
