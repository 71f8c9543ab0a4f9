#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/report/report_parts.h"

namespace yatlab {

/// A paper report's record of an experiment whose run is missing here: another clone made it, or it was removed.
struct RecordedExperiment {
  RunView run;  ///< jobs with their numbers from summary.json; no folder
  std::vector<ClaimRow> claims;
  std::vector<fs::path> files;             ///< its tables and figures, in a report's order
  ReportContents contents;                 ///< their contents, for the page
  std::optional<double> job_seconds = {};  ///< of all its jobs, added up; empty in older records
};

/// Reads an experiment's folder in a paper's report, with its summary.json; empty if there is none. `config`: the composed experiment. `protocols`:
/// see RunView. Throws a data error when the summary cannot be read.
std::optional<RecordedExperiment> read_recorded(const fs::path& directory, const Node& config,
                                                std::shared_ptr<const RunView> protocols = nullptr);

}  // namespace yatlab
