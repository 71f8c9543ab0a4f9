#pragma once

#include <cstdint>

namespace yatlab {

/// One Adam update of n weights w from gradients g, with moments m and v. `root_correction2` is
/// sqrt(1 - beta2^t), `lr` is already divided by 1 - beta1^t; `l2` is added to the gradient times w, and w
/// is first multiplied by `shrink`.
void adam_update(float* w, const float* g, float* m, float* v, std::int64_t n, float lr, float beta1, float one_minus_beta1, float beta2,
                 float one_minus_beta2, float root_correction2, float epsilon, float l2, float shrink);

}  // namespace yatlab
