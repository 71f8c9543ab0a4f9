#include "core/train/schedule.h"
#include "plugins/kernels/schedules/warmup.h"

namespace yatlab {

/// The base rate throughout, after an optional linear warm-up.
class ConstantSchedule final : public Schedule {
 public:
  struct Params {
    std::int64_t warmup_steps = 0;
    static void declare(Fields& f, Params& p) { f.field("warmup_steps", p.warmup_steps, "steps of linear warm-up").non_negative(); }
  };
  explicit ConstantSchedule(const Params& p) : p_(p) {}
  double factor(std::int64_t step, std::int64_t, std::int64_t) const override { return warmup_factor(step, p_.warmup_steps); }

 private:
  Params p_;
};

YATLAB_REGISTER(Schedule, ConstantSchedule, "constant", "the base rate throughout");

}  // namespace yatlab
