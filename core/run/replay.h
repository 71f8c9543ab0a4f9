#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// What was shown again.
struct ReplayOutcome {
  std::size_t jobs = 0;                   ///< that are over, and were handed to the trackers
  std::size_t unfinished = 0;             ///< that are not, and were left out
  std::vector<std::string> damaged = {};  ///< "folder: how its files differ from what was written": left out
};

/// Hands a run that is over to trackers, as if it went on now: every job with its data, rows, checkpoints, objects and result, then the
/// report, which is written anew. Nothing is trained and nothing in the run's jobs changes. Times are those of the replay: a run's
/// files do not say when a row was logged. Throws a data error where the folder holds no run, a config error where another process runs in it.
ReplayOutcome replay_run(const fs::path& run_directory, const Node& trackers, bool quiet);

}  // namespace yatlab
