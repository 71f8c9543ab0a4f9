#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/registry/fields.h"

namespace yatlab {

/// Linear warm-up: 1/warmup at step 0, 1 from step `warmup` - 1 on.
inline double warmup_factor(std::int64_t step, std::int64_t warmup) {
  if (warmup <= 0) return 1.0;
  return std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(warmup));
}

/// Logarithmic warm-up, the default of DeepSpeed's schedules: 0 at step 0, 1 at step `warmup` - 1.
inline double logarithmic_warmup_factor(std::int64_t step, std::int64_t warmup) {
  if (warmup <= 1) return 1.0;
  return std::min(1.0, std::log(static_cast<double>(step + 1)) / std::log(static_cast<double>(warmup)));
}

/// Share of the steps after warm-up completed so far, in [0, 1].
inline double progress_after_warmup(std::int64_t step, std::int64_t total, std::int64_t warmup) {
  if (total <= warmup) return 1.0;
  return std::clamp(static_cast<double>(step - warmup) / static_cast<double>(total - warmup), 0.0, 1.0);
}

/// The parameters of schedules that decay from 1 to a final factor.
struct DecayParams {
  enum class Warmup { kLinear, kLogarithmic };
  std::int64_t warmup_steps = 0;
  Warmup warmup = Warmup::kLinear;
  double final_factor = 0.0;
  static void declare(Fields& f, DecayParams& p) {
    f.field("warmup_steps", p.warmup_steps, "steps of warm-up").non_negative();
    f.choice("warmup", p.warmup, {{"linear", Warmup::kLinear}, {"logarithmic", Warmup::kLogarithmic}},
             "how the rate rises; logarithmic: as DeepSpeed's, from 0 at the first step");
    f.field("final_factor", p.final_factor, "share of the base rate at the end").range(0, 1);
  }
  bool warming_up(std::int64_t step) const { return step < warmup_steps; }
  double warmup_factor_at(std::int64_t step) const {
    return warmup == Warmup::kLogarithmic ? logarithmic_warmup_factor(step, warmup_steps) : warmup_factor(step, warmup_steps);
  }
};

}  // namespace yatlab
