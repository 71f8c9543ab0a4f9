#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

enum class ExportFormat {
  kCsv,        ///< RFC 4180; what is not there is empty, what is not finite nan, inf, -inf: as pandas reads them
  kJsonLines,  ///< one object a line; what is not there or not finite is null
};
enum class ExportRows {
  kJobs,              ///< one for each job of a plan, whatever became of it
  kJobsWithSettings,  ///< the same, with every setting of each job's frozen config as a column
  kSteps,             ///< one for each logged line of metrics.jsonl
};

struct Exported {
  std::size_t rows = 0, columns = 0;
  std::vector<std::string> notes;  ///< what could not be read, or was left out
};

/// Runs as one table: where a row comes from (experiment, run, job, arm, seed), every swept parameter of any of the runs, then what the row is
/// about. Columns are the union over all runs, metrics in alphabetical order: every row has them all. Steps are read twice, the first time for
/// the names of the columns, and never held: memory does not grow with them. `sink` gets the table piece by piece; when `stop` says so (it may be unset), the
/// rest is left out.
Exported export_runs(const std::vector<fs::path>& runs, ExportRows rows, ExportFormat format,
                     const std::function<void(std::string_view)>& sink, const std::function<bool()>& stop = {});

}  // namespace yatlab
