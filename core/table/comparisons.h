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

/// "yat - linear", or a contrast: one line below the table.
struct ComparisonLine {
  std::string metric, arm, baseline;  ///< arm and baseline: empty for a contrast
  Contrast contrast = {};             ///< without a name: none
  Node::Map point;
  PairedTest test;
  PaperExpectation paper = {};                  ///< what the paper says of the arm against the baseline
  Node::Map baseline_point = {};                ///< where the baseline stands, if elsewhere: each at its best
  bool deterministic = false;                   ///< there is nothing to test: the metric does not depend on the seed, or
  bool without_spread = false;                  ///< neither arm has any: the same value for each of three seeds or more
  std::optional<double> p_adjusted;             ///< Holm's, for its family; without those of added arms, where it is none
  std::optional<Interval> adjusted;             ///< of the mean difference, adjusted like p: excludes 0 exactly where that is below 0.05
  char family = 'B';                            ///< A: the paper says which way it goes; B: exploratory. See docs/results.md
  std::string family_table;                     ///< the table whose family it is in
  std::optional<PairedTest> change;             ///< arm / baseline - 1, seed by seed, where the paper says how large it is
  std::optional<DocumentDifference> documents;  ///< of documents/loss: other validation texts count as chance, too
  std::vector<std::pair<std::string, Sample>> not_finite;  ///< arms some of whose seeds have no finite value, and what those are
  bool added = false;                                      ///< of an arm that the command line added
  std::size_t diverged = 0, ended = 0;                     ///< seeds of the arm that diverged, among those that have come to their end

  /// What that comes to: its mark and name ("✓ same direction", "▼ opposite direction", "? direction not decided", "… undertrained",
  /// "✓ diverges", "▼ does not diverge"; for a range the verdict's), and why where the difference does not tell. Empty when the paper
  /// says nothing.
  std::string verdict, why;
};

/// The interval that is adjusted as p became `p_adjusted`; nothing without both, or without spread.
std::optional<Interval> adjusted_interval(const PairedTest& test, const std::optional<double>& p_adjusted);

/// Paired comparisons that a table asks for, at each of its points: of arms with the baseline, then contrasts.
std::vector<ComparisonLine> compare_arms(const RunView& run, const ReportConfig& config, const TableSpec& spec);

}  // namespace yatlab
