#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// The folder of a step's checkpoint within a folder of checkpoints; it may not exist.
fs::path checkpoint_folder(const fs::path& checkpoints, std::int64_t step);
/// The steps of the complete checkpoints, ascending; their contents are not read.
std::vector<std::int64_t> saved_checkpoints(const fs::path& checkpoints);

/// Which checkpoints of a finished job are kept.
enum class CheckpointRule {
  kKeep,      ///< all that its training left
  kKeepLast,  ///< the newest: for inspection, generation and export
  kNone,
};

/// Names of a job's checkpoints that the rule removes.
std::vector<std::string> surplus_checkpoints(const fs::path& job, CheckpointRule rule);

/// Removes them from a finished job. First rewrites the job's manifest without them: only files in the manifest count, so the job is valid before,
/// during and after. Throws a data error if the manifest cannot be read.
void remove_surplus_checkpoints(const fs::path& job, CheckpointRule rule);

}  // namespace yatlab
