#pragma once

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

// What an experiment file says about its report. Each struct is declared once, as components' Params
// are, so that keys, types and choices are checked when the experiment is composed.

/// What must hold of an arm before its numbers decide anything: `requires: {METRIC: {at_least: 3, else: undertrained}}`.
struct Requirement {
  enum class Else { kUndertrained, kUndecided };
  std::string metric;
  std::optional<double> at_least, at_most;
  Else otherwise = Else::kUndecided;
  std::string because;  ///< what an arm that fails it is said to be; {value} and {next} (value + 1) are filled in
  static void declare(Fields& f, Requirement& p);
  bool holds(double value) const { return (!at_least || value >= *at_least) && (!at_most || value <= *at_most); }
};

/// `metrics.<name>`: what is known about a metric. What is absent is as the task, analysis or study that measures it says (MetricDoc), and
/// where that says nothing, by its name: ...accuracy, ...P@k, ...share: higher is better; ...loss, ...error, ...perplexity, ...steps: lower; else none.
struct MetricInfo {
  Direction better = Direction::kNone;
  NumberFormat format = NumberFormat::kNumber;
  bool deterministic = false;
  bool share = false;      ///< each seed's value is 0 or 1: shown as a share with Wilson's interval instead of mean ± std
  bool tabulated = false;  ///< a column of the table of experiments that spell out none; not the experiment's to say
  std::string title;       ///< how figures and tables call it; may hold $math$; default: the metric's name
  std::string unit;        ///< behind the title on axes: "nats"
  std::string formula;     ///< what closed form or count the value is of: such numbers are counted once together, apart from experiments
  Node conditions = Node::map();          ///< `requires`, as written
  std::vector<Requirement> requirements;  ///< the same, read: of an arm, before its values of this metric decide anything
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

/// What the paper says of an arm against the baseline.
struct PaperExpectation {
  enum class Kind { kNothing, kLower, kHigher, kDiverges, kChange };
  Kind kind = Kind::kNothing;
  Interval change;  ///< kChange: of arm / baseline - 1
  bool anything() const { return kind != Kind::kNothing; }
};

/// A weighted sum of arms, seed by seed, which is 0 where they do not differ: an effect in a factorial experiment.
struct Contrast {
  std::string name;
  std::vector<std::pair<std::string, double>> weights;  ///< of arms; they sum to 0
};

/// `tables.<id>.compare`: paired comparison of each arm with a baseline arm, and contrasts.
struct CompareSpec {
  std::vector<std::string> metrics;
  std::string metric;                     ///< the same, for one
  std::string baseline;                   ///< empty: contrasts alone
  Node contrast_node = Node::map();       ///< as written
  std::vector<Contrast> contrasts;        ///< the same, read
  Node paper = Node::map();               ///< arm -> metric -> "lower", "higher", "diverges" or {low, high}
  Node conditions = Node::map();          ///< `requires`, as written
  std::vector<Requirement> requirements;  ///< the same, read: of both arms, before a comparison decides a direction
  static void declare(Fields& f, CompareSpec& p);
  /// What the paper says of it.
  PaperExpectation said(const std::string& arm, const std::string& compared) const;
};

/// `report.latex`, and `tables.<id>.latex`, which goes before it.
struct LatexParams {
  enum class Span { kAuto, kColumn, kPage };
  enum class Paper { kFull, kNumbers, kNone };
  std::vector<std::string> columns;  ///< metrics; empty: all of the table's
  Span span = Span::kAuto;
  Paper paper = Paper::kFull;
  static void declare(Fields& f, LatexParams& p);
};

/// `tables.<id>`
struct TableSpec {
  enum class Rows { kArms, kPoints, kBest };
  std::string id;                 ///< the key, e.g. "tab:mnist_results"
  std::string title;              ///< default: the experiment's title
  std::string caption;            ///< further sentences for the caption
  std::string label;              ///< LaTeX label; default: the id
  Rows rows = Rows::kArms;        ///< what varies fastest from row to row; kBest: one row for each arm
  std::vector<std::string> arms;  ///< which, and in what order; default: all
  bool added_arms = true;         ///< arms that the command line adds stand in it too
  std::string best_by;            ///< with kBest: the metric that chooses; default: the first column's
  std::vector<ColumnSpec> columns;
  std::optional<CompareSpec> compare;
  Node at;           ///< {parameter: value}: only these sweep points
  bool bold = true;  ///< bold the best arm where its lead is significant
  Node paper;        ///< this table's own paper numbers (as the top-level `paper`)
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
  Interval value;                     ///< a point, or the range that the paper prints; of a sample its mean
  std::optional<PaperSample> sample;  ///< where the paper prints its spread, or the values of its seeds
  double tolerance = 0;
  std::string dataset;  ///< the dataset that the paper's row names; "" accepts any real one
  Node::Map at;         ///< sweep point that the number belongs to; empty: every point
  bool own = false;     ///< given inside its table, not at the top level
};

/// `paper.ARM.METRIC` where the paper prints several runs: {mean, std, n}, or {values, seeds}.
struct PrintedSample {
  std::optional<double> mean, std;
  std::optional<std::int64_t> n;
  std::vector<double> values;
  std::vector<std::int64_t> seeds;
  static void declare(Fields& f, PrintedSample& p);
};

/// `paper.fitted`: the protocol was chosen because it gives the paper's numbers.
struct Fitted {
  std::string text;                ///< how it was chosen: "best of 48 by count"
  std::optional<std::int64_t> of;  ///< among how many protocols
  std::string sweep;               ///< the experiment that ran them
  Node arms = Node::map();         ///< arm here -> arms there
  static void declare(Fields& f, Fitted& p);
};

/// An item of `paper.itself`: something that the paper prints, compared with other numbers that it prints.
struct PaperCheck {
  std::string says;               ///< "validation improvement 1.45 %"
  std::string table;              ///< where it stands
  std::optional<double> printed;  ///< the relative change from the first of `change` to the second, as printed
  std::vector<double> change;
  double tolerance = 0;        ///< half a unit of its last digit
  std::optional<double> best;  ///< what is marked as the best
  std::vector<double> beside;  ///< the others
  Direction better = Direction::kHigher;
  static void declare(Fields& f, PaperCheck& p);

