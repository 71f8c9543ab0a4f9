#pragma once

#include <cstdint>
#include <vector>

/// \file
/// The inner loops of the fused yat product, on raw row-major memory. No Torch in here; how they become
/// vector code: core/ops/vector_code.h.
namespace yatlab::kernel {

/// bfloat16 as it lies in memory.
struct Bf16 {
  std::uint16_t bits;
};

/// Sums, distances and denominators are float for 32 and 16 bit storage, double for double.
template <class T>
struct Accumulator {
  using type = float;
};
template <>
struct Accumulator<double> {
  using type = double;
};
template <class T>
using Acc = typename Accumulator<T>::type;

/// The rows of one matrix of scores. Row r is x[r]; the units are w[0..units).
template <class T>
struct YatRows {
  const T* x;            ///< [rows, dim]
  const T* w;            ///< [units, dim]
  const T* dot;          ///< [rows, units]: x wT
  const Acc<T>* x_norm;  ///< [rows]: squared norms
  const Acc<T>* w_norm;  ///< [units]
  const Acc<T>* inner;   ///< [units]: bias inside the square, or nullptr
  const Acc<T>* outer;   ///< [units]: bias after the quotient, or nullptr
  Acc<T> epsilon;
  Acc<T> scale;
  std::int64_t rows, units, dim;
  const Acc<T>* epsilons = nullptr;  ///< [units], in place of `epsilon`, where units have their own; then scales, too
  const Acc<T>* scales = nullptr;    ///< [units], in place of `scale`
};

/// out [rows] = squared norms of rows [rows, dim].
template <class T>
void squared_norms(const T* rows, std::int64_t count, std::int64_t dim, Acc<T>* out);

/// out[r, :] = 2 * factor[r] * rows[r, :]
template <class T>
void scale_rows(const T* rows, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out);

/// y [rows, units] = scale * ((dot + inner)^2 / (distance + epsilon) + outer). y may be dot.
template <class T>
void yat_forward(const YatRows<T>& in, T* y);

/// A pair whose distance was taken from x - w, and the gradient of that distance.
template <class T>
struct ClosePair {
  std::int64_t row, unit;
  Acc<T> distance;
};

/// What one pass over the incoming gradient leaves for the two matrix products.
template <class T>
struct YatGradients {
  T* dot;              ///< [rows, units]: gradient of x wT, all paths
  Acc<T>* x_distance;  ///< [rows]: sum over units of the gradient of the distance
  Acc<T>* w_distance;  ///< [units]: sum over rows of the same; added to
  /// Close pairs, appended by row, then unit. In `dot` and the two sums their distances have no part: 2 g (x - w) would cancel there.
  std::vector<ClosePair<T>>* close;
  Acc<T>* bias;                ///< [units]: added to
  double epsilon = 0;          ///< added to
  double scale = 0;            ///< added to
  Acc<T>* epsilons = nullptr;  ///< [units]: added to, in place of `epsilon`, where units have their own
  Acc<T>* scales = nullptr;    ///< [units]: added to, in place of `scale`
};

template <class T>
void yat_backward(const YatRows<T>& in, const T* grad, bool bias_after, YatGradients<T>& out);

/// out[k] += sum over i of 2 factor[i] (own[k] - other[i][k]): what close pairs add to the gradient of one of them. Summed in Acc, rounded once.
template <class T>
void add_differences(const T* own, const T* const* other, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out);

}  // namespace yatlab::kernel
