#include <cmath>

#include "core/train/schedule.h"
#include "plugins/kernels/schedules/warmup.h"

namespace yatlab {

/// Half a cosine from 1 down to `final_factor` over the steps after a warm-up.
class CosineSchedule final : public Schedule {
 public:
  using Params = DecayParams;
  explicit CosineSchedule(const Params& p) : p_(p) {}
  double factor(std::int64_t step, std::int64_t total, std::int64_t) const override {
    if (p_.warming_up(step)) return p_.warmup_factor_at(step);
    const double pi = std::acos(-1.0);
    const double done = progress_after_warmup(step, total, p_.warmup_steps);
    return p_.final_factor + (1.0 - p_.final_factor) * 0.5 * (1.0 + std::cos(pi * done));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Schedule, CosineSchedule, "cosine", "half-cosine decay after warm-up");

}  // namespace yatlab
