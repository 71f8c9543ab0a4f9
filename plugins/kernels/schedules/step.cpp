#include <cmath>

#include "core/train/schedule.h"

namespace yatlab {

/// Multiplies the rate by `gamma` every `every_epochs` epochs.
class StepSchedule final : public Schedule {
 public:
  struct Params {
    std::int64_t every_epochs = 10;
    double gamma = 0.1;
    static void declare(Fields& f, Params& p) {
      f.field("every_epochs", p.every_epochs, "epochs between drops").positive();
      f.field("gamma", p.gamma, "factor of each drop").positive();
    }
  };
  explicit StepSchedule(const Params& p) : p_(p) {}
  double factor(std::int64_t step, std::int64_t, std::int64_t per_epoch) const override {
    const auto epoch = per_epoch > 0 ? step / per_epoch : 0;
    return std::pow(p_.gamma, static_cast<double>(epoch / p_.every_epochs));
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Schedule, StepSchedule, "step", "a drop every few epochs");

}  // namespace yatlab
