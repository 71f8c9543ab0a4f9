#include "core/experiment/report_config.h"
#include "core/record/point_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/figure/latex_text.h"
#include "core/registry/registry.h"

namespace yatlab {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& entry : number_formats()) names.push_back(entry.first);
  return names;
}

const Node* map_at(const Node& experiment, const char* key) {
  const Node* node = experiment.find(key);
  if (!node || node->is_null()) return nullptr;
  if (!node->is_map()) {
    throw config_error(fmt::format("'{}' must be a map, found {}", key, shortened(node->to_flow())), node->origin().describe());
  }
  return node;
}

std::vector<std::string> keys_of(const Node* map) {
  std::vector<std::string> keys;
  if (map) {
    for (const auto& entry : map->as_map()) keys.push_back(entry.first);
  }
  return keys;
}

void check_arm(const std::string& arm, const std::vector<std::string>& arms, const std::string& path, const Node& origin) {
  if (arms.empty() || std::find(arms.begin(), arms.end(), arm) != arms.end()) return;
  throw config_error(fmt::format("'{}' refers to an unknown arm: '{}'", path, arm), origin.origin().describe(), {}, suggestion(arm, arms));
}

/// {NAME: {arm: weight}}
std::vector<Contrast> read_contrasts(const Node& node, const std::vector<std::string>& arms, const std::string& path) {
  std::vector<Contrast> out;
  for (const auto& [name, weights] : node.as_map()) {
    const auto here = fmt::format("{}.{}", path, name);
    if (!weights.is_map() || weights.size() < 2) {
      throw config_error(fmt::format("'{}' must be a map of at least two arms", here), weights.origin().describe(), {},
                         "for example {with_both: 0.5, with_first: 0.5, with_second: -0.5, with_none: -0.5}");
    }
    Contrast contrast{name, {}};
    double sum = 0, size = 0;
    for (const auto& [arm, weight] : weights.as_map()) {
      check_arm(arm, arms, here, weights);
      if (!weight.is_number() || !std::isfinite(weight.as_double()) || weight.as_double() == 0) {
        throw config_error(fmt::format("'{}.{}' must be a number that is not 0, found {}", here, arm, shortened(weight.to_flow())),
                           weight.origin().describe());
      }
      contrast.weights.emplace_back(arm, weight.as_double());
      sum += weight.as_double();
      size += std::abs(weight.as_double());
    }
    if (std::abs(sum) > 1e-9 * size) {
      throw config_error(fmt::format("the weights of '{}' sum to {}, not to 0", here, format_double(sum)), weights.origin().describe(),
                         "a contrast must be 0 if its arms do not differ");
    }
    out.push_back(std::move(contrast));
  }
  return out;
}

/// The text of an undeclared value.
std::string undeclared_text(const Node& value) { return value.is_number() || value.is_bool() ? text_of_scalar(value) : value.as_string(); }

/// {METRIC: {at_least, at_most, else, because}}
std::vector<Requirement> read_requirements(const Node& node, const std::string& path) {
  std::vector<Requirement> out;
  for (const auto& [metric, condition] : node.as_map()) {
    const auto here = fmt::format("{}.{}", path, metric);
    if (!condition.is_map()) {
      throw config_error(fmt::format("'{}' must be a map, found {}", here, shortened(condition.to_flow())), condition.origin().describe(),
                         {}, "write {at_least: 3, else: undertrained}");
    }
    auto one = read_checked<Requirement>(condition, here);
    one.metric = metric;
    if (!one.at_least && !one.at_most)
      throw config_error(fmt::format("'{}' has no condition", here), condition.origin().describe(), {}, "give at_least, at_most, or both");
    out.push_back(std::move(one));
  }
  return out;
}

/// A number, or {low, high}.
Interval read_range(const Node& value, const std::string& path) {
  if (value.is_number()) return {value.as_double(), value.as_double()};
  const Node* low = value.is_map() ? value.find("low") : nullptr;
  const Node* high = value.is_map() ? value.find("high") : nullptr;
  if (!low || !high || !low->is_number() || !high->is_number() || value.size() != 2) {
    throw config_error(fmt::format("'{}' must be a number or a range, found {}", path, shortened(value.to_flow())),
                       value.origin().describe(), {}, "a range is {low: 0.15, high: 0.25}");
  }
  if (low->as_double() > high->as_double()) {
    throw config_error(fmt::format("'{}' is a range whose low is greater than its high", path), value.origin().describe());
  }
  return {low->as_double(), high->as_double()};
}

