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

/// A sweep that proposes its points one after the other, separately for every arm, and adds them to its plan. The first points depend on no result;
/// later ones are proposed from results, round by round. The run's TrialLog holds the proposals and the jobs' folders the results, so an interrupted
/// search resumes as if it had never stopped.
///
/// `see`, `rewind`, `ended` and `why_pruned` are thread-safe.
class Search {
 public:
  /// Plans the first points of every arm. `plan` must outlive this object, and be complete but for its jobs.
  Search(Plan& plan, std::unique_ptr<ComposedExperiment> composed, SearchSetup setup, ReportConfig report, const std::string& file);

  const MeasuredArms& measured() const { return planner_.measured(); }
  RunSearch goal() const;
  /// Equal for two searches that are the same; a search with more trials continues one with fewer.
  std::string identity() const;

  /// Adds the trials that a run has already proposed. Throws a data error if they belong to another search.
  void go_on(const fs::path& run);
  /// Writes the trials that go_on did not find to the log. Call it before any of their jobs begins.
  void log_new_trials(const fs::path& run);
  /// Reads the job's earlier values of the metric, and whether its trial was pruned.
  void recall(const JobSpec& job, const fs::path& run);
  /// Adds the next trials and writes them to the log; false if there are none, or they wait for unfinished jobs. workers: concurrent jobs.
  bool grow(const fs::path& run, std::size_t workers);

  /// total_steps: the job's full length; a job that has reached it is not pruned.
  void see(const JobSpec& job, const MetricRow& row, std::int64_t total_steps);
  /// The job resumes from `step`: its later rows are void.
  void rewind(const JobSpec& job, std::int64_t step);
  /// The job finished or was interrupted. Once one of a trial's jobs diverged or failed, the pruner ranks the trial as the worst.
  void ended(const JobSpec& job, JobState state);
  /// Why the job's trial was ended early; "" where it was not.
  std::string why_pruned(const JobSpec& job) const;

 private:
  struct PlannedTrial {
    std::vector<std::pair<std::string, Node>> proposed;  // as in the log
    SearchPoint point;                                   // NaN: parameters that the arm lacks there
    std::size_t first_job = 0;                           // index in the plan; a trial has one job per seed (x parts)
    std::size_t jobs = 0;
    std::optional<Trial> over = {};  // the final result, once it cannot change
  };
  struct OfArm {
    Arm arm;
    std::vector<PlannedTrial> trials;
    std::set<std::string> refused;  // points that are not new
    bool exhausted = false;
  };
  /// The progress of a trial.
  struct TrialProgress {
    std::map<std::int64_t, SearchCurve> curves;  // by seed
    std::set<std::int64_t> lost;                 // seeds that diverged or failed
    std::string why_pruned;
  };

  void choose_metric();
  void count_future_jobs();
  /// Proposes one more point of an arm and plans it; false if the arm has no more.
  bool ask(OfArm& of, const std::vector<Trial>& trials);
  bool add(OfArm& of, const SweepPoint& point);
  std::vector<Trial> results_of(OfArm& of, const fs::path& run) const;
  Trial result_of(const PlannedTrial& tried, const fs::path& run) const;
  /// The last value of a pruned job; infinity if it never began.
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
  double sign_ = 1;  // multiplies reported values, so that less is better
  std::vector<ProposedTrial> unlogged_;

  mutable std::mutex mutex_;
  std::map<std::string, TrialProgress> progress_;           // by arm and point
  std::map<std::string, std::vector<std::string>> of_arm_;  // keys of progress_, by arm
};

}  // namespace yatlab
