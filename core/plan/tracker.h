#pragma once

#include <filesystem>
#include <string>

#include "core/base/media.h"
#include "core/base/node.h"
#include "core/record/metric_row.h"
#include "core/record/run_view.h"
#include "core/registry/registry.h"

namespace yatlab {

struct Plan;
struct JobSpec;
struct Report;

/// A run, as trackers receive it.
struct RunInfo {
  const Plan& plan;
  std::filesystem::path directory;
  std::size_t workers = 1;
  bool quiet = false;   ///< only errors in the terminal
  bool replay = false;  ///< a finished run is shown again: nothing that a tracker has shown before may appear twice
};

/// How a job begins.
struct JobBeginning {
  bool kept = false;                 ///< an earlier run finished it, and it is not run again
  const DatasetUse* data = nullptr;  ///< its training data; null for studies and claims, and where an earlier run did not record it
};

/// A complete checkpoint on disk. Later ones may replace it once the call has returned.
struct SavedCheckpoint {
  std::int64_t step = 0;
  std::filesystem::path folder;
};

/// Mirrors a run somewhere: a terminal, a service, a file. Calls may come from several threads at once. A tracker that throws is reported and
/// switched off; the run continues.
class Tracker {
 public:
  virtual ~Tracker() = default;
  /// Throws a config error if its settings cannot work. Called when a run is planned, before `on_run_start`.
  virtual void check() const {}
  /// A config error thrown here ends the run before any job begins.
  virtual void on_run_start(const RunInfo&) {}
  virtual void on_job_start(const JobSpec&, const JobBeginning&) {}
  /// The job resumes from the checkpoint of `step`: rows that it logged for later steps are void, and come again.
  virtual void on_resume(const JobSpec&, std::int64_t /*step*/) {}
  virtual void on_metrics(const JobSpec&, const MetricRow&) {}
  virtual void on_progress(const JobSpec&, const Progress&) {}
  virtual void on_checkpoint(const JobSpec&, const SavedCheckpoint&) {}
  /// Media of the job's analyses or studies, after the training and before the job has finished.
  virtual void on_media(const JobSpec&, const Media&) {}
  virtual void on_job_finish(const JobSpec&, JobState, const Metrics&, const std::string& /*why*/) {}
  virtual void on_run_finish() {}
  /// After on_run_finish, once tables and figures are in the run's folder; `Report::media` holds them as objects. The last call.
  virtual void on_report(const RunInfo&, const Report&) {}
  /// How many kept jobs this tracker skipped because they were finished before the run had it; a replay shows them.
  virtual std::size_t left_out() const { return 0; }
  /// Whether a user requested, in the service that this tracker mirrors to, that the job stop. Called after every step, so it must be cheap.
  virtual bool wants_stop(const JobSpec&) { return false; }
};

YATLAB_KIND(Tracker, "tracker", "logs a run: terminal, services")

}  // namespace yatlab
