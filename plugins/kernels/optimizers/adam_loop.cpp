#include "plugins/kernels/optimizers/adam_loop.h"

#include <cmath>

#include "core/ops/vector_code.h"

namespace yatlab {
namespace {

YATLAB_INLINE void update(float* __restrict w, const float* __restrict g, float* __restrict m, float* __restrict v, std::int64_t n,
                          float lr, float beta1, float one_minus_beta1, float beta2, float one_minus_beta2, float root_correction2,
                          float epsilon, float l2, float shrink) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float gi = g[i] + l2 * w[i];
    m[i] = beta1 * m[i] + one_minus_beta1 * gi;
    v[i] = beta2 * v[i] + one_minus_beta2 * gi * gi;
    w[i] = w[i] * shrink - lr * m[i] / (std::sqrt(v[i]) / root_correction2 + epsilon);
  }
}

}  // namespace

void adam_update(float* w, const float* g, float* m, float* v, std::int64_t n, float lr, float beta1, float one_minus_beta1, float beta2,
                 float one_minus_beta2, float root_correction2, float epsilon, float l2, float shrink) {
  kernel::vector_code([&]() YATLAB_VECTORS {
    update(w, g, m, v, n, lr, beta1, one_minus_beta1, beta2, one_minus_beta2, root_correction2, epsilon, l2, shrink);
  });
}

}  // namespace yatlab
