#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "core/ops/masking.h"
#include "core/ops/normalizer.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

/// x_k^n / (epsilon + sum x_i^n) along dim, for x >= 0 (paper, "Competitive Normalization"). Sums to
/// just below 1; a row of zeros gives zeros.
class Softermax final : public Normalizer {
 public:
  struct Params {
    double power = 1;
    double epsilon = 1e-12;
    static void declare(Fields& f, Params& p) {
      f.field("power", p.power, "sharpness n").positive();
      f.field("epsilon", p.epsilon, "added to the sum: a row of zeros gives zeros").positive();
    }
  };
  explicit Softermax(const Params& p) : p_(p) {}

  Tensor normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    if (scores.numel() == 0) return scores.clone();  // empty rows have no largest score
    const Parts parts = split(scores, dim, mask);
    return keep((parts.powers / parts.total).to(scores.scalar_type()), mask, 0);
  }

  /// A score of 0 counts as the smallest normal number, so that a loss stays finite.
  Tensor log_normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    if (scores.numel() == 0) return scores.clone();
    const Parts parts = split(scores, dim, mask);
    // ln(epsilon + sum x^n), without computing top^n: the scaled sum is at least 1, except for rows of zeros, where only epsilon is left.
    const Tensor sum = parts.powers.sum(dim, true), some = sum > 0;
    const Tensor one = at::ones({}, sum.options());
    const Tensor log_powers = p_.power * parts.top.log() + at::where(some, sum, one).log();
    const Tensor log_sum = at::logaddexp(keep(log_powers, some, -kInfinity), at::scalar_tensor(std::log(p_.epsilon), sum.options()));
    const Tensor logs = p_.power * floored_log(parts.scores) - log_sum;
    return keep(logs.to(scores.scalar_type()), mask, -kInfinity);
  }

  Tensor log_weight(const Tensor& scores) const override {
    check_non_negative(scores, "softermax");
    // With a small power, the logarithm of the smallest number times the power is not low enough to vanish beside epsilon.
    return keep(p_.power * floored_log(scores), scores > 0, kNoWeight);
  }
  double log_offset() const override { return std::log(p_.epsilon); }
  bool needs_non_negative() const override { return true; }
  bool competitive() const override { return true; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNoWeight = -1e4;  // negligible beside ln epsilon, and finite in every type but float16

  struct Parts {
    Tensor scores;  // masked ones are 0
    Tensor top;     // largest score of the row, 1 for a row of zeros; a constant
    Tensor powers;  // (scores / top)^n, in [0, 1]
    Tensor total;   // their sum + epsilon / top^n
  };

  /// The quotient is invariant to dividing a row by its largest score, and then no power overflows.
  Parts split(const Tensor& given, std::int64_t dim, const Tensor& mask) const {
    Parts parts;
    parts.scores = keep(given.to(accumulation_type(given.scalar_type())), mask, 0);
    check_non_negative(parts.scores, "softermax");
    const Tensor top = parts.scores.detach().amax({dim}, true);
    parts.top = at::where(top > 0, top, at::ones({}, top.options()));
    parts.powers = unit_power(parts.scores / parts.top, p_.power);
    parts.total = parts.powers.sum(dim, true) + (std::log(p_.epsilon) - p_.power * parts.top.log()).exp();
    return parts;
  }

  Params p_;
};

YATLAB_REGISTER(Normalizer, Softermax, "softermax", "powers of non-negative scores, summing to 1");

}  // namespace
}  // namespace yatlab
