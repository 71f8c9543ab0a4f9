#include <ATen/ATen.h>

#include <limits>

#include "core/ops/masking.h"
#include "core/ops/normalizer.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

/// x^n / (1 + x^n), element-wise for x >= 0, in [0, 1) (paper, "Individualistic Squashing").
class SoftSigmoid final : public Normalizer {
 public:
  struct Params {
    double power = 1;
    static void declare(Fields& f, Params& p) { f.field("power", p.power, "sharpness n").positive(); }
  };
  explicit SoftSigmoid(const Params& p) : p_(p) {}

  Tensor normalize(const Tensor& scores, std::int64_t, const Tensor& mask) const override {
    const Tensor x = prepared(scores, mask);
    const Tensor p = unit_power(folded(x), p_.power);
    const Tensor y = at::where(x > 1, at::ones({}, p.options()), p) / (1 + p);
    return keep(y.to(scores.scalar_type()), mask, 0);
  }

  /// A score of 0 counts as the smallest normal number, so that a loss stays finite.
  Tensor log_normalize(const Tensor& scores, std::int64_t, const Tensor& mask) const override {
    const Tensor x = prepared(scores, mask);
    const Tensor p = unit_power(folded(x), p_.power);
    const Tensor y = p_.power * floored_log(x.clamp_max(1)) - p.log1p();
    return keep(y.to(scores.scalar_type()), mask, -std::numeric_limits<double>::infinity());
  }

  /// 1 / (1 + x^n). An infinite score counts as the largest number, so that a loss stays finite.
  Tensor log_complement(const Tensor& scores, std::int64_t, const Tensor& mask) const override {
    return keep((-log1p_power(prepared(scores, mask), p_.power)).to(scores.scalar_type()), mask, 0);
  }

  bool needs_non_negative() const override { return true; }
  bool competitive() const override { return false; }

 private:
  static Tensor prepared(const Tensor& scores, const Tensor& mask) {
    const Tensor x = keep(scores.to(accumulation_type(scores.scalar_type())), mask, 0);
    check_non_negative(x, "soft_sigmoid");
    return x;
  }

  Params p_;
};

YATLAB_REGISTER(Normalizer, SoftSigmoid, "soft_sigmoid", "algebraic sigmoid of each score, in [0, 1)");

}  // namespace
}  // namespace yatlab