/// {mean, std, n} or {values, seeds}; nullopt for a number or a range. Config error for anything else.
std::optional<PaperSample> read_sample(const Node& value, const std::string& path) {
  if (!value.is_map() || value.find("low") || value.find("high")) return std::nullopt;
  const auto bad = [&](const std::string& why) {
    return config_error(fmt::format("'{}' is not a sample: {}", path, shortened(value.to_flow())), value.origin().describe(), why,
                        "write {mean: 84.27, std: 0.60, n: 3}, {values: [84.1, 84.9, 83.8]}, or a number alone");
  };
  const auto printed = read_checked<PrintedSample>(value, path);
  PaperSample out;
  if (printed.values.empty()) {
    if (!printed.seeds.empty()) throw bad("'seeds' needs 'values', one for each seed");
    if (!printed.mean || !printed.std || !printed.n) throw bad("it needs either 'mean', 'std' and 'n' (the number of runs), or 'values'");
    out.summary = {*printed.mean, *printed.std, static_cast<std::size_t>(*printed.n)};
    return out;
  }
  if (printed.mean || printed.std || printed.n) throw bad("'mean', 'std' and 'n' cannot be combined with 'values'");
  if (printed.values.size() < 2) throw bad("'values' needs at least two values");
  if (!printed.seeds.empty() && printed.seeds.size() != printed.values.size())
    throw bad(fmt::format("there are {} values and {} seeds", printed.values.size(), printed.seeds.size()));
  if (std::set<std::int64_t>(printed.seeds.begin(), printed.seeds.end()).size() != printed.seeds.size()) throw bad("a seed is given twice");
  out.summary = summarize(printed.values);
  out.values = printed.values;
  out.seeds = printed.seeds;
  return out;
}

PaperCheck read_paper_check(const Node& node, const std::string& path) {
  const auto bad = [&](const std::string& why) {
    return config_error(fmt::format("'{}' cannot be checked", path), node.origin().describe(), why,
                        "write {says, printed, change: [from, to], tolerance}, {says, best, beside: [...], better}, {says, equal: [...], "
                        "tolerance} or {says, at_most, beside: [...]}");
  };
  if (!node.is_map()) throw bad("it is not a map");
  auto out = read_checked<PaperCheck>(node, path);
  if (int{out.printed.has_value()} + int{out.best.has_value()} + int{!out.equal.empty()} + int{out.at_most.has_value()} != 1) {
    throw bad("it needs one of 'printed', 'best', 'equal' and 'at_most'");
  }
  if (out.equal.size() == 1) throw bad("'equal' must be two numbers or more");
  if (out.at_most && out.beside.empty()) throw bad("'at_most' needs 'beside'");
  if (out.printed && (out.change.size() != 2 || out.change[0] == 0)) throw bad("'change' must be two numbers, the first not 0");
  if (out.best && (out.beside.empty() || out.better == Direction::kNone)) throw bad("'best' needs 'beside' and a direction");
  return out;
}

// Assigns only the settings in `node`; `info` has the values for all others.
MetricInfo read_metric(MetricInfo info, Node node, const std::string& path) {
  static const Schema schema = Schema::of<MetricInfo>();
  schema.read_texts(node);
  schema.check(node, path, true);
  Fields fields;
  MetricInfo::declare(fields, info);
  for (const auto& field : fields.all()) {
    if (const Node* value = node.find(field.name)) field.assign(*value);
  }
  if (node.find("title") && !node.find("unit")) info.unit.clear();  // a title of the experiment's own may contain the unit
  info.requirements = read_requirements(info.conditions, path + ".requires");
  return info;
}

ColumnSpec read_column(Node node, const std::string& path) {
  if (node.is_string()) {
    Node map = Node::map();
    map.set_origin(node.origin());
    map.set("metric", node);
    node = std::move(map);
  }
  auto column = read_checked<ColumnSpec>(node, path);
  if (column.format) {
    const auto names = format_names();
    if (std::find(names.begin(), names.end(), *column.format) == names.end()) {
      throw config_error(fmt::format("'{}.format' cannot be '{}'", path, *column.format), node.at("format").origin().describe(), {},
                         suggestion(*column.format, names));
    }
  }
  return column;
}

// "yat@operator.epsilon=1e-3,trainer.epochs=2" -> the arm and the point
std::pair<std::string, Node::Map> split_arm_key(const std::string& key, const Node& value) {
  const auto sign = key.find('@');
  std::pair<std::string, Node::Map> out{key.substr(0, sign), {}};
  if (sign == std::string::npos) return out;
  for (const auto& part : split(key.substr(sign + 1), ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) {
      throw config_error(fmt::format("'paper.{}' is not of the form arm@parameter=value", key), value.origin().describe());
    }
    const auto typed = trim(part.substr(equals + 1));
    Node number = type_plain_scalar(typed);
    if (number.is_number() || number.is_bool()) number.spell(typed);
    out.second.emplace_back(trim(part.substr(0, equals)), std::move(number));
  }
  return out;
}

/// A number, or `{at_least: a, share: s}`: the share of the printed number, at least a.
double read_tolerance(const Node& node, const std::string& path, const Interval& printed) {
  const auto amount = [&](const Node* part) {
    if (!part || !part->is_number() || part->as_double() < 0) {
      throw config_error(fmt::format("'{}' must be a number >= 0, found {}", path, shortened(node.to_flow())), node.origin().describe(), {},
                         "write a number, or {at_least: number, share: number}");
    }
    return part->as_double();
  };
  if (!node.is_map() || node.size() != 2) return amount(&node);
  const double largest = std::max(std::abs(printed.low), std::abs(printed.high));
  return std::max(amount(node.find("at_least")), amount(node.find("share")) * largest);
}

