#include <fmt/format.h>

#include <algorithm>

#include "core/record/point_index.h"
#include "core/report/plot_tools.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// The values of a search's trials against each single parameter: one panel for each parameter, one colour for each arm; crosses at the
/// top for trials without a value.
class SearchSlicesPlot final : public Plot {
 public:
  struct Params {
    std::vector<std::string> arms;
    static void declare(Fields& f, Params& p) { f.field("arms", p.arms, "which arms; empty: all"); }
  };
  explicit SearchSlicesPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    if (!run.search) throw plot_error(run, request, "the run is not a search", "use a sweeper that searches: sweeper=tpe");
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    for (const auto& parameter : run.swept) {
      auto panel = panel_of(run, *request.config, parameter);
      if (!panel.lines.empty()) figure.panels.push_back(std::move(panel));
    }
    if (figure.panels.empty()) throw plot_error(run, request, "no trial has a value yet");
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.4 * static_cast<double>(figure.rows());
    figure.notes.push_back("Each mark is a trial, its mean over seeds; crosses: without a value (pruned, diverged, failed, not finite).");
    return {std::move(figure)};
  }

 private:
  Panel panel_of(const RunView& run, const ReportConfig& config, const std::string& parameter) const {
    const auto& metric = run.search->metric;
    DistinctValues distinct;
    for (const auto& arm : plot_arms(run, p_.arms)) {
      for (const auto& point : run.points_of(arm)) {
        const Node value = point_value(point, parameter);
        if (!value.is_null()) distinct.add(value);
      }
    }
    const auto& values = distinct.values();
    const bool numeric = std::all_of(values.begin(), values.end(), [](const Node& v) { return v.is_number(); });
    const auto place_of = [&](const Node& value) { return numeric ? value.as_double() : static_cast<double>(*distinct.find(value)); };
    Panel panel;
    panel.x.label = parameter_title(parameter, config.parameters);
    panel.y.label = axis_title(config, metric);
    panel.y.percent = is_percent(config.metric(metric).format);
    panel.y.robust = true;
    if (numeric) {
      std::vector<double> places;
      for (const auto& value : values) places.push_back(value.as_double());
      panel.x.log = wants_log(places);
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) panel.x.ticks.emplace_back(static_cast<double>(i), format_parameter(values[i]));
      panel.x.names = true;
      panel.x.min = -0.5;
      panel.x.max = static_cast<double>(values.size()) - 0.5;
    }
    int color = 0;
    for (const auto& arm : plot_arms(run, p_.arms)) {
      Line trials, without;
      trials.label = config.arm_label(arm);
      trials.color = without.color = color++;
      trials.stroke = without.stroke = false;
      trials.markers = without.markers = without.at_top = true;
      without.marker = Marker::kCross;
      for (const auto& point : run.points_of(arm)) {
        const Node value = point_value(point, parameter);
        if (value.is_null()) continue;
        const auto sample = run.sample(arm, point, metric);
        if (sample.values.empty() || sample.values.size() + sample.unfinished < run.jobs_of(arm, point).size()) {
          without.x.push_back(place_of(value));
          continue;
        }
        trials.x.push_back(place_of(value));
        trials.y.push_back(mean(sample.values));
      }
      if (!trials.x.empty()) panel.lines.push_back(std::move(trials));
      if (!without.x.empty() && !panel.lines.empty()) panel.lines.push_back(std::move(without));
    }
    panel.legend = panel.lines.size() > 1 ? Legend::kBelow : Legend::kNone;
    return panel;
  }

  Params p_;
};
YATLAB_REGISTER(Plot, SearchSlicesPlot, "search_slices", "values of a search's trials against each parameter");

}  // namespace yatlab
