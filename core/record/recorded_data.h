#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/record/job_summary.h"

namespace yatlab {

/// A data set of a recorded run.
struct RecordedData {
  DatasetUse use;
  std::string title;  ///< its name; if the run has several of that name, with what distinguishes it: "sequence_task (task: sort)"
};

/// The data sets in a run's summary.json: those of its jobs, then those that only analyses read.
std::vector<RecordedData> recorded_data(const nlohmann::ordered_json& summary);

}  // namespace yatlab
