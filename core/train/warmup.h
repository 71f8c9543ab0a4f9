#pragma once

#include <algorithm>
#include <cstdint>

namespace yatlab {

/// Linear warm-up: 1/warmup at step 0, 1 from step `warmup` - 1 on.
inline double warmup_factor(std::int64_t step, std::int64_t warmup) {
  if (warmup <= 0) return 1.0;
  return std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(warmup));
}

/// Share of the steps after warm-up that are done, in [0, 1].
inline double progress_after_warmup(std::int64_t step, std::int64_t total, std::int64_t warmup) {
  if (total <= warmup) return 1.0;
  return std::clamp(static_cast<double>(step - warmup) / static_cast<double>(total - warmup), 0.0, 1.0);
}

}  // namespace yatlab
