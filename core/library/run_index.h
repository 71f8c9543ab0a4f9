#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/library/database.h"
#include "core/record/run_folders.h"
#include "core/record/run_view.h"

namespace yatlab {

/// The indexed data of a run, except its jobs: see RunIndex::jobs.
struct IndexedRun : RunFolder {
  std::int64_t key = 0;
  std::string title, scale, plan_hash, code, git;
  std::vector<std::string> overrides, protocol_overrides, arms, swept, tags;
  std::string note;
  std::string problem;                     ///< why it, or a part of it, could not be read; "" if all is well
  bool readable = true;                    ///< false: only its name is known
  std::map<JobState, std::size_t> states;  ///< current states: a job whose process is gone is interrupted
  bool latest = false;
  bool superseded = false;  ///< a newer run of the experiment has all its finished jobs
  std::size_t jobs() const;
  std::size_t finished() const;  ///< completed or diverged
};

/// The jobs of one arm at one point of a sweep.
struct IndexedGroup {
  std::int64_t key = 0, run = 0;
  std::string arm;
  Node::Map point;
};

/// All runs of a results root, from results/.index.sqlite if that is up to date, else from their folders.
///
/// The file is only a cache. It is rebuilt if it is missing, damaged (it is sealed with its SHA-256) or of another version. If
/// it cannot be written, everything works without it. It is read and replaced as a whole (by renaming), so two concurrent processes
/// cannot break it: the last write wins. A run is read again if the files in its folder changed (time, size, inode), and a job
/// if its status.json or summary.json did. A damaged run affects only itself.
class RunIndex {
 public:
  static RunIndex open(const fs::path& results);

  const fs::path& results() const { return results_; }
  const std::vector<IndexedRun>& runs() const { return runs_; }  ///< the newest first
  const IndexedRun* find(const std::string& name) const;         ///< "experiment/id"; nullptr when there is none

  std::vector<IndexedGroup> groups() const;
  /// The jobs of a run as recorded, with their metrics.
  std::vector<JobView> jobs(const IndexedRun& run) const;

  std::vector<std::string> metric_names() const;   ///< of all runs, sorted
  std::vector<std::string> setting_names() const;  ///< keys of configs, overrides and sweeps of all runs, sorted
  /// Values of a metric over the seeds of each group (by key) that has any, in the order of seeds: (seed, value); NaN for diverged jobs.
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, double>>> values_of(const std::string& metric) const;
  /// The value of a setting in each group (by key) that has it: from the sweep, the jobs' config, or the run's.
  std::map<std::int64_t, std::string> settings_of(const std::string& name) const;
  /// The number of jobs in each state, by group.
  std::map<std::int64_t, std::map<JobState, std::size_t>> states_of_groups() const;

  /// The number of runs that had to be read again; for tests and benchmarks.
  std::size_t runs_read() const { return runs_read_; }
  std::size_t jobs_read() const { return jobs_read_; }

 private:
  struct KnownJob;
  struct Refresh;
  struct ArmSettings;
  void refresh();
  void load_runs();
  void observe();
  void read_run(Refresh& with, const RunFolder& folder, std::int64_t stamp);
  void add_known_jobs(Refresh& with, std::int64_t run, const RunFolder& folder);
  void read_stale_jobs(Refresh& with);
  void store_jobs(Refresh& with, const std::vector<KnownJob>& jobs);
  void store_settings(Refresh& with, std::int64_t group, ArmSettings& arm, std::int64_t run, const fs::path& config, std::string& problem);
  void forget_run(std::int64_t key);

  fs::path results_;
  Database database_;
  bool changed_ = false;
  std::size_t runs_read_ = 0, jobs_read_ = 0;
  std::vector<IndexedRun> runs_;
};

/// The values of a config by dotted key, as text: scalars unchanged, lists in flow style. A map with a `name` also counts as that
/// name: `optimizer` is `adam`.
std::map<std::string, std::string> flat_settings(const Node& config);
/// A value as text: a string without quotes.
std::string setting_text(const Node& value);

/// Whether two texts denote the same value: numbers are compared as numbers ("1e-5" and "0.00001").
bool same_setting(const std::string& a, const std::string& b);

}  // namespace yatlab
