#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"
#include "core/verdict/document_difference.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// Verdicts on what the paper says of an arm against the baseline. A range has the verdicts of numbers.
namespace direction {
constexpr const char *kSame = "same direction", *kOpposite = "opposite direction", *kUndecided = "direction not decided",
                     *kUndertrained = "undertrained", *kDepends = "depends on the protocol", *kOneProtocol = "one fitted protocol",
                     *kDiverges = "diverges", *kDoesNotDiverge = "does not diverge", *kDivergenceUndecided = "divergence not decided";
}  // namespace direction

/// The data of a comparison. Names are those of pages and summary.json.
namespace compared_on {
constexpr const char *kPaper = "paper's own", *kSubstitute = "substitute", *kSmaller = "smaller";
}  // namespace compared_on

/// "yat - linear", or a contrast: one line below the table.
struct ComparisonLine {
  std::string metric, arm, baseline;  ///< arm and baseline: empty for a contrast
  Contrast contrast = {};             ///< no name: not a contrast
  Node::Map point;
  PairedTest test;
  PaperExpectation paper = {};       ///< what the paper says about the arm against the baseline
  Node::Map baseline_point = {};     ///< the baseline's point, if it differs: each arm is at its best
  bool deterministic = false;        ///< no test applies: the metric does not depend on the seed, or
  bool without_spread = false;       ///< neither arm has any spread: the same value for each of three seeds or more
  std::optional<double> p_adjusted;  ///< Holm's, within its family, which leaves out added arms unless this line has one
  std::optional<Interval>
      adjusted;       ///< of the mean difference, adjusted like p, over seeds and documents: without documents it excludes 0 exactly when
                      ///< p_adjusted is below 0.05
  char family = 'B';  ///< A: the paper states the direction; B: exploratory. See docs/results.md
  std::string family_table;                                ///< the table whose family it belongs to
  std::optional<PairedTest> change;                        ///< arm / baseline - 1, seed by seed, where the paper states its size
  std::optional<DocumentDifference> documents;             ///< for documents/loss: the choice of validation texts counts as chance, too
  std::vector<std::pair<std::string, Sample>> not_finite;  ///< arms in which some seeds have no finite value, and those values
  bool added = false;                                      ///< its arm is from the command line
  std::size_t diverged = 0, ended = 0;                     ///< seeds of the arm that diverged, and seeds that ended

  /// The result against the paper, and the reason if the difference does not show it. Empty when the paper says nothing.
  std::string verdict, why;
  /// On which data: substitute data or another data set than the paper's, a smaller scale, or the paper's own.
  std::string data = compared_on::kPaper;
};

/// The interval adjusted by the ratio that turned p into `p_adjusted`; empty without both, or without spread. `documents`: the 95 % interval over
/// seeds and documents, which widens the result by as much as it is wider than the seeds' own.
std::optional<Interval> adjusted_interval(const PairedTest& test, const std::optional<double>& p_adjusted,
                                          const std::optional<Interval>& documents = {});

/// The paired comparisons of a table, at each of its points: arms with the baseline, then contrasts.
std::vector<ComparisonLine> compare_arms(const RunView& run, const ReportConfig& config, const TableSpec& spec);

}  // namespace yatlab
