#include <cmath>

#include "plugins/figures/artifact_panels.h"

namespace yatlab {
namespace {

/// One panel for each arm and epsilon: how much the response changes when the input moves by delta: on average and at most over random
/// directions, and in the worst case, with the paper's bound (fig:yat_robustness b). Reads the artifact of study `perturbation`.
class PerturbationPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    Params() : ArtifactParams("perturbation") {}
    static void declare(Fields& f, Params& p) { ArtifactParams::declare(f, p); }
  };
  explicit PerturbationPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {p_.artifact}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    std::string sizes;
    const auto point = plot_points(run, p_.at).front();
    for (const auto& arm : completed_arms(run, p_.arms)) {
      const JobView& job = plot_job(run, arm, point, p_.seed);
      draw_artifact(run, request, job, p_.artifact, [&](const nlohmann::json& json) {
        const auto deltas = json_numbers(json.at("deltas"));
        const bool uses = json.at("uses_epsilon").get<bool>();
        sizes = fmt::format("d = {}, {} random pairs for each δ, search from {} starts, seed {}", json.at("dimension").get<int>(),
                            json.at("samples").get<int>(), json.at("starts").get<int>(), job.seed);
        for (const auto& curve : json.at("curves")) {
          Panel panel;
          panel.title = request.config->arm_label(arm);
          if (uses) panel.title += ", ε = " + format_parameter(Node(curve.at("epsilon").get<double>()));
          panel.x.label = "perturbation δ";
          panel.y.label = "|ΔK|";
          panel.x.log = panel.y.log = true;
          panel.legend = Legend::kBelow;
          const auto add = [&](const char* label, std::vector<double> y, int color, bool markers) {
            Line line;
            line.label = label;
            line.x = deltas;
            line.y = std::move(y);
            line.color = color;
            line.markers = markers;
            panel.lines.push_back(std::move(line));
          };
          add("random, mean", json_numbers(curve.at("mean")), 0, true);
          add("random, largest", json_numbers(curve.at("largest")), 4, true);
          add("worst found by search", json_numbers(curve.at("worst")), 1, true);
          if (uses) {
            std::vector<double> bound;
            for (double d : deltas) bound.push_back(curve.at("slope").get<double>() * d);
            add("bound (2/ε + 4/ε²) δ", bound, 6, false);
            panel.lines.back().dash = 2;
          }
          figure.panels.push_back(std::move(panel));
        }
      });
    }
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.2 * static_cast<double>(figure.rows()) + 0.25;
    figure.caption = caption_of({request.caption, "Change of the response, ‖w‖, ‖x‖, ‖x′‖ ≤ 1 and ‖x′ − x‖ ≤ δ."});
    figure.notes.push_back(sizes + ".");
    return {std::move(figure)};
  }

 private:
  Params p_;
};
YATLAB_REGISTER(Plot, PerturbationPlot, "perturbation", "response change under input perturbation, against the bound");

}  // namespace
}  // namespace yatlab
