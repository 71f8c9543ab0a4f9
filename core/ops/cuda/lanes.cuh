#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "core/ops/yat_kernel.h"

/// Shared by our CUDA kernels: a warp reads the numbers of a row, each lane kEach adjacent ones.
namespace yatlab::kernel {

constexpr int kLanes = 32, kEach = 4;
constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

__device__ inline float widened(float v) { return v; }
__device__ inline double widened(double v) { return v; }
__device__ inline float widened(Bf16 v) { return __uint_as_float(static_cast<unsigned>(v.bits) << 16); }

__device__ inline void narrow(float v, float* to) { *to = v; }
__device__ inline void narrow(double v, double* to) { *to = v; }
__device__ inline void narrow(float v, Bf16* to) { to->bits = __bfloat16_as_ushort(__float2bfloat16_rn(v)); }

template <class T>
struct alignas(kEach * sizeof(T)) Neighbours {
  T values[kEach];
};

/// Numbers first .. first + kEach of a row of `count`; those beyond the end are 0. kWhole: the memory is aligned, so that one access reads all kEach.
template <bool kWhole, class T>
__device__ void load(const T* row, std::int64_t first, std::int64_t count, Acc<T>* out) {
  if constexpr (kWhole) {
    Neighbours<T> n = {};
    if (first < count) n = *reinterpret_cast<const Neighbours<T>*>(row + first);
#pragma unroll
    for (int e = 0; e < kEach; ++e) out[e] = widened(n.values[e]);
  } else {
#pragma unroll
    for (int e = 0; e < kEach; ++e) out[e] = first + e < count ? widened(row[first + e]) : Acc<T>(0);
  }
}

template <bool kWhole, class T>
__device__ void store(const Acc<T>* values, std::int64_t first, std::int64_t count, T* row) {
  if constexpr (kWhole) {
    if (first >= count) return;
    Neighbours<T> n;
#pragma unroll
    for (int e = 0; e < kEach; ++e) narrow(values[e], &n.values[e]);
    *reinterpret_cast<Neighbours<T>*>(row + first) = n;
  } else {
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      if (first + e < count) narrow(values[e], row + first + e);
    }
  }
}

/// Whether all rows of this matrix are aligned for accesses of kEach numbers.
template <class T>
bool in_neighbours(std::int64_t columns, const T* matrix) {
  return columns % kEach == 0 && reinterpret_cast<std::uintptr_t>(matrix) % (kEach * sizeof(T)) == 0;
}

/// The sum over the warp, in every lane.
template <class A>
__device__ A warp_sum(A v) {
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) v += __shfl_xor_sync(kWholeWarp, v, step);
  return v;
}

}  // namespace yatlab::kernel
