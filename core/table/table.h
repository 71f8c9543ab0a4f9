#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/media.h"
#include "core/experiment/report_config.h"
#include "core/record/run_view.h"
#include "core/table/comparisons.h"
#include "core/verdict/statistics.h"
#include "core/verdict/verdict.h"

namespace yatlab {

/// The paper's number for a cell, with our judgement.
struct PaperCell {
  PaperNumber number;
  double difference = 0;  ///< ours - paper, from its nearer end for a range; NaN without a value
  Judgement judgement;
};

/// One arm's value of one metric.
struct TableCell {
  Sample sample;
  Sample tested;    ///< the sample for tests: the same, but in a table of best points, from BestPoints
  double mean = 0;  ///< NaN without values
  std::optional<double> std;
  std::optional<Interval> ci95;
  std::optional<PaperCell> paper;
  std::optional<std::size_t> own_n = {};  ///< its number of seeds, if others in its row have more
  bool bold = false;                      ///< the best at its point, and significantly so
};

struct TableRow {
  std::string arm, label;
  Node::Map point;
  std::vector<TableCell> cells;
};

struct TableColumn {
  std::string metric, header;
  MetricInfo info;
  int decimals = 2;
  std::string arm = {}, arm_label = {};  ///< of as_shown(): the one arm whose values it has
};

/// A table without formatting: the numbers, and all facts for the caption. Each row has one arm at one point, also if it is shown with arms across.
struct Table {
  std::string id, label, title, caption;
  std::string experiment, run_id;
  std::vector<std::string> swept;  ///< parameters that have columns of their own
  bool show_arm = true;            ///< false when a sweep has one arm only
  bool arms_across = false;        ///< shown with a column for each arm: as_shown()
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  std::vector<ComparisonLine> comparisons;
  std::vector<std::string> notes;  ///< n, spread, dataset, substitutes, scale, diverged seeds, run id
  LatexParams latex;               ///< which parts LaTeX shows
  ReportConfig config;
};

Table build_table(const RunView& run, const ReportConfig& config, const TableSpec& spec);

/// The rows and columns that a reader sees: with `arms_across` a column for each arm, and a row for each point. CSV keeps the rows of `table`.
Table as_shown(const Table& table);

/// The arms of a table that are in the run, which may lack some (arms removed on the command line).
std::vector<std::string> arms_of(const RunView& run, const TableSpec& spec);

/// Why this run does not measure what the paper prints (empty if it does).
std::vector<std::string> not_comparable_reasons(const RunView& run, const PaperNumber& number, const std::string& arm,
                                                const Node::Map& point);
Judgement judge_number(const RunView& run, const ReportConfig& config, const PaperNumber& number, const Node::Map& point);

struct TextStyle {
  int width = 100;      ///< columns of the terminal; wider tables are split into blocks
  bool colour = false;  ///< ANSI colours for verdicts
};

/// For a terminal: UTF-8, aligned; below each number the paper's, the difference and the verdict.
std::string to_text(const Table& table, const TextStyle& style = {});
/// In booktabs style, no wider than the page: a float (`table`, or `table*` if one of two columns is too narrow), or a `longtable` if it would be
/// higher than a page. Needs `\usepackage{booktabs}`, and longtable for the latter, also with plain pdflatex.
std::string to_latex(const Table& table);
std::string to_markdown(const Table& table);
/// Long format (RFC 4180), full precision: one line per row and metric. Columns are in docs/results.md.
std::string to_csv(const Table& table);

/// The same rows and columns as an object: numbers stay numbers, missing values are null.
TableData table_data(const Table& table);
/// RFC 4180; full precision, null is empty.
std::string to_csv(const TableData& data);

std::string markdown_text(std::string_view text);

}  // namespace yatlab
