#include <algorithm>
#include <cfloat>

#include "core/ops/cuda/lanes.cuh"
#include "core/ops/cuda/yat_kernel_cuda.h"

namespace yatlab::kernel {
namespace {

// A block computes a tile of scores: each warp one row at a time, each lane kEach units.
constexpr int kWarps = 8, kRowsOfWarp = 8;
constexpr int kTileRows = kWarps * kRowsOfWarp, kTileUnits = kLanes * kEach;
constexpr std::int64_t kMostBlocks = 65535;  // along the second and third dimension of a grid

/// The values of close_share in core/ops/pairwise.h, and the smallest and largest normal number.
template <class T>
struct Limits {
  static constexpr float kClose = 0.25F, kLeast = FLT_MIN, kLargest = FLT_MAX;
};
template <>
struct Limits<Bf16> {
  static constexpr float kClose = 0.5F, kLeast = FLT_MIN, kLargest = FLT_MAX;
};
template <>
struct Limits<double> {
  static constexpr double kClose = 1e-4, kLeast = DBL_MIN, kLargest = DBL_MAX;
};

template <class A>
__device__ A of_unit(const PerUnit<A>& p, std::int64_t layer, std::int64_t unit) {
  return p.values ? p.values[layer * p.per_layer + unit * p.per_unit] : p.otherwise;
}

/// The per-unit values of a lane's units.
template <class T>
struct Units {
  Acc<T> norm[kEach], inner[kEach], outer[kEach], epsilon[kEach], scale[kEach];

  __device__ Units(const YatLayers<T>& in, std::int64_t layer, std::int64_t first) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const bool there = first + e < in.units;
      const std::int64_t unit = there ? first + e : 0;
      norm[e] = there ? in.w_norm[layer * in.units + unit] : Acc<T>(0);
      inner[e] = of_unit(in.inner, layer, unit);
      outer[e] = of_unit(in.outer, layer, unit);
      const Acc<T> own = of_unit(in.epsilon, layer, unit);
      epsilon[e] = own < Limits<T>::kLeast ? Limits<T>::kLeast : own;  // NaN stays
      scale[e] = of_unit(in.scale, layer, unit);
    }
  }
};

/// Squared distances of a row to a lane's units, from |x|^2 + |w|^2 - 2 x.w. Where that cancels, the warp recomputes them from x - w, pair by pair.
/// Returns a bit mask of the lane's close pairs.
template <class T>
__device__ unsigned distances(const YatLayers<T>& in, std::int64_t layer, std::int64_t row, std::int64_t tile, const Units<T>& units,
                              const Acc<T>* dot, Acc<T>* distance) {
  using A = Acc<T>;
  const int lane = threadIdx.x;
  const A x_norm = in.x_norm[layer * in.batch + row];
  unsigned close = 0;
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    const A norms = x_norm + units.norm[e];
    A d = norms - 2 * dot[e];
    d = d < 0 ? A(0) : d;
    if (!(norms <= Limits<T>::kLargest)) d = NAN;  // the square overflowed: an infinite distance would give score 0
    distance[e] = d;
    if (tile + lane * kEach + e < in.units && d + units.epsilon[e] < norms * Limits<T>::kClose) close |= 1U << e;
  }
  const T* x = in.x + (layer * in.batch + row) * in.dim;
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    for (unsigned lanes = __ballot_sync(kWholeWarp, close >> e & 1U); lanes != 0; lanes &= lanes - 1) {
      const int of = __ffs(static_cast<int>(lanes)) - 1;
      const T* w = in.w + (layer * in.units + tile + of * kEach + e) * in.dim;
      A sum = 0;
      for (std::int64_t k = lane; k < in.dim; k += kLanes) {
        const A gap = widened(x[k]) - widened(w[k]);
        sum += gap * gap;
      }
      sum = warp_sum(sum);
      if (lane == of) distance[e] = sum;
    }
  }
  return close;
}

template <class T, bool kWhole>
__global__ void __launch_bounds__(kLanes* kWarps) forward(YatLayers<T> in, T* y) {
  using A = Acc<T>;
  const std::int64_t tile = std::int64_t{blockIdx.x} * kTileUnits, first = tile + threadIdx.x * kEach;
  for (std::int64_t layer = blockIdx.z; layer < in.layers; layer += gridDim.z) {
    const Units<T> units(in, layer, first);
    for (std::int64_t begin = std::int64_t{blockIdx.y} * kTileRows; begin < in.batch; begin += std::int64_t{gridDim.y} * kTileRows) {
      for (int i = 0; i < kRowsOfWarp; ++i) {
        const std::int64_t row = begin + threadIdx.y + i * kWarps;
        if (row >= in.batch) break;
        const std::int64_t at = (layer * in.batch + row) * in.units;
        A dot[kEach], distance[kEach];
        load<kWhole>(in.dot + at, first, in.units, dot);
        distances(in, layer, row, tile, units, dot, distance);
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
          const A n = dot[e] + units.inner[e];
          // n * (n / D), not (n * n) / D: the square would overflow long before the score does.
          dot[e] = (n * (n / (distance[e] + units.epsilon[e])) + units.outer[e]) * units.scale[e];
        }
        store<kWhole>(dot, first, in.units, y + at);
      }
    }
  }
}

