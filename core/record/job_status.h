#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/files.h"

namespace yatlab {

/// The state of a job.
enum class JobState {
  kPlanned,    ///< not started yet
  kSubmitted,  ///< in a cluster's queue
  kRunning,
  kPreempted,    ///< the cluster stopped it: it is in the queue again and will resume from its checkpoint
  kInterrupted,  ///< stopped, or its process died: the same command resumes it
  kCompleted,
  kDiverged,  ///< also counts as a result
  kFailed,
  kPruned,  ///< a search ended its trial early, because it was unlikely to become the best
};
const char* to_string(JobState state);
std::optional<JobState> job_state(const std::string& name);

/// Whether there is a result: completed or diverged.
bool is_finished(JobState state);
/// Whether the state stays until the job is run again: completed, diverged, failed, pruned.
bool is_over(JobState state);

/// status.json of a job: its progress, not its results. Written only by the process that works in the folder, and by a launcher before and after
/// that.
struct JobStatus {
  JobState state = JobState::kPlanned;
  bool readable = true;                      ///< false: status.json exists, but is not a JSON object
  bool intact = true;                        ///< false: it was changed after it was written
  std::int64_t attempt = 0;                  ///< 1 for the first run
  std::string host;                          ///< the machine of the current or last run
  std::int64_t pid = 0;                      ///< of the process on that machine
  std::string batch_job;                     ///< the cluster's id: "4711_3"
  std::string submitted, started, finished;  ///< UTC: "2026-11-22T09:30:00Z"; "" if not reached
  double wall_s = 0;                         ///< of the last attempt
  std::string error;                         ///< for diverged, failed and (without a request to stop) interrupted jobs
  std::string dataset_sha256;
  std::map<std::string, double> performance = {};  ///< "samples_per_s", "peak_rss_bytes", ...: metrics "run/..." in reports
};

/// The status of a job's folder; planned if there is no status.json. Throws a file error if the system refuses the file.
JobStatus read_job_status(const fs::path& directory);
/// Whether a file is synced to disk. kNo is faster, but a power cut may lose the file.
enum class Durable { kYes, kNo };
void write_job_status(const fs::path& directory, const JobStatus& status, Durable durable = Durable::kYes);
/// The state in an intact status.json; otherwise planned.
JobState recorded_state(const fs::path& directory);

/// heartbeat.json of a job: written every few seconds while it runs, to show that it is alive and how far it is.
struct Heartbeat {
  std::int64_t at = 0;  ///< seconds since 1970
  std::int64_t step = 0, total_steps = 0;
  double per_second = 0;  ///< steps
  std::string what;       ///< description of work that is not counted in steps
};
/// The interval at which a running job writes one.
constexpr std::int64_t kHeartbeatSeconds = 5;
std::optional<Heartbeat> read_heartbeat(const fs::path& directory);
/// Not synced: it means nothing after the machine stops.
void write_heartbeat(const fs::path& directory, const Heartbeat& heartbeat);

/// The state as seen from outside: a job whose process is gone, or that has given no sign for a minute, is not running any more.
JobState observed_state(const fs::path& directory, const JobStatus& status, std::int64_t now);

/// "2026-11-22T09:30:00Z"
std::string utc_text(std::int64_t seconds_since_1970);

}  // namespace yatlab
