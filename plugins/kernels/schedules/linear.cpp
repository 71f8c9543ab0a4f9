#include "core/train/schedule.h"
#include "plugins/kernels/schedules/warmup.h"

namespace yatlab {

/// A straight line from 1 down to `final_factor` over the steps after a warm-up.
class LinearSchedule final : public Schedule {
 public:
  using Params = DecayParams;
  explicit LinearSchedule(const Params& p) : p_(p) {}
  double factor(std::int64_t step, std::int64_t total, std::int64_t) const override {
    if (p_.warming_up(step)) return p_.warmup_factor_at(step);
    return 1.0 - (1.0 - p_.final_factor) * progress_after_warmup(step, total, p_.warmup_steps);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Schedule, LinearSchedule, "linear", "linear decay after warm-up");

}  // namespace yatlab
