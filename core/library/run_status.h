#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/record/job_status.h"
#include "core/record/run_view.h"
#include "core/system/slurm_queue.h"

namespace yatlab {

/// A job as it goes now.
struct JobNow {
  std::string arm, label;  ///< label: "yat seed=3 operator.epsilon=1e-5"
  std::string directory;
  JobState state = JobState::kPlanned;  ///< as it is seen from outside
  std::string host, batch_job, error;
  std::int64_t attempt = 0;
  double wall_s = 0;
  std::optional<Heartbeat> heartbeat;  ///< of running jobs
  /// Seconds until a running job is through; nothing when nobody knows.
  std::optional<double> left() const;
};

/// How the work of a run goes. Read from the files of its jobs alone, so that it is the same for every launcher, and from any machine.
struct RunNow {
  std::string experiment, id, scale;
  std::vector<std::string> arms;  ///< in the plan's order
  std::vector<JobNow> jobs;       ///< in the plan's order
  std::int64_t now = 0;
  std::map<JobState, std::size_t> states() const;
  bool over() const;    ///< every job has come to its end
  bool moving() const;  ///< a job runs, or waits in a cluster's queue
  std::size_t failed() const;
};

/// One job of a run. Throws where its files cannot be read.
JobNow read_job_now(const fs::path& run, const JobView& planned, std::int64_t now);
/// Throws a data error when the folder is not a run. A job whose files cannot be read is shown as failed, with the reason.
RunNow read_run_now(const fs::path& run, std::int64_t now);
/// Adds what Slurm's queue says (slurm_tasks) of jobs that do not run: they wait in it (`error` says what holds them, where a place would not
/// do), or are not in it any more.
void add_queue(RunNow& run, const std::map<std::string, SlurmTask>& tasks);

/// At most `width` columns wide; 0: as wide as its longest line. Long names lose letters in the middle, long errors continue in further lines.
std::string status_text(const RunNow& run, std::size_t width = 0);
/// "mnist_inversion/...: 8 of 10 done, 1 failed, 1 running (26 %), about 0:08 left"
std::string status_line(const RunNow& run);
nlohmann::ordered_json status_json(const RunNow& run);
/// The same of one job.
nlohmann::ordered_json status_json(const JobNow& job);

}  // namespace yatlab
