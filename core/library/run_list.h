#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/library/run_index.h"

namespace yatlab {

/// What a metric came to over the seeds of one arm at one point.
struct MeanOverSeeds {
  std::string metric;
  double mean = 0;
  std::optional<double> std;
  std::size_t n = 0;
  std::size_t missing = 0;  ///< seeds that diverged, or whose value is not finite: in no mean
};

/// An arm at a point that met every condition, with the metrics that were asked for.
struct FoundGroup {
  std::string arm;
  Node::Map point;
  std::vector<MeanOverSeeds> means;
};

struct FoundRun {
  const IndexedRun* run = nullptr;
  std::vector<FoundGroup> groups;  ///< only where arms or points were asked for
};

/// The runs that meet all of `words`, the newest first. A word is the name of an experiment (of several, any will do) or a condition:
/// `key=value` on what was overridden, swept or configured, `metric>x` on the mean over an arm's seeds, `state=`, `arm=`, `tag=`, `scale=`,
/// `code=` (its beginning). All conditions on arms, points and jobs must hold of the same arm at the same point. Names that no run
/// knows are config errors with the nearest one that there is.
std::vector<FoundRun> find_runs(const RunIndex& index, const std::vector<std::string>& words);

/// A table for people. `now`: seconds since 1970. `width`: columns of the terminal; 0: rows are as long as they are. Else rows without room lose
/// their overrides, then the middle of their names, by which `find_run` still finds them.
std::string runs_text(const RunIndex& index, const std::vector<FoundRun>& found, std::int64_t now, std::size_t width = 0);
nlohmann::ordered_json runs_json(const std::vector<FoundRun>& found);

/// "0.9214 ± 0.0012": with as many digits as the spread is worth.
std::string mean_text(double mean, const std::optional<double>& std);
/// "10 done", "8 done, 2 failed": of the jobs of a run.
std::string states_text(const std::map<JobState, std::size_t>& states);

}  // namespace yatlab