/// Sums the per-lane values of each unit over a block's warps and writes them to a row of partial sums.
template <class A>
__device__ void sum_over_warps(const A* mine, A (*shared)[kTileUnits], std::int64_t tile, std::int64_t units, A* out) {
  __syncthreads();  // the last sum has been read
#pragma unroll
  for (int e = 0; e < kEach; ++e) shared[threadIdx.y][threadIdx.x * kEach + e] = mine[e];
  __syncthreads();
  const int unit = threadIdx.y * kLanes + threadIdx.x;
  if (unit >= kTileUnits || tile + unit >= units) return;
  A sum = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) sum += shared[warp][unit];
  out[tile + unit] = sum;
}

template <class T, bool kWhole>
__global__ void __launch_bounds__(kLanes* kWarps)
    backward(YatLayers<T> in, const T* grad, bool bias_after, YatLayerGradients<T> out) {
  using A = Acc<T>;
  __shared__ A shared[kWarps][kTileUnits];
  const int lane = threadIdx.x;
  const std::int64_t tile = std::int64_t{blockIdx.x} * kTileUnits, first = tile + lane * kEach;
  const std::int64_t row_parts = (in.batch + kTileRows - 1) / kTileRows;
  for (std::int64_t layer = blockIdx.z; layer < in.layers; layer += gridDim.z) {
    const Units<T> units(in, layer, first);
    for (std::int64_t part = blockIdx.y; part < row_parts; part += gridDim.y) {
      A w_distance[kEach] = {}, bias[kEach] = {}, epsilon[kEach] = {}, scale[kEach] = {};
      for (int i = 0; i < kRowsOfWarp; ++i) {
        const std::int64_t row = part * kTileRows + threadIdx.y + i * kWarps;
        if (row >= in.batch) break;
        const std::int64_t at = (layer * in.batch + row) * in.units;
        A dot[kEach], distance[kEach], g[kEach], slope[kEach];
        load<kWhole>(in.dot + at, first, in.units, dot);
        load<kWhole>(grad + at, first, in.units, g);
        const unsigned close = distances(in, layer, row, tile, units, dot, distance);
        A row_sum = 0;
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
          const A n = dot[e] + units.inner[e], q = n / (distance[e] + units.epsilon[e]);
          const A scaled = g[e] * units.scale[e], gq = scaled * q;
          const A g_numerator = gq + gq;  // of x.w + b
          slope[e] = -(gq * q);           // of the denominator
          const A g_distance = close >> e & 1U ? A(0) : slope[e];
          w_distance[e] += g_distance;
          row_sum += g_distance;
          bias[e] += bias_after ? scaled : g_numerator;
          epsilon[e] += slope[e];
          scale[e] += g[e] * (n * q + units.outer[e]);
          dot[e] = g_numerator - (g_distance + g_distance);
        }
        store<kWhole>(dot, first, in.units, out.dot + at);
        row_sum = warp_sum(row_sum);
        if (lane == 0) out.x_distance[(layer * in.batch + row) * gridDim.x + blockIdx.x] = row_sum;

        // Close pairs: 2 g (x - w), which would cancel in the two sums above.
        const std::int64_t x_at = (layer * in.batch + row) * in.dim;
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
          for (unsigned lanes = __ballot_sync(kWholeWarp, close >> e & 1U); lanes != 0; lanes &= lanes - 1) {
            const int of = __ffs(static_cast<int>(lanes)) - 1;
            const A factor = 2 * __shfl_sync(kWholeWarp, slope[e], of);
            const std::int64_t w_at = (layer * in.units + tile + of * kEach + e) * in.dim;
            for (std::int64_t k = lane; k < in.dim; k += kLanes) {
              const A gap = widened(in.x[x_at + k]) - widened(in.w[w_at + k]);
              if (gap == 0) continue;  // x = w adds nothing, whatever the slope
              if (out.x_close) atomicAdd(out.x_close + x_at + k, factor * gap);
              if (out.w_close) atomicAdd(out.w_close + w_at + k, -factor * gap);
            }
          }
        }
      }
      const std::int64_t sums = (layer * row_parts + part) * in.units;
      sum_over_warps(w_distance, shared, tile, in.units, out.w_distance + sums);
      if (out.bias) sum_over_warps(bias, shared, tile, in.units, out.bias + sums);
      if (out.epsilon) sum_over_warps(epsilon, shared, tile, in.units, out.epsilon + sums);
      if (out.scale) sum_over_warps(scale, shared, tile, in.units, out.scale + sums);
    }
  }
}

