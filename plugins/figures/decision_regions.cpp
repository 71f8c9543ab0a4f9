#include <cmath>
#include <set>

#include "plugins/figures/artifact_panels.h"

namespace yatlab {
namespace {

/// Arms from left to right, sweep points (data sets) from top to bottom: the class with the highest score at every point of the
/// plane, the curves between them, data points and prototypes as stars (paper, fig:decision_boundaries). Reads
/// the artifacts of study `decision_regions` and of analysis `decision_map`.
class DecisionRegionsPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    std::string metric;
    bool points = true;
    Params() : ArtifactParams("decision_map") {}
    static void declare(Fields& f, Params& p) {
      ArtifactParams::declare(f, p);
      f.field("metric", p.metric, "metric printed in each panel, for the seed that is shown; empty: none");
      f.field("points", p.points, "show the data points");
    }
  };
  explicit DecisionRegionsPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override {
    PlotNeeds out{{}, {}, {p_.artifact}, p_.arms};
    if (!p_.metric.empty()) out.results = {p_.metric};
    return out;
  }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    const auto arms = completed_arms(run, p_.arms);
    const auto points = plot_points(run, p_.at);
    Figure figure;
    figure.id = request.id;
    std::string shown;
    std::set<std::int64_t> seeds;
    for (std::size_t r = 0; r < points.size(); ++r) {
      for (std::size_t a = 0; a < arms.size(); ++a) {
        const JobView& job = plot_job(run, arms[a], points[r], p_.seed);
        draw_artifact(run, request, job, p_.artifact, [&](const nlohmann::json& json) {
          Panel panel = regions(json, job);
          if (r == 0) panel.title = arm_title(*request.config, arms[a], json);
          // A blank keeps panels without a label the same size as those with one.
          if (!points[r].empty()) panel.y.label = a == 0 ? row_label(*request.config, points[r]) : " ";
          const auto metric = job.metrics.find(p_.metric);
          if (metric != job.metrics.end()) {
            const auto info = request.config->metric(p_.metric);
            Annotation text;
            const int digits = is_percent(info.format) ? 1 : 3;
            text.text = format_value(metric->second, info.format, digits) + unit(info.format);
            const Heat& heat = panel.heats[0];
            text.x = heat.x0 + 0.97 * heat.cell * static_cast<double>(heat.columns);
            text.y = heat.y0 + 0.07 * heat.cell * static_cast<double>(heat.rows);
            text.align = Annotation::Align::kRight;
            text.bold = true;
            panel.texts.push_back(std::move(text));
          }
          seeds.insert(job.seed);
          shown = fmt::format("{} × {} points, seed{} {}", panel.heats[0].columns, panel.heats[0].rows, seeds.size() == 1 ? "" : "s",
                              fmt::join(seeds, ", "));
          if (json.contains("points") && p_.points) {
            shown += fmt::format("; {} {} points shown", json.at("targets").size(), json.value("split", std::string("data")));
          }
          figure.panels.push_back(std::move(panel));
        });
      }
    }
    figure.columns = arms.size();
    figure.width = arms.size() > 1 ? kDoubleColumn : kSingleColumn;
    const double labels = points.front().empty() ? 0 : 0.2;
    const double side = figure.width / static_cast<double>(arms.size()) - 0.14 - labels;
    figure.height = (side + 0.3) * static_cast<double>(figure.rows());
    std::vector<std::string> sentences = {request.caption, "Stars: prototypes (as far as they lie inside)."};
    figure.notes.push_back(fmt::format("Regions and boundaries on {}.", shown));
    if (!p_.metric.empty()) sentences.push_back(fmt::format("Numbers: {}.", metric_title(*request.config, p_.metric)));
    figure.caption = caption_of(sentences);
    return {std::move(figure)};
  }

 private:
  Panel regions(const nlohmann::json& json, const JobView& job) const {
    Panel panel;
    panel.equal_aspect = true;
    panel.grid = false;
    panel.x.visible = panel.y.visible = false;
    panel.colors.map = ColorMap::kCategories;
    panel.colors.bar = false;
    Heat heat = json_grid(json.at("grid"), fmt::format("the map of {}", job.directory));
    heat.frame = true;
    const double left = heat.x0, right = heat.x0 + heat.cell * static_cast<double>(heat.columns);
    const double bottom = heat.y0, top = heat.y0 + heat.cell * static_cast<double>(heat.rows);
    panel.heats.push_back(std::move(heat));
    panel.x.min = left;  // prototypes may be outside
    panel.x.max = right;
    panel.y.min = bottom;
    panel.y.max = top;
    if (p_.points && json.contains("points")) {
      const auto xy = json_numbers(json.at("points").at("data"));
      const auto targets = json_numbers(json.at("targets"));
      std::vector<Line> clouds(static_cast<std::size_t>(json.at("classes").get<int>()));
      for (std::size_t i = 0; i < targets.size() && 2 * i + 1 < xy.size(); ++i) {
        const auto c = static_cast<std::size_t>(targets[i]);
        const double x = xy[2 * i], y = xy[2 * i + 1];
        if (c >= clouds.size() || x < left || x > right || y < bottom || y > top) continue;
        clouds[c].x.push_back(x);
        clouds[c].y.push_back(y);
      }
      for (std::size_t c = 0; c < clouds.size(); ++c) {
        clouds[c].stroke = false;
        clouds[c].markers = true;
        clouds[c].marker = Marker::kDot;
        clouds[c].color = static_cast<int>(c);
        panel.lines.push_back(std::move(clouds[c]));
      }
    }
    for (const auto& curve : json.at("boundaries")) {
      Line line;
      line.x = json_numbers(curve.at("x"));
      line.y = json_numbers(curve.at("y"));
      line.rgb = "#000000";
      line.dash = 1;
      line.width = 0.9;
      panel.lines.push_back(std::move(line));
    }
    if (json.contains("prototypes")) {
      const auto xy = json_numbers(json.at("prototypes").at("data"));
      const auto classes = json_numbers(json.at("prototype_classes"));
      for (std::size_t i = 0; i < classes.size() && 2 * i + 1 < xy.size(); ++i) {
        panel.lines.push_back(star(xy[2 * i], xy[2 * i + 1], palette_color(static_cast<int>(classes[i]))));
        if (classes.size() > 8) panel.lines.back().width *= 0.65;
      }
    }
    return panel;
  }

  // The data set's name for "dataset", the parameter's name for others.
  static std::string row_label(const ReportConfig& config, const Node::Map& point) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : point) {
      if (key != "dataset") continue;
      std::string name = value.is_map() ? value.at("name").as_string() : format_parameter(value);
      std::replace(name.begin(), name.end(), '_', ' ');
      parts.push_back(std::move(name));
    }
    return parts.empty() ? rest_label(config, point, {}) : join(parts, ", ");
  }

  Params p_;
};
YATLAB_REGISTER(Plot, DecisionRegionsPlot, "decision_regions", "decision regions, boundaries and prototypes in the plane");

}  // namespace
}  // namespace yatlab
