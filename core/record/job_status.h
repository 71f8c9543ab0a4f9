#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/files.h"

namespace yatlab {

/// What has become of a job.
enum class JobState {
  kPlanned,    ///< nothing has happened yet
  kSubmitted,  ///< a cluster has it in its queue
  kRunning,
  kPreempted,    ///< the cluster took its place away: it is in the queue again and goes on from its checkpoint
  kInterrupted,  ///< stopped, or its process died: the same command goes on
  kCompleted,
  kDiverged,  ///< a result too
  kFailed,
  kPruned,  ///< a search ended its trial early: it would hardly have been the best
};
const char* to_string(JobState state);
std::optional<JobState> job_state(const std::string& name);

/// True where there is a result: completed, diverged.
bool is_finished(JobState state);
/// True for what stays as it is until the job is done again: completed, diverged, failed, pruned.
bool is_over(JobState state);

/// status.json of a job: how the work goes, not what came out. Only the process that works in the folder writes it, and a launcher before
/// and after.
struct JobStatus {
  JobState state = JobState::kPlanned;
  bool readable = true;                      ///< false: there is a status.json, but it is not JSON object
  bool intact = true;                        ///< false: it is not as it was written
  std::int64_t attempt = 0;                  ///< 1 for the first time that it ran
  std::string host;                          ///< where it runs, or ran last
  std::int64_t pid = 0;                      ///< of the process there
  std::string batch_job;                     ///< a cluster's name for it: "4711_3"
  std::string submitted, started, finished;  ///< UTC: "2026-11-22T09:30:00Z"; "" where it is not so far
  double wall_s = 0;                         ///< of the last attempt
  std::string error;                         ///< of diverged, failed and (where nobody asked) interrupted jobs
  std::string dataset_sha256;
  std::map<std::string, double> performance = {};  ///< "samples_per_s", "peak_rss_bytes", ...: metrics "run/..." of reports
};

/// Of a job's folder; planned when it holds no status.json. Throws a file error where the system refuses the file.
JobStatus read_job_status(const fs::path& directory);
/// kNo: for what a power cut may take back, thousands at a time.
enum class Lasting { kYes, kNo };
void write_job_status(const fs::path& directory, const JobStatus& status, Lasting lasting = Lasting::kYes);
/// The state of an intact status.json; else planned.
JobState recorded_state(const fs::path& directory);

/// heartbeat.json of a job: written every few seconds while it runs, so that others see that it does, and how far it is.
struct Heartbeat {
  std::int64_t at = 0;  ///< seconds since 1970
  std::int64_t step = 0, total_steps = 0;
  double per_second = 0;  ///< steps
  std::string what;       ///< for work that is not counted in steps
};
/// How often a running job writes one.
constexpr std::int64_t kHeartbeatSeconds = 5;
std::optional<Heartbeat> read_heartbeat(const fs::path& directory);
/// Not synced: it says nothing that outlives the machine.
void write_heartbeat(const fs::path& directory, const Heartbeat& heartbeat);

/// The state as it is seen from outside: a job whose process is gone, or that gave no sign for a minute, does not run any more.
JobState observed_state(const fs::path& directory, const JobStatus& status, std::int64_t now);

/// "2026-11-22T09:30:00Z"
std::string utc_text(std::int64_t seconds_since_1970);

}  // namespace yatlab
