#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/ops/yat_kernel.h"

/// The fused yat product on a CUDA device, on raw row-major device memory. Does not depend on Torch. It computes the same as core/ops/yat_kernel.h on
/// the CPU, with two differences: close pairs are found and recomputed on the device, so that the host reads nothing; and a row or unit whose square
/// overflows the accumulation type (longer than 1.8e19 in float) makes its scores NaN, where the CPU computes them in double.
namespace yatlab::kernel {

/// One number for all units, one per unit, or one per unit of every layer. `otherwise` is used when there are no values on the device.
template <class A>
struct PerUnit {
  const A* values = nullptr;
  std::int64_t per_unit = 0, per_layer = 0;  ///< strides
  A otherwise = 0;
};

/// Matrices of scores, one per layer: x [layers, batch, dim], w [layers, units, dim], dot [layers, batch, units].
template <class T>
struct YatLayers {
  const T* x;
  const T* w;
  const T* dot;          ///< x wT
  const Acc<T>* x_norm;  ///< [layers, batch]: squared norms
  const Acc<T>* w_norm;  ///< [layers, units]
  PerUnit<Acc<T>> inner, outer, epsilon, scale;
  std::int64_t layers, batch, units, dim;
};

/// The results of the backward pass, for the two matrix products. Sums are in partial sums, in a fixed order.
template <class T>
struct YatLayerGradients {
  T* dot;              ///< [layers, batch, units]: gradient of x wT, all paths
  Acc<T>* x_distance;  ///< [layers, batch, unit parts]: sums of the gradient of the distance
  Acc<T>* w_distance;  ///< [layers, row parts, units]: the same
  Acc<T>* bias;        ///< [layers, row parts, units], or nullptr; so are the next two
  Acc<T>* epsilon;
  Acc<T>* scale;
  Acc<T>* x_close;  ///< [layers, batch, dim], or nullptr: 2 g (x - w) of close pairs, accumulated in no fixed order
  Acc<T>* w_close;  ///< [layers, units, dim], or nullptr: the same with the opposite sign
};

/// The number of partial sums for this many rows or units.
std::int64_t yat_row_parts(std::int64_t rows);
std::int64_t yat_unit_parts(std::int64_t units);

/// out [rows] = squared norms of rows [rows, dim].
template <class T>
cudaError_t cuda_squared_norms(const T* rows, std::int64_t count, std::int64_t dim, Acc<T>* out, cudaStream_t stream);

/// out [rows, dim] = 2 factor[r] rows[r] + more[r]; `more` may be nullptr.
template <class T>
cudaError_t cuda_scale_rows(const T* rows, const Acc<T>* factor, const Acc<T>* more, std::int64_t count, std::int64_t dim, T* out,
                            cudaStream_t stream);

/// y [layers, batch, units] = scale * ((dot + inner)^2 / (distance + epsilon) + outer). y may be dot.
template <class T>
cudaError_t cuda_yat_forward(const YatLayers<T>& in, T* y, cudaStream_t stream);

template <class T>
cudaError_t cuda_yat_backward(const YatLayers<T>& in, const T* grad, bool bias_after, const YatLayerGradients<T>& out, cudaStream_t stream);

}  // namespace yatlab::kernel
