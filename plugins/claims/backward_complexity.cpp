#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/cost.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;
using namespace claims::cost;

/// 4Bnd + 6Bn + O(Bd + nd) operations backward, in three steps.
class BackwardComplexity final : public Claim {
 public:
  struct Params {
    double gemm = 4, elementwise = 6, exponent = 1;
    static void declare(Fields& f, Params& p) {
      f.field("gemm", p.gemm, "operations of the two matrix products, over Bnd, as printed");
      f.field("elementwise", p.elementwise, "operations of the element-wise steps, over Bn, as printed");
      f.field("exponent", p.exponent, "exponent of Bnd in the Theta, as printed");
    }
  };
  explicit BackwardComplexity(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const double epsilon = 0.1;
    const auto op = context.op.with_epsilon(epsilon);
    auto g = generator_of(context.seed);
    const std::int64_t largest = context.scaled(64, 20);
    double gap = 0, printed_gap = std::numeric_limits<double>::infinity();
    double scalar = 0, elementwise = 0, leading = 0, gemm = 0;
    std::vector<double> volumes, counts;
    for (const std::int64_t d : {std::int64_t{6}, largest}) {
      for (const std::int64_t n : {std::int64_t{8}, largest}) {
        for (const std::int64_t b : {std::int64_t{7}, largest}) {
          const Tensor x = normals({b, d}, g).requires_grad_(), w = normals({n, d}, g).requires_grad_();
          const Tensor upstream = normals({b, n}, g);
          op->scores(x, w).backward(upstream);
          const CountedMatrix cx(x.detach()), cw(w.detach()), cg(upstream);
          const ForwardRun forward = counted_forward(cx, cw, epsilon);
          const BackwardRun whole = counted_backward(cg, cx, cw, forward, false);
          const BackwardRun printed = counted_backward(cg, cx, cw, forward, true);
          gap = std::max({gap, relative_gap(whole.x.tensor(), x.grad()), relative_gap(whole.w.tensor(), w.grad())});
          printed_gap = std::min({printed_gap, relative_gap(printed.x.tensor(), x.grad()), relative_gap(printed.w.tensor(), w.grad())});
          const auto per = [](std::int64_t count, std::int64_t size) { return static_cast<double>(count) / static_cast<double>(size); };
          scalar = per(whole.count.scalar, b * n);
          elementwise = per(whole.count.scalar + whole.count.norms, b * n);
          gemm = per(whole.count.gemm, b * n * d);
          leading = per(whole.count.total(), b * n * d);
          volumes.push_back(static_cast<double>(b * n * d));
          counts.push_back(static_cast<double>(whole.count.total()));
        }
      }
    }
    const std::string sizes = fmt::format("B, n, d = 6..{}", largest);
    evidence.at_most(Role::kCore, "the complete closed form against autograd: largest relative difference", gap, 0, 1e-9, sizes);
    evidence.equals(Role::kCore, "operations of the two matrix products / (Bnd)", gemm, p_.gemm, 1e-12, sizes);
    evidence.equals(Role::kCore, "exponent of Bnd in the counted operations", fit_power_law(volumes, counts).slope, p_.exponent, 0.15,
                    sizes);
    evidence.at_most(Role::kDetail, "G_S' X and G_S W, as listed, against autograd: smallest relative difference", printed_gap, 0, 1e-6,
                     sizes + "; they leave out how the norms in D depend on X and W");
    evidence.equals(Role::kDetail, "operations of the scalar gradient G_S / (Bn)", scalar, p_.elementwise, 1e-12,
                    "2 S (D + S) / D^2, times G, with D kept from the forward pass");
    evidence.at_most(Role::kDetail, "all element-wise operations / (Bn)", elementwise, p_.elementwise, 1e-12,
                     "the norms' part, G Y/D, and its sums along rows and columns; O(Bd + nd) does not cover them when d < n");
    evidence.note("all operations / (Bnd) at the largest size counted", leading, sizes);
    evidence.note("rebuilding D where only S is kept: further operations / (Bn)", 3);
    timed(context, evidence, *op);
    by_hand(context, evidence);
    evidence.set("count", counts.size());
    evidence.set("sizes", sizes);
  }

 private:
  /// One pair in the plane: the listed formula's gradient with respect to x, and autograd's.
  static void by_hand(const ClaimContext& context, Evidence& evidence) {
    const Tensor x = vector_of({2, 0}).requires_grad_(), w = vector_of({1, 0}), upstream = at::ones({1, 1}, at::kDouble);
    context.op.with_epsilon(1)->scores(x, w).backward(upstream);
    const CountedMatrix cx(x.detach()), cw(w);
    const BackwardRun listed = counted_backward(CountedMatrix(upstream), cx, cw, counted_forward(cx, cw, 1), true);
    const double first = listed.x.at(0, 0).value, derivative = x.grad()[0][0].item<double>();
    evidence.set("listed", first);
    evidence.set("derivative", derivative);
    evidence.counterexample_stands(std::abs(first - derivative) > 1e-9);
  }

  void timed(const ClaimContext& context, Evidence& evidence, const Operator& op) const {
    auto g = generator_of(context.seed + 1);
    std::vector<double> volumes, seconds;
    const std::int64_t top = context.scaled(640, 160);
    for (const std::int64_t d : {top / 4, top / 2, top}) {
      for (const std::int64_t n : {top / 4, top}) {
        context.tick(0.2 + 0.7 * static_cast<double>(d) / static_cast<double>(top), "timing training steps");
        for (const std::int64_t b : {top / 4, top}) {
          const Tensor x = normals({b, d}, g).to(at::kFloat).requires_grad_();
          const Tensor w = normals({n, d}, g).to(at::kFloat).requires_grad_();
          volumes.push_back(static_cast<double>(b * n * d));
          seconds.push_back(step_seconds(context.scaled(5, 3), {x, w}, [&] { return op.scores(x, w); }));
        }
      }
    }
    evidence.note("exponent of Bnd in the measured time, forward and backward", fit_power_law(volumes, seconds).slope,
                  fmt::format("float, B, n, d = {}..{}, medians", top / 4, top));
  }

  Params p_;
};

YATLAB_REGISTER(Claim, BackwardComplexity, "thm:backward-complexity");

}  // namespace
}  // namespace yatlab
