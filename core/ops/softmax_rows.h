#pragma once

#include <cstdint>

/// \file
/// Fused softmax over rows, on raw memory: for attention and for losses over large vocabularies. Does not depend on Torch.
namespace yatlab::kernel {

/// x[0..n) becomes factor * e^(scale x_i) / sum_j e^(scale x_j). Returns log sum_j e^(scale x_j).
double softmax_row(float* x, std::int64_t n, float scale, float factor);
double softmax_row(double* x, std::int64_t n, double scale, double factor);

/// Returns log sum_j e^(x_j); x is unchanged.
double log_sum_row(const float* x, std::int64_t n);
double log_sum_row(const double* x, std::int64_t n);

/// The backward pass of y = softmax(scale x): g[0..n) becomes scale * y (g - sum_j y_j g_j).
void softmax_row_backward(const float* y, float* g, std::int64_t n, float scale);
void softmax_row_backward(const double* y, double* g, std::int64_t n, double scale);

/// bfloat16 to float and back (to nearest, ties to even; NaN stays NaN).
void widen(const std::uint16_t* from, std::int64_t n, float* to);
void narrow(const float* from, std::int64_t n, std::uint16_t* to);

}  // namespace yatlab::kernel
