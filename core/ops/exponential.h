#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/ops/vector_code.h"

namespace yatlab::kernel {

/// e^x to 2 units in the last place; 0 below -87.3, at most 3.3e38, NaN for NaN. Without branches, so that loops over it vectorise:
/// e^x = 2^n e^r with |r| <= ln(2) / 2, and a polynomial for e^r (Taylor to degree 7).
YATLAB_INLINE float exponential(float x) {
  const float inside = x >= -87.3F ? (x > 88.7F ? 88.7F : x) : -87.3F;  // for NaN too: it has no integer part
  const float n = (inside * 1.44269504F + 12582912.0F) - 12582912.0F;   // rounds to an integer
  const float r = (inside - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.98412698e-4F;
  p = p * r + 1.38888889e-3F;
  p = p * r + 8.33333333e-3F;
  p = p * r + 4.16666667e-2F;
  p = p * r + 0.166666667F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  // n may be 128, beyond the largest exponent: scale by half of it twice.
  const std::int32_t half = static_cast<std::int32_t>(n) / 2, rest = static_cast<std::int32_t>(n) - half;
  const std::int32_t bits_a = (half + 127) << 23, bits_b = (rest + 127) << 23;
  float a = 0, b = 0;
  std::memcpy(&a, &bits_a, sizeof a);
  std::memcpy(&b, &bits_b, sizeof b);
  const float y = p * a * b;
  return x < -87.3F ? 0.0F : (x == x ? y : x);
}
YATLAB_INLINE double exponential(double x) { return std::exp(x); }

}  // namespace yatlab::kernel
