#pragma once

#include "core/compose/pruner.h"
#include "core/registry/fields.h"

namespace yatlab {

/// Asynchronous successive halving (Li et al. 2020), as a rule of when to stop: at min_steps, eta times as many, eta^2 times as many and so on
/// there are rungs, and a trial goes on from one only if its value is among the best 1/eta of all that came there so far.
class AshaPruner final : public Pruner {
 public:
  struct Params {
    std::int64_t reduction_factor = 3, min_steps = 1;
    static void declare(Fields& f, Params& p) {
      f.field("reduction_factor", p.reduction_factor, "eta: of a rung's trials one in so many goes on, to so many times the steps").min(2);
      f.field("min_steps", p.min_steps, "the step of the first rung").positive();
    }
  };
  explicit AshaPruner(const Params& p) : p_(p) {}

  /// A trial comes to a rung with its first value at that step or a later one; the first that comes to a rung goes on.
  bool prune(const std::vector<SearchCurve>& others, const SearchCurve& own) const override;

 private:
  Params p_;
};

}  // namespace yatlab
