#pragma once

#include <cstdint>
#include <vector>

/// \file
/// The inner loops of the fused yat product, on raw row-major memory. Does not depend on Torch. How they are vectorised: core/ops/vector_code.h.
namespace yatlab::kernel {

/// The bits of a bfloat16.
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
  const Acc<T>* epsilons = nullptr;  ///< [units], replaces `epsilon` where each unit has its own; then scales is set too
  const Acc<T>* scales = nullptr;    ///< [units], replaces `scale`
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

/// A close pair: its distance was computed from x - w. Also holds the gradient of that distance.
template <class T>
struct ClosePair {
  std::int64_t row, unit;
  Acc<T> distance;
};

/// The results of one pass over the incoming gradient, for the two matrix products.
template <class T>
struct YatGradients {
  T* dot;              ///< [rows, units]: gradient of x wT, all paths
  Acc<T>* x_distance;  ///< [rows]: sum over units of the gradient of the distance
  Acc<T>* w_distance;  ///< [units]: sum over rows of the same; accumulated
  /// Close pairs, appended by row, then unit. `dot` and the two sums exclude the gradients of their distances: 2 g (x - w) would cancel there.
  std::vector<ClosePair<T>>* close;
  Acc<T>* bias;                ///< [units]: accumulated
  double epsilon = 0;          ///< accumulated
  double scale = 0;            ///< accumulated
  Acc<T>* epsilons = nullptr;  ///< [units]: accumulated, replaces `epsilon` where each unit has its own
  Acc<T>* scales = nullptr;    ///< [units]: accumulated, replaces `scale`
};

template <class T>
void yat_backward(const YatRows<T>& in, const T* grad, bool bias_after, YatGradients<T>& out);

/// out[k] += sum over i of 2 factor[i] (own[k] - other[i][k]): the contribution of close pairs to the gradient of one side. Summed in Acc, rounded
/// once.
template <class T>
void add_differences(const T* own, const T* const* other, const Acc<T>* factor, std::int64_t count, std::int64_t dim, T* out);

}  // namespace yatlab::kernel
