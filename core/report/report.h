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
  bool pictures = false;                  ///< PNGs of the figures whatever `formats` says: for trackers
  std::vector<std::string> formats = {};  ///< of figures; empty: as the experiment says (figures.format)
  Node claims = {};                       ///< a paper.yaml, for VERDICT.md and the scorecard; null: without them
};

struct Report {
  std::string text;                   ///< for the terminal
  std::string brief;                  ///< the same for who just ran it (after_run.h); of a run
  std::vector<fs::path> files;        ///< what was written
  std::vector<std::string> problems;  ///< figures that could not be drawn, and why; also in `text`
  std::vector<Media> media;           ///< the tables, and figures that were drawn as PNG: "tables/<id>", "figures/<id>"
};

/// Writes summary.json, tables/<id>.{tex,md,csv}, figures/<id>.{svg,pdf,png,csv,gp} and report.html into a run directory,
/// from what is there: unfinished jobs are left out and counted. A figure that cannot be drawn becomes a problem,
/// not an error, so that tables are never lost. Without `tables:` a table of all test metrics is made.
Report write_report(const fs::path& run_directory, const ReportOptions& options = {});

/// An experiment of the paper, for `write_paper_report`.
struct PaperExperiment {
  std::string name;  ///< its folder in the results root
  Node config;       ///< composed experiment: lists its numbers even when it was never run; may be null
};

/// Gathers the newest complete run at full scale (no `scale`, no protocol overrides) of each experiment into
/// `out_directory`: tables/, figures/, summary.json, SCORECARD.md (one row per number of the paper) and README.md. An experiment that has no such
/// run here keeps what `out_directory` holds of it, and is said to be recorded earlier: its numbers are judged anew, from its summary.json. Tables and figures
/// that an earlier report wrote (files.json of each experiment lists them) and that the experiment no longer has are removed.
Report write_paper_report(const fs::path& results_root, const fs::path& out_directory, const std::vector<PaperExperiment>& experiments,
                          const ReportOptions& options = {});

/// The newest complete full-scale run; an empty path when there is none.
fs::path latest_full_run(const fs::path& results_root, const std::string& experiment);

}  // namespace yatlab
