#pragma once

#include <string>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

class DataCache;
struct JobSpec;
struct Plan;

/// How the data that a job in `directory` was begun on differ from those that its `dataset:` gives here; "" when they do not, when it has not begun,
/// and when nobody knows (its status.json is damaged). Loads the data.
std::string other_data(const Node* dataset, const fs::path& directory, DataCache& data);

/// The same of all that a run of the plan has: of the first job, or analysis, with other data. Trials of a search, which the plan may not know yet, are
/// told by their job.yaml.
std::string data_changed(const Plan& plan, const fs::path& run, DataCache& data);

/// Throws a data error when a job was begun on other data than are here: what it has is not removed for that.
void require_same_data(const JobSpec& job, const fs::path& directory, DataCache& data);

}  // namespace yatlab
