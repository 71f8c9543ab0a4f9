#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/figure/layout.h"
#include "core/report/plot_tools.h"
#include "core/table/table.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// Many swept parameters at once: one axis for each (and one for the arms), and one for a metric; one line for each arm and point, darker for
/// a better mean over seeds. An axis is logarithmic if that spaces its values evenly.
class SweepParallelPlot final : public Plot {
 public:
  struct Params {
    std::string metric;
    std::vector<std::string> parameters, arms;
    std::int64_t most = 300;
    Node at = Node::map();
    static void declare(Fields& f, Params& p) {
      f.field("metric", p.metric, "metric that colours the lines; the last axis").required();
      f.field("parameters", p.parameters, "parameters to show, from left to right; empty: all that were swept");
      f.field("arms", p.arms, "which arms; empty: all");
      f.field("most", p.most, "maximum number of lines; the best are drawn").positive();
      f.map("at", p.at, "only these points, as {parameter: value}");
    }
  };
  explicit SweepParallelPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{p_.metric}, {}, {}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    const ReportConfig& config = *request.config;
    const auto info = config.metric(p_.metric);
    const auto arms = plot_arms(run, p_.arms);
    const auto points = plot_points(run, p_.at);
    const auto parameters = p_.parameters.empty() ? run.swept : p_.parameters;
    require_swept(run, request, parameters);
    if (parameters.empty()) throw plot_error(run, request, "the run is not a sweep");
    auto found = find_tracks(run, config, arms, points, parameters);
    auto& tracks = found.tracks;
    if (tracks.empty()) throw plot_error(run, request, fmt::format("no point has a value for '{}'", p_.metric));
    sort_best_last(tracks, info.better);
    const auto all = tracks.size();
    if (all > static_cast<std::size_t>(p_.most)) tracks.erase(tracks.begin(), tracks.end() - p_.most);

