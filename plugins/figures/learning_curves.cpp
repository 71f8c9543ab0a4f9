#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/report/plot_tools.h"
#include "core/table/table.h"
#include "core/verdict/seeds_left.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// Logged metrics over training: one panel for each metric, one line for each arm (mean over seeds) with a band; or all metrics in one panel,
/// the first solid, the second dashed.
class LearningCurvesPlot final : public Plot {
 public:
  enum class X { kStep, kEpoch, kTokens };
  enum class Band { kStd, kConfidence, kRange, kNone };
  struct Params {
    std::vector<std::string> metrics = {"train/loss", "test/accuracy"};
    X x = X::kStep;
    Band band = Band::kStd;
    std::optional<bool> log_y;
    bool overlay = false;
    double zoom = 1;
    std::string y_label;
    Node reference;
    std::vector<std::string> arms;
    Node at = Node::map();
    std::string best;
    static void declare(Fields& f, Params& p) {
      f.field("metrics", p.metrics, "metrics to plot, one panel each");
      f.choice("x", p.x, {{"step", X::kStep}, {"epoch", X::kEpoch}, {"tokens", X::kTokens}},
               "unit of the x axis; tokens: language models only");
      f.choice("band", p.band, {{"std", Band::kStd}, {"ci95", Band::kConfidence}, {"range", Band::kRange}, {"none", Band::kNone}},
               "what the band around the mean over seeds shows");
      f.field("log_y", p.log_y, "logarithmic y axis; null: where all values are positive and most of them span a factor of 30");
      f.field("overlay", p.overlay, "all metrics in one panel: the first solid, the second dashed, the third dotted");
      f.field("zoom", p.zoom, "last share of the x axis, whose values set the limits; 0.5: the second half").positive().max(1);
      f.field("y_label", p.y_label, "label of the y axis; default: the metric's title, or the common part of overlaid titles");
      f.field("reference", p.reference, "a constant value, {metric, label, panel}, or a list of them: dotted, labelled at the right edge");
      f.field("arms", p.arms, "which arms; empty: all");
      f.map("at", p.at, "in a sweep: only these points, as {parameter: value}");
      f.field("best", p.best,
              "in a sweep: show each arm where this metric is best; empty: all points, or in a search of more than 8 where "
              "its own metric is best");
    }
  };
  explicit LearningCurvesPlot(const Params& p) : p_(p), references_(read_references(p.reference)) {
    for (const auto& reference : references_) {
      if (reference.panel.empty() || std::find(p.metrics.begin(), p.metrics.end(), reference.panel) != p.metrics.end()) continue;
      throw config_error(fmt::format("the panel of reference '{}' does not exist: '{}'", reference.metric, reference.panel), {}, {},
                         suggestion(reference.panel, p.metrics));
    }
  }

