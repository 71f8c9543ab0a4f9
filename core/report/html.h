#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/report/report_parts.h"

namespace yatlab {

/// The run as one self-contained HTML page (no network): the verdicts, tables, statements, figures (read from the run's figures/), learning curves,
/// jobs and how they were made. A pure function of the run directory: the same run gives the same bytes. Links are relative to the run directory.
std::string run_page(const RunView& run, const ReportConfig& config, const ReportContents& contents,
                     const std::vector<std::string>& problems);

/// One experiment of the paper's page.
struct PaperPart {
  std::string name, title, run_id;  ///< empty run_id: never run in full
  std::string made_with;
  std::size_t jobs = 0;
  fs::path directory;  ///< contains its tables/ and figures/
  fs::path run;        ///< the run that produced them
  ReportContents contents;
  bool recorded = false;  ///< the run is missing here: these are its recorded results
};

/// The whole paper as one page in `directory`: the scorecard, then each experiment's statements, tables and figures.
std::string paper_page(const fs::path& directory, const std::vector<Score>& scores, const std::vector<PaperCheck>& itself,
                       const std::vector<PaperPart>& parts, const std::vector<std::string>& problems);

}  // namespace yatlab
