#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

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
