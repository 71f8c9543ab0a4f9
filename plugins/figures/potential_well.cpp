#include <cmath>

#include "plugins/figures/artifact_panels.h"
#include "plugins/figures/response_scale.h"

namespace yatlab {
namespace {

/// One row for each arm: the response of a unit as a map with level lines and as a surface (paper,
/// fig:yat_potential_well). Reads the artifact of study `response_field`.
class PotentialWellPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    std::int64_t mesh = 57;
    Params() : ArtifactParams("response_field") {}
    static void declare(Fields& f, Params& p) {
      ArtifactParams::declare(f, p);
      f.field("mesh", p.mesh, "maximum number of surface lines along each side").range(5, 200);
    }
  };
  explicit PotentialWellPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {p_.artifact}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    std::string where;
    const auto point = plot_points(run, p_.at).front();
    for (const auto& arm : completed_arms(run, p_.arms)) {
      const JobView& job = plot_job(run, arm, point, p_.seed);
      draw_artifact(run, request, job, p_.artifact, [&](const nlohmann::json& json) {
        const Heat grid = json_grid(json.at("grid"), fmt::format("the field of {}", job.directory));
        const auto w = json_numbers(json.at("weight"));
        where = fmt::format("w = {}, {} × {} points", vector_text(w), grid.columns, grid.rows);
        Panel map;
        map.title = arm_title(*request.config, arm, json);
        map.equal_aspect = true;
        map.grid = false;
        map.x.label = "x₁";
        map.y.label = "x₂";
        Heat heat = grid;
        scale_responses(heat, map.colors, heat.levels);
        map.colors.label = "response";
        map.lines.push_back(star(w.at(0), w.at(1), "#ffffff"));
        Panel well;
        well.x = map.x;
        well.y = map.y;
        Surface surface;
        surface.grid = thinned(grid);
        // Heights are linear even if colours are not.
        const auto [low, high] = finite_limits(grid.values);
        well.colors = map.colors;
        surface.z.min = low >= 0 ? 0 : low;
        surface.z.max = high;
        well.surface = std::move(surface);
        map.heats.push_back(std::move(heat));
        figure.panels.push_back(std::move(map));
        figure.panels.push_back(std::move(well));
      });
    }
    figure.columns = 2;
    figure.width = kDoubleColumn;
    figure.height = 2.75 * static_cast<double>(figure.rows());
    figure.caption = caption_of({request.caption, fmt::format("Response of one unit with {}; star: w. Right: the same as a "
                                                              "surface, heights linear, colours as on the left.",
                                                              where)});
    return {std::move(figure)};
  }

 private:
  // Reduces each block of k x k points to its largest value, so that peaks keep their height.
  Heat thinned(const Heat& grid) const {
    const std::size_t step =
        (std::max(grid.rows, grid.columns) + static_cast<std::size_t>(p_.mesh) - 1) / static_cast<std::size_t>(p_.mesh);
    Heat out;
    out.rows = grid.rows / step;
    out.columns = grid.columns / step;
    out.cell = grid.cell * static_cast<double>(step);
    out.x0 = grid.x0;
    out.y0 = grid.y0 + grid.cell * static_cast<double>(grid.rows - out.rows * step);
    for (std::size_t r = 0; r < out.rows; ++r) {
      for (std::size_t c = 0; c < out.columns; ++c) {
        double most = kNaN;
        for (std::size_t i = 0; i < step * step; ++i) {
          const double v = grid.values[(r * step + i / step) * grid.columns + c * step + i % step];
          if (std::isnan(most) || v > most) most = v;
        }
        out.values.push_back(most);
      }
    }
    return out;
  }

  Params p_;
};
YATLAB_REGISTER(Plot, PotentialWellPlot, "potential_well", "one unit's response as a map and as a surface");

}  // namespace
}  // namespace yatlab
