#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/text.h"
#include "core/record/point_index.h"
#include "core/report/plot_tools.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// Metrics against one swept parameter: one panel for each metric, one line for each arm and value of further
/// parameters, with the standard deviation over seeds as error bars. The axis is logarithmic if that spaces the values evenly. Ticks mark the
/// values that were run, crosses at the top those where seeds diverged.
class SweepLinesPlot final : public Plot {
 public:
  struct Params {
    std::string x;
    std::vector<std::string> metrics, arms;
    std::optional<bool> log_x;
    bool log_y = false;
    Node at = Node::map();
    Node reference;
    static void declare(Fields& f, Params& p) {
      f.field("x", p.x, "swept parameter along the x axis").required();
      f.field("metrics", p.metrics, "metrics to plot, one panel each").required();
      f.field("arms", p.arms, "which arms; empty: all");
      f.field("log_x", p.log_x, "logarithmic x axis; null: where that spreads the values more evenly, or they span a factor of 30");
      f.field("log_y", p.log_y, "logarithmic y axis");
      f.map("at", p.at, "only these points, as {parameter: value}");
      f.field("reference", p.reference, "a constant value, {metric, label, panel}, or a list of them: dotted, labelled at the right edge");
    }
  };
  explicit SweepLinesPlot(const Params& p) : p_(p), references_(read_references(p.reference)) {}

