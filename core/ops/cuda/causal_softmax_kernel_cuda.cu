#include <cmath>

#include "core/ops/cuda/causal_softmax_kernel_cuda.h"
#include "core/ops/cuda/lanes.cuh"

namespace yatlab::kernel {
namespace {

constexpr int kWarps = 8;  // per block; one row per warp
constexpr int kStep = kLanes * kEach;

__device__ inline float power_of_e(float v) { return expf(v); }
__device__ inline double power_of_e(double v) { return exp(v); }

template <class A>
__device__ A warp_max(A v) {
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) {
    const A other = __shfl_xor_sync(kWholeWarp, v, step);
    v = v < other || other != other ? other : v;  // NaN wins
  }
  return v;
}

template <class T, bool kWhole>
__global__ void __launch_bounds__(kLanes* kWarps)
    forward(const T* scores, std::int64_t count, std::int64_t rows, std::int64_t columns, std::int64_t first, Acc<T> factor, T* out) {
  using A = Acc<T>;
  const std::int64_t row = std::int64_t{blockIdx.x} * kWarps + threadIdx.y;
  if (row >= count) return;
  const std::int64_t reach = first + row % rows + 1, seen = reach < columns ? reach : columns;
  const T* from = scores + row * columns;
  T* to = out + row * columns;
  A v[kEach], top = -INFINITY;
  for (std::int64_t k = threadIdx.x * kEach; k < seen; k += kStep) {
    load<kWhole>(from, k, columns, v);
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const A s = k + e < seen ? factor * v[e] : A(-INFINITY);
      top = top < s || s != s ? s : top;
    }
  }
  top = warp_max(top);
  A sum = 0;
  for (std::int64_t k = threadIdx.x * kEach; k < seen; k += kStep) {
    load<kWhole>(from, k, columns, v);
#pragma unroll
    for (int e = 0; e < kEach; ++e) sum += k + e < seen ? power_of_e(factor * v[e] - top) : A(0);
  }
  const A share = 1 / warp_sum(sum);
  for (std::int64_t k = threadIdx.x * kEach; k < columns; k += kStep) {
    load<kWhole>(from, k, columns, v);
#pragma unroll
    for (int e = 0; e < kEach; ++e) v[e] = k + e < seen ? power_of_e(factor * v[e] - top) * share : A(0);
    store<kWhole>(v, k, columns, to);
  }
}

template <class T, bool kWhole>
__global__ void __launch_bounds__(kLanes* kWarps) backward(const T* weights, const T* grad, std::int64_t count, std::int64_t rows,
                                                           std::int64_t columns, std::int64_t first, Acc<T> factor, T* out) {
  using A = Acc<T>;
  const std::int64_t row = std::int64_t{blockIdx.x} * kWarps + threadIdx.y;
  if (row >= count) return;
  const std::int64_t reach = first + row % rows + 1, seen = reach < columns ? reach : columns;
  const T *y = weights + row * columns, *g = grad + row * columns;
  A a[kEach], b[kEach], sum = 0;
  for (std::int64_t k = threadIdx.x * kEach; k < seen; k += kStep) {
    load<kWhole>(y, k, columns, a);
    load<kWhole>(g, k, columns, b);
#pragma unroll
    for (int e = 0; e < kEach; ++e) sum += k + e < seen ? a[e] * b[e] : A(0);
  }
  sum = warp_sum(sum);
  for (std::int64_t k = threadIdx.x * kEach; k < columns; k += kStep) {
    load<kWhole>(y, k, columns, a);
    load<kWhole>(g, k, columns, b);
#pragma unroll
    for (int e = 0; e < kEach; ++e) a[e] = k + e < seen ? factor * a[e] * (b[e] - sum) : A(0);
    store<kWhole>(a, k, columns, out + row * columns);
  }
}

const dim3 kBlock(kLanes, kWarps);
unsigned blocks_of_rows(std::int64_t rows) { return static_cast<unsigned>((rows + kWarps - 1) / kWarps); }

}  // namespace

template <class T>
cudaError_t cuda_causal_softmax(const T* scores, std::int64_t count, std::int64_t rows, std::int64_t columns, std::int64_t first,
                                Acc<T> factor, T* out, cudaStream_t stream) {
  if (in_neighbours(columns, scores) && in_neighbours(columns, out)) {
    forward<T, true><<<blocks_of_rows(count), kBlock, 0, stream>>>(scores, count, rows, columns, first, factor, out);
  } else {
    forward<T, false><<<blocks_of_rows(count), kBlock, 0, stream>>>(scores, count, rows, columns, first, factor, out);
  }
  return cudaGetLastError();
}

template <class T>
cudaError_t cuda_causal_softmax_backward(const T* weights, const T* grad, std::int64_t count, std::int64_t rows, std::int64_t columns,
                                         std::int64_t first, Acc<T> factor, T* out, cudaStream_t stream) {
  if (in_neighbours(columns, weights) && in_neighbours(columns, grad) && in_neighbours(columns, out)) {
    backward<T, true><<<blocks_of_rows(count), kBlock, 0, stream>>>(weights, grad, count, rows, columns, first, factor, out);
  } else {
    backward<T, false><<<blocks_of_rows(count), kBlock, 0, stream>>>(weights, grad, count, rows, columns, first, factor, out);
  }
  return cudaGetLastError();
}

#define YATLAB_INSTANTIATE(T)                                                                                                              \
  template cudaError_t cuda_causal_softmax<T>(const T*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, Acc<T>, T*, cudaStream_t); \
  template cudaError_t cuda_causal_softmax_backward<T>(const T*, const T*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, Acc<T>, \
                                                       T*, cudaStream_t);
YATLAB_INSTANTIATE(float)
YATLAB_INSTANTIATE(double)
YATLAB_INSTANTIATE(Bf16)

}  // namespace yatlab::kernel
