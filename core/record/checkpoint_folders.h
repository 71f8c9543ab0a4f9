#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// Where the checkpoint of a step lies in a folder of checkpoints, if it was saved.
fs::path checkpoint_folder(const fs::path& checkpoints, std::int64_t step);
/// The steps of those that lie there whole, ascending; their contents are not read.
std::vector<std::int64_t> saved_checkpoints(const fs::path& checkpoints);

/// What stays of the checkpoints of a finished job.
enum class CheckpointRule {
  kKeep,      ///< all that its training left
  kKeepLast,  ///< the newest: to look at, generate from and export
  kNone,
};

/// Names of the checkpoints of a job that go by a rule.
std::vector<std::string> surplus_checkpoints(const fs::path& job, CheckpointRule rule);

/// Removes them, of one finished job. Its manifest goes first to what will be there: what it names is what counts, so the job is sound before,
/// between and after. Throws a data error where the manifest cannot be read.
void remove_surplus_checkpoints(const fs::path& job, CheckpointRule rule);

}  // namespace yatlab