std::vector<PaperNumber> read_paper(const Node& node, const std::string& path, const std::vector<std::string>& arms) {
  static const std::set<std::string> reserved = {"tolerance", "dataset", "at", "where", "fitted", "itself"};
  std::vector<PaperNumber> out;
  const Node* tolerance = node.find("tolerance");
  if (tolerance && !tolerance->is_map()) {
    throw config_error(fmt::format("'{}.tolerance' must be a map of metric: tolerance", path), tolerance->origin().describe());
  }
  const Node* dataset = node.find("dataset");
  Node::Map common;
  if (const Node* at = node.find("at")) common = at->as_map();
  for (const auto& [key, values] : node.as_map()) {
    if (reserved.count(key) > 0) continue;
    const auto [arm, point] = split_arm_key(key, values);
    check_arm(arm, arms, path + "." + key, values);
    if (!values.is_map()) {
      throw config_error(fmt::format("'{}.{}' must be a map of metric: value", path, key), values.origin().describe());
    }
    for (const auto& [metric, value] : values.as_map()) {
      const std::string here = fmt::format("{}.{}.{}", path, key, metric);
      const auto sample = read_sample(value, here);
      const Interval printed = sample ? Interval{sample->summary.mean, sample->summary.mean} : read_range(value, here);
      const Node* near = tolerance ? tolerance->find(metric) : nullptr;
      if (!near) {
        throw config_error(fmt::format("'{}' has no tolerance", here), value.origin().describe(),
                           "a verdict needs to know how large a difference still counts as equal",
                           fmt::format("add '{}' to {}.tolerance", metric, path));
      }
      PaperNumber number;
      number.arm = arm;
      number.metric = metric;
      number.value = printed;
      number.sample = sample;
      number.tolerance = read_tolerance(*near, fmt::format("{}.tolerance.{}", path, metric), printed);
      number.dataset = dataset && !dataset->is_null() ? undeclared_text(*dataset) : "";
      number.at = point.empty() ? common : point;
      const Node* where = sample ? value.find("where") : nullptr;
      if (where || (where = node.find("where"))) number.where = undeclared_text(*where);
      out.push_back(std::move(number));
    }
  }
  if (tolerance) {
    for (const auto& [metric, value] : tolerance->as_map()) {
      const bool used = std::any_of(out.begin(), out.end(), [&m = metric](const PaperNumber& n) { return n.metric == m; });
      if (!used) {
        std::vector<std::string> metrics;
        for (const auto& n : out) metrics.push_back(n.metric);
        throw config_error(fmt::format("'{}.tolerance.{}' does not belong to any number", path, metric), value.origin().describe(), {},
                           suggestion(metric, metrics));
      }
    }
  }
  return out;
}

/// Checks the id of a table or figure, which is used as a file name. `files`: those used so far.
void check_id(const char* kind, const std::string& id, const Node& node, std::map<std::string, std::string>& files) {
  const auto file = safe_file_name(id);
  if (const auto why = why_no_folder_name(file); !why.empty()) {
    throw config_error(fmt::format("'{}' cannot name a {}", shortened(id), kind), node.origin().describe(), why,
                       "use letters, digits, ':', '_' and '-'");
  }
  if (const auto [first, fresh] = files.emplace(file, id); !fresh) {
    throw config_error(fmt::format("the {0}s '{1}' and '{2}' would be written to the same file, '{3}'", kind, first->second, id, file),
                       node.origin().describe(), {}, "give one of them a different name");
  }
}

