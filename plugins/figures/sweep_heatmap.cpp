#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/report/plot_tools.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// A sweep of two parameters: one panel for each metric, arm and value of further parameters; colour is the mean over
/// seeds, each cell prints mean and standard deviation.
class SweepHeatmapPlot final : public Plot {
 public:
  struct Params {
    std::string x, y;
    std::vector<std::string> metrics, arms;
    Node at = Node::map();
    static void declare(Fields& f, Params& p) {
      f.field("x", p.x, "swept parameter along the horizontal axis").required();
      f.field("y", p.y, "swept parameter along the vertical axis").required();
      f.field("metrics", p.metrics, "metrics to plot, one panel each").required();
      f.field("arms", p.arms, "which arms; empty: all");
      f.map("at", p.at, "only these points, as {parameter: value}");
    }
  };
  explicit SweepHeatmapPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {p_.metrics, {}, {}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    require_swept(run, request, {p_.x, p_.y});
    const auto points = plot_points(run, p_.at);
    std::vector<Node> xs, ys;
    for (const auto& point : points) {
      add(xs, point_value(point, p_.x));
      add(ys, point_value(point, p_.y));
    }
    const auto arms = plot_arms(run, p_.arms);
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    SeedsSeen seeds;
    NotFinite not_finite;
    for (const auto& metric : p_.metrics) {
      const auto first = figure.panels.size();
      for (const auto& arm : arms) {
        std::vector<std::string> rests;
        for (const auto& point : arm_points(run, *request.config, arm, points, {})) {
          const auto rest = rest_label(*request.config, point, {p_.x, p_.y});
          if (point_value(point, p_.x).is_null() && point_value(point, p_.y).is_null()) {
            figure.notes.push_back(constant(run, *request.config, metric, arm, point, rest));
            not_finite.add(request.config->arm_label(arm), run.sample(arm, point, metric));
          } else if (std::find(rests.begin(), rests.end(), rest) == rests.end()) {
            rests.push_back(rest);
          }
        }
        for (const auto& rest : rests) {
          Panel panel;
          std::vector<std::string> title = {metric_title(*request.config, metric)};
          if (arms.size() > 1) title.push_back(request.config->arm_label(arm));
          if (!rest.empty()) title.push_back(rest);
          panel.title = join(title, ", ");
          fill(panel, run, *request.config, metric, arm, rest, points, xs, ys, seeds, not_finite);
          figure.panels.push_back(std::move(panel));
        }
      }
      share_colors(figure.panels, first, is_percent(request.config->metric(metric).format));
    }
    if (figure.panels.empty()) throw plot_error(run, request, fmt::format("'{}' and '{}' do not apply to any of its arms", p_.x, p_.y));
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    const bool wide = figure.columns == 2 || xs.size() > 5;
    figure.width = wide ? kDoubleColumn : kSingleColumn;
    // Cells that print their values need no colour bar; if the values do not fit, the bar replaces them.
    const double room = figure.width / static_cast<double>(figure.columns) - 0.8;
    double widest = 0;
    for (const auto& panel : figure.panels) {
      for (const auto& text : panel.heats[0].text) {
        for (const auto& part : split(text, '\n')) widest = std::max(widest, width_of(part));
      }
    }
    const bool fits = widest + 0.03 <= room / static_cast<double>(xs.size());
    for (auto& panel : figure.panels) {
      panel.colors.bar = !fits;
      if (!fits) panel.heats[0].text.clear();
    }
    figure.height = (0.85 + 0.36 * static_cast<double>(std::max<std::size_t>(ys.size(), 3))) * static_cast<double>(figure.rows());
    figure.notes.push_back(not_finite.text());
    figure.notes.insert(figure.notes.begin(), seeds.text("; ±: one standard deviation"));
    return {std::move(figure)};
  }

 private:
  // Width in inches of digits and signs in DejaVu Sans at the figure's font size.
  static double width_of(const std::string& text) {
    double em = 0;
    for (char c : text) {
      const auto u = static_cast<unsigned char>(c);
      em += c == '.' ? 0.318 : u < 0x80 ? 0.636 : 0.42;  // plus-minus and minus take two or three bytes
    }
    return em * kFontSize / 72;
  }

  // Ascending if all are numbers, else in the plan's order.
  static void add(std::vector<Node>& values, const Node& value) {
    if (value.is_null()) return;
    for (const auto& known : values) {
      if (known == value) return;
    }
    values.push_back(value);
    if (std::all_of(values.begin(), values.end(), [](const Node& v) { return v.is_number(); })) {
      std::sort(values.begin(), values.end(), [](const Node& a, const Node& b) { return a.as_double() < b.as_double(); });
    }
  }

