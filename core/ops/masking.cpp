#include "core/ops/masking.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/error.h"

namespace yatlab {

void check_non_negative(const at::Tensor& scores, const char* who) {
  if (!scores.device().is_cpu() || scores.numel() == 0) return;
  const double lowest = scores.detach().min().item<double>();
  if (!(lowest < 0)) return;
  throw Error(ErrorKind::kJob, fmt::format("normalizer {} got a negative score ({})", who, lowest), {}, "it is defined for scores >= 0",
              "use an operator with non-negative scores (yat), or normalizer=softmax");
}

at::Tensor unit_power(const at::Tensor& u, double power) {
  if (power >= 1) return u.pow(power);
  const at::Tensor some = u > 0;
  const at::Tensor one = at::ones({}, u.options()), zero = at::zeros({}, u.options());
  return at::where(some, at::where(some, u, one).pow(power), zero);
}

at::Tensor folded(const at::Tensor& x) { return at::where(x > 1, x.clamp_min(1).reciprocal(), x); }

at::Tensor log1p_power(const at::Tensor& x, double power) {
  const double most = x.scalar_type() == at::kDouble ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  // For x <= 1, where `folded` returns x: ln(1 + x^n); beyond: n ln(x) + ln(1 + x^-n).
  const at::Tensor beyond = at::where(x > 1, x, at::ones({}, x.options())).clamp_max(most).log();
  return power * beyond + unit_power(folded(x), power).log1p();
}

at::Tensor floored_log(const at::Tensor& x) {
  const double floor = x.scalar_type() == at::kDouble ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  return x.clamp_min(floor).log();
}

}  // namespace yatlab
