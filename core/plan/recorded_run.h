#pragma once

#include <optional>
#include <string>

#include "core/base/files.h"
#include "core/base/media.h"
#include "core/plan/plan.h"
#include "core/record/metric_row.h"
#include "core/record/run_view.h"

namespace yatlab {

/// What the folder of a job that is over says about it.
struct RecordedResult {
  JobState state = JobState::kPlanned;
  Metrics metrics = {};
  std::string why = {};
  std::optional<DatasetUse> data = {};
};
/// Of one folder.
RecordedResult recorded_result(const fs::path& job_directory);
/// Of a job below a run, with its analyses: completed when they are completed too, diverged when it or one of them is, else what the first is
/// that is neither.
RecordedResult recorded_result(const JobSpec& job, const fs::path& run_directory);
/// What a job and its analyses show.
std::vector<Media> recorded_media(const JobSpec& job, const fs::path& run_directory);

/// The plan of a run, from its folder alone: what was planned then, whatever the experiment's file says now. Jobs that never began have no
/// config. Throws a data error when the folder holds no run.
Plan recorded_plan(const fs::path& run_directory);

}  // namespace yatlab
