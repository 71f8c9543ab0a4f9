#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/record/job_status.h"
#include "core/record/run_view.h"
#include "core/system/slurm_queue.h"

namespace yatlab {

/// The current state of a job.
struct JobNow {
  std::string arm, label;  ///< label: "yat seed=3 operator.epsilon=1e-5"
  std::string directory;
  JobState state = JobState::kPlanned;  ///< as seen from outside
  std::string host, batch_job, error;
  std::int64_t attempt = 0;
  double wall_s = 0;
  std::optional<Heartbeat> heartbeat;  ///< of running jobs
  /// Seconds until a running job is finished; nullopt if unknown.
  std::optional<double> left() const;
};

/// The progress of a run. Read only from the files of its jobs, so that it works with every launcher and from any machine.
struct RunNow {
  std::string experiment, id, scale;
  std::vector<std::string> arms;  ///< in the plan's order
  std::vector<JobNow> jobs;       ///< in the plan's order
  std::int64_t now = 0;
  std::map<JobState, std::size_t> states() const;
  bool over() const;    ///< every job has ended
  bool moving() const;  ///< a job is running, or waits in a cluster's queue
  std::size_t failed() const;
};

/// One job of a run. Throws if its files cannot be read.
JobNow read_job_now(const fs::path& run, const JobView& planned, std::int64_t now);
/// Throws a data error if the folder is not a run. A job whose files cannot be read is shown as failed, with the reason.
RunNow read_run_now(const fs::path& run, std::int64_t now);
/// Adds information from Slurm's queue (slurm_tasks) to jobs that do not run. They wait in it (`error` gives the reason, unless they wait only
/// for free nodes), or have left it.
void add_queue(RunNow& run, const std::map<std::string, SlurmTask>& tasks);

/// At most `width` columns wide; 0: as wide as its longest line. Long names lose letters in the middle, long errors continue in further lines.
std::string status_text(const RunNow& run, std::size_t width = 0);
/// "mnist_inversion/...: 8 of 10 done, 1 failed, 1 running (26 %), about 0:08 left"
std::string status_line(const RunNow& run, std::size_t width = 0);
nlohmann::ordered_json status_json(const RunNow& run);
/// The status of one job as JSON.
nlohmann::ordered_json status_json(const JobNow& job);

}  // namespace yatlab
