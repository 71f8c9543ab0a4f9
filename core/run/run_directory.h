#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/output_file.h"
#include "core/plan/plan.h"

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

/// The newest run of the same plan below `<results>/<name>/` of which `why_not` says "", or (with `fresh`, or when there is none)
/// a new one, named by run_name, created in one step. Points `latest` at it if the run is the experiment as its file has it (is_full), if there is no
/// such run yet, or if the key `latest` says so. Of two first starts of a plan one makes the run; the other
/// gets an error: the run is going on. found: called with the run that goes on before its plan is written anew; may add to the plan.
RunDirectory open_run_directory(const Plan& plan, bool fresh, const std::function<void(const std::filesystem::path& run)>& found = {},
                                const std::function<std::string(const std::filesystem::path& run)>& why_not = {});

/// Writes down the jobs that were added to the plan of an open run from `first` on.
void extend_run_directory(const Plan& plan, const std::filesystem::path& run, std::size_t first);

/// Runs of an experiment, newest first. `root`: `<results>/<name>`, which is there.
std::vector<std::filesystem::path> runs_below(const std::filesystem::path& root);

/// What other runs of the experiment have finished. One that is damaged or cannot be read costs no more than what it would have given; `notice` is
/// told.
class EarlierRuns {
 public:
  /// why_not: why a finished job that lies in a folder cannot be the planned one, "" if it can; may be unset.
  EarlierRuns(std::filesystem::path run, std::function<void(const std::string&)> notice,
              std::function<std::string(const JobSpec&, const std::filesystem::path&)> why_not = {})
      : run_(std::move(run)), notice_(std::move(notice)), why_not_(std::move(why_not)) {}

  /// Copies finished jobs with the same hash, of the plan's from `first` on, so that extending seeds or a sweep repeats nothing. Returns the
  /// folders ("jobs/yat/seed=0") of those that were taken over, whose files are as they were written.
  std::set<std::string> adopt(const Plan& plan, std::size_t first);

 private:
  void look();
  bool usable(const JobSpec& planned, const std::filesystem::path& job) const;

  std::filesystem::path run_;
  std::function<void(const std::string&)> notice_;
  std::function<std::string(const JobSpec&, const std::filesystem::path&)> why_not_;
  bool seen_ = false;
  /// Where jobs of an identity lie finished, the newest first. How arm and parameters are called does not matter: results do not name them.
  std::map<std::string, std::vector<std::filesystem::path>> finished_;
};

}  // namespace yatlab
