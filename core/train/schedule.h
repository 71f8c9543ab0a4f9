#pragma once

#include <cstdint>

#include "core/registry/registry.h"

namespace yatlab {

/// Learning rate over time, as a factor of the optimizer's base rate.
class Schedule {
 public:
  virtual ~Schedule() = default;
  /// step: updates done so far, 0-based; total: updates of the whole run; per_epoch: updates per epoch.
  virtual double factor(std::int64_t step, std::int64_t total, std::int64_t per_epoch) const = 0;
};

YATLAB_KIND(Schedule, "schedule", "learning rate over time")

}  // namespace yatlab
