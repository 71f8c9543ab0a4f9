#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// The result of a replay.
struct ReplayOutcome {
  std::size_t jobs = 0;                   ///< finished jobs, shown to the trackers
  std::size_t unfinished = 0;             ///< unfinished jobs, skipped
  std::vector<std::string> damaged = {};  ///< "folder: how its files differ from what was written": skipped
};

/// Shows a finished run to trackers as if it ran now: every job with its data, rows, checkpoints, objects and result, then the report, which is
/// written anew. Nothing is trained, and the run's jobs do not change. Times are those of the replay, since a run's files do not record when a row
/// was logged. Throws a data error if the folder holds no run, a config error if another process runs in it.
ReplayOutcome replay_run(const fs::path& run_directory, const Node& trackers, bool quiet);

}  // namespace yatlab
