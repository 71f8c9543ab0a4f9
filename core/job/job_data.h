#pragma once

#include <string>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

class DataCache;
struct JobSpec;
struct Plan;

/// How the data that a job in `directory` began with differ from those that its `dataset:` gives now. "" when they do not, when it has not begun, and
/// when this is unknown (its status.json is damaged). Loads the data.
std::string other_data(const Node* dataset, const fs::path& directory, DataCache& data);

/// The same for all jobs and analyses in a run of the plan: the first one with other data. Trials of a search, which the plan may not contain yet,
/// are read from their job.yaml.
std::string data_changed(const Plan& plan, const fs::path& run, DataCache& data);

/// Throws a data error when a job began with other data than the present ones, so that its results are not removed.
void require_same_data(const JobSpec& job, const fs::path& directory, DataCache& data);

}  // namespace yatlab
