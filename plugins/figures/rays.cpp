#include "plugins/figures/artifact_panels.h"

namespace yatlab {
namespace {

/// One row for each arm: the response over the angle between x and w for several radii, and over the radius for several angles,
/// with the limit |w|^2 cos^2 theta as a dashed line if the response converges to it (paper,
/// fig:yat_geometry_properties). Reads the artifact of study `ray_response`.
class RaysPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    Params() : ArtifactParams("ray_response") {}
    static void declare(Fields& f, Params& p) { ArtifactParams::declare(f, p); }
  };
  explicit RaysPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {p_.artifact}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    const auto point = plot_points(run, p_.at).front();
    bool limits = false;
    double norm = 1;
    for (const auto& arm : completed_arms(run, p_.arms)) {
      const JobView& job = plot_job(run, arm, point, p_.seed);
      draw_artifact(run, request, job, p_.artifact, [&](const nlohmann::json& json) {
        norm = json.at("norm").get<double>();
        Panel angle;
        angle.title = arm_title(*request.config, arm, json);
        angle.x.label = "angle θ between w and x";
        angle.y.label = "response";
        angle.x.ticks = {{0, "0°"}, {45, "45°"}, {90, "90°"}, {135, "135°"}, {180, "180°"}};
        int color = 0;
        for (const auto& curve : json.at("angle").at("curves")) {
          Line line;
          line.label = fmt::format("k = {:g}", curve.at("radius").get<double>());
          line.x = json_numbers(json.at("angle").at("degrees"));
          line.y = json_numbers(curve.at("response"));
          line.color = color++;
          angle.lines.push_back(std::move(line));
        }
        angle.legend = roomiest_corner(angle);
        Panel radius;
        radius.title = angle.title;
        radius.x.label = "radius k = ‖x‖ / ‖w‖";
        radius.y.label = "response";
        radius.x.log = true;
        const auto radii = json_numbers(json.at("radius").at("radii"));
        const bool has_limit = json.at("radius").at("has_limit").get<bool>();
        limits = limits || has_limit;
        color = 0;
        for (const auto& curve : json.at("radius").at("curves")) {
          Line line;
          line.label = fmt::format("θ = {:g}°", curve.at("angle").get<double>());
          line.x = radii;
          line.y = json_numbers(curve.at("response"));
          line.color = color++;
          if (has_limit && !radii.empty()) {
            Line limit;
            const double value = curve.at("limit").get<double>();
            limit.x = {radii.front(), radii.back()};
            limit.y = {value, value};
            limit.color = line.color;
            limit.dash = 2;
            limit.width = 0.7;
            radius.lines.push_back(std::move(limit));
          }
          radius.lines.push_back(std::move(line));
        }
        radius.legend = has_limit ? Legend::kTopRight : roomiest_corner(radius);
        figure.panels.push_back(std::move(angle));
        figure.panels.push_back(std::move(radius));
      });
    }
    figure.columns = 2;
    figure.width = kDoubleColumn;
    figure.height = 2.3 * static_cast<double>(figure.rows());
    figure.caption = caption_of({request.caption, fmt::format("Response of one unit with ‖w‖ = {:g} to x of norm k‖w‖ at the angle θ.{}",
                                                              norm, limits ? " Dashed: ‖w‖² cos²θ, where the response tends to it." : "")});
    return {std::move(figure)};
  }

 private:
  Params p_;
};
YATLAB_REGISTER(Plot, RaysPlot, "rays", "response over angle and radius, with its limit");

}  // namespace
}  // namespace yatlab
