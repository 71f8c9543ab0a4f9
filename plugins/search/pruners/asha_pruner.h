#pragma once

#include "core/compose/pruner.h"
#include "core/registry/fields.h"

namespace yatlab {

/// Asynchronous successive halving (Li et al. 2020), as a stopping rule: rungs are at min_steps, eta times as many, eta^2 times as many and so on.
/// A trial continues past a rung only if its value is among the best 1/eta of all that reached the rung so far.
class AshaPruner final : public Pruner {
 public:
  struct Params {
    std::int64_t reduction_factor = 3, min_steps = 1;
    static void declare(Fields& f, Params& p) {
      f.field("reduction_factor", p.reduction_factor, "eta: the best 1/eta of a rung's trials continue, to eta times the steps").min(2);
      f.field("min_steps", p.min_steps, "step of the first rung").positive();
    }
  };
  explicit AshaPruner(const Params& p) : p_(p) {}

  /// A trial reaches a rung with its first value at that step or a later one. The first trial to reach a rung continues.
  bool prune(const std::vector<SearchCurve>& others, const SearchCurve& own) const override;

 private:
  Params p_;
};

}  // namespace yatlab