FigureSpec read_figure(const std::string& id, const Node& node, bool check_plots) {
  const std::string path = "figures." + id;
  if (!node.is_map()) {
    throw config_error(fmt::format("'{}' must be a map, found {}", path, shortened(node.to_flow())), node.origin().describe());
  }
  const Node* plot = node.find("plot");
  if (!plot || !plot->is_string()) {
    throw config_error(fmt::format("'{}' has no 'plot'", path), node.origin().describe(),
                       "'plot' is the name of a component of kind figure", "'yatlab list figure' shows the choices");
  }
  FigureSpec spec;
  spec.id = id;
  spec.plot = plot->as_string();
  spec.params = Node::map();
  spec.params.set_origin(node.origin());
  spec.params.set("name", *plot);
  for (const auto& [key, value] : node.as_map()) {
    if (key == "plot") continue;
    if (key == "added_arms") {
      if (!value.is_bool()) {
        throw config_error(fmt::format("'{}.added_arms' must be true or false, found {}", path, shortened(value.to_flow())),
                           value.origin().describe(), "whether arms added on the command line are also in the figure");
      }
      continue;
    }
    if (key == "caption") {
      spec.caption = undeclared_text(value);
    } else {
      spec.params.set(key, value);
    }
  }
  if (check_plots) {
    const auto& component = component_table("figure").at(spec.plot, plot->origin().describe());
    Node completed = spec.params;
    component.schema.complete(completed, "figure/" + component.name);
    component.schema.check(completed, path, true, {"name"});
  }
  return spec;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

void ReportParams::declare(Fields& f, ReportParams& p) {
  f.choice("captions", p.captions, {{"full", Captions::kFull}, {"short", Captions::kShort}},
           "short: captions of LaTeX tables and figures only say what is shown, without the note on seeds, intervals, tests and data");
  f.field("default_figures", p.default_figures,
          "also draw figures that the experiment does not list: learning curves, artifacts, sweeps, searches");
  f.map("latex", p.latex, "LaTeX layout of all tables: {span, paper}, as in a table's own 'latex'");
}

const std::vector<std::string>& figure_formats() {
  static const std::vector<std::string> all = {"svg", "pdf", "png", "pgf"};
  return all;
}

std::vector<std::string> read_figure_formats(const Node& node, const std::string& path) {
  const Node list = node.is_list() ? node : [&] {
    Node one = Node::list();
    one.push_back(node);
    return one;
  }();
  std::vector<std::string> out;
  for (const auto& item : list.as_list()) {
    const auto& all = figure_formats();
    if (!item.is_string() || std::find(all.begin(), all.end(), item.as_string()) == all.end()) {
      throw config_error(
          fmt::format("'{}' cannot be {}", path, item.is_string() ? "'" + shortened(item.as_string()) + "'" : shortened(item.to_flow())),
          node.origin().describe(), "formats are " + join(all, ", ") + ", one or a list",
          item.is_string() ? suggestion(item.as_string(), all) : "");
    }
    if (std::find(out.begin(), out.end(), item.as_string()) == out.end()) out.push_back(item.as_string());
  }
  if (out.empty())
    throw config_error(fmt::format("'{}' has no format", path), node.origin().describe(), "formats are " + join(figure_formats(), ", "));
  return out;
}

bool ReportConfig::has_paper() const {
  return !paper.empty() ||
         std::any_of(tables.begin(), tables.end(), [](const TableSpec& t) { return t.compare && t.compare->paper.size() > 0; });
}

void MetricInfo::declare(Fields& f, MetricInfo& p) {
  f.choice("better", p.better, directions(), "which direction is better; none: a change is neither better nor worse");
  f.choice("format", p.format, number_formats(), "how values are printed");
  f.field("deterministic", p.deterministic, "the value does not depend on the seed: one run is enough for a verdict");
  f.field("share", p.share, "each seed's value is 0 or 1: show the share of seeds with Wilson's 95 % interval");
  f.field("title", p.title, "name in tables and figures; may contain $math$");
  f.field("unit", p.unit, "unit, shown after the title on axes: nats");
  f.field("formula", p.formula,
          "closed form or count that gives the values; summaries count all its numbers as one, separately from measurements");
  f.map("requires", p.conditions,
        "conditions that an arm must meet for its values to decide anything: {METRIC: {at_least, at_most, else, because}}");
}

void Requirement::declare(Fields& f, Requirement& p) {
  f.field("at_least", p.at_least, "the metric must be at least this for every seed");
  f.field("at_most", p.at_most, "the metric must be at most this for every seed");
  f.choice("else", p.otherwise, {{"undecided", Else::kUndecided}, {"undertrained", Else::kUndertrained}},
           "the verdict if the condition fails; if the metric was not measured for an arm, nothing is decided");
  f.field("because", p.because, "what to say about such an arm; {value} and {next} (value + 1) are filled in: 'is below the {next}-gram'");
}

void PrintedSample::declare(Fields& f, PrintedSample& p) {
  f.field("mean", p.mean, "the mean that the paper prints, in the metric's own unit: 0.8427 for 84.27 %");
  f.field("std", p.std, "standard deviation over runs (a standard error times sqrt(n))").non_negative();
  f.field("n", p.n, "number of runs").min(2);
  f.field("values", p.values, "the value of each run, instead of mean, std and n");
  f.field("seeds", p.seeds, "the seed of each value, if runs with the same seed here are comparable with the paper's: they are paired");
  f.field("where", p.where, "where the paper prints it: p. 5");
}

std::vector<std::string> Fitted::arms_of(const std::string& arm) const {
  const Node* named = arms.find(arm);
  if (!named) return {arm};
  if (!named->is_list()) return {named->as_string()};
  std::vector<std::string> out;
  for (const auto& name : named->as_list()) out.push_back(name.as_string());
  return out;
}

void Fitted::declare(Fields& f, Fitted& p) {
  f.field("text", p.text, "how the protocol was chosen to fit the paper's numbers").required();
  f.field("of", p.of, "number of protocols that it was chosen from").positive();
  f.field("sweep", p.sweep, "experiment that ran these protocols: the scorecard counts how many give each number");
  f.map("arms", p.arms, "arms of that experiment that an arm here was chosen from, {arm: [arms]}; default: the arm with the same name");
  f.field("except", p.except, "arms of this experiment that have another protocol");
}

void PaperCheck::declare(Fields& f, PaperCheck& p) {
  f.field("says", p.says, "what the paper says").required();
  f.field("where", p.table, "where the paper says it; default: the table that lists the check");
  f.field("printed", p.printed, "relative change that the paper prints, as a positive share: 0.0145");
  f.field("change", p.change, "the two numbers of that change: from and to");
  f.field("tolerance", p.tolerance, "half a unit of the last digit printed").non_negative();
  f.field("best", p.best, "the number that the paper marks as the best");
  f.field("beside", p.beside, "the other numbers in its column; with at_most: what is bounded");
  f.field("equal", p.equal, "numbers that are the same by what the paper says");
  f.field("at_most", p.at_most, "the bound that the paper prints");
  f.choice("better", p.better, directions(), "which direction is better in that column");
}

bool PaperCheck::agrees() const {
  // Half a unit of a decimal digit is not exact in binary.
  if (printed) return std::abs(std::abs(change[1] / change[0] - 1) - *printed) <= tolerance * (1 + 1e-9);
  if (at_most) return std::all_of(beside.begin(), beside.end(), [&](double v) { return v <= *at_most; });
  if (!equal.empty()) {
    const auto [low, high] = std::minmax_element(equal.begin(), equal.end());
    return *high - *low <= tolerance * (1 + 1e-9);
  }
  return std::all_of(beside.begin(), beside.end(), [&](double v) { return better == Direction::kHigher ? *best > v : *best < v; });
}

std::string PaperCheck::found() const {
  const auto number = [](double v) { return format_exact(v, NumberFormat::kNumber); };
  if (printed) {
    return fmt::format("from {} to {} is {} %", number(change[0]), number(change[1]),
                       format_value(std::abs(change[1] / change[0] - 1), NumberFormat::kPercent, 3));
  }
  std::vector<std::string> others;
  for (const double v : equal.empty() ? beside : equal) others.push_back(number(v));
  if (!equal.empty()) return join(others, " and ");
  if (at_most) return fmt::format("{}, at most {}", join(others, ", "), number(*at_most));
  return fmt::format("{} beside {}, {} is better", number(*best), join(others, ", "), better == Direction::kHigher ? "higher" : "lower");
}

void ColumnSpec::declare(Fields& f, ColumnSpec& p) {
  f.field("metric", p.metric, "the metric that the column shows").required();
  f.field("header", p.header, "column header, may contain $math$; default: the metric's title");
  f.field("format", p.format, "number, signed, percent, signed_percent, integer or scientific");
  f.field("digits", p.digits, "decimals; null: chosen from the spread over seeds").min(0);
}

void CompareSpec::declare(Fields& f, CompareSpec& p) {
  f.field("metric", p.metric, "metric in which each arm is compared with the baseline");
  f.field("metrics", p.metrics, "several such metrics");
  f.field("baseline", p.baseline, "the arm that others are compared with; optional if there are contrasts");
  f.map("contrasts", p.contrast_node,
        "weighted sums of arms, {NAME: {arm: weight}}, tested against 0 over the seeds that all these arms completed; weights sum to 0");
  f.map("paper", p.paper,
        "what the paper says about an arm against the baseline, {arm: {metric: lower, higher, diverges, or {low, high}}}: a direction, "
        "that it diverges, or the range of its relative change");
  f.map("requires", p.conditions, "conditions that both arms must meet for a direction to be decided, as in metrics");
}

PaperExpectation CompareSpec::expectation(const std::string& arm, const std::string& compared) const {
  const Node* of_arm = paper.find(arm);
  const Node* what = of_arm ? of_arm->find(compared) : nullptr;
  if (!what) return {};
  if (!what->is_string()) return {PaperExpectation::Kind::kChange, read_range(*what, "compare.paper." + arm + "." + compared)};
  const auto& word = what->as_string();
  return {word == "lower"    ? PaperExpectation::Kind::kLower
          : word == "higher" ? PaperExpectation::Kind::kHigher
                             : PaperExpectation::Kind::kDiverges,
          {}};
}

void LatexParams::declare(Fields& f, LatexParams& p) {
  f.field("columns", p.columns, "metrics whose columns the LaTeX table shows, in this order; empty: all");
  f.choice("span", p.span, {{"auto", Span::kAuto}, {"column", Span::kColumn}, {"page", Span::kPage}},
           "width of the table in a two-column document; auto: a column if it fits in \\footnotesize");
  f.choice("paper", p.paper, {{"full", Paper::kFull}, {"numbers", Paper::kNumbers}, {"none", Paper::kNone}},
           "what to show below our numbers: the paper's and the verdict, the paper's alone, or nothing");
}

void TableSpec::declare(Fields& f, TableSpec& p) {
  f.field("title", p.title, "first sentence of the caption; default: the experiment's title");
  f.field("caption", p.caption, "further sentences of the caption");
  f.field("label", p.label, "LaTeX label; default: the table's key");
  f.choice(
      "rows", p.rows, {{"arms", Rows::kArms}, {"points", Rows::kPoints}, {"best", Rows::kBest}},
      "in a sweep: all arms of a point together, all points of an arm together, or each arm at the point where its first column is best");
  f.choice("across", p.across, {{"metrics", Across::kMetrics}, {"arms", Across::kArms}},
           "what has columns: the metrics; or the arms, with one metric and one row for each point of the sweep");
  f.field("best_by", p.best_by,
          "with rows: best, the metric that chooses the point; default: the first column's, on held-out samples if there are any");
  f.field("arms", p.arms, "arms to show, in order; empty: all");
  f.field("added_arms", p.added_arms, "also show arms that the command line adds; false: only those in 'arms'");
  f.field("columns", p.column_nodes_, "metric names, or {metric, header, format, digits}");
  f.map("compare", p.compare_node_, "paired comparison over seeds: {metric or metrics, baseline, contrasts}");
  f.map("at", p.at, "show only these sweep points: {parameter: value}");
  f.field("bold", p.bold, "print the best arm in bold if its lead over every other is significant");
  f.map("paper", p.paper, "numbers that the paper prints in this table, as in the top-level 'paper'");
  f.map("latex", p.latex_node_, "LaTeX layout: {columns, span, paper}");
}

MetricInfo default_metric_info(const std::string& name) {
  MetricInfo info;
  const std::string last = lower(name.substr(name.find_last_of('/') + 1));
  const auto has = [&](std::string_view word) { return last.find(word) != std::string::npos; };
  if (ends_with(last, "reached")) info.share = true;
  if (ends_with(last, "accuracy") || ends_with(last, "share") || info.share) {
    info.better = Direction::kHigher;
    info.format = NumberFormat::kPercent;
  } else if (has("p@") || has("f1") || has("auc")) {
    info.better = Direction::kHigher;
  } else if (has("loss") || has("error") || has("perplexity") || ends_with(last, "steps")) {
    info.better = Direction::kLower;
  } else if (ends_with(last, "norm_change")) {
    info.format = NumberFormat::kSignedPercent;
  }
  return info;
}

namespace {

std::map<std::string, std::string> read_arm_labels(const Node& experiment, const std::vector<std::string>& arms) {
  std::map<std::string, std::string> out;
  if (const Node* labels = map_at(experiment, "labels")) {
    for (const auto& [arm, label] : labels->as_map()) {
      check_arm(arm, arms, "labels." + arm, label);
      out[arm] = label.as_string();
    }
  }
  return out;
}

std::map<std::string, std::string> read_parameter_titles(const Node& experiment) {
  std::map<std::string, std::string> out;
  if (const Node* parameters = map_at(experiment, "parameters")) {
    for (const auto& [key, title] : parameters->as_map()) {
      if (!title.is_string() || title.as_string().empty()) {
        throw config_error(fmt::format("'parameters.{}' must be a string, found {}", key, shortened(title.to_flow())),
                           title.origin().describe());
      }
      out[key] = plain_text(title.as_string());
    }
  }
  return out;
}

ReportParams read_report_params(const Node& experiment) {
  const Node* report = map_at(experiment, "report");
  if (!report) return {};
  auto out = read_checked<ReportParams>(*report, "report");
  if (out.latex.find("columns")) {
    throw config_error("'report.latex' cannot set 'columns': each table has its own columns", out.latex.origin().describe(), {},
                       "set tables.ID.latex.columns");
  }
  read_checked<LatexParams>(out.latex, "report.latex");
  return out;
}

/// A column for each arm leaves no place for a second metric, nor for each arm's own best point.
void check_arms_across(const TableSpec& table, const Node& node, const std::string& path) {
  if (table.columns.size() > 1) {
    throw config_error(
        fmt::format("'{}' has a column for each arm (across: arms), and so one metric, but 'columns' has {}", path, table.columns.size()),
        node.origin().describe(), {}, "give each metric a table of its own");
  }
  if (table.rows == TableSpec::Rows::kBest) {
    throw config_error(fmt::format("'{}' cannot have both rows: best and across: arms", path), node.origin().describe(), {},
                       "arms have different best points, so each needs a row of its own: leave out across: arms");
  }
}

/// The table's keys, completed by those of `report.latex`. `path`: of the table.
LatexParams read_table_latex(Node latex, const Node& of_all_tables, const std::vector<ColumnSpec>& columns, const std::string& path) {
  for (const auto& [key, value] : of_all_tables.as_map()) {
    if (!latex.find(key)) latex.set(key, value);
  }
  auto out = read_checked<LatexParams>(latex, path + ".latex");
  std::vector<std::string> known;
  for (const auto& column : columns) known.push_back(column.metric);
  for (const auto& metric : out.columns) {
    if (std::find(known.begin(), known.end(), metric) == known.end()) {
      throw config_error(fmt::format("'{}.latex.columns' refers to an unknown column: '{}'", path, metric), latex.origin().describe(),
                         "the table has " + join(known, ", "), suggestion(metric, known));
    }
  }
  return out;
}

/// Checks the paper's statements about one arm against the baseline, which must be on compared metrics. `path`: of the arm.
void check_paper_words(const Node& claimed, const std::vector<std::string>& metrics, const std::string& path) {
  if (!claimed.is_map())
    throw config_error(fmt::format("'{}' must be a map of metric: what the paper says", path), claimed.origin().describe(), {},
                       "write lower, higher, diverges, or a range {low, high} of the relative change");
  for (const auto& [metric, word] : claimed.as_map()) {
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) {
      throw config_error(fmt::format("'{}.{}' is not a compared metric", path, metric), word.origin().describe(), {},
                         suggestion(metric, metrics));
    }
    static const std::vector<std::string> words = {"lower", "higher", "diverges"};
    if (!word.is_string()) {
      read_range(word, path + "." + metric);
    } else if (std::find(words.begin(), words.end(), word.as_string()) == words.end()) {
      throw config_error(fmt::format("'{}.{}' cannot be '{}'", path, metric, shortened(word.as_string())), word.origin().describe(),
                         "allowed: lower, higher, diverges, or a range {low, high} of the relative change",
                         suggestion(word.as_string(), words));
    }
  }
}

/// `path`: of the table.
CompareSpec read_compare(const Node& node, const std::vector<std::string>& arms, const std::string& path) {
  auto out = read_checked<CompareSpec>(node, path + ".compare");
  out.contrasts = read_contrasts(out.contrast_node, arms, path + ".compare.contrasts");
  if (!out.baseline.empty()) {
    check_arm(out.baseline, arms, path + ".compare.baseline", node);
  } else if (out.contrasts.empty()) {
    throw config_error(fmt::format("'{}.compare' has nothing to compare", path), node.origin().describe(), {},
                       "give the arm that the others are compared with (baseline: ARM), or contrasts: {NAME: {ARM: WEIGHT}}");
  }
  if (!out.metric.empty()) out.metrics.insert(out.metrics.begin(), out.metric);
  if (out.metrics.empty()) throw config_error(fmt::format("'{}.compare' has no metric", path), node.origin().describe());
  for (const auto& [arm, claimed] : out.paper.as_map()) {
    const auto here = fmt::format("{}.compare.paper.{}", path, arm);
    check_arm(arm, arms, here, node);
    check_paper_words(claimed, out.metrics, here);
  }
  out.requirements = read_requirements(out.conditions, path + ".compare.requires");
  return out;
}

}  // namespace

