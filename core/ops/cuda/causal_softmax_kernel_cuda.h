#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/ops/yat_kernel.h"

/// The causal softmax of core/ops/causal_softmax.h on a CUDA device, on raw device memory. Row r of `count` sees its first min(columns, first + r %
/// rows + 1) columns. Does not depend on Torch.
namespace yatlab::kernel {

/// out = softmax(factor * scores) over the columns that a row sees, 0 beyond.
template <class T>
cudaError_t cuda_causal_softmax(const T* scores, std::int64_t count, std::int64_t rows, std::int64_t columns, std::int64_t first,
                                Acc<T> factor, T* out, cudaStream_t stream);

/// out = factor * weights * (grad - sum(weights * grad)), 0 beyond the columns that a row sees.
template <class T>
cudaError_t cuda_causal_softmax_backward(const T* weights, const T* grad, std::int64_t count, std::int64_t rows, std::int64_t columns,
                                         std::int64_t first, Acc<T> factor, T* out, cudaStream_t stream);

}  // namespace yatlab::kernel
