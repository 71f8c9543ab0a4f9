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

/// Composes and checks arms at points, and adds their jobs to a plan. A setting without any effect is an error; one with an effect on some arms only,
/// a notice.
class ArmPlanner {
 public:
  /// What one point means for an arm.
  struct Added {
    SweepPoint present;  ///< the part of the point that the arm has
    bool fresh = true;   ///< false: the arm has these jobs already, as it lacks the keys in which the points differ
  };

  /// The plan and the experiment must outlive this object.
  ArmPlanner(Plan& plan, const ComposedExperiment& composed, std::string file)
      : plan_(plan),
        composed_(composed),
        guard_(composed.dimensions(), std::move(file)),
        idle_(composed),
        jobs_(plan),
        as_written_(composed.request()) {}

  Added add(const Arm& arm, const SweepPoint& point);

  /// Call it once all arms have points, `first` among them.
  void reject_ineffective_overrides(const std::vector<Arm>& arms, const SweepPoint& first);
  /// Throws, before the search chooses it, for an option that would change something a run has only once.
  void check_options(const Arm& arm, const SweepPoint& first) const;
  /// Records in the plan how it differs from the experiment's file. Call it once all arms have points.
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
  std::map<std::string, std::set<std::string>> points_;  // by arm, as folder names show them
  std::set<std::string> acting_;                         // swept keys that affect some arm
  MeasuredArms measured_;
};

}  // namespace yatlab
