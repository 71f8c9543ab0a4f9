#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/base/files.h"
#include "core/base/media.h"
#include "core/job/job_observer.h"
#include "core/record/job_status.h"
#include "core/record/metric_row.h"

namespace c10 {
struct Device;
}

namespace yatlab {

class DataCache;
class ProcessGroup;
class StackSlot;
struct JobSpec;

/// What became of a job.
struct JobResult {
  JobState state = JobState::kPlanned;
  Metrics metrics;
  std::string why;  ///< of diverged, failed and (where nobody asked) interrupted jobs; what a checked claim came to
  /// How the work went, not what came out: "samples_per_s", "tokens_per_s", "mfu", "peak_rss_bytes". In status.json, and in
  /// reports as metrics "run/...".
  Metrics performance = {};
  std::string trace = {};  ///< of failed jobs: all that was said where it failed, stack frames too; for the log
};

/// Others that a training goes together with.
struct TrainsWith {
  /// Set where several ranks do the job: brings them together, once all it takes to train is there. together: whether the others are needed. Null
  /// when they are not.
  std::function<std::shared_ptr<ProcessGroup>(bool together, const c10::Device& device)> join_group = {};
  std::int64_t local_rank = 0;  ///< with `join_group`: among the ranks of this machine
  StackSlot* slot = nullptr;    ///< set where a training goes through a stack with others
};

/// What a running job is given.
struct JobContext {
  const JobSpec& job;
  const fs::path& directory;
  DataCache& data;
  JobObserver& observer;
  const TrainsWith& with;
};

/// Does one job in `directory`, as its type says; not its analyses. Writes artifacts/, media/, summary.json, status.json and (last)
/// manifest.json there, a training job also metrics.jsonl and checkpoints/.
/// Never throws: an error becomes state kFailed, or kInterrupted where the system refused a file. All files but status.json depend on the
/// job alone.
JobResult run_job(const JobSpec& job, const std::filesystem::path& directory, DataCache& data, JobObserver& observer,
                  const TrainsWith& with = {});

/// How a finished job's files differ from what it wrote (manifest.json); "" when they do not. Every byte is read.
std::string damage_of_job(const std::filesystem::path& directory);

/// Removes what has to be made again of a job: all but job.yaml and the analyses, and, where `training_too` is false, but the history and the
/// checkpoints, which are checked when the job goes on.
void forget_job(const std::filesystem::path& directory, bool training_too);

}  // namespace yatlab
