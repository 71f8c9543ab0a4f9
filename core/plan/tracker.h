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

/// A run, as trackers see it.
struct RunInfo {
  const Plan& plan;
  std::filesystem::path directory;
  std::size_t workers = 1;
  bool quiet = false;   ///< nothing but errors in the terminal
  bool replay = false;  ///< all of it is over and is shown again: nothing that a tracker has shown already may appear twice
};

/// How a job begins.
struct JobBeginning {
  bool kept = false;                 ///< it was finished by an earlier run and is not run again
  const DatasetUse* data = nullptr;  ///< what it is trained on; null for studies and claims, and where an earlier run did not say
};

/// A checkpoint that lies on the disk, whole. Later ones may take its place once the call is over.
struct SavedCheckpoint {
  std::int64_t step = 0;
  std::filesystem::path folder;
};

/// Mirrors a run somewhere: a terminal, a service, a file. Calls may come from several threads at
/// once. A tracker that throws is reported and switched off; the run goes on.
class Tracker {
 public:
  virtual ~Tracker() = default;
  /// Throws a config error where its settings cannot work. Called when a run is planned, before `on_run_start`.
  virtual void check() const {}
  /// A config error thrown here ends the run before anything of it begins: what was asked for cannot be.
  virtual void on_run_start(const RunInfo&) {}
  virtual void on_job_start(const JobSpec&, const JobBeginning&) {}
  /// The job goes on from the checkpoint of `step`: rows of later steps that it logged before are void, and come again.
  virtual void on_resume(const JobSpec&, std::int64_t /*step*/) {}
  virtual void on_metrics(const JobSpec&, const MetricRow&) {}
  virtual void on_progress(const JobSpec&, const Progress&) {}
  virtual void on_checkpoint(const JobSpec&, const SavedCheckpoint&) {}
  /// What the job's analyses or studies show, after the training and before the job is over.
  virtual void on_media(const JobSpec&, const Media&) {}
  virtual void on_job_finish(const JobSpec&, JobState, const Metrics&, const std::string& /*why*/) {}
  virtual void on_run_finish() {}
  /// After on_run_finish, once tables and figures lie in the run's folder; `Report::media` holds them as objects. The last call.
  virtual void on_report(const RunInfo&, const Report&) {}
  /// How many of the jobs that were handed to it as kept it leaves out, because they were done before it was asked for: a replay shows them.
  virtual std::size_t left_out() const { return 0; }
  /// Whether somebody asked, where this tracker mirrors the job, that it stop. Called after every step: must be cheap.
  virtual bool wants_stop(const JobSpec&) { return false; }
};

YATLAB_KIND(Tracker, "tracker", "mirrors a run: terminal, services")

}  // namespace yatlab
