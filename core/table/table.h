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

/// The paper's number for a cell and what we make of it.
struct PaperCell {
  PaperNumber number;
  double difference = 0;  ///< ours - paper, from its nearer end where it prints a range; NaN without a value
  Judgement judgement;
};

/// One arm's value of one metric.
struct TableCell {
  Sample sample;
  Sample tested;    ///< what tests take: the sample; in a table of best points what BestPoints makes of it
  double mean = 0;  ///< NaN without values
  std::optional<double> std;
  std::optional<Interval> ci95;
  std::optional<PaperCell> paper;
  std::optional<std::size_t> own_n = {};  ///< of how many seeds it is, where others of its row are of more
  bool bold = false;                      ///< the best of its point, and significantly so
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
};

/// A table without a look: the numbers, and all that the caption must say.
struct Table {
  std::string id, label, title, caption;
  std::string experiment, run_id;
  std::vector<std::string> swept;  ///< parameters that have columns of their own
  bool show_arm = true;            ///< false when a sweep has one arm only
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  std::vector<ComparisonLine> comparisons;
  std::vector<std::string> notes;  ///< n, spread, dataset, substitutes, scale, diverged seeds, run id
  LatexParams latex;               ///< what of it LaTeX shows
  ReportConfig config;
};

Table build_table(const RunView& run, const ReportConfig& config, const TableSpec& spec);

/// The arms of a table that the run has: it may hold fewer than the experiment (arms removed on the command line).
std::vector<std::string> arms_of(const RunView& run, const TableSpec& spec);

/// Why this run does not measure what the paper prints (empty if it does).
std::vector<std::string> not_comparable_reasons(const RunView& run, const PaperNumber& number, const std::string& arm,
                                                const Node::Map& point);
Judgement judge_number(const RunView& run, const ReportConfig& config, const PaperNumber& number, const Node::Map& point);

struct TextStyle {
  int width = 100;      ///< columns of the terminal; wider tables are broken into blocks
  bool colour = false;  ///< ANSI colours for verdicts
};

/// For a terminal: UTF-8, aligned; under each number the paper's, the difference and the verdict.
std::string to_text(const Table& table, const TextStyle& style = {});
/// In booktabs style, no wider than the page: a float (`table`, or `table*` where a column of two is too narrow), or a `longtable` where it would be
/// higher than a page. Needs `\usepackage{booktabs}`, and longtable for those, also under plain pdflatex.
std::string to_latex(const Table& table);
std::string to_markdown(const Table& table);
/// Long format (RFC 4180), full precision: one line per row and metric. Columns are in docs/results.md.
std::string to_csv(const Table& table);

/// The same rows and columns as an object: numbers as numbers, what has no value as null.
TableData table_data(const Table& table);
/// RFC 4180; full precision, null is empty.
std::string to_csv(const TableData& data);

std::string markdown_text(std::string_view text);

}  // namespace yatlab
