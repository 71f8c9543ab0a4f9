#include "core/ops/operator.h"

#include <ATen/ATen.h>

namespace yatlab {

Tensor Operator::scaled_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const {
  const Tensor s = scores(x, w, bias);
  return scale.defined() ? s * scale.to(s.scalar_type()) : s;
}

}  // namespace yatlab
