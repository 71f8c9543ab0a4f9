#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

enum class ExportFormat {
  kCsv,        ///< RFC 4180, as pandas reads it: missing values are empty, non-finite ones nan, inf, -inf
  kJsonLines,  ///< one object per line; missing and non-finite values are null
};
enum class ExportRows {
  kJobs,              ///< one per job of a plan, in any state
  kJobsWithSettings,  ///< the same, with every setting of each job's frozen config as a column
  kSteps,             ///< one per logged line of metrics.jsonl
};

struct Exported {
  std::size_t rows = 0, columns = 0;
  std::vector<std::string> notes;  ///< unreadable or omitted parts
};

/// Exports runs as one table. Columns: the source of the row (experiment, run, job, arm, seed), every swept parameter of any of the runs, then the
/// row's own values. Columns are the union over all runs, metrics in alphabetical order, and every row has all of them. Steps are read twice, the
/// first time for column names, and never stored, so memory does not grow with them. `sink` gets the table piece by piece. If `stop` (may be
/// unset) returns true, the rest is omitted.
Exported export_runs(const std::vector<fs::path>& runs, ExportRows rows, ExportFormat format,
                     const std::function<void(std::string_view)>& sink, const std::function<bool()>& stop = {});

}  // namespace yatlab