  PlotNeeds needs() const override {
    PlotNeeds out{p_.metrics, {}, {}, p_.arms};
    for (const auto& reference : references_) out.results.push_back(reference.metric);
    return out;
  }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    require_swept(run, request, {p_.x});
    const auto points = plot_points(run, p_.at);
    const auto axis = swept_axis(run, request, points);
    const auto arms = plot_arms(run, p_.arms);
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    Notes notes;
    for (const auto& metric : p_.metrics) figure.panels.push_back(draw_panel({run, request, points, arms, axis, metric}, notes));
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.4 * static_cast<double>(figure.rows());
    figure.notes.push_back(notes.seeds.text("; bars: one standard deviation"));
    figure.notes.push_back(notes.not_finite.text());
    if (!notes.diverged.empty()) figure.notes.push_back(fmt::format("Diverged: {}.", join(notes.diverged, "; ")));
    return {std::move(figure)};
  }

 private:
  /// The values of the swept parameter, and their positions.
  struct SweptAxis {
    DistinctValues distinct;
    bool numeric = false;
    std::vector<double> places;
    std::vector<std::size_t> order;  ///< indices of the values, from left to right
    const std::vector<Node>& values() const { return distinct.values(); }
  };
  /// The contents of one panel.
  struct Shown {
    const RunView& run;
    const PlotRequest& request;
    const std::vector<Node::Map>& points;
    const std::vector<std::string>& arms;
    const SweptAxis& axis;
    const std::string& metric;
    const ReportConfig& config() const { return *request.config; }
  };
  /// The contents of one line.
  struct Group {
    std::string arm, label;
    const std::vector<Node::Map>& points;
    int color;
  };
  /// The notes below the figure.
  struct Notes {
    SeedsSeen seeds;
    std::vector<std::string> diverged;  // they have no point, or one of fewer seeds
    NotFinite not_finite;
  };
  /// Marks at the top of a panel, one row of them for each arm.
  struct Crosses {
    std::vector<Line> lines;
    bool any_diverged = false, any_not_finite = false;
  };

  SweptAxis swept_axis(const RunView& run, const PlotRequest& request, const std::vector<Node::Map>& points) const {
    SweptAxis out;
    for (const auto& point : points) {
      const Node x = point_value(point, p_.x);
      if (!x.is_null()) out.distinct.add(x);
    }
    const auto& xs = out.values();
    if (xs.empty()) throw plot_error(run, request, fmt::format("'{}' does not apply to any of its points", p_.x));
    // A line between two values, or between names, would claim what lies between them.
    const bool numbers = std::all_of(xs.begin(), xs.end(), [](const Node& v) { return v.is_number(); });
    out.numeric = numbers && xs.size() > 2;
    for (std::size_t i = 0; i < xs.size(); ++i) out.places.push_back(out.numeric ? xs[i].as_double() : static_cast<double>(i));
    if (numbers && xs.size() == 2 && xs[0].as_double() > xs[1].as_double()) std::swap(out.places[0], out.places[1]);
    out.order.resize(xs.size());
    std::iota(out.order.begin(), out.order.end(), std::size_t{0});
    std::sort(out.order.begin(), out.order.end(), [&](std::size_t i, std::size_t k) { return out.places[i] < out.places[k]; });
    return out;
  }

  Panel draw_panel(const Shown& shown, Notes& notes) const {
    Panel panel = empty_panel(shown);
    Crosses crosses;
    int color = 0;
    for (const auto& arm : shown.arms) {
      for (const auto& [rest, own] : by_rest(shown.config(), arm_points(shown.run, shown.config(), arm, shown.points, {}))) {
        std::vector<std::string> label;
        if (shown.arms.size() > 1 || rest.empty()) label.push_back(shown.config().arm_label(arm));
        if (!rest.empty()) label.push_back(rest);
        add_line(shown, {arm, join(label, ", "), own, color++}, panel, crosses, notes);
      }
    }
    if (!shown.axis.numeric) {
      for (auto* lines : {&panel.lines, &crosses.lines}) set_apart(*lines, color);
    }
    if (!crosses.lines.empty()) add_crosses(std::move(crosses), panel);
    panel.legend = panel.lines.size() > 1 ? Legend::kBelow : Legend::kNone;
    add_references(panel, shown.run, shown.request, references_, shown.metric);
    return panel;
  }

  /// Moves the marks of `arms` arms apart, about the place of their value.
  static void set_apart(std::vector<Line>& lines, int arms) {
    const double step = std::min(0.08, 0.6 / arms);
    for (auto& line : lines) {
      if (line.stroke) continue;
      for (auto& x : line.x) x += (line.color - (arms - 1) / 2.0) * step;
    }
  }

  Panel empty_panel(const Shown& shown) const {
    Panel panel;
    const auto& [distinct, numeric, places, order] = shown.axis;
    const auto& xs = distinct.values();
    panel.x.label = parameter_title(p_.x, shown.config().parameters);
    panel.y.label = axis_title(shown.config(), shown.metric);
    panel.y.percent = is_percent(shown.config().metric(shown.metric).format);
    panel.y.log = p_.log_y;
    panel.y.robust = true;
    panel.x.log = numeric && p_.log_x.value_or(wants_log_places(places));
    if (!numeric || panel.x.log || xs.size() <= 8) {
      for (std::size_t i = 0; i < xs.size(); ++i) panel.x.ticks.emplace_back(places[i], format_parameter(xs[i]));
    }
    panel.x.names = !numeric;
    if (!numeric) {
      panel.x.min = -0.5;
      panel.x.max = static_cast<double>(xs.size()) - 0.5;
    } else if (!panel.x.ticks.empty()) {
      panel.x.ticks = place_ticks(std::move(panel.x.ticks), panel.x.log, 2.5);
    }
    return panel;
  }

  void add_line(const Shown& shown, const Group& group, Panel& panel, Crosses& crosses, Notes& notes) const {
    const auto& axis = shown.axis;
    const std::size_t n = axis.values().size();
    // An arm without the parameter is constant along the axis: no marks, as it was not run there.
    const bool constant =
        std::all_of(group.points.begin(), group.points.end(), [&](const auto& point) { return point_value(point, p_.x).is_null(); });
    std::vector<std::vector<const Node::Map*>> along(n);
    for (const auto& point : group.points) {
      for (std::size_t i = 0; constant && i < n; ++i) along[i].push_back(&point);
      if (!constant) along[*axis.distinct.find(point_value(point, p_.x))].push_back(&point);
    }
    Line line;
    line.color = group.color;
    line.markers = line.error_bars = !constant;
    line.stroke = axis.numeric || constant;
    line.label = group.label;
    Line cross = cross_marks();
    cross.color = line.color;
    cross.at_top = true;
    for (const auto i : axis.order) {
      for (const auto* point : along[i]) {
        const auto sample = shown.run.sample(group.arm, *point, shown.metric);
        if (sample.only_survivors()) cross.x.push_back(axis.places[i]);
        const std::string at = constant ? "" : " at " + titled_value(panel.x.label, axis.values()[i]);
        add_notes(sample, group.label, at, crosses, notes);
        if (sample.values.empty()) continue;
        const double m = mean(sample.values), s = sample_std(sample.values).value_or(0);
        line.x.push_back(axis.places[i]);
        if (!axis.numeric) line.categories.push_back(format_parameter(axis.values()[i]));
        line.y.push_back(m);
        line.low.push_back(m - s);
        line.high.push_back(m + s);
      }
    }
    // An arm that diverged everywhere is still named.
    if (!line.x.empty() || !cross.x.empty()) panel.lines.push_back(std::move(line));
    if (!cross.x.empty()) crosses.lines.push_back(std::move(cross));
  }

  /// `at`: the position on the axis; empty for a constant line.
  static void add_notes(const Sample& sample, const std::string& label, const std::string& at, Crosses& crosses, Notes& notes) {
    notes.not_finite.add(label + at, sample);
    crosses.any_not_finite = crosses.any_not_finite || !sample.not_finite.empty();
    if (sample.diverged > 0) {
      crosses.any_diverged = true;
      const std::string where = fmt::format("{}{} ({} of {})", label, at, sample.diverged, sample.planned);
      if (std::find(notes.diverged.begin(), notes.diverged.end(), where) == notes.diverged.end()) notes.diverged.push_back(where);
    }
    if (!sample.values.empty()) notes.seeds.add(sample.seeds);
  }

  static Line cross_marks() {
    Line out;
    out.markers = true;
    out.stroke = false;
    out.marker = Marker::kCross;
    return out;
  }

  /// Call it after all lines were added; adds a legend entry.
  static void add_crosses(Crosses crosses, Panel& panel) {
    Line entry = cross_marks();
    entry.label = !crosses.any_not_finite ? "diverged" : crosses.any_diverged ? "diverged or not finite" : "not finite";
    entry.rgb = "#444444";
    for (auto& cross : crosses.lines) panel.lines.push_back(std::move(cross));
    panel.lines.push_back(std::move(entry));
  }

  /// Groups points that differ only in the axis parameter, keyed by the values of their other parameters.
  std::vector<std::pair<std::string, std::vector<Node::Map>>> by_rest(const ReportConfig& config,
                                                                      const std::vector<Node::Map>& points) const {
    std::vector<std::pair<std::string, std::vector<Node::Map>>> out;
    for (const auto& point : points) {
      const auto rest = rest_label(config, point, {p_.x});
      auto found = std::find_if(out.begin(), out.end(), [&](const auto& entry) { return entry.first == rest; });
      if (found == out.end()) found = out.insert(out.end(), {rest, {}});
      found->second.push_back(point);
    }
    return out;
  }

  Params p_;
  std::vector<ReferenceLevel> references_;
};
YATLAB_REGISTER(Plot, SweepLinesPlot, "sweep_lines", "metrics against one swept parameter, mean and std over seeds");

}  // namespace yatlab
