#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/compose/composed_experiment.h"
#include "core/compose/sweeper.h"
#include "core/experiment/report_config.h"
#include "core/plan/arm_planner.h"
#include "core/plan/plan.h"
#include "core/record/metric_row.h"
#include "core/record/trial_log.h"

namespace yatlab {

/// A sweep whose points are asked for one after the other, for every arm by itself. It adds them to its plan: at first those that follow from no
/// result, later, round by round, what its method makes of the results. What was asked for is in the run's TrialLog, what came of it in the jobs' folders:
/// after any interruption it goes on as if there had been none.
///
/// Calls of `see`, `rewind`, `ended` and `why_pruned` may come from several threads at once.
class Search {
 public:
  /// Plans the first points of every arm. `plan` outlives it, and has all but its jobs.
  Search(Plan& plan, std::unique_ptr<ComposedExperiment> composed, SearchSetup setup, ReportConfig report, const std::string& file);

  const MeasuredArms& measured() const { return planner_.measured(); }
  RunSearch goal() const;
  /// What makes two searches the same one; that of more trials goes on from that of fewer.
  std::string identity() const;

  /// Adds the trials that a run has asked for already. Throws a data error where they are not this search's.
  void go_on(const fs::path& run);
  /// Writes down what go_on did not find: before any of its jobs begins.
  void write_down(const fs::path& run);
  /// Reads what is known of a job from before: how its metric went, and whether its trial was pruned.
  void recall(const JobSpec& job, const fs::path& run);
  /// Adds the next trials, and writes them down; false when there are none to add, or what they wait for is not over. workers: jobs at the same time.
  bool grow(const fs::path& run, std::size_t workers);

  /// total_steps: what the job will come to; nothing is pruned that is there already.
  void see(const JobSpec& job, const MetricRow& row, std::int64_t total_steps);
  /// The job goes on from `step`: what it logged later is void.
  void rewind(const JobSpec& job, std::int64_t step);
  /// The job is over, or was interrupted. A trial of which one diverged or failed is the worst to a pruner from then on.
  void ended(const JobSpec& job, JobState state);
  /// Why the job's trial was ended early; "" where it was not.
  std::string why_pruned(const JobSpec& job) const;

 private:
  struct Tried {
    std::vector<std::pair<std::string, Node>> asked;  // as in the log
    SearchPoint point;                                // NaN: what the arm lacks there
    std::size_t first_job = 0;                        // of the plan; as many as the plan has seeds (x parts)
    std::size_t jobs = 0;
    std::optional<Trial> over = {};  // what came of it, once that stays
  };
  struct OfArm {
    Arm arm;
    std::vector<Tried> trials;
    std::set<std::string> refused;  // points that are not new ones
    bool exhausted = false;
  };
  /// How a trial goes.
  struct Watched {
    std::map<std::int64_t, SearchCurve> curves;  // by seed
    std::set<std::int64_t> lost;                 // seeds that diverged or failed
    std::string why_pruned;
  };

  void choose_metric();
  void count_what_comes();
  /// Asks for one more point of an arm and plans it; false where the arm has no more.
  bool ask(OfArm& of, const std::vector<Trial>& trials);
  bool add(OfArm& of, const SweepPoint& point);
  std::vector<Trial> told(OfArm& of, const fs::path& run) const;
  Trial told(const Tried& tried, const fs::path& run) const;
  /// How far a pruned job came; infinity where it never began.
  double last_value(const JobSpec& job) const;
  std::string key_of(const JobSpec& job) const;

  Plan& plan_;
  std::unique_ptr<ComposedExperiment> composed_;
  SearchSetup setup_;
  std::shared_ptr<Pruner> pruner_;
  ReportConfig report_;
  ArmPlanner planner_;
  std::vector<OfArm> arms_;
  std::string metric_;
  double sign_ = 1;  // of values that are reported: less is better
  std::vector<AskedTrial> asked_;

  mutable std::mutex mutex_;
  std::map<std::string, Watched> watched_;                  // by arm and point
  std::map<std::string, std::vector<std::string>> of_arm_;  // keys of watched_, by arm
};

}  // namespace yatlab