template <class T>
__global__ void norms(const T* rows, std::int64_t count, std::int64_t dim, Acc<T>* out) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kWarps + threadIdx.y;
  if (row >= count) return;
  Acc<T> sum = 0;
  for (std::int64_t k = threadIdx.x; k < dim; k += kLanes) {
    const Acc<T> v = widened(rows[row * dim + k]);
    sum += v * v;
  }
  sum = warp_sum(sum);
  if (threadIdx.x == 0) out[row] = sum;
}

template <class T>
__global__ void scale_rows(const T* rows, const Acc<T>* factor, const Acc<T>* more, std::int64_t count, std::int64_t dim, T* out) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kWarps + threadIdx.y;
  if (row >= count) return;
  const Acc<T> twice = 2 * factor[row];
  for (std::int64_t k = threadIdx.x; k < dim; k += kLanes) {
    const std::int64_t at = row * dim + k;
    Acc<T> v = twice * widened(rows[at]);
    if (more) v += more[at];
    narrow(v, out + at);
  }
}

template <class T>
dim3 grid_of(const YatLayers<T>& in) {
  return dim3(static_cast<unsigned>(yat_unit_parts(in.units)), static_cast<unsigned>(std::min(yat_row_parts(in.batch), kMostBlocks)),
              static_cast<unsigned>(std::min(in.layers, kMostBlocks)));
}
const dim3 kBlock(kLanes, kWarps);
unsigned blocks_of_rows(std::int64_t rows) { return static_cast<unsigned>((rows + kWarps - 1) / kWarps); }

}  // namespace

std::int64_t yat_row_parts(std::int64_t rows) { return (rows + kTileRows - 1) / kTileRows; }
std::int64_t yat_unit_parts(std::int64_t units) { return (units + kTileUnits - 1) / kTileUnits; }

template <class T>
cudaError_t cuda_squared_norms(const T* rows, std::int64_t count, std::int64_t dim, Acc<T>* out, cudaStream_t stream) {
  norms<<<blocks_of_rows(count), kBlock, 0, stream>>>(rows, count, dim, out);
  return cudaGetLastError();
}

template <class T>
cudaError_t cuda_scale_rows(const T* rows, const Acc<T>* factor, const Acc<T>* more, std::int64_t count, std::int64_t dim, T* out,
                            cudaStream_t stream) {
  scale_rows<<<blocks_of_rows(count), kBlock, 0, stream>>>(rows, factor, more, count, dim, out);
  return cudaGetLastError();
}

template <class T>
cudaError_t cuda_yat_forward(const YatLayers<T>& in, T* y, cudaStream_t stream) {
  if (in_neighbours(in.units, in.dot) && in_neighbours(in.units, y)) {
    forward<T, true><<<grid_of(in), kBlock, 0, stream>>>(in, y);
  } else {
    forward<T, false><<<grid_of(in), kBlock, 0, stream>>>(in, y);
  }
  return cudaGetLastError();
}

template <class T>
cudaError_t cuda_yat_backward(const YatLayers<T>& in, const T* grad, bool bias_after, const YatLayerGradients<T>& out, cudaStream_t stream) {
  if (in_neighbours(in.units, in.dot) && in_neighbours(in.units, grad) && in_neighbours(in.units, out.dot)) {
    backward<T, true><<<grid_of(in), kBlock, 0, stream>>>(in, grad, bias_after, out);
  } else {
    backward<T, false><<<grid_of(in), kBlock, 0, stream>>>(in, grad, bias_after, out);
  }
  return cudaGetLastError();
}

#define YATLAB_INSTANTIATE(T)                                                                                                             \
  template cudaError_t cuda_squared_norms<T>(const T*, std::int64_t, std::int64_t, Acc<T>*, cudaStream_t);                                \
  template cudaError_t cuda_scale_rows<T>(const T*, const Acc<T>*, const Acc<T>*, std::int64_t, std::int64_t, T*, cudaStream_t);          \
  template cudaError_t cuda_yat_forward<T>(const YatLayers<T>&, T*, cudaStream_t);                                                        \
  template cudaError_t cuda_yat_backward<T>(const YatLayers<T>&, const T*, bool, const YatLayerGradients<T>&, cudaStream_t);
YATLAB_INSTANTIATE(float)
YATLAB_INSTANTIATE(double)
YATLAB_INSTANTIATE(Bf16)

}  // namespace yatlab::kernel
