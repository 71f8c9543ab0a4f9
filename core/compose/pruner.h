#pragma once

#include <vector>

#include "core/compose/search.h"
#include "core/registry/registry.h"

namespace yatlab {

/// Stops unpromising trials early. It is stateless. A non-finite value counts as the worst.
class Pruner {
 public:
  virtual ~Pruner() = default;

  /// Whether to stop the trial with the curve `own` so far. Called after each of its values. `others` are the curves of earlier and parallel
  /// trials, whether finished, running or pruned.
  virtual bool prune(const std::vector<SearchCurve>& others, const SearchCurve& own) const = 0;
};

YATLAB_KIND(Pruner, "pruner", "stops unpromising trials of a search early")

}  // namespace yatlab
