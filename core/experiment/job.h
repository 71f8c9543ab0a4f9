#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/experiment/loaded_data.h"
#include "core/experiment/plan.h"
#include "core/report/run_view.h"
#include "core/train/trainer.h"

namespace yatlab {

/// What became of a job.
struct JobResult {
  JobState state = JobState::kPlanned;
  Metrics metrics;
  std::string why;  ///< for diverged and failed jobs
};

/// Receives a running job's metrics and progress.
struct JobHooks {
  std::function<void(std::int64_t step, std::int64_t epoch, const Metrics&)> on_metrics;
  std::function<void(const Progress&)> on_progress;
  std::function<bool()> stop;
};

/// Trains and analyses one job in `directory`, continuing from its checkpoint if there is one.
/// Writes config.yaml, metrics.jsonl, checkpoints/, artifacts/, summary.json and status.json there.
/// Never throws: an error becomes state kFailed. All files but status.json depend on the job alone.
JobResult run_job(const JobSpec& job, const std::filesystem::path& directory, DataCache& data,
                  const JobHooks& hooks);

/// The state that status.json records; kPlanned when there is none.
JobState recorded_state(const std::filesystem::path& directory);

}  // namespace yatlab
