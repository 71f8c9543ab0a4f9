#pragma once

#include "core/compose/pruner.h"
#include "core/registry/fields.h"

namespace yatlab {

/// Ends a trial whose best value so far is worse than the median of the others' values at that step (Golovin et al. 2017).
class MedianPruner final : public Pruner {
 public:
  struct Params {
    std::int64_t startup_trials = 5, warmup_steps = 0;
    static void declare(Fields& f, Params& p) {
      f.field("startup_trials", p.startup_trials, "minimum number of other trials with a value at a step before any trial is pruned there")
          .positive();
      f.field("warmup_steps", p.warmup_steps, "step before which no trial is pruned").non_negative();
    }
  };
  explicit MedianPruner(const Params& p) : p_(p) {}

  /// Compares the best value of `own` with each other trial's last value up to `own`'s last step.
  bool prune(const std::vector<SearchCurve>& others, const SearchCurve& own) const override;

 private:
  Params p_;
};

}  // namespace yatlab
