#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/media.h"
#include "core/experiment/loaded_data.h"
#include "core/experiment/plan.h"
#include "core/report/run_view.h"
#include "core/train/trainer.h"

namespace yatlab {

/// What became of a job.
struct JobResult {
  JobState state = JobState::kPlanned;
  Metrics metrics;
  std::string why;  ///< of diverged and failed jobs; what a checked claim came to
  /// How the work went, not what came out: "samples_per_s", "tokens_per_s", "mfu", "peak_rss_bytes". In status.json, and in
  /// reports as metrics "run/...".
  Metrics performance = {};
  std::string trace = {};  ///< of failed jobs: all that was said where it failed, stack frames too; for the log
};

/// Receives what a running job makes. Any of them may be unset.
struct JobHooks {
  std::function<void(std::int64_t step)> on_resume;  ///< goes on from a checkpoint; what was logged beyond is void
  std::function<void(const MetricRow&)> on_metrics;
  std::function<void(std::int64_t step, const std::filesystem::path& folder)> on_checkpoint;
  std::function<void(const Media&)> on_media;
  std::function<void(const Progress&)> on_progress;
  std::function<bool()> stop;
};

/// Does one job in `directory`: trains and analyses (continuing from a checkpoint if there is one), runs
/// studies, or checks a claim. Writes config.yaml, artifacts/, media/, summary.json and status.json there, a training
/// job also metrics.jsonl and checkpoints/.
/// Never throws: an error becomes state kFailed. All files but status.json depend on the job alone.
JobResult run_job(const JobSpec& job, const std::filesystem::path& directory, DataCache& data,
                  const JobHooks& hooks);

/// Whether the folder holds a checkpoint and the history that belongs to it.
bool can_go_on(const std::filesystem::path& directory);

/// The state that status.json records; kPlanned when there is none.
JobState recorded_state(const std::filesystem::path& directory);

}  // namespace yatlab
