#include "plugins/kernels/tasks/finite_scores.h"

#include <ATen/ATen.h>

namespace yatlab {

at::Tensor nan_unless_finite(const at::Tensor& scores, std::int64_t kept) {
  const at::Tensor zeros = scores - scores;  // NaN - NaN and inf - inf are NaN
  return (kept == 0 ? zeros.flatten() : zeros.flatten(kept)).sum(-1, false, at::kDouble);
}

}  // namespace yatlab
