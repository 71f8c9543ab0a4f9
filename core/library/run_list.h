#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/library/run_index.h"

namespace yatlab {

/// The mean of a metric over the seeds of one arm at one point.
struct MeanOverSeeds {
  std::string metric;
  double mean = 0;
  std::optional<double> std;
  std::size_t n = 0;
  std::size_t missing = 0;  ///< seeds that diverged, or have no finite value: not in the mean
};

/// An arm at a point that meets every condition, with the requested metrics.
struct FoundGroup {
  std::string arm;
  Node::Map point;
  std::vector<MeanOverSeeds> means;
};

struct FoundRun {
  const IndexedRun* run = nullptr;
  std::vector<FoundGroup> groups;  ///< only if arms or points were requested
};

/// The runs that match all of `words`, the newest first. A word is the name of an experiment (several names are alternatives) or a condition:
/// `key=value` on an override, a swept value or a setting, `metric>x` on the mean over an arm's seeds, `state=`, `arm=`, `tag=`, `scale=`,
/// `code=` (a prefix). All conditions on arms, points and jobs must hold for the same arm at the same point. Config errors for names that
/// no run has, with the nearest existing one.
std::vector<FoundRun> find_runs(const RunIndex& index, const std::vector<std::string>& words);

/// A table for people. `now`: seconds since 1970. `width`: columns of the terminal; 0: unlimited. Rows that are too wide lose their overrides first,
/// then the middle of their names, by which `find_run` still finds them.
std::string runs_text(const RunIndex& index, const std::vector<FoundRun>& found, std::int64_t now, std::size_t width = 0);
nlohmann::ordered_json runs_json(const std::vector<FoundRun>& found);

/// "0.9214 ± 0.0012": with as many digits as the spread justifies.
std::string mean_text(double mean, const std::optional<double>& std);
/// "10 done", "8 done, 2 failed": for the jobs of a run.
std::string states_text(const std::map<JobState, std::size_t>& states);

}  // namespace yatlab
