#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/record/point_index.h"
#include "core/report/plot_tools.h"
#include "core/table/table.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// How much of a metric's variance over a sweep's points each single parameter explains: the variance of the metric's means given the
/// parameter, divided by the variance over all points (the main effects of an analysis of variance). One panel for each arm.
class SweepImportancePlot final : public Plot {
 public:
  struct Params {
    std::string metric;
    std::vector<std::string> arms;
    Node at = Node::map();
    static void declare(Fields& f, Params& p) {
      f.field("metric", p.metric, "metric whose variance is explained").required();
      f.field("arms", p.arms, "which arms; empty: all");
      f.map("at", p.at, "only these points, as {parameter: value}");
    }
  };
  explicit SweepImportancePlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{p_.metric}, {}, {}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    const ReportConfig& config = *request.config;
    const auto points = plot_points(run, p_.at);
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    std::size_t without = 0;
    SeedsSeen seeds;
    NotFinite not_finite;
    for (const auto& arm : plot_arms(run, p_.arms)) {
      std::vector<Node::Map> at;
      std::vector<double> values;
      for (const auto& point : arm_points(run, config, arm, points, {})) {
        const auto sample = run.sample(arm, point, p_.metric);
        without += sample.values.empty();
        if (!sample.not_finite.empty()) not_finite.add(fmt::format("{}, {}", config.arm_label(arm), rest_label(config, point, {})), sample);
        if (sample.values.empty()) continue;
        seeds.add(sample.seeds);
        at.push_back(point);
        values.push_back(mean(sample.values));
      }
      if (values.size() < 3 || *std::max_element(values.begin(), values.end()) == *std::min_element(values.begin(), values.end())) continue;
      Panel panel;
      panel.title = plain_text(config.arm_label(arm));
      panel.y.percent = true;
      panel.y.min = 0;
      panel.y.max = 1;
      panel.y.label = "share of the variance";
      const auto titles = parameter_titles(run.swept, config.parameters);
      for (std::size_t i = 0; i < run.swept.size(); ++i) {
        const auto share = explained(at, values, run.swept[i]);
        if (share) panel.bars.push_back({titles[i], *share, {}, {}, 0});
      }
      std::stable_sort(panel.bars.begin(), panel.bars.end(), [](const Bar& a, const Bar& b) { return a.value > b.value; });
      panel.x.names = true;
      for (std::size_t i = 0; i < panel.bars.size(); ++i) panel.x.ticks.emplace_back(static_cast<double>(i), panel.bars[i].label);
      if (!panel.bars.empty()) figure.panels.push_back(std::move(panel));
    }
    if (figure.panels.empty()) throw plot_error(run, request, fmt::format("no arm has three points over which '{}' varies", p_.metric));
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.3 * static_cast<double>(figure.rows());
    figure.notes.push_back(
        "Main effects: the variance of the metric's mean at each value of a parameter, over that of all points; what is missing to 100 % "
        "is chance and what parameters do together.");
    figure.notes.push_back(seeds.text());
    figure.notes.push_back(not_finite.text());
    if (without > 0) figure.notes.push_back(fmt::format("Without {} that have no value.", without));
    return {std::move(figure)};
  }

 private:
  /// Nothing for a parameter that the arm's points do not have, or that has a single value.
  static std::optional<double> explained(const std::vector<Node::Map>& points, const std::vector<double>& values, const std::string& name) {
    DistinctValues distinct;
    std::vector<std::size_t> group;
    for (const auto& point : points) {
      const Node value = point_value(point, name);
      if (value.is_null()) return std::nullopt;
      group.push_back(distinct.add(value));
    }
    const auto& settings = distinct.values();
    if (settings.size() < 2) return std::nullopt;
    // Values that hardly repeat (a random search) would explain everything, so they are grouped into quarters.
    if (2 * settings.size() > points.size() && std::all_of(settings.begin(), settings.end(), [](const Node& v) { return v.is_number(); })) {
      std::vector<std::size_t> order(settings.size()), quarter(settings.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return settings[a].as_double() < settings[b].as_double(); });
      for (std::size_t i = 0; i < order.size(); ++i) quarter[order[i]] = 4 * i / order.size();
      for (auto& g : group) g = quarter[g];
    }
    const double all = mean(values);
    double total = 0, between = 0;
    for (const double v : values) total += (v - all) * (v - all);
    std::vector<std::vector<double>> grouped(settings.size());
    for (std::size_t i = 0; i < values.size(); ++i) grouped[group[i]].push_back(values[i]);
    for (const auto& of : grouped) {
      if (!of.empty()) between += static_cast<double>(of.size()) * (mean(of) - all) * (mean(of) - all);
    }
    return between / total;
  }

  Params p_;
};
YATLAB_REGISTER(Plot, SweepImportancePlot, "sweep_importance", "share of a metric's variance that each swept parameter explains");

}  // namespace yatlab
