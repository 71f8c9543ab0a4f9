// Shared by the report of a run and the report of the paper. Not part of the public interface.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/figure/figure.h"
#include "core/record/run_view.h"
#include "core/report/claims_report.h"
#include "core/report/report.h"

namespace yatlab {

/// A figure in figures/.
struct DrawnFigure {
  std::string id, caption;
  std::string stem;  ///< its files' name without extension
  std::string note;  ///< how it was made
};

/// The contents of a report, for pages that show it again.
struct ReportContents {
  std::vector<Table> tables;
  std::vector<ClaimRow> claims;
  std::vector<DrawnFigure> figures;
};

/// Writes tables and figures of a run below `directory`; their contents go to `contents`.
Report report_run(const RunView& run, const ReportConfig& config, const fs::path& directory, const ReportOptions& options,
                  ReportContents& contents);

/// The figures of a spec. Throws when the run lacks their data.
std::vector<Figure> draw_figures(const RunView& run, const ReportConfig& config, const FigureSpec& spec);

/// "92.28 ± 0.12 %"; "–" without values.
std::string measured_text(const Sample& sample, NumberFormat format);
/// The format in which the table with a number of the paper prints it.
NumberFormat format_of(const ReportConfig& config, const PaperNumber& number);

/// One number of the paper in the scorecard.
struct Score {
  std::string id, experiment, paper, measured, n, dataset;
  std::string verdict;  ///< "reproduced, fitted", "not run"
  std::string why, run;
  std::string measurement = {};  ///< the same for all rows judged by one measurement
  bool formula = false;          ///< from a closed form or a count: no training involved
  // For a number compared with every point of a sweep: this shows the nearest point, which is not a verdict, since the paper's number chose it.
  std::string at = {};
  std::size_t points = 1, giving = 0;
  bool recorded = false;  ///< its run is missing here: the number comes from the paper's report

  bool swept() const { return points > 1; }
};

/// As the paper prints it: "92.08 %", "15 to 25 %".
std::string printed_text(const PaperNumber& number, NumberFormat format);

/// Whether a sweep's point gives a number: the mean is within the tolerance. (Points are counted, not judged.)
bool gives(const Sample& sample, const PaperNumber& number);

/// The checked statements of one experiment.
struct Statements {
  std::string run;   ///< "claims/2026-..."
  std::string link;  ///< the page with every check
  std::vector<ClaimRow> rows;
};

}  // namespace yatlab
