#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/compose/as_written.h"
#include "core/compose/composed_experiment.h"
#include "core/plan/arm_names.h"
#include "core/plan/check_names.h"
#include "core/plan/idle_overrides.h"
#include "core/plan/plan.h"
#include "core/plan/plan_jobs.h"
#include "core/plan/sweep_guards.h"

namespace yatlab {

/// Composes and tries arms at points, and adds their jobs to a plan. What is written and does nothing is an error or, where it does
/// something for some arms, a notice.
class ArmPlanner {
 public:
  /// What one point is to an arm.
  struct Added {
    SweepPoint present;  ///< the part of the point that the arm has
    bool fresh = true;   ///< false: the arm has these jobs already, as it lacks what tells the points apart
  };

  /// The plan and the experiment outlive it.
  ArmPlanner(Plan& plan, const ComposedExperiment& composed, std::string file)
      : plan_(plan),
        composed_(composed),
        guard_(composed.dimensions(), std::move(file)),
        idle_(composed),
        jobs_(plan),
        as_written_(composed.request()) {}

  Added add(const Arm& arm, const SweepPoint& point);

  /// To be called once all arms have points, `first` among them.
  void refuse_what_does_nothing(const std::vector<Arm>& arms, const SweepPoint& first);
  /// Throws where an option that a search may choose changes what a run has once: before it is chosen.
  void check_options(const Arm& arm, const SweepPoint& first) const;
  /// Tells the plan what of it is not the file's. To be called once all arms have points.
  void hold_against_file(const std::vector<Arm>& arms, bool search);
  /// What each arm measures.
  const MeasuredArms& measured() const { return measured_; }

 private:
  void note_change(const ProtocolChange& change);
  void refuse_idle_dimensions(const Arm& arm, const SweepPoint& point) const;

  Plan& plan_;
  const ComposedExperiment& composed_;
  PointGuard guard_;
  IdleOverrides idle_;
  JobPlanner jobs_;
  AsWritten as_written_;
  ArmChecker checker_;
  std::map<std::string, std::set<std::string>> points_;  // of each arm, as folders show them
  std::set<std::string> acting_;                         // swept keys that some arm has
  MeasuredArms measured_;
};

}  // namespace yatlab
