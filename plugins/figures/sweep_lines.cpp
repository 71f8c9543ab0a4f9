#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/text.h"
#include "core/record/point_index.h"
#include "core/report/plot_tools.h"
#include "core/verdict/statistics.h"
#include "core/verdict/titles.h"

namespace yatlab {

/// Metrics against one swept parameter: one panel for each metric, one line for each arm and value of further
/// parameters, with the standard deviation over seeds as error bars. Values that a log axis spreads evenly get one; ticks stand at what was
/// run, crosses at the top where seeds diverged.
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
      f.field("x", p.x, "swept parameter along the axis").required();
      f.field("metrics", p.metrics, "one panel each").required();
      f.field("arms", p.arms, "which arms; empty: all");
      f.field("log_x", p.log_x, "logarithmic parameter; null: where that spreads its values more evenly, or they span a factor of 30");
      f.field("log_y", p.log_y, "logarithmic values");
      f.map("at", p.at, "only these points, as {parameter: value}");
      f.field("reference", p.reference,
              "a value that does not change, {metric, label, panel}, or a list of them: dotted, named at the right edge");
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
    DistinctValues distinct;
    for (const auto& point : points) {
      const Node x = point_value(point, p_.x);
      if (!x.is_null()) distinct.add(x);
    }
    const auto& xs = distinct.values();
    if (xs.empty()) throw plot_error(run, request, fmt::format("'{}' applies to none of its points", p_.x));
    const bool numeric = std::all_of(xs.begin(), xs.end(), [](const Node& v) { return v.is_number(); });
    std::vector<double> places;
    for (std::size_t i = 0; i < xs.size(); ++i) places.push_back(numeric ? xs[i].as_double() : static_cast<double>(i));

    std::vector<std::size_t> order(xs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });

    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    const auto arms = plot_arms(run, p_.arms);
    SeedsSeen seeds;
    std::vector<std::string> diverged;  // they leave no point, or one of fewer seeds
    NotFinite not_finite;
    for (const auto& metric : p_.metrics) {
      Panel panel;
      const auto info = request.config->metric(metric);
      panel.x.label = parameter_title(p_.x, request.config->parameters);
      panel.y.label = axis_title(*request.config, metric);
      panel.y.percent = is_percent(info.format);
      panel.y.log = p_.log_y;
      panel.y.robust = true;
      panel.x.log = numeric && p_.log_x.value_or(wants_log_places(places));
      if (!numeric) {
        for (std::size_t i = 0; i < xs.size(); ++i) panel.x.ticks.emplace_back(places[i], format_parameter(xs[i]));
        panel.x.min = -0.5;
        panel.x.max = static_cast<double>(xs.size()) - 0.5;
      } else if (panel.x.log || xs.size() <= 8) {
        for (std::size_t i = 0; i < xs.size(); ++i) panel.x.ticks.emplace_back(places[i], format_parameter(xs[i]));
        panel.x.ticks = place_ticks(std::move(panel.x.ticks), panel.x.log, 2.5);
      }
      std::vector<Line> crosses;
      bool any_diverged = false, any_not_finite = false;
      int color = 0;
      for (const auto& arm : arms) {
        for (const auto& [rest, own] : by_rest(*request.config, arm_points(run, *request.config, arm, points, {}))) {
          // An arm that lacks the parameter is the same along the whole axis: no marks, it was not run there.
          const bool constant = std::all_of(own.begin(), own.end(), [&](const auto& point) { return point_value(point, p_.x).is_null(); });
          Line line;
          line.color = color++;
          line.markers = line.error_bars = !constant;
          line.stroke = true;
          Line cross;
          cross.color = line.color;
          cross.at_top = cross.markers = true;
          cross.stroke = false;
          cross.marker = Marker::kCross;
          std::vector<std::string> label;
          if (arms.size() > 1 || rest.empty()) label.push_back(request.config->arm_label(arm));
          if (!rest.empty()) label.push_back(rest);
          line.label = join(label, ", ");
          std::vector<std::vector<const Node::Map*>> along(xs.size());
          for (const auto& point : own) {
            for (std::size_t i = 0; constant && i < xs.size(); ++i) along[i].push_back(&point);
            if (!constant) along[*distinct.find(point_value(point, p_.x))].push_back(&point);
          }
          for (const auto i : order) {
            for (const auto* point : along[i]) {
              const auto sample = run.sample(arm, *point, metric);
              if (sample.only_survivors()) cross.x.push_back(places[i]);
              const std::string at = constant ? "" : " at " + titled_value(panel.x.label, xs[i]);
              not_finite.add(join(label, ", ") + at, sample);
              any_not_finite = any_not_finite || !sample.not_finite.empty();
              if (sample.diverged > 0) {
                any_diverged = true;
                const std::string where = fmt::format("{}{} ({} of {})", join(label, ", "), at, sample.diverged, sample.planned);
                if (std::find(diverged.begin(), diverged.end(), where) == diverged.end()) diverged.push_back(where);
              }
              if (sample.values.empty()) continue;
              seeds.add(sample.seeds);
              const double m = mean(sample.values), s = sample_std(sample.values).value_or(0);
              line.x.push_back(places[i]);
              line.y.push_back(m);
              line.low.push_back(m - s);
              line.high.push_back(m + s);
            }
          }
          // An arm that diverged everywhere is named all the same.
          if (!line.x.empty() || !cross.x.empty()) panel.lines.push_back(std::move(line));
          if (!cross.x.empty()) crosses.push_back(std::move(cross));
        }
      }
      if (!crosses.empty()) {
        Line sample;  // for the legend
        sample.label = !any_not_finite ? "diverged" : any_diverged ? "diverged or not finite" : "not finite";
        sample.rgb = "#444444";
        sample.markers = true;
        sample.stroke = false;
        sample.marker = Marker::kCross;
        for (auto& cross : crosses) panel.lines.push_back(std::move(cross));
        panel.lines.push_back(std::move(sample));
      }
      panel.legend = panel.lines.size() > 1 ? Legend::kBelow : Legend::kNone;
      add_references(panel, run, request, references_, metric);
      figure.panels.push_back(std::move(panel));
    }
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.4 * static_cast<double>(figure.rows());
    figure.notes.push_back(seeds.text("; bars: one standard deviation"));
    figure.notes.push_back(not_finite.text());
    if (!diverged.empty()) figure.notes.push_back(fmt::format("Diverged: {}.", join(diverged, "; ")));
    return {std::move(figure)};
  }

 private:
  /// Points that differ in the parameter of the axis alone, by what they have in common.
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
