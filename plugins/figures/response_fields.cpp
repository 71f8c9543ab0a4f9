#include <cmath>

#include "plugins/figures/artifact_panels.h"
#include "plugins/figures/response_scale.h"

namespace yatlab {
namespace {

/// One panel for each arm: the response of a unit over the plane as colours and level lines, its gradient as arrows, w as
/// a star (paper, fig:yat_product_analysis). Reads the artifact of study `response_field`.
class ResponseFieldsPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    std::int64_t columns = 4;
    Params() : ArtifactParams("response_field") {}
    static void declare(Fields& f, Params& p) {
      ArtifactParams::declare(f, p);
      f.field("columns", p.columns, "panels per row").range(1, 6);
    }
  };
  explicit ResponseFieldsPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {p_.artifact}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    std::string where, scales;
    const auto point = plot_points(run, p_.at).front();
    for (const auto& arm : completed_arms(run, p_.arms)) {
      const JobView& job = plot_job(run, arm, point, p_.seed);
      draw_artifact(run, request, job, p_.artifact, [&](const nlohmann::json& json) {
        Panel panel;
        Heat heat = json_grid(json.at("grid"), fmt::format("the field of {}", job.directory));
        const auto w = json_numbers(json.at("weight"));
        panel.title = arm_title(*request.config, arm, json);
        panel.equal_aspect = true;
        panel.grid = false;
        panel.colors.below = true;
        panel.x.ticks = panel.y.ticks = ticks(heat);
        scale_responses(heat, panel.colors, heat.levels);
        where = fmt::format("w = {}, {} × {} points", vector_text(w), heat.columns, heat.rows);
        scales += fmt::format("{}{}: {}", scales.empty() ? "" : ", ", request.config->arm_label(arm), scale_word(panel.colors));
        arrows(panel, heat, json_numbers(json.at("arrows").at("from").at("data")),
               json_numbers(json.at("arrows").at("gradient").at("data")));
        panel.lines.push_back(star(w.at(0), w.at(1), "#ffffff"));
        panel.heats.push_back(std::move(heat));
        figure.panels.push_back(std::move(panel));
      });
    }
    figure.columns = std::min(static_cast<std::size_t>(p_.columns), figure.panels.size());
    figure.width = figure.columns > 1 ? kDoubleColumn : kSingleColumn;
    figure.height = (figure.width / static_cast<double>(figure.columns) + 0.42) * static_cast<double>(figure.rows());
    figure.caption = caption_of(
        {request.caption, fmt::format("Colours and level lines: response of one unit with {} (star); scales: {}. Arrows: gradient in x; "
                                      "lengths grow with the fourth root of its size, up to the longest tenth.",
                                      where, scales)});
    return {std::move(figure)};
  }

 private:
  // The same few ticks on both axes, as panels are small.
  static std::vector<std::pair<double, std::string>> ticks(const Heat& heat) {
    const double span = heat.cell * static_cast<double>(heat.columns);
    return heat.x0 == heat.y0 ? linear_ticks(heat.x0, heat.x0 + span, 4) : std::vector<std::pair<double, std::string>>{};
  }

  static void arrows(Panel& panel, const Heat& heat, const std::vector<double>& from, const std::vector<double>& slope) {
    // The shortest 90 % of arrows are drawn to scale; the others, near peaks and poles, all have the maximum length.
    std::vector<double> sizes;
    for (std::size_t i = 0; i + 1 < slope.size(); i += 2) sizes.push_back(std::hypot(slope[i], slope[i + 1]));
    const double steepest = sizes.empty() ? 0 : percentile(sizes, 0.9);
    if (steepest <= 0 || slope.size() != from.size()) return;
    const double side = std::sqrt(static_cast<double>(from.size()) / 2);
    const double longest = 0.95 * heat.cell * static_cast<double>(heat.columns) / side;
    for (std::size_t i = 0; i + 1 < slope.size(); i += 2) {
      const double size = std::hypot(slope[i], slope[i + 1]);
      if (!(size > 1e-9 * steepest)) continue;
      const double length = longest * std::min(1.0, std::pow(size / steepest, 0.25));
      Arrow a;
      a.dx = slope[i] / size * length;
      a.dy = slope[i + 1] / size * length;
      a.x = from[i] - a.dx / 2;
      a.y = from[i + 1] - a.dy / 2;
      // The value under the middle of the arrow selects dark or light.
      const auto column = static_cast<std::size_t>(std::clamp((from[i] - heat.x0) / heat.cell, 0.0, static_cast<double>(heat.columns - 1)));
      const auto row = heat.rows - 1 -
                       static_cast<std::size_t>(std::clamp((from[i + 1] - heat.y0) / heat.cell, 0.0, static_cast<double>(heat.rows - 1)));
      a.color = text_color_on(panel.colors, heat.values[row * heat.columns + column]) == "#ffffff" ? "#ffffff" : "#222222";
      panel.arrows.push_back(a);
    }
  }

  Params p_;
};
YATLAB_REGISTER(Plot, ResponseFieldsPlot, "response_fields", "response and gradient over the plane, one panel for each arm");

}  // namespace
}  // namespace yatlab
