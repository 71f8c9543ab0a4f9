#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/report/plot_tools.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

/// A metric against a parameter that each arm sets itself: one point per arm, with its 95 % interval (Wilson's, if each seed either succeeds or
/// fails), joined by lines. Arms without the parameter are drawn as horizontal levels with their intervals.
class ParameterLinesPlot final : public Plot {
 public:
  struct Params {
    std::string x;
    std::string metric;
    std::vector<std::string> arms, references;
    std::optional<bool> log_x;
    static void declare(Fields& f, Params& p) {
      f.field("x", p.x, "config key of the parameter on the x axis, as in the arms' configs: operator.epsilon").required();
      f.field("metric", p.metric, "metric on the y axis").required();
      f.field("arms", p.arms, "arms along the x axis").required();
      f.field("references", p.references, "arms shown as horizontal levels");
      f.field("log_x", p.log_x, "logarithmic x axis; null: when its values span a factor of 30");
    }
  };
  explicit ParameterLinesPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override {
    auto arms = p_.arms;
    arms.insert(arms.end(), p_.references.begin(), p_.references.end());
    return {{p_.metric}, {}, {}, arms, p_.x};
  }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    const ReportConfig& config = *request.config;
    const auto info = config.metric(p_.metric);
    Panel panel;
    panel.x.label = parameter_title(p_.x, config.parameters);
    panel.y.label = axis_title(config, p_.metric);
    panel.y.percent = is_percent(info.format);
    if (info.share) {
      panel.y.min = -0.03;  // keeps 0 and 1 visible
      panel.y.max = 1.03;
    }
    Measured measured{run, config, info, p_.metric, plot_points(run, Node()).front()};
    std::vector<Place> places;
    std::vector<double> xs;
    for (const auto& arm : plot_arms(run, p_.arms)) {
      auto place = measured.of_arm(arm);
      if (!place) continue;
      place->x = parameter(run, request, arm, measured.point);
      xs.push_back(place->x);
      places.push_back(*place);
    }
    if (places.empty()) throw plot_error(run, request, "no arm along its axis has a value");
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
    panel.x.log = p_.log_x.value_or(wants_log(xs));
    const double low = places.front().x, high = places.back().x;
    const double margin = panel.x.log ? std::pow(high / low, 0.06) : 0.06 * (high - low);
    if (low < high) {
      panel.x.min = panel.x.log ? low / margin : low - margin;
      panel.x.max = panel.x.log ? high * margin : high + margin;
    }
    panel.lines.push_back(curve(places));
    panel.lines.back().label = common_label(config, plot_arms(run, p_.arms));
    add_levels(panel, measured, low, high);
    panel.legend = panel.lines.size() > 1 ? Legend::kBottomLeft : Legend::kNone;
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    figure.height = 2.3;
    if (measured.most > 1)
      figure.notes.push_back(
          fmt::format("n = {}; bars and bands: 95 % {} intervals.", measured.most, info.share ? "Wilson" : "confidence"));
    figure.notes.push_back(measured.not_finite.text());
    figure.panels.push_back(std::move(panel));
    return {std::move(figure)};
  }

 private:
  struct Place {
    double x, value;
    Interval interval;
  };

  /// Means of arms, and the figure's notes about them.
  struct Measured {
    const RunView& run;
    const ReportConfig& config;
    const MetricInfo& info;
    const std::string& metric;
    Node::Map point;
    std::size_t most = 0;  ///< largest number of seeds of an arm
    NotFinite not_finite = {};

    /// The arm's mean and interval, without the parameter; nothing if the arm has no value.
    std::optional<Place> of_arm(const std::string& arm) {
      const auto sample = run.sample(arm, point, metric);
      not_finite.add(config.arm_label(arm), sample);
      if (sample.values.empty()) return std::nullopt;
      most = std::max(most, sample.values.size());
      const double m = mean(sample.values);
      return Place{0, m, reported_interval(sample.values, info.share).value_or(Interval{m, m})};
    }
  };

  static Line curve(const std::vector<Place>& places) {
    Line line;
    line.markers = line.error_bars = true;
    for (const auto& place : places) {
      line.x.push_back(place.x);
      line.y.push_back(place.value);
      line.low.push_back(place.interval.low);
      line.high.push_back(place.interval.high);
    }
    return line;
  }

  /// The references, across the whole panel. Equal levels are drawn once, with several names.
  void add_levels(Panel& panel, Measured& measured, double low, double high) const {
    std::vector<std::pair<Place, std::vector<std::string>>> levels;
    for (const auto& arm : p_.references) {
      const bool known = std::find(measured.run.arms.begin(), measured.run.arms.end(), arm) != measured.run.arms.end();
      const auto place = known ? measured.of_arm(arm) : std::nullopt;
      if (!place) continue;
      const auto same = std::find_if(levels.begin(), levels.end(), [&](const auto& l) {
        return l.first.value == place->value && l.first.interval.high == place->interval.high;
      });
      if (same == levels.end()) {
        levels.push_back({*place, {measured.config.arm_label(arm)}});
      } else {
        same->second.push_back(measured.config.arm_label(arm));
      }
    }
    int color = 1;
    for (const auto& [place, names] : levels) {
      Line level;
      level.label = join(names, ", ");
      level.x = {panel.x.min.value_or(low), panel.x.max.value_or(high)};
      level.y = {place.value, place.value};
      level.low = {place.interval.low, place.interval.low};
      level.high = {place.interval.high, place.interval.high};
      level.color = color++;
      level.dash = 2;
      panel.lines.push_back(std::move(level));
    }
  }

  double parameter(const RunView& run, const PlotRequest& request, const std::string& arm, const Node::Map& point) const {
    const JobView& job = plot_job(run, arm, point, std::nullopt);
    const auto config = run.config_of(job);
    const Node* value = config ? config->find_path(p_.x) : nullptr;
    if (!value || !value->is_number())
      throw plot_error(run, request, fmt::format("arm '{}' has no numeric value for '{}'", arm, p_.x),
                       "list arms without it under 'references'");
    return value->as_double();
  }

  // The common beginning of the arms' labels: "ⵟ" of "ⵟ, ε=0.1" and "ⵟ, ε=1".
  static std::string common_label(const ReportConfig& config, const std::vector<std::string>& arms) {
    std::string common = config.arm_label(arms.front());
    for (const auto& arm : arms) {
      const std::string label = config.arm_label(arm);
      const auto end = std::mismatch(common.begin(), common.end(), label.begin(), label.end()).first;
      common.erase(end, common.end());
    }
    const auto comma = common.find(',');
    return comma == std::string::npos ? trim(common) : trim(common.substr(0, comma));
  }

  Params p_;
};
YATLAB_REGISTER(Plot, ParameterLinesPlot, "parameter_lines",
                "a metric against a parameter that arms set, with intervals, and other arms as horizontal levels");

}  // namespace
}  // namespace yatlab