void add_paper_checks(const Node& paper, const std::string& path, const std::string& table, std::vector<PaperCheck>& out) {
  const Node* checks = paper.find("itself");
  if (!checks || checks->is_null()) return;
  if (!checks->is_list()) throw config_error(fmt::format("'{}' must be a list", path), checks->origin().describe());
  for (std::size_t i = 0; i < checks->as_list().size(); ++i) {
    out.push_back(read_paper_check(checks->as_list()[i], fmt::format("{}.{}", path, i)));
    if (out.back().table.empty()) out.back().table = table;
  }
}

namespace {

/// Adds the paper numbers that tables specify themselves.
void add_numbers_of_tables(const std::vector<std::string>& arms, ReportConfig& out) {
  for (const auto& table : out.tables) {
    if (table.paper.size() == 0) continue;
    const auto path = "tables." + table.id + ".paper";
    add_paper_checks(table.paper, path + ".itself", table.id, out.itself);
    for (auto& number : read_paper(table.paper, path, arms)) {
      number.table = table.id;
      number.own = true;
      out.paper.push_back(std::move(number));
    }
  }
}

/// Adds the numbers of the top-level `paper`. `name`: the experiment's.
void add_numbers_of_paper(const Node& paper, const std::string& name, const std::vector<std::string>& arms, ReportConfig& out) {
  add_paper_checks(paper, "paper.itself", name, out.itself);
  if (const Node* fitted = paper.find("fitted"); fitted && !fitted->is_null()) out.fitted = read_checked<Fitted>(*fitted, "paper.fitted");
  if (const Node* data = paper.find("dataset"); data && !data->is_null()) out.paper_dataset = undeclared_text(*data);
  const std::vector<PaperNumber> own = out.paper;
  for (auto& number : read_paper(paper, "paper", arms)) {
    // The first table that shows the number, unless it specifies its own.
    for (const auto& table : out.tables) {
      const bool column =
          std::any_of(table.columns.begin(), table.columns.end(), [&](const ColumnSpec& c) { return c.metric == number.metric; });
      const bool row = table.arms.empty() || std::find(table.arms.begin(), table.arms.end(), number.arm) != table.arms.end();
      const bool replaced = std::any_of(own.begin(), own.end(), [&](const PaperNumber& o) {
        return o.table == table.id && o.arm == number.arm && o.metric == number.metric;
      });
      if (column && row && !replaced) {
        number.table = table.id;
        break;
      }
    }
    out.paper.push_back(std::move(number));
  }
}

void set_number_ids(const std::string& name, std::vector<PaperNumber>& numbers) {
  std::set<std::string> ids;
  for (auto& number : numbers) {
    number.id = fmt::format("{}/{}/{}", number.table.empty() ? name : number.table, number.arm, number.metric);
    for (const auto& [key, value] : number.at) {
      number.id += fmt::format("{}{}={}", number.id.find('@') == std::string::npos ? "@" : ",", key, format_parameter(value));
    }
    if (!ids.insert(number.id).second) {
      throw config_error(fmt::format("the paper's number '{}' is given twice", number.id));
    }
  }
}

/// A metric that is shown in percent is a share: 52 instead of 0.52 would be compared as 5200 %.
void check_shares(const ReportConfig& config) {
  const auto number_text = [](double v) { return format_exact(v, NumberFormat::kNumber); };
  for (const auto& number : config.paper) {
    const double most = number.value.high;
    if (config.metric(number.metric).format != NumberFormat::kPercent || most <= 1) continue;
    throw config_error(fmt::format("the paper's number '{}' is {} %", number.id, number_text(100 * most)), {},
                       fmt::format("'{}' is shown in percent, and its values are shares", number.metric),
                       fmt::format("write {} for {} %; if it can exceed 100 %, set metrics.{}.format: number", number_text(most / 100),
                                   number_text(most), number.metric));
  }
}

void add_figures(const Node& figures, bool check_plots, ReportConfig& out) {
  std::map<std::string, std::string> files;
  for (const auto& [id, node] : figures.as_map()) {
    if (id == "format" && !node.is_map()) {
      out.formats = read_figure_formats(node, "figures.format");
      continue;
    }
    if (id == "width" && !node.is_map()) {
      const auto width = node.is_string() ? node.as_string() : node.to_flow();
      if (width != "text" && width != "column") {
        throw config_error(fmt::format("'figures.width' cannot be {}", shortened(width)), node.origin().describe(), "choices: text, column",
                           suggestion(width, {"text", "column"}));
      }
      out.column_figures = width == "column";
      continue;
    }
    if (check_plots) check_id("figure", id, node, files);
    out.figures.push_back(read_figure(id, node, check_plots));
  }
}

}  // namespace

