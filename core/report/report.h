#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/media.h"
#include "core/base/node.h"
#include "core/table/table.h"

namespace yatlab {

struct ReportOptions {
  TextStyle text;
  bool figures = true;
  bool pictures = false;                  ///< also PNGs of the figures, whatever `formats` contains: for trackers
  std::vector<std::string> formats = {};  ///< of figures; empty: as configured in the experiment (figures.format)
  bool page = true;                       ///< a paper's report.html
  Node claims = {};                       ///< a paper.yaml, for VERDICT.md and the scorecard; null: without them
};

struct Report {
  std::string text;                   ///< for the terminal
  std::string brief;                  ///< the same for the user who just ran it (after_run.h); only for runs
  std::vector<fs::path> files;        ///< the written files
  std::vector<std::string> problems;  ///< figures that could not be drawn, with the reason; also in `text`
  std::vector<Media> media;           ///< the tables, and the figures drawn as PNG: "tables/<id>", "figures/<id>"
};

/// Writes summary.json, tables/<id>.{tex,md,csv}, figures/<id>.{svg,pdf,png,csv,gp} and report.html into a run directory, from the present results:
/// unfinished jobs are skipped and counted. A figure that cannot be drawn becomes a problem, not an error, so that tables are never lost. Without
/// `tables:`, writes the default tables (default_tables.h).
Report write_report(const fs::path& run_directory, const ReportOptions& options = {});

/// An experiment of the paper, for `write_paper_report`.
struct PaperExperiment {
  std::string name;  ///< its folder in the results root
  Node config;       ///< composed experiment: lists its numbers even if it was never run; may be null
};

/// Gathers the newest complete run at full scale (no `scale`, no protocol overrides) of each experiment into `out_directory`: tables/, figures/,
/// summary.json, SCORECARD.md (one row per number of the paper) and README.md. An experiment without such a run keeps its content of `out_directory`,
/// marked as recorded earlier; its numbers are judged anew, from its summary.json. Removes tables and figures that an earlier report wrote (listed in
/// each experiment's files.json) and the experiment no longer has.
Report write_paper_report(const fs::path& results_root, const fs::path& out_directory, const std::vector<PaperExperiment>& experiments,
                          const ReportOptions& options = {});

/// The newest complete full-scale run; an empty path when there is none.
fs::path latest_full_run(const fs::path& results_root, const std::string& experiment);

}  // namespace yatlab
