#include "core/model/label_loss_kernel.h"

#include <algorithm>
#include <cmath>

#include "core/ops/exponential.h"
#include "core/ops/vector_code.h"

namespace yatlab::kernel {
namespace {

constexpr std::int64_t kLanes = 16;   // number of accumulators, so that sums vectorise
constexpr std::int64_t kChunk = 512;  // they are added up in double after this many numbers

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
    for (const T s : strands) out += static_cast<double>(s);
  }
  return out;
}

/// Sum of log(1 + value(i)) for i in [0, n). Takes the logarithm of products, with few enough factors to stay finite.
template <class T, class Value>
YATLAB_INLINE double log_product(std::int64_t n, const Value& value) {
  constexpr std::int64_t kFactors = 8;
  double out = 0;
  for (std::int64_t begin = 0; begin < n; begin += kFactors * kLanes) {
    const auto end = std::min(begin + kFactors * kLanes, n);
    double products[kLanes];
    for (auto& p : products) p = 1;
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (std::int64_t l = 0; l < kLanes; ++l) products[l] *= 1.0 + static_cast<double>(value(i + l));
    }
    for (std::int64_t l = 0; i < end; ++i, ++l) products[l] *= 1.0 + static_cast<double>(value(i));
    for (const double p : products) out += std::log(p);
  }
  return out;
}

template <class T>
YATLAB_INLINE T largest(const T* x, std::int64_t n) {
  T strands[kLanes];
  for (auto& s : strands) s = x[0];
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::int64_t l = 0; l < kLanes; ++l) strands[l] = x[i + l] > strands[l] ? x[i + l] : strands[l];
  }
  for (; i < n; ++i) strands[0] = std::max(strands[0], x[i]);
  return *std::max_element(strands, strands + kLanes);
}

template <class T>
YATLAB_INLINE void add_block(const T* scores, std::int64_t n, T floor, RowSum& sum) {
  if (n == 0) return;
  if (floor > 0) {
    sum.sum += total<T>(n, [&](std::int64_t i) { return scores[i] < floor ? floor : scores[i]; });
    return;
  }
  const double top = std::max(sum.sum > 0 ? sum.top : -HUGE_VAL, static_cast<double>(largest(scores, n)));
  if (sum.sum > 0) sum.sum *= std::exp(sum.top - top);
  sum.top = top;
  const T shift = static_cast<T>(top);
  sum.sum += total<T>(n, [&](std::int64_t i) { return exponential(scores[i] - shift); });
}

template <class T>
YATLAB_INLINE void softmax_block(const T* __restrict scores, std::int64_t n, T floor, const RowSum& sum, double weight,
                                 T* __restrict gradient) {
  const T factor = static_cast<T>(weight / sum.sum);
  if (floor > 0) {
    for (std::int64_t i = 0; i < n; ++i) gradient[i] = scores[i] < floor ? T(0) : factor;
    return;
  }
  const T shift = static_cast<T>(sum.top);
  for (std::int64_t i = 0; i < n; ++i) gradient[i] = factor * exponential(scores[i] - shift);
}

template <class T>
YATLAB_INLINE double one_vs_all_block(const T* __restrict scores, std::int64_t n, T floor, double weight, T* __restrict gradient) {
  const T w = static_cast<T>(weight);
  if (gradient) {
    if (floor > 0) {
      for (std::int64_t i = 0; i < n; ++i) gradient[i] = scores[i] < floor ? T(0) : w / (T(1) + scores[i]);
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        const T e = exponential(scores[i] < 0 ? scores[i] : -scores[i]);
        gradient[i] = w * (scores[i] < 0 ? e : T(1)) / (T(1) + e);
      }
    }
  }
  if (floor > 0) {
    return log_product<T>(n, [&](std::int64_t i) { return scores[i] < floor ? floor : scores[i]; });
  }
  // log(1 + e^s) = max(s, 0) + log(1 + e^-|s|)
  return log_product<T>(n, [&](std::int64_t i) { return exponential(scores[i] < 0 ? scores[i] : -scores[i]); }) +
         total<T>(n, [&](std::int64_t i) { return scores[i] > 0 ? scores[i] : T(0); });
}

}  // namespace

float exp_of(float x) { return exponential(x); }

void add_to_sum(const float* scores, std::int64_t n, float floor, RowSum& sum) {
  vector_code([&]() YATLAB_VECTORS { add_block(scores, n, floor, sum); });
}
void add_to_sum(const double* scores, std::int64_t n, double floor, RowSum& sum) { add_block(scores, n, floor, sum); }

void softmax_gradient(const float* scores, std::int64_t n, float floor, const RowSum& sum, double weight, float* gradient) {
  vector_code([&]() YATLAB_VECTORS { softmax_block(scores, n, floor, sum, weight, gradient); });
}
void softmax_gradient(const double* scores, std::int64_t n, double floor, const RowSum& sum, double weight, double* gradient) {
  softmax_block(scores, n, floor, sum, weight, gradient);
}

double one_vs_all(const float* scores, std::int64_t n, float floor, double weight, float* gradient) {
  return vector_code([&]() YATLAB_VECTORS { return one_vs_all_block(scores, n, floor, weight, gradient); });
}
double one_vs_all(const double* scores, std::int64_t n, double floor, double weight, double* gradient) {
  return one_vs_all_block(scores, n, floor, weight, gradient);
}

}  // namespace yatlab::kernel