  bool agrees() const;
  std::string found() const;  ///< what its own numbers give
};

/// `figures.<id>`
struct FigureSpec {
  std::string id;
  std::string plot;  ///< component of kind "figure"
  std::string caption;
  Node params;  ///< {name: <plot>, ...}: what the component is created from
};

/// `report:`
struct ReportParams {
  enum class Captions { kFull, kShort };
  Captions captions = Captions::kFull;
  bool default_figures = true;
  Node latex = Node::map();  ///< LatexParams of all tables
  static void declare(Fields& f, ReportParams& p);
};

/// What figures can be written as: svg, pdf, png, pgf.
const std::vector<std::string>& figure_formats();
/// One of them or a list, as `figures.format` has it. Throws a config error that names the nearest.
std::vector<std::string> read_figure_formats(const Node& node, const std::string& path);

/// All of it.
struct ReportConfig {
  std::string title;
  std::map<std::string, MetricInfo> metrics;
  std::vector<MetricDoc> docs;                ///< what those that measure metrics say of them, for what `metrics` does not name
  std::map<std::string, std::string> labels;  ///< arm -> how tables and figures call it
  std::vector<TableSpec> tables;
  std::vector<FigureSpec> figures;
  std::vector<PaperNumber> paper;
  std::optional<Fitted> fitted;  ///< of all numbers
  std::vector<PaperCheck> itself;
  std::map<std::string, std::string> parameters;  ///< key -> how tables and figures call it
  ReportParams report;
  std::vector<std::string> formats = {"svg", "pdf", "png"};  ///< of figures
  bool column_figures = false;                               ///< figures.width=column

  /// Whether the experiment lists anything from a paper to compare results with. Without it, output does not mention a paper.
  bool has_paper() const;

  /// Reads `title`, `metrics`, `labels`, `parameters`, `tables`, `figures`, `report` and `paper` of a composed experiment; other keys
  /// are left alone. Throws config errors that name the key path. Figures' own parameters are checked too when
  /// `check_plots` (the plugins must be loaded). docs: what those that measure metrics say of them.
  static ReportConfig read(const Node& experiment, bool check_plots = false, std::vector<MetricDoc> docs = {});
  /// Takes what is said of metrics for what the experiment itself leaves unsaid.
  void describe(const Node& experiment, std::vector<MetricDoc> said);

  MetricInfo metric(const std::string& name) const;
  std::string arm_label(const std::string& arm) const;
  const PaperNumber* paper_number(const std::string& table, const std::string& arm, const std::string& metric,
                                  const Node::Map& point) const;
};

/// The direction and format that a metric's name suggests.
MetricInfo default_metric_info(const std::string& name);

}  // namespace yatlab
