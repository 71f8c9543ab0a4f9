#pragma once

#include <optional>
#include <string>

#include "core/base/files.h"
#include "core/experiment/plan.h"
#include "core/report/run_view.h"
#include "core/train/task.h"

namespace yatlab {

/// What the folder of a job that is over says about it.
struct RecordedResult {
  JobState state = JobState::kPlanned;
  Metrics metrics = {};
  std::string why = {};
  std::optional<DatasetUse> data = {};
};
RecordedResult recorded_result(const fs::path& job_directory);

/// The plan of a run, from its folder alone: what was planned then, whatever the experiment's file says now. Jobs that never began have no
/// config. Throws a data error when the folder holds no run.
Plan recorded_plan(const fs::path& run_directory);

}  // namespace yatlab
