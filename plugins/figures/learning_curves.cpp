#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/report/plot_tools.h"
#include "core/report/statistics.h"

namespace yatlab {

/// Logged metrics over training: one panel for each metric, one line for each arm (mean over seeds) with a band.
class LearningCurvesPlot final : public Plot {
 public:
  enum class X { kStep, kEpoch, kTokens };
  enum class Band { kStd, kConfidence, kRange, kNone };
  struct Params {
    std::vector<std::string> metrics = {"train/loss", "test/accuracy"};
    X x = X::kStep;
    Band band = Band::kStd;
    bool log_y = false;
    std::vector<std::string> arms;
    Node at = Node::map();
    std::string best;
    static void declare(Fields& f, Params& p) {
      f.field("metrics", p.metrics, "one panel each");
      f.choice("x", p.x, {{"step", X::kStep}, {"epoch", X::kEpoch}, {"tokens", X::kTokens}},
               "what runs along the axis; tokens: of language models");
      f.choice("band", p.band, {{"std", Band::kStd}, {"ci95", Band::kConfidence}, {"range", Band::kRange}, {"none", Band::kNone}},
               "what the band around the mean over seeds shows");
      f.field("log_y", p.log_y, "logarithmic values");
      f.field("arms", p.arms, "which arms; empty: all");
      f.map("at", p.at, "in a sweep: only these points, as {parameter: value}");
      f.field("best", p.best, "in a sweep: each arm where this metric is best; empty: at all points");
    }
  };
  explicit LearningCurvesPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override {
    PlotNeeds out{{}, p_.metrics, {}, p_.arms};
    if (!p_.best.empty()) out.results = {p_.best};
    return out;
  }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    std::size_t fewest = 0, most = 0;
    for (const auto& metric : p_.metrics) figure.panels.push_back(panel(run, *request.config, metric, fewest, most));
    const bool any = std::any_of(figure.panels.begin(), figure.panels.end(), [](const Panel& panel) { return !panel.lines.empty(); });
    if (!any) throw plot_error(run, request, "no job has logged the metrics of its curves");
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.3 * static_cast<double>(figure.rows());
    if (most > 1) {
      const char* band = p_.band == Band::kStd          ? "; bands: one standard deviation"
                         : p_.band == Band::kConfidence ? "; bands: 95 % confidence intervals"
                         : p_.band == Band::kRange      ? "; bands: lowest to highest"
                                                        : "";
      figure.notes.push_back(fmt::format("Means over {} seeds{}.",
                                         fewest == most ? fmt::format("n = {}", most) : fmt::format("n = {} to {}", fewest, most), band));
    } else if (most == 1) {
      figure.notes.push_back("One seed.");
    }
    return {std::move(figure)};
  }

 private:
  /// Nothing where a row does not say.
  std::optional<double> place(const CurvePoint& row) const {
    return p_.x == X::kStep ? row.step : p_.x == X::kEpoch ? std::optional(row.epoch) : row.tokens;
  }

  Panel panel(const RunView& run, const ReportConfig& config, const std::string& metric, std::size_t& fewest, std::size_t& most) const {
    Panel out;
    out.x.label = p_.x == X::kStep ? "step" : p_.x == X::kEpoch ? "epoch" : "tokens";
    out.y.label = metric_title(config, metric);
    out.y.log = p_.log_y;
    out.y.robust = out.y.begins = true;
    const auto info = config.metric(metric);
    out.y.percent = is_percent(info.format);
    out.legend = info.better == Direction::kHigher ? Legend::kBottomRight : Legend::kTopRight;
    const auto points = plot_points(run, p_.at);
    int color = 0;
    for (const auto& arm : plot_arms(run, p_.arms)) {
      for (const auto& point : arm_points(run, config, arm, points, p_.best)) {
        std::map<double, std::vector<double>> at;  // x -> one value a seed
        std::size_t lost = 0, seeds = 0;
        const auto jobs = run.jobs_of(arm, point);
        for (const JobView* job : jobs) {
          lost += job->state == JobState::kDiverged;
          bool logs = false;
          for (const auto& logged : run.curve(*job)) {
            const auto value = logged.values.find(metric);
            const auto x = place(logged);
            if (value != logged.values.end() && std::isfinite(value->second) && x) {
              at[*x].push_back(value->second);
              logs = true;
            }
          }
          seeds += logs;
        }
        const int mine = color++;
        if (at.empty()) continue;
        fewest = most == 0 ? seeds : std::min(fewest, seeds);
        most = std::max(most, seeds);
        Line line;
        line.label = config.arm_label(arm);
        if (points.size() > 1) line.label += ", " + rest_label(config, point, {});
        if (lost > 0) line.label += jobs.size() == 1 ? ": diverged" : fmt::format(": {} of {} diverged", lost, jobs.size());
        line.diverged = lost > 0;
        line.color = mine;
        line.markers = at.size() <= 12;
        for (const auto& [x, values] : at) {
          line.x.push_back(x);
          line.y.push_back(mean(values));
          if (p_.band == Band::kNone) continue;
          const auto interval = band(values);
          line.low.push_back(interval.low);
          line.high.push_back(interval.high);
        }
        out.lines.push_back(std::move(line));
      }
    }
    if (out.lines.size() > 4) out.legend = Legend::kBelow;  // too many to stand beside the curves
    return out;
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
};
YATLAB_REGISTER(Plot, LearningCurvesPlot, "learning_curves", "metrics over training, mean and band over seeds");

}  // namespace yatlab
