#pragma once

#include <algorithm>
#include <cstdint>

#include "core/registry/fields.h"

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

/// What schedules that fall from 1 to a final factor share.
struct DecayParams {
  std::int64_t warmup_steps = 0;
  double final_factor = 0.0;
  static void declare(Fields& f, DecayParams& p) {
    f.field("warmup_steps", p.warmup_steps, "steps of linear warm-up").non_negative();
    f.field("final_factor", p.final_factor, "share of the base rate at the end").range(0, 1);
  }
};

}  // namespace yatlab
