#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/report/statistics.h"
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
      f.field("elementwise", p.elementwise, "operations per entry besides, over Bn, as printed");
      f.field("exponent", p.exponent, "of Bnd in the Theta, as printed");
    }
  };
  explicit BackwardComplexity(const Params& p) : p_(p) {}

  std::string title() const override { return "Backward Complexity"; }
  std::string how() const override {
    return "The closed backward pass runs on numbers that count their operations, and its gradients are held against "
           "autograd through the operator: once complete, once with the printed steps alone.";
  }

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
    evidence.counterexample(
        "w = (1, 0), x = (2, 0), eps = 1, G = 1: S = 2, D = 2, Y = 2; G_S = 2*2*(2 + 2)/4 = 4, so the listed dL/dX = G_S w = (4, 0); "
        "the derivative of x^2/((x - 1)^2 + 1) at x = 2 is (2*2*2 - 4*2)/4 = 0");
    evidence.corrected(
        "dL/dX = G_S W - 2 diag(sum_j G Y/D) X and dL/dW = G_S' X - 2 diag(sum_i G Y/D) W: "
        "4Bnd + 10Bn + O(Bd + nd), Theta(Bnd)");
    evidence.tried(fmt::format("{} sizes, {}", counts.size(), sizes));
  }

 private:
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
    evidence.equals(Role::kReading, "exponent of Bnd in the measured time, forward and backward", fit_power_law(volumes, seconds).slope,
                    p_.exponent, 0.75, fmt::format("float, B, n, d = {}..{}, medians", top / 4, top));
  }

  Params p_;
};

YATLAB_REGISTER(Claim, BackwardComplexity, "thm:backward-complexity",
                "the backward pass takes 4Bnd + 6Bn + O(Bd + nd) = Θ(Bnd) operations: G_S, then ∂L/∂W = G_Sᵀ X and ∂L/∂X = G_S W");

}  // namespace
}  // namespace yatlab
