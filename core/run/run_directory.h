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

/// Holds an exclusive lock on a run directory for its lifetime.
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

/// Opens the newest run of the same plan below `<results>/<name>/` for which `why_not` returns "". With `fresh`, or without such a run, creates one
/// atomically, named by run_name. Points `latest` at it if the run is the experiment as in its file (is_full), if no such run exists yet, or if the
/// key `latest` says so. When two processes start a plan for the first time, one makes the run and the other gets an error: the run is in progress.
/// found: called with a resumed run before its plan is written anew; may add to the plan.
RunDirectory open_run_directory(const Plan& plan, bool fresh, const std::function<void(const std::filesystem::path& run)>& found = {},
                                const std::function<std::string(const std::filesystem::path& run)>& why_not = {});

/// Writes the jobs of an open run's plan from index `first` on to the run.
void extend_run_directory(const Plan& plan, const std::filesystem::path& run, std::size_t first);

/// Runs of an experiment, newest first. `root`: `<results>/<name>`, which must exist.
std::vector<std::filesystem::path> runs_below(const std::filesystem::path& root);

/// `<results>/<name>`, the folder of an experiment's runs.
std::filesystem::path results_of(const Plan& plan);

/// Identities of the plan's jobs and analyses that are finished in a run, also in one of another experiment.
std::set<std::string> finished_jobs(const Plan& plan);

/// Finished jobs of other runs, also of other experiments. A damaged or unreadable run only loses its own jobs, with a call of `notice`.
class EarlierRuns {
 public:
  /// why_not: why a finished job in a folder cannot replace the planned one, "" if it can; may be unset.
  EarlierRuns(std::filesystem::path run, std::function<void(const std::string&)> notice,
              std::function<std::string(const JobSpec&, const std::filesystem::path&)> why_not = {})
      : run_(std::move(run)), notice_(std::move(notice)), why_not_(std::move(why_not)) {}

  /// Copies finished jobs that have the same hash as one in the plan, from index `first` on, so that more seeds or a larger sweep repeat nothing.
  /// Returns the folders ("jobs/yat/seed=0") of the copied jobs whose files are as they were written.
  std::set<std::string> adopt(const Plan& plan, std::size_t first);
  /// The runs whose jobs were copied.
  const std::set<std::filesystem::path>& sources() const { return sources_; }

 private:
  void look();
  bool usable(const JobSpec& planned, const std::filesystem::path& job) const;

  std::filesystem::path run_;
  std::function<void(const std::string&)> notice_;
  std::function<std::string(const JobSpec&, const std::filesystem::path&)> why_not_;
  bool seen_ = false;
  std::set<std::filesystem::path> sources_;
  /// Folders of finished jobs by identity, the newest first. Names of arm and parameters do not matter, since results do not contain them.
  struct Finished {
    std::filesystem::path run, job;
  };
  std::map<std::string, std::vector<Finished>> finished_;
};

}  // namespace yatlab
