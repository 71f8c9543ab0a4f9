#pragma once

#include <vector>

#include "core/compose/search.h"
#include "core/registry/registry.h"

namespace yatlab {

/// Ends trials that will not be good. It keeps nothing itself. A value that is not a finite number is the worst.
class Pruner {
 public:
  virtual ~Pruner() = default;

  /// Whether to end the trial whose curve so far is `own`; asked after every new value of it. `others` are those of earlier and of parallel
  /// trials, finished or not, pruned or not.
  virtual bool prune(const std::vector<SearchCurve>& others, const SearchCurve& own) const = 0;
};

YATLAB_KIND(Pruner, "pruner", "ends trials of a search early")

}  // namespace yatlab
