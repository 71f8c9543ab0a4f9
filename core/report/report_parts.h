// What the report of a run and the report of the paper share. Not part of the public interface.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/figure/figure.h"
#include "core/record/run_view.h"
#include "core/report/claims_report.h"
#include "core/report/report.h"

namespace yatlab {

/// A figure that lies in figures/.
struct DrawnFigure {
  std::string id, caption;
  std::string stem;  ///< its files' name without extension
  std::string note;  ///< how it was made
};

/// What a report shows, for pages that show it again.
struct ReportContents {
  std::vector<Table> tables;
  std::vector<ClaimRow> claims;
  std::vector<DrawnFigure> figures;
};

/// Tables and figures of a run, written below `directory`; what they show goes to `contents`.
Report report_run(const RunView& run, const ReportConfig& config, const fs::path& directory, const ReportOptions& options,
                  ReportContents& contents);

/// The figures that a spec asks for. Throws when the run lacks what they show.
std::vector<Figure> draw_figures(const RunView& run, const ReportConfig& config, const FigureSpec& spec);

/// "92.28 ± 0.12 %"; "–" without values.
std::string measured_text(const Sample& sample, NumberFormat format);
/// How the table that shows a number of the paper prints it.
NumberFormat format_of(const ReportConfig& config, const PaperNumber& number);

/// One number of the paper, as the scorecard shows it.
struct Score {
  std::string id, experiment, paper, measured, n, dataset;
  std::string mark, verdict;  ///< "✓", "reproduced, fitted"; no mark where the number was not run
  std::string why, run;
  std::string measurement = {};  ///< the same for all rows that one measurement is judged by
  bool formula = false;          ///< of a closed form or a count: no training enters
  // For a number that a sweep holds against every one of its points: the nearest stands here, which is no
  // verdict, since the paper's number chose it.
  std::string at = {};
  std::size_t points = 1, giving = 0;
  bool recorded = false;  ///< its run is not here: the number is what the paper's report held of it

  bool swept() const { return points > 1; }
};

/// As the paper prints it: "92.08 %", "15 to 25 %".
std::string printed_text(const PaperNumber& number, NumberFormat format);

/// Whether a sweep's point gives a number: the mean lies within the tolerance. (Points are not judged, they are counted.)
bool gives(const Sample& sample, const PaperNumber& number);

/// The checked statements of one experiment.
struct Statements {
  std::string run;   ///< "claims/2026-..."
  std::string link;  ///< to every check
  std::vector<ClaimRow> rows;
};

}  // namespace yatlab