  /// The note about an arm that has neither parameter.
  static std::string constant(const RunView& run, const ReportConfig& config, const std::string& metric, const std::string& arm,
                              const Node::Map& point, const std::string& rest) {
    const auto sample = run.sample(arm, point, metric);
    const auto info = config.metric(metric);
    const auto spread = sample_std(sample.values);
    std::string value = "no value";
    if (!sample.values.empty()) {
      const int decimals = decimals_for(info.format, spread ? std::vector<double>{*spread} : std::vector<double>{}, {mean(sample.values)});
      value = format_value(mean(sample.values), info.format, decimals);
      const auto plain = is_percent(info.format) ? NumberFormat::kPercent : NumberFormat::kNumber;
      if (spread) value += " ± " + format_value(*spread, plain, decimals);
      value += unit(info.format);
    }
    return fmt::format("{}{}, which neither parameter changes, {}: {}.", config.arm_label(arm), rest.empty() ? "" : ", " + rest,
                       metric_title(config, metric), value);
  }

  /// Gives the panels from `first` on, which show one metric, a common scale, so that a colour means the same value in each.
  static void share_colors(std::vector<Panel>& panels, std::size_t first, bool percent) {
    std::vector<double> all;
    for (std::size_t i = first; i < panels.size(); ++i)
      all.insert(all.end(), panels[i].heats[0].values.begin(), panels[i].heats[0].values.end());
    ColorScale colors;
    std::tie(colors.min, colors.max) = finite_limits(all);
    colors.map = colors.min < 0 && colors.max > 0 ? ColorMap::kDiverging : ColorMap::kSequential;
    if (colors.map == ColorMap::kDiverging) std::tie(colors.min, colors.max) = robust_symmetric_limits(all, 1);
    colors.percent = percent;
    for (std::size_t i = first; i < panels.size(); ++i) panels[i].colors = colors;
  }

  void fill(Panel& panel, const RunView& run, const ReportConfig& config, const std::string& metric, const std::string& arm,
            const std::string& rest, const std::vector<Node::Map>& points, const std::vector<Node>& xs, const std::vector<Node>& ys,
            SeedsSeen& seeds, NotFinite& not_finite) const {
    const auto info = config.metric(metric);
    panel.grid = false;
    panel.x.visible = panel.y.visible = false;
    const auto titles = parameter_titles({p_.x, p_.y}, config.parameters);
    panel.x.label = titles[0];
    panel.y.label = titles[1];
    Heat heat;
    heat.rows = ys.size();
    heat.columns = xs.size();
    heat.values.assign(heat.rows * heat.columns, kNaN);
    heat.text.assign(heat.values.size(), "");
    std::vector<std::optional<double>> spread(heat.values.size());
    std::vector<double> stds;
    std::vector<std::string> instead(heat.values.size()), fewer(heat.values.size());  // texts in place of a value; texts beside one
    for (const auto& point : points) {
      // An arm without one of the two parameters has equal cells along it.
      const auto own = run.point_of(arm, point);
      if (!own || rest_label(config, *own, {p_.x, p_.y}) != rest) continue;
      const auto x = std::find(xs.begin(), xs.end(), point_value(point, p_.x)) - xs.begin();
      const auto y = std::find(ys.begin(), ys.end(), point_value(point, p_.y)) - ys.begin();
      if (static_cast<std::size_t>(x) >= xs.size() || static_cast<std::size_t>(y) >= ys.size()) continue;
      const auto i = (heat.rows - 1 - static_cast<std::size_t>(y)) * heat.columns + static_cast<std::size_t>(x);
      const auto sample = run.sample(arm, point, metric);
      seeds.add(sample.seeds);
      heat.values[i] = mean(sample.values);
      spread[i] = sample_std(sample.values);
      if (spread[i]) stds.push_back(*spread[i]);
      if (!sample.not_finite.empty()) not_finite.add(fmt::format("{}, {}", config.arm_label(arm), rest_label(config, *own, {})), sample);
      if (sample.values.empty()) {
        instead[i] = sample.none_finite() ? "NaN" : sample.planned > 0 && sample.diverged == sample.planned ? "div." : "";
      } else if (!sample.not_finite.empty()) {
        fewer[i] = fmt::format("\nn = {}", sample.values.size());
      }
    }
    const int decimals = decimals_for(info.format, stds, heat.values);
    const auto plain = is_percent(info.format) ? NumberFormat::kPercent : NumberFormat::kNumber;
    for (std::size_t i = 0; i < heat.values.size(); ++i) {
      if (!std::isfinite(heat.values[i])) {
        heat.text[i] = instead[i];
        continue;
      }
      heat.text[i] = format_value(heat.values[i], info.format, decimals);
      if (spread[i]) heat.text[i] += "\n±" + format_value(*spread[i], plain, decimals);
      heat.text[i] += fewer[i];
    }
    panel.x.names = panel.y.names = true;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      panel.x.ticks.emplace_back(static_cast<double>(i), format_parameter(xs[i]));
    }
    for (std::size_t i = 0; i < ys.size(); ++i) {
      panel.y.ticks.emplace_back(static_cast<double>(i), format_parameter(ys[i]));
    }
    panel.heats.push_back(std::move(heat));
  }

  Params p_;
};
YATLAB_REGISTER(Plot, SweepHeatmapPlot, "sweep_heatmap", "two swept parameters as a heat map, mean and std in each cell");

}  // namespace yatlab
