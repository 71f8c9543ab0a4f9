#pragma once

#include <vector>

#include "core/config/sweep.h"
#include "core/registry/registry.h"

namespace yatlab {

/// Proposes the points of a sweep.
class Sweeper {
 public:
  virtual ~Sweeper() = default;
  virtual std::vector<SweepPoint> propose(const std::vector<Dimension>& dimensions) const = 0;
};

YATLAB_KIND(Sweeper, "sweeper", "proposes the points of a sweep")

}  // namespace yatlab
