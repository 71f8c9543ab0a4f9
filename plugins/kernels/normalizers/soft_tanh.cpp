#include <ATen/ATen.h>

#include <cmath>

#include "core/base/error.h"
#include "core/ops/masking.h"
#include "core/ops/normalizer.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

/// (x^n - 1) / (x^n + 1), element-wise for x >= 0, in [-1, 1): twice the soft-sigmoid minus 1 (paper, "Individualistic Squashing").
class SoftTanh final : public Normalizer {
 public:
  struct Params {
    double power = 1;
    static void declare(Fields& f, Params& p) { f.field("power", p.power, "sharpness n").positive(); }
  };
  explicit SoftTanh(const Params& p) : p_(p) {}

  Tensor normalize(const Tensor& scores, std::int64_t, const Tensor& mask) const override {
    const Tensor x = prepared(scores, mask);
    const Tensor p = unit_power(folded(x), p_.power);
    const Tensor size = (1 - p) / (1 + p);
    return keep(at::where(x > 1, size, -size).to(scores.scalar_type()), mask, 0);
  }

  Tensor log_normalize(const Tensor&, std::int64_t, const Tensor&) const override {
    throw config_error("soft_tanh has no logarithm", "normalizer", "its values can be negative, down to -1",
                       "use softermax or soft_sigmoid for a loss with logarithms");
  }

  /// The logarithm of 2 / (1 + x^n), which is positive.
  Tensor log_complement(const Tensor& scores, std::int64_t, const Tensor& mask) const override {
    return keep((std::log(2.0) - log1p_power(prepared(scores, mask), p_.power)).to(scores.scalar_type()), mask, 0);
  }

  bool needs_non_negative() const override { return true; }
  bool competitive() const override { return false; }

 private:
  static Tensor prepared(const Tensor& scores, const Tensor& mask) {
    const Tensor x = keep(scores.to(accumulation_type(scores.scalar_type())), mask, 0);
    check_non_negative(x, "soft_tanh");
    return x;
  }

  Params p_;
};

YATLAB_REGISTER(Normalizer, SoftTanh, "soft_tanh", "algebraic tanh of each score, in [-1, 1)");

}  // namespace
}  // namespace yatlab
