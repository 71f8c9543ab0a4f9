#include "core/ops/normalizer.h"

#include <ATen/ATen.h>

#include "core/ops/pairwise.h"

namespace yatlab {

Tensor Normalizer::log_complement(const Tensor& scores, std::int64_t dim, const Tensor& mask) const {
  const Tensor logs = log_normalize(scores.to(accumulation_type(scores.scalar_type())), dim, mask);
  const double least = logs.scalar_type() == at::kDouble ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  // ln(1 - e^l): each form is used where the other one cancels.
  const Tensor l = logs.clamp_max(-least), high = l > -0.69, half = at::full({}, -0.69, l.options());
  const Tensor y = at::where(high, (-at::where(high, l, half).expm1()).log(), (-at::where(high, half, l).exp()).log1p());
  return y.to(scores.scalar_type());
}

Tensor Normalizer::log_ratio(const Tensor& scores, const Tensor& against) const { return log_weight(scores) - log_weight(against); }

}  // namespace yatlab
