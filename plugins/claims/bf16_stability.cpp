#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

constexpr double kUnit = 1.0 / 256;  // bf16: twice the largest relative rounding error

Tensor rounded(const Tensor& x) { return x.to(at::kBFloat16).to(at::kDouble); }
Tensor single(const Tensor& x) { return x.to(at::kFloat).to(at::kDouble); }

/// "Mixed precision: use FP32 for denominator, BF16/FP16 elsewhere", and the stability claimed by the section.
class Bf16Stability final : public Claim {
 public:
  struct Params {
    double epsilon = 1e-5;
    double largest_half = 65504;
    static void declare(Fields& f, Params& p) {
      f.field("epsilon", p.epsilon, "the kernel's epsilon; the paper's code has 1e-5").positive();
      f.field("largest_half", p.largest_half, "the largest FP16 number").positive();
    }
  };
  explicit Bf16Stability(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto op = context.op.with_epsilon(p_.epsilon);
    const std::int64_t count = context.scaled(400, 40);
    Errors far, near, nearest;
    for (const std::int64_t d : {64, 768}) {
      context.tick(d == 64 ? 0.1 : 0.5, fmt::format("rounding, d = {}", d));
      far.take(measure(context, *op, d, count, 0, "independent"));
      near.take(measure(context, *op, d, count, 0.1, "|x - w| = 0.1 |w|"));
      nearest.take(measure(context, *op, d, count, 0.01, "|x - w| = 0.01 |w|"));
    }
    const std::string pairs = fmt::format("{} pairs each, d = 64, 768, eps = {:g}", count, p_.epsilon);
    evidence.at_most(Role::kCore, "operator on bf16 tensors, unrelated pairs: largest error / largest score", far.op, 0, 16 * kUnit, pairs);
    evidence.at_most(Role::kCore, "as recommended (x.w bf16, denominator FP32), unrelated pairs", far.mixed, 0, 4 * kUnit, pairs);
    evidence.at_most(Role::kCore, "error with an FP32 denominator / without, unrelated pairs", far.mixed / far.low, 1, 0.2, pairs);
    evidence.at_most(Role::kReading, "as recommended, |x - w| = 0.1 |w|: largest relative error", near.mixed, 0, 4 * kUnit,
                     pairs + "; the rounding of x.w alone moves |x|^2 + |w|^2 - 2 x.w by up to |w|^2 / 256");
    evidence.at_most(Role::kReading, "as recommended, |x - w| = 0.01 |w|: largest relative error", nearest.mixed, 0, 4 * kUnit, pairs);
    evidence.note("everything in bf16, |x - w| = 0.1 |w|: largest relative error", near.low, pairs);
    evidence.note("everything in bf16, |x - w| = 0.1 |w|: smallest score", near.low_smallest, "a negative denominator makes it negative");
    evidence.note("as recommended, |x - w| = 0.01 |w|: smallest score", nearest.mixed_smallest, pairs);
    evidence.at_most(Role::kReading, "gradient as recommended, |x - w| = 0.1 |w|: largest relative error", near.mixed_gradient, 0,
                     8 * kUnit, pairs);
    evidence.at_most(Role::kCorrected, "x.w kept in FP32 as well, |x - w| = 0.1 and 0.01 |w|: largest relative error",
                     std::max(near.full, nearest.full), 0, 4 * kUnit, pairs);
    evidence.at_most(Role::kCorrected, "gradient with x.w kept in FP32, |x - w| = 0.1 |w|: largest relative error", near.full_gradient, 0,
                     8 * kUnit, pairs);
    evidence.note("operator on bf16 tensors, |x - w| = 0.1 |w|: largest relative error", near.op, pairs);
    evidence.note("operator on bf16 tensors, |x - w| = 0.01 |w|: largest relative error", nearest.op, pairs);
    overflow(evidence, *op);
    const double kept = rounded(at::full({1}, 257.0, at::kDouble)).item<double>(), denominator = 257.0 + 257.0 - 2 * kept + p_.epsilon;
    evidence.set("epsilon", p_.epsilon);
    evidence.set("half", fmt::format("{:g}", p_.largest_half));
    evidence.set("peak", 1 / p_.epsilon);
    evidence.set("odd", 257);
    evidence.set("kept", kept);
    evidence.set("denominator", denominator);
    evidence.set("score", kept * kept / denominator);
    evidence.set("true_score", 257.0 * 257.0 / p_.epsilon);
    evidence.set("quartic", p_.largest_half * p_.epsilon);
    evidence.set("pairs", pairs);
  }