  PlotNeeds needs() const override {
    PlotNeeds out{{}, p_.metrics, {}, p_.arms};
    if (!p_.best.empty()) out.results = {p_.best};
    for (const auto& reference : references_) out.results.push_back(reference.metric);
    return out;
  }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    SeedsSeen seen;
    std::vector<std::string> fewer;
    if (p_.overlay) {
      figure.panels.push_back(overlay(run, request, seen, fewer));
    } else {
      for (const auto& metric : p_.metrics) add_panels(figure, run, request, metric, seen, fewer);
    }
    const bool any = std::any_of(figure.panels.begin(), figure.panels.end(), [](const Panel& panel) {
      return std::any_of(panel.lines.begin(), panel.lines.end(), [](const Line& line) { return !line.x.empty(); });
    });
    if (!any) throw plot_error(run, request, "no job has logged the metrics of this figure");
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = (p_.overlay ? 2.6 : 2.3) * static_cast<double>(figure.rows());
    const char* band = p_.band == Band::kStd          ? "; bands: one standard deviation"
                       : p_.band == Band::kConfidence ? "; bands: 95 % confidence intervals"
                       : p_.band == Band::kRange      ? "; bands: lowest to highest"
                                                      : "";
    figure.notes.push_back(seen.text(band));
    if (p_.best.empty() && !chosen_by(run).empty())
      figure.notes.push_back(
          fmt::format("Each arm at its best of {} points by {}.", run.points().size(), metric_title(*request.config, chosen_by(run))));
    if (!fewer.empty()) figure.notes.push_back(fmt::format("Mean over {}.", join(fewer, "; ")));
    return {std::move(figure)};
  }

 private:
  // More curves in one panel are indistinguishable; of a search with more points only the best are drawn.
  static constexpr std::size_t kMostCurves = 8, kMostPanels = 24;
  /// The metric that selects the best point of each arm; "" for all points.
  std::string chosen_by(const RunView& run) const {
    return p_.best.empty() && run.search && run.points().size() > kMostCurves ? run.search->metric : p_.best;
  }

  /// The points of each panel: all in one panel, or one per panel if there would be too many curves.
  std::vector<std::vector<Node::Map>> panels_of_points(const RunView& run) const {
    const auto points = plot_points(run, p_.at);
    const auto curves = points.size() * plot_arms(run, p_.arms).size();
    if (points.size() < 2 || points.size() > kMostPanels || curves <= kMostCurves || !chosen_by(run).empty()) return {points};
    std::vector<std::vector<Node::Map>> out;
    for (const auto& point : points) out.push_back({point});
    return out;
  }

  /// The row's x value; nothing if the row has none.
  std::optional<double> place(const MetricRow& row) const {
    if (p_.x == X::kStep) return static_cast<double>(row.step);
    if (p_.x == X::kEpoch) return row.epoch;
    return row.tokens ? std::optional(static_cast<double>(*row.tokens)) : std::nullopt;
  }

  /// The panels of a metric: one, or one for each point, with the same y axis.
  void add_panels(Figure& figure, const RunView& run, const PlotRequest& request, const std::string& metric, SeedsSeen& seen,
                  std::vector<std::string>& fewer) const {
    const auto points = panels_of_points(run);
    std::vector<Panel> panels;
    for (const auto& shown : points) {
      panels.push_back(panel(*request.config, metric));
      add_curves(panels.back(), run, *request.config, metric, 0, shown, seen, fewer);
    }
    const bool log = logarithmic(panels);
    const auto number = static_cast<int>(figure.panels.size()) + 1;
    for (std::size_t i = 0; i < panels.size(); ++i) {
      finish(panels[i], run, request, metric, log);
      if (points.size() > 1) panels[i].y.shared = number;
      if (points[i].size() == 1 && !points[i].front().empty()) {
        panels[i].title = rest_label(*request.config, points[i].front(), {});
        panels[i].legend = Legend::kBelow;
      }
      figure.panels.push_back(std::move(panels[i]));
    }
  }

  Panel panel(const ReportConfig& config, const std::string& metric) const {
    Panel out;
    out.x.label = p_.x == X::kStep ? "step" : p_.x == X::kEpoch ? "epoch" : "tokens";
    out.y.label = p_.y_label.empty() ? axis_title(config, metric) : plain_text(p_.y_label);
    out.y.robust = out.y.begins = true;
    out.y.zoom = p_.zoom;
    const auto info = config.metric(metric);
    out.y.percent = is_percent(info.format);
    out.legend = info.better == Direction::kHigher ? Legend::kBottomRight : Legend::kTopRight;
    return out;
  }

  /// Whether panels with the same y axis have a logarithmic one.
  bool logarithmic(const std::vector<Panel>& panels) const {
    if (p_.log_y) return *p_.log_y;
    std::vector<double> values;
    for (const Panel& panel : panels) {
      for (const Line& line : panel.lines) values.insert(values.end(), line.y.begin(), line.y.end());
    }
    return spans_decades(values);
  }

  void finish(Panel& panel, const RunView& run, const PlotRequest& request, const std::string& metric, bool log) const {
    panel.y.log = log;
    if (panel.y.log) raise_bands(panel);
    std::size_t named = 0;
    for (const Line& line : panel.lines) named += !line.label.empty();
    if (named > 4) panel.legend = Legend::kBelow;  // too many to fit beside the curves
    add_references(panel, run, request, references_, metric);
  }

  /// The lines of all metrics; samples in black show which dash belongs to which metric.
  Panel overlay(const RunView& run, const PlotRequest& request, SeedsSeen& seen, std::vector<std::string>& fewer) const {
    const ReportConfig& config = *request.config;
    Panel out = panel(config, p_.metrics.front());
    std::vector<std::string> titles;
    for (const auto& metric : p_.metrics) titles.push_back(metric_title(config, metric));
    if (p_.y_label.empty()) out.y.label = shared_words(titles);
    for (std::size_t m = 0; m < p_.metrics.size(); ++m) {
      const int dash = static_cast<int>(m) % 3 + 1;
      add_curves(out, run, config, p_.metrics[m], dash, plot_points(run, p_.at), seen, fewer);
    }
    for (std::size_t m = 0; p_.metrics.size() > 1 && m < p_.metrics.size(); ++m) {
      Line sample;
      sample.label = titles[m];
      sample.rgb = "#444444";
      sample.dash = static_cast<int>(m) % 3 + 1;
      out.lines.push_back(std::move(sample));
    }
    finish(out, run, request, {}, logarithmic({out}));
    return out;
  }

  /// `dash`: for overlaid metrics, whose arms are labelled once; 0: the colour's own. `fewer` receives a text if a mean continues with fewer seeds.
  void add_curves(Panel& panel, const RunView& run, const ReportConfig& config, const std::string& metric, int dash,
                  const std::vector<Node::Map>& points, SeedsSeen& seen, std::vector<std::string>& fewer) const {
    int color = 0;
    for (const auto& arm : plot_arms(run, p_.arms)) {
      for (const auto& point : arm_points(run, config, arm, points, chosen_by(run))) {
        std::map<double, std::vector<double>> at;  // x -> one value per seed
        std::size_t lost = 0;
        SeedsLeft left;
        std::vector<std::int64_t> seeds;
        const auto jobs = run.jobs_of(arm, point);
        for (std::size_t k = 0; k < jobs.size(); ++k) {
          lost += jobs[k]->state == JobState::kDiverged;
          bool logs = false;
          double before = 0;
          run.each_row(*jobs[k], [&](const MetricRow& logged) {
            const auto value = logged.metrics.find(metric);
            const auto x = place(logged);
            if (value == logged.metrics.end() || !x) return;
            const double since = std::exchange(before, *x);
            left.add(k, *x, std::isfinite(value->second));
            if (!std::isfinite(value->second)) return;
            at[metric == "train/loss" ? (since + *x) / 2 : *x].push_back(value->second);  // a mean since the last row
            logs = true;
          });
          if (logs) seeds.push_back(jobs[k]->seed);
        }
        const int mine = color++;
        if (at.empty()) continue;
        seen.add(seeds);
        Line line;
        line.label = config.arm_label(arm);
        if (points.size() > 1 && !point.empty()) line.label += ", " + rest_label(config, point, {});
        const auto name = plain_text(line.label);
        if (lost > 0) line.label += jobs.size() == 1 ? ": diverged" : fmt::format(": {} of {} diverged", lost, jobs.size());
        if (const auto text = left.text(panel.x.label); !text.empty()) {
          auto note = fmt::format("{}{}: {}", name, p_.metrics.size() > 1 ? ", " + metric_title(config, metric) : "", text);
          if (std::find(fewer.begin(), fewer.end(), note) == fewer.end()) fewer.push_back(std::move(note));
        }
        const bool known = std::any_of(panel.lines.begin(), panel.lines.end(), [&](const Line& l) { return l.label == line.label; });
        if (dash > 1 && known) line.label.clear();
        line.diverged = lost > 0;
        line.color = mine;
        line.dash = dash;
        line.markers = at.size() == 1 || (dash == 0 && at.size() <= 12);
        for (const auto& [x, values] : at) {
          line.x.push_back(x);
          line.y.push_back(mean(values));
          if (p_.band == Band::kNone) continue;
          const auto interval = band(values);
          line.low.push_back(interval.low);
          line.high.push_back(interval.high);
        }
        panel.lines.push_back(std::move(line));
      }
    }
  }

  /// Whether most values, except the outliers, differ by orders of magnitude.
  static bool spans_decades(const std::vector<double>& values) {
    if (values.empty() || std::any_of(values.begin(), values.end(), [](double v) { return !(v > 0); })) return false;
    return wants_log({percentile(values, 0.05), percentile(values, 0.95)});
  }

  /// A logarithmic axis cannot show a band that reaches 0 or below: it ends at the smallest value of all lines.
  static void raise_bands(Panel& panel) {
    double least = INFINITY;
    for (const Line& line : panel.lines) {
      for (const double v : line.y) least = v > 0 ? std::min(least, v) : least;
    }
    for (Line& line : panel.lines) {
      for (std::size_t i = 0; i < line.low.size(); ++i) {
        if (line.low[i] < least) line.low[i] = std::min(least, line.y[i]);
      }
    }
  }

  /// "loss" for "training loss" and "validation loss": their common last words; without any, all titles.
  static std::string shared_words(const std::vector<std::string>& titles) {
    std::vector<std::string> common = split(titles.front(), ' ');
    for (const auto& title : titles) {
      const auto words = split(title, ' ');
      std::size_t same = 0;
      while (same < std::min(common.size(), words.size()) && common[common.size() - 1 - same] == words[words.size() - 1 - same]) ++same;
      common.erase(common.begin(), common.end() - static_cast<std::ptrdiff_t>(same));
    }
    return common.empty() ? join(titles, ", ") : join(common, " ");
  }

  Interval band(const std::vector<double>& values) const {
    const double m = mean(values);
    if (p_.band == Band::kRange) {
      return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
    }
    if (p_.band == Band::kConfidence) return confidence_interval(values).value_or(Interval{m, m});
    const double s = sample_std(values).value_or(0);
    return {m - s, m + s};
  }

  Params p_;
  std::vector<ReferenceLevel> references_;
};
YATLAB_REGISTER(Plot, LearningCurvesPlot, "learning_curves", "metrics over training, mean and band over seeds");

}  // namespace yatlab