    auto titles = parameter_titles(parameters, config.parameters);
    if (arms.size() > 1) titles.insert(titles.begin(), "arm");
    titles.push_back(metric_title(config, p_.metric));
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    figure.width = titles.size() > 3 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.6;
    figure.panels.push_back(draw_panel(tracks, titles, info, figure.width));
    figure.notes.push_back(
        fmt::format("One line for each {}point, by its mean over seeds; the better, the darker.", arms.size() > 1 ? "arm and " : ""));
    figure.notes.push_back(found.seeds.text());
    if (tracks.size() < all) figure.notes.push_back(fmt::format("The best {} of {}.", tracks.size(), all));
    figure.notes.push_back(found.not_finite.text());
    if (found.diverged > 0) figure.notes.push_back(fmt::format("Without {} that diverged on every seed.", found.diverged));
    return {std::move(figure)};
  }

 private:
  struct Track {
    std::vector<Node> values;  ///< one per axis except the metric's
    double metric = 0;
    std::size_t seeds = 0;  ///< seeds that have a value
  };
  /// Where each track crosses an axis, in [0, 1] (below 0: the parameter does not apply), and the names beside the axis.
  struct Places {
    std::vector<double> heights;
    std::vector<std::pair<double, std::string>> names;
  };
  static constexpr double kAbsent = -0.1;
  static constexpr double kNameGap = 0.06;  // inches between a name and its axis
  static constexpr std::size_t kNamed = 8;

  struct FoundTracks {
    std::vector<Track> tracks;
    std::size_t diverged = 0;  ///< points that diverged on every seed
    NotFinite not_finite;
    SeedsSeen seeds;
  };

  /// One track for each arm and point that has a value.
  FoundTracks find_tracks(const RunView& run, const ReportConfig& config, const std::vector<std::string>& arms,
                          const std::vector<Node::Map>& points, const std::vector<std::string>& parameters) const {
    FoundTracks out;
    for (const auto& arm : arms) {
      for (const auto& point : arm_points(run, config, arm, points, {})) {
        const auto sample = run.sample(arm, point, p_.metric);
        if (!sample.not_finite.empty())
          out.not_finite.add(fmt::format("{}, {}", config.arm_label(arm), rest_label(config, point, {})), sample);
        if (sample.values.empty()) {
          out.diverged += sample.planned > 0 && sample.diverged == sample.planned;
          continue;
        }
        out.seeds.add(sample.seeds);
        out.tracks.push_back({{}, mean(sample.values), sample.values.size()});
        auto& values = out.tracks.back().values;
        if (arms.size() > 1) values.push_back(Node(plain_text(config.arm_label(arm))));
        for (const auto& name : parameters) values.push_back(point_value(point, name));
      }
    }
    return out;
  }

  /// The best is drawn last, on top of the others. If a seed has no value, there is no best.
  static void sort_best_last(std::vector<Track>& tracks, Direction better) {
    const double sign = better == Direction::kHigher ? 1 : -1;
    std::stable_sort(tracks.begin(), tracks.end(), [&](const Track& a, const Track& b) {
      return std::pair(a.seeds, sign * a.metric) < std::pair(b.seeds, sign * b.metric);
    });
  }

  /// `titles`: of the axes; `width`: inches of the figure.
  static Panel draw_panel(const std::vector<Track>& tracks, const std::vector<std::string>& titles, const MetricInfo& info, double width) {
    Panel panel;
    panel.grid = panel.y.visible = false;
    panel.y.min = -0.13;
    panel.y.max = 1.1;
    const auto last = titles.size() - 1;
    std::vector<Places> places;
    std::vector<double> names;  // width of the longest name beside each axis, in inches: to its left, and to the right of the last
    for (std::size_t axis = 0; axis <= last; ++axis) {
      places.push_back(axis < last ? parameter_axis(tracks, axis) : metric_axis(tracks, info));
      names.push_back(0);
      for (const auto& entry : places.back().names) names.back() = std::max(names.back(), text_width(entry.second));
    }
    const double span = std::max(1.0, width - 0.3 - names.front() - names.back());
    const auto at = axis_positions({names.begin() + 1, names.end() - 1}, span);
    for (std::size_t axis = 0; axis <= last; ++axis) {
      panel.x.ticks.emplace_back(at[axis], titles[axis]);
      draw_axis(at[axis], axis == last, places[axis], panel);
    }
    draw_tracks(at, places, panel);
    panel.x.min = -0.1 - names.front();
    panel.x.max = span + 0.1 + names.back();
    return panel;
  }

  /// The axis at x, with its names to the left; the last axis has them to the right.
  static void draw_axis(double x, bool last, const Places& places, Panel& panel) {
    Line line;
    line.x = {x, x};
    line.y = {0, 1};
    line.rgb = "#888888";
    line.dash = 1;
    line.width = 0.6;
    panel.lines.push_back(std::move(line));
    for (const auto& [height, text] : places.names) {
      Annotation name;
      name.text = text;
      name.x = last ? x + kNameGap : x - kNameGap;
      name.y = height + 0.045;  // clear of the lines
      name.align = last ? Annotation::Align::kLeft : Annotation::Align::kRight;
      name.color = "#333333";
      name.backed = true;
      panel.texts.push_back(std::move(name));
    }
  }

  /// `at`: positions of the axes; `places`: one per axis.
  static void draw_tracks(const std::vector<double>& at, const std::vector<Places>& places, Panel& panel) {
    const std::size_t n = places.front().heights.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double rank = n == 1 ? 1 : static_cast<double>(i) / static_cast<double>(n - 1);
      const auto color = color_at(ColorMap::kLight, 0.15 + 0.85 * rank * rank);
      Line line;
      line.rgb = fmt::format("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]);
      line.dash = 1;
      line.width = i + 1 == n ? 1.8 : 0.8;
      line.x = at;
      for (const auto& axis : places) line.y.push_back(axis.heights[i]);
      panel.lines.push_back(std::move(line));
    }
  }

  /// Positions of the axes, in inches from the first to `span`: evenly spaced, but far enough apart that the names of inner axes, `widths` inches
  /// wide, end before the axis to their left. Closer if `span` is too short for that.
  static std::vector<double> axis_positions(const std::vector<double>& widths, double span) {
    std::vector<double> gaps;
    for (const double width : widths) gaps.push_back(width + 2 * kNameGap);
    gaps.push_back(0);  // the last has its names on the other side
    // The widest gaps get what they need; the others share the rest.
    auto sorted = gaps;
    std::sort(sorted.rbegin(), sorted.rend());
    double left = span, share = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      share = left / static_cast<double>(sorted.size() - i);
      if (sorted[i] <= share) break;
      left -= sorted[i];
    }
    double sum = 0;
    for (auto& gap : gaps) sum += gap = std::max({gap, share, 0.0});
    std::vector<double> out = {0};
    for (const double gap : gaps) out.push_back(out.back() + gap * span / sum);
    return out;
  }

  static Places parameter_axis(const std::vector<Track>& tracks, std::size_t axis) {
    std::vector<Node> values;
    bool absent = false;
    for (const auto& track : tracks) {
      const auto& value = track.values[axis];
      absent = absent || value.is_null();
      if (!value.is_null() && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    const bool numeric = std::all_of(values.begin(), values.end(), [](const Node& v) { return v.is_number(); });
    std::vector<double> numbers(values.size());
    if (numeric) std::sort(values.begin(), values.end(), [](const Node& a, const Node& b) { return a.as_double() < b.as_double(); });
    for (std::size_t i = 0; i < values.size(); ++i) numbers[i] = numeric ? values[i].as_double() : static_cast<double>(i);
    if (numeric && wants_log_places(numbers)) {
      for (auto& number : numbers) number = std::log(number);
    }
    Places out;
    std::vector<double> at(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double width = numbers.back() - numbers.front(), share = width > 0 ? (numbers[i] - numbers.front()) / width : 0.5;
      at[i] = numeric ? share : 1 - share;  // names are read from the top
      if (values.size() <= kNamed || i == 0 || i + 1 == values.size()) out.names.emplace_back(at[i], format_parameter(values[i]));
    }
    if (absent) out.names.emplace_back(kAbsent, "–");
    for (const auto& track : tracks) {
      const auto found = std::find(values.begin(), values.end(), track.values[axis]);
      out.heights.push_back(found == values.end() ? kAbsent : at[static_cast<std::size_t>(found - values.begin())]);
    }
    return out;
  }

  static Places metric_axis(const std::vector<Track>& tracks, const MetricInfo& info) {
    std::vector<double> values;
    for (const auto& track : tracks) values.push_back(track.metric);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const int decimals = decimals_for(info.format, {}, values);
    Places out;
    for (const double value : values) out.heights.push_back(*high > *low ? (value - *low) / (*high - *low) : 0.5);
    const auto name = [&](double value) { return format_value(value, info.format, decimals) + unit(info.format); };
    if (*high > *low) out.names = {{0, name(*low)}, {1, name(*high)}};
    if (*high == *low) out.names = {{0.5, name(*low)}};
    return out;
  }

  Params p_;
};
YATLAB_REGISTER(Plot, SweepParallelPlot, "sweep_parallel", "many swept parameters as parallel coordinates, coloured by a metric");

}  // namespace yatlab
