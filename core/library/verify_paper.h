#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/library/junit.h"
#include "core/report/report.h"

namespace yatlab {

/// A paper's record to be checked.
struct PaperRecord {
  std::string id;                            ///< of the paper, for what to type
  Node claims;                               ///< its paper.yaml
  fs::path folder;                           ///< with EXPERIMENT/summary.json, tables, figures and the pages
  fs::path runs;                             ///< folder of runs; those that are recorded and still there are compared, too
  std::vector<PaperExperiment> experiments;  ///< composed by the present program
  /// The hashes of published data, by data set: what a run on them records (published_sha256).
  std::map<std::string, std::vector<std::string>> published = {};
  std::set<std::pair<std::string, std::string>> substitutes = {};  ///< data set, and what may replace it
  fs::path bundled_data = {};                                      ///< data.json of a bundle; "" elsewhere
};

/// Makes everything in a paper's record that follows from its summary.json files again, and compares it with what is there: means and
/// intervals, comparisons, verdicts on numbers and statements, rows of claims, tables and pages. Also compares hashes of data with the
/// catalogue, and files with files.json. Runs no training, and changes nothing; temporary files are in the system's folder for them. A
/// difference is a failed check and no error. Throws a config error for a folder without any record, and for a paper whose claims are no
/// list of maps.
std::vector<CheckedCase> verify_paper(const PaperRecord& record);

/// A line for each suite with its counts, then one for each failed check; `all`: also for the others.
std::string checked_text(const std::vector<CheckedCase>& cases, bool all);

}  // namespace yatlab
