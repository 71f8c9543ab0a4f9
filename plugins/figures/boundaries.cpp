#include <cmath>

#include "plugins/figures/artifact_panels.h"

namespace yatlab {
namespace {

/// One panel for each arm: the boundaries that all its seeds learned, on top of each other, with the data. Seeds that reached the metric (1) and
/// those that did not (0) are drawn differently. Reads the artifact of analysis `decision_map`.
class BoundariesPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    std::string metric;
    std::int64_t columns = 4;
    Params() : ArtifactParams("decision_map") {}
    static void declare(Fields& f, Params& p) {
      ArtifactParams::declare(f, p);
      f.field("metric", p.metric, "metric that is 1 where a seed succeeded and 0 where not; empty: do not distinguish");
      f.field("columns", p.columns, "panels per row").range(1, 6);
    }
  };
  explicit BoundariesPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override {
    PlotNeeds out{{}, {}, {p_.artifact}, p_.arms};
    if (!p_.metric.empty()) out.results = {p_.metric};
    return out;
  }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    const auto point = plot_points(run, p_.at).front();
    std::string counts, where;
    for (const auto& arm : completed_arms(run, p_.arms)) {
      Panel panel;
      panel.title = request.config->arm_label(arm);
      panel.grid = false;
      panel.equal_aspect = true;
      std::vector<Line> failed, reached;
      std::size_t jobs = 0, good = 0;
      const JobView& first = plot_job(run, arm, point, p_.seed);
      for (const JobView* job : run.jobs_of(arm, point)) {
        if (job->state != JobState::kCompleted || (p_.seed && job != &first)) continue;
        draw_artifact(run, request, *job, p_.artifact, [&](const nlohmann::json& json) {
          const auto metric = job->metrics.find(p_.metric);
          const bool succeeded = p_.metric.empty() || (metric != job->metrics.end() && metric->second > 0.5);
          ++jobs;
          good += succeeded;
          for (const auto& curve : json.at("boundaries")) {
            Line line;
            line.x = json_numbers(curve.at("x"));
            line.y = json_numbers(curve.at("y"));
            line.width = 0.45;
            line.dash = 1;
            line.rgb = succeeded ? "#4a8ec4" : "#bbbbbb";
            (succeeded ? reached : failed).push_back(std::move(line));
          }
          if (jobs > 1) return;
          const auto heat = json_grid(json.at("grid"), fmt::format("the map of {}", job->directory));
          panel.x.min = heat.x0;
          panel.x.max = heat.x0 + heat.cell * static_cast<double>(heat.columns);
          panel.y.min = heat.y0;
          panel.y.max = heat.y0 + heat.cell * static_cast<double>(heat.rows);
          where = fmt::format("on {} × {} points", heat.columns, heat.rows);
          data(json, panel);
        });
      }
      if (jobs == 0) throw plot_error(run, request, fmt::format("no completed job of arm '{}' has artifact '{}'", arm, p_.artifact));
      counts += fmt::format("{}{} {} of {}", counts.empty() ? "" : "; ", request.config->arm_label(arm), good, jobs);
      const auto points = std::move(panel.lines);
      panel.lines.clear();
      for (auto* lines : {&failed, &reached}) {
        if (!lines->empty() && !p_.metric.empty()) lines->front().label = lines == &failed ? "fails" : "succeeds";
        for (auto& line : *lines) panel.lines.push_back(std::move(line));
      }
      panel.lines.insert(panel.lines.end(), points.begin(), points.end());
      panel.legend = Legend::kBelow;
      figure.panels.push_back(std::move(panel));
    }
    figure.columns = std::min(static_cast<std::size_t>(p_.columns), figure.panels.size());
    figure.width = figure.columns > 1 ? kDoubleColumn : kSingleColumn;
    figure.height = (figure.width / static_cast<double>(figure.columns) + 0.2) * static_cast<double>(figure.rows()) + 0.2;
    figure.caption = request.caption;
    figure.notes.push_back(fmt::format("Boundaries {}.", where));
    if (!p_.metric.empty()) figure.notes.push_back(fmt::format("Seeds with {}: {}.", metric_title(*request.config, p_.metric), counts));
    return {std::move(figure)};
  }

 private:
  // Each class's points, on top of the curves.
  static void data(const nlohmann::json& json, Panel& panel) {
    if (!json.contains("points")) return;
    const auto xy = json_numbers(json.at("points").at("data"));
    const auto targets = json_numbers(json.at("targets"));
    const auto classes = static_cast<std::size_t>(json.at("classes").get<int>());
    for (std::size_t c = 0; c < classes; ++c) {
      Line cloud;
      cloud.label = fmt::format("class {}", c);
      cloud.stroke = false;
      cloud.markers = true;
      cloud.width = 1.1;
      cloud.color = c == 0 ? 6 : 1;
      if (c > 1) cloud.color = static_cast<int>(c);
      for (std::size_t i = 0; i < targets.size() && 2 * i + 1 < xy.size(); ++i) {
        if (static_cast<std::size_t>(targets[i]) != c) continue;
        cloud.x.push_back(xy[2 * i]);
        cloud.y.push_back(xy[2 * i + 1]);
      }
      panel.lines.push_back(std::move(cloud));
    }
  }

  Params p_;
};
YATLAB_REGISTER(Plot, BoundariesPlot, "boundaries", "the boundaries that all seeds learned, overlaid");

}  // namespace
}  // namespace yatlab
