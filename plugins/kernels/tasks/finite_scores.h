#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

/// 0 where all scores are finite, else NaN, in double and on their device. Added to a loss, it marks the loss as invalid without a device
/// synchronisation. The first `kept` dimensions are kept, and each of their entries is checked separately.
at::Tensor nan_unless_finite(const at::Tensor& scores, std::int64_t kept = 0);

}  // namespace yatlab
