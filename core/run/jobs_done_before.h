// Which jobs of a run a tracker need not show.
#pragma once

#include <set>
#include <string>

#include "core/base/files.h"
#include "core/plan/tracker.h"

namespace yatlab {

/// The jobs, by their folder, that were done before a run first had this tracker: it never showed them, and `yatlab replay` does. All others
/// it owes, whatever stopped it (a full disk, kill -9). Kept in `<run>/trackers/<name>.json` from the first start with it; a config error
/// when that cannot be written.
std::set<std::string> jobs_done_before(const RunInfo& info, const std::string& tracker);

/// Shows a tracker what the folder of a job that is over holds of it between its beginning and its end: rows, checkpoints, objects.
void show_kept(Tracker& tracker, const JobSpec& job, const fs::path& run);

}  // namespace yatlab
