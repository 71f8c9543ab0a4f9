#include <ATen/ATen.h>

#include <limits>

#include "core/ops/masking.h"
#include "core/ops/normalizer.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

/// exp(n x_k) / sum exp(n x_i) along dim. Accepts any score; sums to 1.
class Softmax final : public Normalizer {
 public:
  struct Params {
    double power = 1;
    static void declare(Fields& f, Params& p) { f.field("power", p.power, "sharpness n: (e^x)^n, an inverse temperature").positive(); }
  };
  explicit Softmax(const Params& p) : p_(p) {}

  Tensor normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    const Tensor y = at::softmax(logits(scores, dim, mask), dim);
    return keep(y.to(scores.scalar_type()), mask, 0);
  }
  Tensor log_normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    const Tensor y = at::log_softmax(logits(scores, dim, mask), dim);
    return keep(y.to(scores.scalar_type()), mask, -kInfinity);
  }
  Tensor log_weight(const Tensor& scores) const override { return p_.power == 1 ? scores : scores * p_.power; }
  Tensor log_ratio(const Tensor& scores, const Tensor& against) const override {
    const Tensor below = scores - against;
    return p_.power == 1 ? below : below * p_.power;
  }
  bool needs_non_negative() const override { return false; }
  bool competitive() const override { return true; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  /// Masked scores are -inf, but in fully masked rows they are 0: exp(-inf - -inf) is NaN, and so would be its gradient.
  Tensor logits(const Tensor& scores, std::int64_t dim, const Tensor& mask) const {
    const Tensor exact = scores.to(accumulation_type(scores.scalar_type()));
    const Tensor kept = mask.defined() ? mask.expand_as(scores) : Tensor();
    Tensor sharp = exact;
    if (p_.power != 1 && scores.size(dim) > 0) {  // the largest becomes 0 first, so that no product overflows
      sharp = (exact - keep(exact.detach(), kept, -kInfinity).amax({dim}, true)) * p_.power;
    }
    if (!mask.defined()) return sharp;
    return keep(keep(sharp, kept, -kInfinity), kept.any(dim, true), 0);
  }

  Params p_;
};

YATLAB_REGISTER(Normalizer, Softmax, "softmax", "exponentials, summing to 1");

}  // namespace
}  // namespace yatlab