ReportConfig ReportConfig::read(const Node& experiment, bool check_plots, std::vector<MetricDoc> docs) {
  ReportConfig out;
  out.describe(experiment, std::move(docs));
  std::string name = "results";
  if (const Node* n = experiment.find("name"); n && n->is_string()) name = n->as_string();
  if (const Node* t = experiment.find("title"); t && t->is_string()) out.title = t->as_string();
  if (out.title.empty()) out.title = name;
  if (const Node* q = experiment.find("question"); q && q->is_string()) out.question = q->as_string();
  const auto arms = keys_of(map_at(experiment, "arms"));
  out.labels = read_arm_labels(experiment, arms);
  out.parameters = read_parameter_titles(experiment);
  out.report = read_report_params(experiment);
  if (const Node* tables = map_at(experiment, "tables")) {
    std::map<std::string, std::string> files;
    for (const auto& [id, node] : tables->as_map()) {
      const std::string path = "tables." + id;
      if (check_plots) check_id("table", id, node, files);
      auto table = read_checked<TableSpec>(node, path);
      table.id = id;
      if (table.label.empty()) table.label = id;
      for (const auto& arm : table.arms) check_arm(arm, arms, path + ".arms", node);
      for (std::size_t i = 0; i < table.column_nodes_.size(); ++i) {
        table.columns.push_back(read_column(table.column_nodes_[i], fmt::format("{}.columns.{}", path, i)));
      }
      if (table.columns.empty()) {
        throw config_error(fmt::format("'{}' has no columns", path), node.origin().describe(), {},
                           "list the metrics to show, for example columns: [test/accuracy]");
      }
      if (table.across == TableSpec::Across::kArms) check_arms_across(table, node, path);
      table.latex = read_table_latex(table.latex_node_, out.report.latex, table.columns, path);
      if (table.compare_node_.size() > 0) table.compare = read_compare(table.compare_node_, arms, path);
      out.tables.push_back(std::move(table));
    }
  }
  add_numbers_of_tables(arms, out);
  if (const Node* paper = map_at(experiment, "paper")) add_numbers_of_paper(*paper, name, arms, out);
  set_number_ids(name, out.paper);
  check_shares(out);
  if (const Node* figures = map_at(experiment, "figures")) add_figures(*figures, check_plots, out);
  return out;
}

