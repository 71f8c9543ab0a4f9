#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/node.h"
#include "core/registry/fields.h"
#include "core/verdict/format.h"
#include "core/verdict/statistics.h"
#include "core/verdict/verdict.h"

namespace yatlab {

// The report settings of an experiment file. Each struct is declared once, like components'
// Params, so that keys, types and choices are checked during composition.

/// A condition that an arm must meet before its numbers count: `requires: {METRIC: {at_least: 3, else: undertrained}}`.
struct Requirement {
  enum class Else { kUndertrained, kUndecided };
  std::string metric;
  std::optional<double> at_least, at_most;
  Else otherwise = Else::kUndecided;
  std::string because;  ///< how an arm that fails it is described; {value} and {next} (value + 1) are filled in
  static void declare(Fields& f, Requirement& p);
  bool holds(double value) const { return (!at_least || value >= *at_least) && (!at_most || value <= *at_most); }
};

/// `metrics.<name>`: settings of a metric. Missing ones come from the task, analysis or study that measures it (MetricDoc), else
/// from its name: ...accuracy, ...P@k, ...share: higher is better; ...loss, ...error, ...perplexity, ...steps: lower; else none.
struct MetricInfo {
  Direction better = Direction::kNone;
  NumberFormat format = NumberFormat::kNumber;
  bool deterministic = false;
  bool share = false;      ///< each seed's value is 0 or 1: shown as a share with Wilson's interval instead of mean ± std
  bool tabulated = false;  ///< a column in tables of experiments that do not list columns; experiments cannot set it
  std::string title;       ///< its name in figures and tables; may hold $math$; default: the metric's name
  std::string unit;        ///< appended to the title on axes: "nats"
  std::string
      formula;  ///< the closed form or count that the value comes from: such numbers are counted once together, apart from experiments
  Node conditions = Node::map();          ///< `requires`, as written
  std::vector<Requirement> requirements;  ///< `conditions`, parsed: an arm must meet them before its values of this metric count
  static void declare(Fields& f, MetricInfo& p);
};

/// `tables.<id>.columns[i]`
struct ColumnSpec {
  std::string metric;
  std::string header;                  ///< may hold $math$; default: the metric's title
  std::optional<std::string> format;   ///< default: the metric's format
  std::optional<std::int64_t> digits;  ///< decimals; default: from the spread over seeds
  static void declare(Fields& f, ColumnSpec& p);
};

/// The paper's statement about an arm relative to the baseline.
struct PaperExpectation {
  enum class Kind { kNothing, kLower, kHigher, kDiverges, kChange };
  Kind kind = Kind::kNothing;
  Interval change;  ///< kChange: range of arm / baseline - 1
  bool anything() const { return kind != Kind::kNothing; }
};

/// A weighted sum of arms for each seed, which is 0 if they do not differ: an effect in a factorial experiment.
struct Contrast {
  std::string name;
  std::vector<std::pair<std::string, double>> weights;  ///< of arms; they sum to 0
};

/// `tables.<id>.compare`: paired comparison of each arm with a baseline arm, and contrasts.
struct CompareSpec {
  std::vector<std::string> metrics;
  std::string metric;                     ///< shorthand for a single metric
  std::string baseline;                   ///< empty: only contrasts
  Node contrast_node = Node::map();       ///< as written
  std::vector<Contrast> contrasts;        ///< `contrast_node`, parsed
  Node paper = Node::map();               ///< arm -> metric -> "lower", "higher", "diverges" or {low, high}
  Node conditions = Node::map();          ///< `requires`, as written
  std::vector<Requirement> requirements;  ///< `conditions`, parsed: both arms must meet them before a comparison decides a direction
  static void declare(Fields& f, CompareSpec& p);
  /// The paper's statement about that comparison.
  PaperExpectation expectation(const std::string& arm, const std::string& compared) const;
};

/// `report.latex` and `tables.<id>.latex`; the latter has precedence.
struct LatexParams {
  enum class Span { kAuto, kColumn, kPage };
  enum class Paper { kFull, kNumbers, kNone };
  std::vector<std::string> columns;  ///< metrics; empty: all columns of the table
  Span span = Span::kAuto;
  Paper paper = Paper::kFull;
  static void declare(Fields& f, LatexParams& p);
};

/// `tables.<id>`
struct TableSpec {
  enum class Rows { kArms, kPoints, kBest };
  enum class Across { kMetrics, kArms };
  std::string id;                    ///< the key, e.g. "tab:mnist_results"
  std::string title;                 ///< default: the experiment's title
  std::string caption;               ///< additional sentences for the caption
  std::string label;                 ///< LaTeX label; default: the id
  Rows rows = Rows::kArms;           ///< what varies fastest from row to row; kBest: one row per arm
  Across across = Across::kMetrics;  ///< what has columns; kArms: with one metric, and a row for each point
  std::vector<std::string> arms;     ///< selection and order; default: all
  bool added_arms = true;            ///< also show arms that the command line adds
  std::string best_by;               ///< kBest: the metric that chooses; default: the first column's
  std::vector<ColumnSpec> columns;
  std::optional<CompareSpec> compare;
  Node at;           ///< {parameter: value}: only these sweep points
  bool bold = true;  ///< bold the best arm if its lead is significant
  Node paper;        ///< this table's own paper numbers (like the top-level `paper`)
  LatexParams latex;
  static void declare(Fields& f, TableSpec& p);

