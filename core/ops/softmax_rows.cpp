#include "core/ops/softmax_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ops/exponential.h"
#include "core/ops/vector_code.h"

namespace yatlab::kernel {
namespace {

constexpr std::int64_t kLanes = 32;    // number of accumulators, so that sums vectorise
constexpr std::int64_t kChunk = 1024;  // they are added up in double after this many numbers

template <class T>
YATLAB_INLINE T largest(const T* x, std::int64_t n) {
  T strands[kLanes];
  for (auto& s : strands) s = x[0];
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::int64_t l = 0; l < kLanes; ++l) strands[l] = x[i + l] > strands[l] ? x[i + l] : strands[l];
  }
  for (; i < n; ++i) strands[0] = x[i] > strands[0] ? x[i] : strands[0];
  T out = strands[0];
  for (const T s : strands) out = s > out ? s : out;
  return out;
}

/// Sum of value(i) for i in [0, n).
template <class T, class Value>
YATLAB_INLINE double total(std::int64_t n, const Value& value) {
  double out = 0;
  for (std::int64_t begin = 0; begin < n; begin += kChunk) {
    const auto end = std::min(begin + kChunk, n);
    T strands[kLanes] = {};
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (std::int64_t l = 0; l < kLanes; ++l) strands[l] += value(i + l);
    }
    for (std::int64_t l = 0; i < end; ++i, ++l) strands[l] += value(i);
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::int64_t l = 0; l < half; ++l) strands[l] += strands[l + half];
    }
    out += static_cast<double>(strands[0]);
  }
  return out;
}

template <class T>
YATLAB_INLINE double softmax_body(T* x, std::int64_t n, T scale, T factor) {
  if (n == 0) return -HUGE_VAL;
  // With a negative scale the smallest x has the largest exponent, so scale first.
  if (scale != T(1)) {
    for (std::int64_t i = 0; i < n; ++i) x[i] *= scale;
  }
  const T top = largest(x, n);
  const double sum = total<T>(n, [x, top](std::int64_t i) { return x[i] = exponential(x[i] - top); });
  const T weight = static_cast<T>(static_cast<double>(factor) / sum);
  for (std::int64_t i = 0; i < n; ++i) x[i] *= weight;
  return static_cast<double>(top) + std::log(sum);
}

template <class T>
YATLAB_INLINE double log_sum_body(const T* x, std::int64_t n) {
  if (n == 0) return -HUGE_VAL;
  const T top = largest(x, n);
  return static_cast<double>(top) + std::log(total<T>(n, [x, top](std::int64_t i) { return exponential(x[i] - top); }));
}

template <class T>
YATLAB_INLINE void backward_body(const T* __restrict y, T* __restrict g, std::int64_t n, T scale) {
  const T mean = static_cast<T>(total<T>(n, [y, g](std::int64_t i) { return y[i] * g[i]; }));
  for (std::int64_t i = 0; i < n; ++i) g[i] = scale * y[i] * (g[i] - mean);
}

YATLAB_INLINE void widen_body(const std::uint16_t* __restrict from, std::int64_t n, float* __restrict to) {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(from[i]) << 16;
    std::memcpy(to + i, &bits, sizeof bits);
  }
}

YATLAB_INLINE void narrow_body(const float* __restrict from, std::int64_t n, std::uint16_t* __restrict to) {
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from + i, sizeof bits);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    to[i] = static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? 0x7fc0U : rounded);
  }
}

}  // namespace

double softmax_row(float* x, std::int64_t n, float scale, float factor) {
  return vector_code([&]() YATLAB_VECTORS { return softmax_body(x, n, scale, factor); });
}
double softmax_row(double* x, std::int64_t n, double scale, double factor) { return softmax_body(x, n, scale, factor); }

double log_sum_row(const float* x, std::int64_t n) {
  return vector_code([&]() YATLAB_VECTORS { return log_sum_body(x, n); });
}
double log_sum_row(const double* x, std::int64_t n) { return log_sum_body(x, n); }

void softmax_row_backward(const float* y, float* g, std::int64_t n, float scale) {
  vector_code([&]() YATLAB_VECTORS { backward_body(y, g, n, scale); });
}
void softmax_row_backward(const double* y, double* g, std::int64_t n, double scale) { backward_body(y, g, n, scale); }

void widen(const std::uint16_t* from, std::int64_t n, float* to) {
  vector_code([&]() YATLAB_VECTORS { widen_body(from, n, to); });
}
void narrow(const float* from, std::int64_t n, std::uint16_t* to) {
  vector_code([&]() YATLAB_VECTORS { narrow_body(from, n, to); });
}

}  // namespace yatlab::kernel
