#include <fmt/format.h>

#include <algorithm>

#include "core/record/point_index.h"
#include "core/report/plot_tools.h"
#include "core/table/table.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// Our values beside the paper's: one panel for each metric, one column for each arm; dots are single seeds, bars the
/// 95 % prediction interval of one more run, diamonds the paper's numbers.
class PaperComparisonPlot final : public Plot {
 public:
  struct Params {
    std::vector<std::string> metrics, arms;
    Node at = Node::map();
    static void declare(Fields& f, Params& p) {
      f.field("metrics", p.metrics, "metrics to plot, one panel each; empty: every metric that the paper gives");
      f.field("arms", p.arms, "which arms; empty: all");
      f.map("at", p.at, "in a sweep: the point to show, as {parameter: value}; default: the first");
    }
  };
  explicit PaperComparisonPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {p_.metrics, {}, {}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    const ReportConfig& config = *request.config;
    const auto arms = plot_arms(run, p_.arms);
    const auto point = plot_points(run, p_.at).front();
    auto metrics = p_.metrics;
    if (metrics.empty()) {
      for (const auto& number : config.paper) {
        if (std::find(metrics.begin(), metrics.end(), number.metric) == metrics.end()) metrics.push_back(number.metric);
      }
    }
    if (metrics.empty()) throw plot_error(run, request, "the experiment lists no numbers of the paper");
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    NotFinite not_finite;
    for (const auto& metric : metrics) {
      Panel panel;
      panel.title = metric_title(config, metric);
      panel.y.percent = is_percent(config.metric(metric).format);
      panel.x.names = true;
      panel.x.min = -0.6;
      panel.x.max = static_cast<double>(arms.size()) - 0.4;
      Line seeds, paper;
      seeds.label = "ours, one dot a seed, with the 95 % interval of one more run";
      paper.label = "paper";
      seeds.stroke = paper.stroke = false;
      seeds.markers = paper.markers = true;
      seeds.color = 0;
      paper.color = 6;
      paper.hollow = true;
      for (std::size_t a = 0; a < arms.size(); ++a) {
        const double x = static_cast<double>(a);
        panel.x.ticks.emplace_back(x, config.arm_label(arms[a]));
        const auto sample = run.sample(arms[a], point, metric);
        not_finite.add(fmt::format("{}, {}", config.arm_label(arms[a]), metric_title(config, metric)), sample);
        for (std::size_t i = 0; i < sample.values.size(); ++i) {
          // Side by side, so that equal values do not overlap.
          const double n = static_cast<double>(sample.values.size());
          seeds.x.push_back(x - 0.05 + (static_cast<double>(i) - (n - 1) / 2) * 0.06);
          seeds.y.push_back(sample.values[i]);
        }
        if (const auto interval = prediction_interval(sample.values)) {
          Line bar;
          bar.color = 0;
          bar.error_bars = true;
          bar.stroke = false;
          bar.x = {x - 0.05};
          bar.y = {mean(sample.values)};
          bar.low = {interval->low};
          bar.high = {interval->high};
          panel.lines.push_back(std::move(bar));
        }
        for (const auto& number : config.paper) {
          if (number.arm != arms[a] || number.metric != metric || !point_matches(number.at, point)) continue;
          paper.x.push_back(x + 0.28);
          paper.y.push_back((number.value.low + number.value.high) / 2);
          if (!number.sample) continue;
          Line spread;
          spread.color = paper.color;
          spread.error_bars = true;
          spread.stroke = false;
          spread.x = {paper.x.back()};
          spread.y = {paper.y.back()};
          spread.low = {paper.y.back() - number.sample->summary.std};
          spread.high = {paper.y.back() + number.sample->summary.std};
          panel.lines.push_back(std::move(spread));
        }
      }
      panel.lines.push_back(std::move(seeds));
      panel.lines.push_back(std::move(paper));
      panel.legend = Legend::kBelow;
      figure.panels.push_back(std::move(panel));
    }
    figure.columns = std::min<std::size_t>(figure.panels.size(), 4);
    figure.width = figure.panels.size() > 1 ? kDoubleColumn : kSingleColumn;
    figure.notes.push_back(not_finite.text());
    figure.height = 2.1 * static_cast<double>(figure.rows());
    return {std::move(figure)};
  }

 private:
  Params p_;
};
YATLAB_REGISTER(Plot, PaperComparisonPlot, "paper_comparison", "our values with intervals beside the paper's numbers");

}  // namespace yatlab
