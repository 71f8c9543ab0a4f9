#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

/// 0 where all scores are finite numbers, else NaN, in double and on their device: added to a loss it says that nothing was measured, at the
/// price of no look by the host. Of the first `kept` dimensions each entry by itself.
at::Tensor nan_unless_finite(const at::Tensor& scores, std::int64_t kept = 0);

}  // namespace yatlab
