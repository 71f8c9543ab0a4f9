#pragma once

#include <filesystem>
#include <string>

#include "core/base/node.h"
#include "core/registry/registry.h"
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
};

/// Mirrors a run somewhere: a terminal, a service, a file. Calls may come from several threads at
/// once. A tracker that throws is reported and switched off; the run goes on.
class Tracker {
 public:
  virtual ~Tracker() = default;
  virtual void on_run_start(const RunInfo&) {}
  /// kept: the job was finished by an earlier run and is not run again.
  virtual void on_job_start(const JobSpec&, bool /*kept*/) {}
  virtual void on_metrics(const JobSpec&, std::int64_t /*step*/, std::int64_t /*epoch*/, const Metrics&) {}
  virtual void on_progress(const JobSpec&, const Progress&) {}
  virtual void on_job_finish(const JobSpec&, JobState, const Metrics&, const std::string& /*why*/) {}
  virtual void on_run_finish() {}
};

YATLAB_KIND(Tracker, "tracker", "mirrors a run: terminal, services")

}  // namespace yatlab