void ReportConfig::describe(const Node& experiment, std::vector<MetricDoc> documented) {
  docs = std::move(documented);
  metrics.clear();
  if (const Node* written = map_at(experiment, "metrics")) {
    for (const auto& [key, node] : written->as_map()) metrics[key] = read_metric(metric(key), node, "metrics." + key);
  }
}

MetricInfo ReportConfig::metric(const std::string& name) const {
  const auto found = metrics.find(name);
  MetricInfo info = found == metrics.end() ? default_metric_info(name) : found->second;
  const auto doc = std::find_if(docs.begin(), docs.end(), [&](const MetricDoc& each) { return each.name == name; });
  if (found == metrics.end() && doc != docs.end()) {
    info.title = doc->title;
    info.unit = doc->unit;
    info.better = doc->better.value_or(info.better);
    info.format = doc->format.value_or(info.format);
    info.tabulated = doc->tabulated;
  }
  if (info.title.empty()) info.title = name;
  return info;
}

std::string ReportConfig::arm_label(const std::string& arm) const {
  const auto found = labels.find(arm);
  return found == labels.end() ? arm : found->second;
}

const PaperNumber* ReportConfig::paper_number(const std::string& table, const std::string& arm, const std::string& metric,
                                              const Node::Map& point) const {
  const PaperNumber* best = nullptr;
  const auto rank = [](const PaperNumber& n) { return (n.own ? 1000 : 0) + n.at.size(); };
  for (const auto& number : paper) {
    if (number.arm != arm || number.metric != metric || !point_matches(number.at, point)) continue;
    if (number.own && number.table != table) continue;
    if (!best || rank(number) > rank(*best)) best = &number;
  }
  return best;
}

}  // namespace yatlab
