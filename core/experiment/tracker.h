#pragma once

#include <filesystem>
#include <string>

#include "core/base/node.h"
#include "core/registry/registry.h"
#include "core/report/report.h"
#include "core/report/run_view.h"
#include "core/train/trainer.h"

namespace yatlab {

struct Plan;
struct JobSpec;

/// A run, as trackers see it.
struct RunInfo {
  const Plan& plan;
  std::filesystem::path directory;
  std::size_t workers = 1;
  bool quiet = false;  ///< nothing but errors in the terminal
};

/// Mirrors a run somewhere: a terminal, a service, a file. Calls may come from several threads at
/// once. A tracker that throws is reported and switched off; the run goes on.
class Tracker {
 public:
  virtual ~Tracker() = default;
  /// Throws a config error where its settings cannot work. Called when a run is planned, before `on_run_start`.
  virtual void check() const {}
  virtual void on_run_start(const RunInfo&) {}
  /// kept: the job was finished by an earlier run and is not run again.
  virtual void on_job_start(const JobSpec&, bool /*kept*/) {}
  virtual void on_metrics(const JobSpec&, std::int64_t /*step*/, std::int64_t /*epoch*/, const Metrics&) {}
  virtual void on_progress(const JobSpec&, const Progress&) {}
  virtual void on_job_finish(const JobSpec&, JobState, const Metrics&, const std::string& /*why*/) {}
  virtual void on_run_finish() {}
  /// After on_run_finish, once tables and figures lie in the run's folder. The last call.
  virtual void on_report(const RunInfo&, const Report&) {}
  /// Whether somebody asked, where this tracker mirrors the job, that it stop. Called after every step: must be cheap.
  virtual bool wants_stop(const JobSpec&) { return false; }
};

/// The specs in `trackers` and, unless it is one of them, `tracker`.
Node tracker_specs(const Node& experiment);

YATLAB_KIND(Tracker, "tracker", "mirrors a run: terminal, services")

}  // namespace yatlab
