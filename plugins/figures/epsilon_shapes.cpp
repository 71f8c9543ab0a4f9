#include "plugins/figures/artifact_panels.h"

namespace yatlab {
namespace {

/// One row for each arm: the response along the line through w, and across it at w relative to its value there, one curve for
/// each epsilon (paper, fig:yat_robustness a). Reads the artifact of study `epsilon_shape`.
class EpsilonShapesPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    Params() : ArtifactParams("epsilon_shape") {}
    static void declare(Fields& f, Params& p) { ArtifactParams::declare(f, p); }
  };
  explicit EpsilonShapesPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {p_.artifact}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    const auto point = plot_points(run, p_.at).front();
    double norm = 1;
    for (const auto& arm : completed_arms(run, p_.arms)) {
      const JobView& job = plot_job(run, arm, point, p_.seed);
      draw_artifact(run, request, job, p_.artifact, [&](const nlohmann::json& json) {
        norm = json.at("norm").get<double>();
        const bool uses = json.at("uses_epsilon").get<bool>();
        Panel along, across;
        along.title = across.title = request.config->arm_label(arm);
        along.x.label = "t, at x = t w";
        along.y.label = "response";
        across.x.label = "s, at x = w + s ‖w‖ u, u ⊥ w";
        across.y.label = "response / response at w";
        int color = 0;
        double lowest = kNaN, highest = kNaN;
        bool negative = false;
        for (const auto& curve : json.at("curves")) {
          Line a;
          if (uses) a.label = "ε = " + format_parameter(Node(curve.at("epsilon").get<double>()));
          a.color = color++;
          Line b = a;
          a.x = json_numbers(json.at("t"));
          a.y = json_numbers(curve.at("along"));
          b.x = json_numbers(json.at("s"));
          b.y = json_numbers(curve.at("across"));
          const double peak = curve.at("at_weight").is_number() ? curve.at("at_weight").get<double>() : kNaN;
          for (double v : a.y) negative = negative || v < 0;
          if (peak != 0) {
            for (double& v : b.y) v /= peak;
          } else {
            across.y.label = "response";
          }
          if (std::isnan(lowest) || peak < lowest) lowest = peak;
          if (std::isnan(highest) || peak > highest) highest = peak;
          along.lines.push_back(std::move(a));
          across.lines.push_back(std::move(b));
        }
        if (!negative && lowest > 0 && highest > 10 * lowest) {
          along.y.log = true;
          along.y.min = lowest / 100;
          along.y.max = 2 * highest;
        }
        along.legend = uses ? roomiest_corner(along) : Legend::kNone;
        figure.panels.push_back(std::move(along));
        figure.panels.push_back(std::move(across));
      });
    }
    figure.columns = 2;
    figure.width = kDoubleColumn;
    figure.height = 2.3 * static_cast<double>(figure.rows());
    figure.caption =
        caption_of({request.caption,
                    fmt::format("‖w‖ = {:g}. Left: along the line through w. Right: across it, as a share of the response at w.", norm)});
    return {std::move(figure)};
  }

 private:
  Params p_;
};
YATLAB_REGISTER(Plot, EpsilonShapesPlot, "epsilon_shapes", "what epsilon does to the shape of the response");

}  // namespace
}  // namespace yatlab
