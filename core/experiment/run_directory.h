#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "core/base/output_file.h"
#include "core/experiment/plan.h"

namespace yatlab {

/// Holds an exclusive lock on a run directory for as long as it lives.
class RunLock {
 public:
  /// Throws when another process runs in `directory`.
  static RunLock take(const std::filesystem::path& directory);

 private:
  OutputFile file_;
};

struct RunDirectory {
  std::filesystem::path path;
  bool resumed = false;
  RunLock lock;
};

/// The newest run of the same plan below `<results>/<name>/`, or (with `fresh`, or when there is none)
/// a new one, named by run_name, created in one step. Points `latest` at it if the run is the experiment as its file has it (is_full), if there is no
/// such run yet, or if the key `latest` says so. Of two first starts of a plan one makes the run; the other
/// is told that it is going on. found: called with the run that goes on before its plan is written anew; may add to the plan.
RunDirectory open_run_directory(const Plan& plan, bool fresh, const std::function<void(const std::filesystem::path& run)>& found = {});

/// Writes down the jobs that were added to the plan of an open run from `first` on.
void extend_run_directory(const Plan& plan, const std::filesystem::path& run, std::size_t first);

/// Copies finished jobs with the same hash, of the plan's from `first` on, from earlier runs of the experiment, so that extending
/// seeds or a sweep repeats nothing. Returns the folders ("jobs/yat/seed=0") of those that were taken over, whose files are as they were
/// written. An earlier run that is damaged or cannot be read costs no more than what it would have given; `notice` is told.
std::set<std::string> adopt_finished_jobs(const Plan& plan, const std::filesystem::path& run,
                                          const std::function<void(const std::string&)>& notice, std::size_t first = 0);

}  // namespace yatlab
