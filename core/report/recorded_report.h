#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/report_parts.h"

namespace yatlab {

/// What a paper's report holds of an experiment whose run is not here: another clone made it, or it was removed.
struct RecordedExperiment {
  RunView run;  ///< jobs with the numbers that summary.json has of them; no folder
  std::vector<ClaimRow> claims;
  std::vector<fs::path> files;  ///< its tables and figures, in the order in which a report writes them
  ReportContents contents;      ///< what the page shows of them
};

/// From the folder of an experiment in a paper's report, with its summary.json; nothing when there is none. `config`: the composed
/// experiment. Throws a data error when the summary cannot be read.
std::optional<RecordedExperiment> read_recorded(const fs::path& directory, const Node& config);

}  // namespace yatlab