 private:
  /// Largest errors relative to the exact value (for unrelated pairs, whose x.w may cancel, relative to the largest exact value).
  struct Errors {
    double op = 0, low = 0, mixed = 0, full = 0, mixed_gradient = 0, full_gradient = 0;
    double low_smallest = std::numeric_limits<double>::infinity(), mixed_smallest = low_smallest;
    void take(const Errors& o) {
      op = std::max(op, o.op);
      low = std::max(low, o.low);
      mixed = std::max(mixed, o.mixed);
      full = std::max(full, o.full);
      mixed_gradient = std::max(mixed_gradient, o.mixed_gradient);
      full_gradient = std::max(full_gradient, o.full_gradient);
      low_smallest = std::min(low_smallest, o.low_smallest);
      mixed_smallest = std::min(mixed_smallest, o.mixed_smallest);
    }
  };

  /// Gradient with respect to x from S and D: 2q w - 2 q^2 (x - w), q = S/D. [P], [P], [P, d] -> [P, d]
  static Tensor gradient(const Tensor& s, const Tensor& d, const Tensor& x, const Tensor& w) {
    const Tensor q = (s / d).unsqueeze(1);
    return 2 * q * w - 2 * q * q * (x - w);
  }

  Errors measure(const ClaimContext& context, const Operator& op, std::int64_t d, std::int64_t count, double distance,
                 const std::string& what) const {
    context.tick(0.2, what);
    auto g = generator_of(context.seed + static_cast<std::uint64_t>(d));
    const Tensor w = rounded(normals({count, d}, g));
    const Tensor away = normals({count, d}, g);
    const Tensor x = rounded(distance == 0 ? away : w + distance * w.norm(2, 1, true) * away / away.norm(2, 1, true));
    const Tensor s = (x * w).sum(1), nx = (x * x).sum(1), nw = (w * w).sum(1);
    const Tensor apart = (x - w).square().sum(1);
    const Tensor exact = s.square() / (apart + p_.epsilon);
    const Tensor s16 = rounded(s);
    const Tensor d_low = rounded(rounded(rounded(rounded(nx) + rounded(nw)) - 2 * s16) + p_.epsilon);
    const Tensor d_mixed = single(single(single(single(nx) + single(nw)) - 2 * s16).clamp_min(0) + p_.epsilon);
    const Tensor d_full = single(single(single(single(nx) + single(nw)) - 2 * single(s)).clamp_min(0) + p_.epsilon);
    const Tensor low = rounded(rounded(s16.square()) / d_low);
    const Tensor mixed = rounded(s16.square() / d_mixed), full = rounded(single(s).square() / d_full);

    const Tensor own = op.scores(x.to(at::kBFloat16).unsqueeze(1), w.to(at::kBFloat16).unsqueeze(1)).to(at::kDouble).view({count});
    const Tensor scale = distance == 0 ? at::full_like(exact, exact.abs().max().item<double>()) : exact;
    const auto error = [&](const Tensor& y) { return ((y - exact).abs() / scale).max().item<double>(); };
    Errors out;
    out.op = error(own);
    out.low = error(low);
    out.mixed = error(mixed);
    out.full = error(full);
    out.low_smallest = low.min().item<double>();
    out.mixed_smallest = mixed.min().item<double>();
    if (distance > 0) {
      const Tensor truth = gradient(s, apart + p_.epsilon, x, w);
      const auto gradient_error = [&](const Tensor& y) { return ((y - truth).norm(2, 1) / truth.norm(2, 1)).max().item<double>(); };
      out.mixed_gradient = gradient_error(gradient(s16, d_mixed, x, w));
      out.full_gradient = gradient_error(gradient(single(s), d_full, x, w));
    }
    return out;
  }

  void overflow(Evidence& evidence, const Operator& op) const {
    const Tensor w = vector_of({1, 0});
    evidence.at_most(Role::kDetail, "score at x = w = (1, 0) against the largest FP16 number ('BF16/FP16 elsewhere')", score(op, w, w),
                     p_.largest_half, 0, fmt::format("eps = {:g}", p_.epsilon));
    const Tensor half = op.scores(w.to(at::kBFloat16), w.to(at::kBFloat16));
    evidence.is_true(Role::kCore, "the same in bf16 is finite", at::isfinite(half).all().item<bool>());
  }

  Params p_;
};

YATLAB_REGISTER(Claim, Bf16Stability, "claim:bf16-stability");

}  // namespace
}  // namespace yatlab
