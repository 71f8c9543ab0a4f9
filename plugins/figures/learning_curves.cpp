#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/report/plot_tools.h"
#include "core/report/statistics.h"

namespace yatlab {

/// Logged metrics over training: one panel for each metric, one line for each arm (mean over seeds) with a band.
class LearningCurvesPlot final : public Plot {
 public:
  enum class X { kStep, kEpoch };
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
      f.choice("x", p.x, {{"step", X::kStep}, {"epoch", X::kEpoch}}, "what runs along the axis");
      f.choice("band", p.band,
               {{"std", Band::kStd}, {"ci95", Band::kConfidence}, {"range", Band::kRange}, {"none", Band::kNone}},
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
    for (const auto& metric : p_.metrics) figure.panels.push_back(panel(run, *request.config, metric));
    const bool any = std::any_of(figure.panels.begin(), figure.panels.end(),
                                 [](const Panel& panel) { return !panel.lines.empty(); });
    if (!any) throw plot_error(run, request, "no job has logged the metrics of its curves");
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.3 * static_cast<double>(figure.rows());
    return {std::move(figure)};
  }

 private:
  Panel panel(const RunView& run, const ReportConfig& config, const std::string& metric) const {
    Panel out;
    out.x.label = p_.x == X::kStep ? "step" : "epoch";
    out.y.label = metric_title(config, metric);
    out.y.log = p_.log_y;
    const auto info = config.metric(metric);
    out.y.percent = is_percent(info.format);
    out.legend = info.better == Direction::kHigher ? Legend::kBottomRight : Legend::kTopRight;
    const auto points = plot_points(run, p_.at);
    int color = 0;
    bool diverged = false;
    double top = 0;  // of what did not diverge, which would leave nothing else to see
    for (const auto& arm : plot_arms(run, p_.arms)) {
      for (const auto& point : arm_points(run, config, arm, points, p_.best)) {
        std::map<double, std::vector<double>> at;  // x -> one value a seed
        for (const JobView* job : run.jobs_of(arm, point)) {
          const bool lost = job->state == JobState::kDiverged;
          diverged = diverged || lost;
          for (const auto& logged : run.curve(*job)) {
            const auto value = logged.values.find(metric);
            if (value != logged.values.end() && std::isfinite(value->second)) {
              at[p_.x == X::kStep ? logged.step : logged.epoch].push_back(value->second);
              if (!lost) top = std::max(top, value->second);
            }
          }
        }
        const int mine = color++;
        if (at.empty()) continue;
        Line line;
        line.label = config.arm_label(arm);
        if (points.size() > 1) line.label += " " + rest_label(point, {});
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
    if (diverged && top > 0) out.y.max = 1.1 * top;
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
