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

/// Throws if a swept key is one that a run has only once (scale, seeds, arms, results, ...), with the text to write instead.
void refuse_to_sweep_the_run(const ComposedExperiment& composed);

/// Throws for "operator=cosine", on the command line or in a sweep: it would replace the operator that an arm is named for.
void refuse_to_replace_an_arm(const ComposedExperiment& composed, const std::vector<Arm>& arms);

/// Throws when an arm, or a group's option at a point, changes what a run has, or shows, only once: title, tables, labels, ...
void refuse_to_change_the_run(const ComposedExperiment& composed, const Composition& composition, const std::string& arm,
                              const SweepPoint& point);

/// Whether an override can affect results of this job type, judged by its key alone. A group may set anything.
bool can_decide_results(const Override& override, const JobType& type);

/// Receives every point of every arm and throws when two of them are the same job.
class PointGuard {
 public:
  explicit PointGuard(const std::vector<Dimension>& dimensions, std::string experiment_file)
      : dimensions_(dimensions), file_(std::move(experiment_file)) {}

  /// `point`: only the overrides that apply to the arm.
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

/// Throws the error for a swept key that affects nothing.
[[noreturn]] void throw_idle(const Dimension& dimension, const std::string& key, const JobType& type);

}  // namespace yatlab
