#pragma once

#include <optional>
#include <string>

#include "core/base/files.h"
#include "core/base/media.h"
#include "core/plan/plan.h"
#include "core/record/metric_row.h"
#include "core/record/run_view.h"

namespace yatlab {

/// The result in a finished job's folder.
struct RecordedResult {
  JobState state = JobState::kPlanned;
  Metrics metrics = {};
  std::string why = {};
  std::optional<DatasetUse> data = {};
};
/// Reads one folder.
RecordedResult recorded_result(const fs::path& job_directory);
/// The result of a job below a run, with its analyses: completed if all are completed, diverged if any diverged, else the state of the first that is
/// neither.
RecordedResult recorded_result(const JobSpec& job, const fs::path& run_directory);
/// The media of a job and its analyses.
std::vector<Media> recorded_media(const JobSpec& job, const fs::path& run_directory);

/// Reads the plan of a run from its folder: the plan of that time, even if the experiment's file has changed. Jobs that never began have no config.
/// Throws a data error when the folder holds no run.
Plan recorded_plan(const fs::path& run_directory);

}  // namespace yatlab
