#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/compose/composed_experiment.h"
#include "core/compose/frozen_arm.h"
#include "core/config/sweep.h"
#include "core/plan/plan.h"

namespace yatlab {

/// Throws for a swept key that a run has once (scale, seeds, arms, results, ...), with what to write instead.
void refuse_to_sweep_the_run(const ComposedExperiment& composed);

/// "operator=cosine", on the command line or in a sweep, would turn an arm that is made by its operator into something that its
/// name denies.
void refuse_to_replace_an_arm(const ComposedExperiment& composed, const std::vector<Arm>& arms);

/// Throws when an arm, or a group's option at a point, changes what a run has once, or shows once: title, tables, labels, ...
void refuse_to_change_the_run(const ComposedExperiment& composed, const Composition& composition, const std::string& arm,
                              const SweepPoint& point);

/// Whether results of this kind can follow what an override sets, going by its name alone. A group may set anything.
bool can_decide_results(const Override& override, const JobType& type);

/// Sees every point of every arm and throws when two of them are the same job.
class PointGuard {
 public:
  explicit PointGuard(const std::vector<Dimension>& dimensions, std::string experiment_file)
      : dimensions_(dimensions), file_(std::move(experiment_file)) {}

  /// `point` without what does not apply to the arm.
  void see(const std::string& arm, const SweepPoint& point, const FrozenArm& frozen);

 private:
  struct Seen {
    std::string arm;
    SweepPoint point;
  };
  const std::vector<Dimension>& dimensions_;
  std::string file_;
  std::map<std::string, Seen> seen_;  // by identity
};

/// The error for a swept key that nothing follows.
[[noreturn]] void throw_idle(const Dimension& dimension, const std::string& key, const JobType& type);

}  // namespace yatlab
