// Which jobs of a run a tracker need not show.
#pragma once

#include <set>
#include <string>

#include "core/base/files.h"
#include "core/plan/tracker.h"

namespace yatlab {

/// The folders of jobs that were finished before a run first had this tracker: it never showed them, but `yatlab replay` does. It must show all
/// others, whatever interrupted it (a full disk, kill -9). Kept in `<run>/trackers/<name>.json` from the first start with it. Throws a config error
/// when that file cannot be written.
std::set<std::string> jobs_done_before(const RunInfo& info, const std::string& tracker);

/// Shows a tracker the contents of a finished job's folder between its beginning and its end: rows, checkpoints, objects.
void show_kept(Tracker& tracker, const JobSpec& job, const fs::path& run);

}  // namespace yatlab
