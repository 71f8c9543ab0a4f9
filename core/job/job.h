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

/// The outcome of a job.
struct JobResult {
  JobState state = JobState::kPlanned;
  Metrics metrics;
  std::string why;  ///< of diverged, failed and (unless requested) interrupted jobs; for a checked claim, the finding
  /// Speed and memory, not results: "samples_per_s", "tokens_per_s", "mfu", "peak_rss_bytes". In status.json, and in reports as metrics "run/...".
  Metrics performance = {};
  std::string trace = {};  ///< of failed jobs: the full error text with stack frames, for the log
};

/// The processes and jobs that a training shares its work with.
struct TrainsWith {
  /// Set where several ranks share the job: forms their group, once everything for training is loaded. together: whether the other ranks are needed.
  /// Returns null when they are not.
  std::function<std::shared_ptr<ProcessGroup>(bool together, const c10::Device& device)> join_group = {};
  std::int64_t local_rank = 0;  ///< with `join_group`: the rank within this machine
  StackSlot* slot = nullptr;    ///< set where a training runs in a stack with others
};

/// The inputs of a running job.
struct JobContext {
  const JobSpec& job;
  const fs::path& directory;
  DataCache& data;
  JobObserver& observer;
  const TrainsWith& with;
};

/// Runs one job in `directory`, according to its type, without its analyses. Writes artifacts/, media/, summary.json, status.json and (last)
/// manifest.json there; a training job also metrics.jsonl and checkpoints/. Never throws: an error becomes state kFailed, or kInterrupted if it was a
/// file error of the system. All files but status.json depend on the job alone.
JobResult run_job(const JobSpec& job, const std::filesystem::path& directory, DataCache& data, JobObserver& observer,
                  const TrainsWith& with = {});

/// How a finished job's files differ from those listed in manifest.json; "" if they do not. Reads every byte.
std::string damage_of_job(const std::filesystem::path& directory);

/// Removes all that a job must redo, but not job.yaml and the analyses. If `training_too` is false, the history and the checkpoints stay as well:
/// they are checked when the job resumes.
void forget_job(const std::filesystem::path& directory, bool training_too);

}  // namespace yatlab