 private:
  std::vector<Node> column_nodes_;
  Node compare_node_ = Node::map(), latex_node_ = Node::map();
  friend struct ReportConfig;
};

/// One number printed in the paper.
struct PaperNumber {
  std::string id;     ///< "tab:mnist_results/yat/test/accuracy"
  std::string table;  ///< the table that shows it; "" if none does
  std::string arm;
  std::string metric;
  Interval value;                     ///< a point, or the range that the paper prints; for a sample its mean
  std::optional<PaperSample> sample;  ///< set if the paper prints its spread, or the values of its seeds
  double tolerance = 0;
  std::string dataset;  ///< the dataset of the paper's row; "" accepts any real one
  Node::Map at;         ///< the sweep point of the number; empty: every point
  bool own = false;     ///< specified inside its table, not at the top level
  std::string where;    ///< where the paper prints it: "p. 5"; "" if the experiment does not say
};

/// `paper.ARM.METRIC` if the paper prints several runs: {mean, std, n}, or {values, seeds}.
struct PrintedSample {
  std::string where;
  std::optional<double> mean, std;
  std::optional<std::int64_t> n;
  std::vector<double> values;
  std::vector<std::int64_t> seeds;
  static void declare(Fields& f, PrintedSample& p);
};

/// `paper.fitted`: the protocol was chosen because it reproduces the paper's numbers.
struct Fitted {
  std::string text;                 ///< how it was chosen: "best of 48 by count"
  std::optional<std::int64_t> of;   ///< number of protocols tried
  std::string sweep;                ///< the experiment that ran them
  Node arms = Node::map();          ///< arm in this experiment -> arms in that one
  std::vector<std::string> except;  ///< arms that have another protocol
  static void declare(Fields& f, Fitted& p);
  /// The arms of `sweep` that stand for an arm of this experiment: itself, if `arms` does not name it.
  std::vector<std::string> arms_of(const std::string& arm) const;
  bool covers(const std::string& arm) const { return std::find(except.begin(), except.end(), arm) == except.end(); }
};

/// An item of `paper.itself`: a printed statement, checked against other numbers of the same paper. One of `printed`, `best`, `equal` and `at_most`.
struct PaperCheck {
  std::string says;               ///< "validation improvement 1.45 %"
  std::string table;              ///< the table or place that prints it: `where`, or the table that lists the check
  std::optional<double> printed;  ///< the relative change from the first of `change` to the second, as printed
  std::vector<double> change;
  double tolerance = 0;        ///< half a unit of its last digit
  std::optional<double> best;  ///< the value that is marked as the best
  std::vector<double> beside;  ///< the other values; with `at_most` the printed values that it bounds
  std::vector<double> equal;   ///< printed values that are the same by what the paper says
  std::optional<double> at_most;
  Direction better = Direction::kHigher;
  static void declare(Fields& f, PaperCheck& p);

  bool agrees() const;
  std::string found() const;  ///< the value that results from its own numbers
};

/// Adds the list `itself` of a `paper`, or of a paper's file; `table`: where the paper prints these numbers.
void add_paper_checks(const Node& paper, const std::string& path, const std::string& table, std::vector<PaperCheck>& out);

/// `figures.<id>`
struct FigureSpec {
  std::string id;
  std::string plot;  ///< component of kind "figure"
  std::string caption;
  Node params;  ///< {name: <plot>, ...}: the component's parameters
};

/// `report:`
struct ReportParams {
  enum class Captions { kFull, kShort };
  Captions captions = Captions::kFull;
  bool default_figures = true;
  Node latex = Node::map();  ///< LatexParams for all tables
  static void declare(Fields& f, ReportParams& p);
};

/// The output formats of figures: svg, pdf, png, pgf.
const std::vector<std::string>& figure_formats();
/// Parses `figures.format`: one format or a list. Throws a config error that names the nearest.
std::vector<std::string> read_figure_formats(const Node& node, const std::string& path);

/// All report settings of an experiment.
struct ReportConfig {
  std::string title, question;
  std::map<std::string, MetricInfo> metrics;
  std::vector<MetricDoc> docs;                ///< documentation of metrics from their sources, for settings missing in `metrics`
  std::map<std::string, std::string> labels;  ///< arm -> its name in tables and figures
  std::vector<TableSpec> tables;
  std::vector<FigureSpec> figures;
  std::vector<PaperNumber> paper;
  std::optional<Fitted> fitted;  ///< for all numbers
  std::string paper_dataset;     ///< `paper.dataset`: what the paper's results are about, where a table names nothing else
  std::vector<PaperCheck> itself;
  std::map<std::string, std::string> parameters;  ///< key -> its name in tables and figures
  ReportParams report;
  std::vector<std::string> formats = {"svg", "pdf", "png"};  ///< of figures
  bool column_figures = false;                               ///< figures.width=column

  /// Whether the experiment lists anything from a paper to compare results with. If not, output does not mention a paper.
  bool has_paper() const;

  /// Reads `title`, `question`, `metrics`, `labels`, `parameters`, `tables`, `figures`, `report` and `paper` of a composed experiment; ignores other
  /// keys. Throws config errors that name the key path. Also checks figures' own parameters if
  /// `check_plots` (the plugins must be loaded). docs: documentation of metrics from their sources.
  static ReportConfig read(const Node& experiment, bool check_plots = false, std::vector<MetricDoc> docs = {});
  /// Uses the documentation of metrics for everything that the experiment itself does not set.
  void describe(const Node& experiment, std::vector<MetricDoc> documented);

  MetricInfo metric(const std::string& name) const;
  std::string arm_label(const std::string& arm) const;
  const PaperNumber* paper_number(const std::string& table, const std::string& arm, const std::string& metric,
                                  const Node::Map& point) const;
};

/// The direction and format that a metric's name suggests.
MetricInfo default_metric_info(const std::string& name);

}  // namespace yatlab
