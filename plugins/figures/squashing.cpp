#include "plugins/figures/artifact_panels.h"

namespace yatlab {
namespace {

/// One panel for each arm, one curve for each sweep point: the curves of normalizers (paper,
/// fig:softer_functions_appendix). Reads the artifact of study `squashing`.
class SquashingPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    std::string symbol = "n";
    std::int64_t columns = 4;
    Params() : ArtifactParams("squashing") {}
    static void declare(Fields& f, Params& p) {
      ArtifactParams::declare(f, p);
      f.field("symbol", p.symbol, "symbol of the swept parameter in the legend");
      f.field("columns", p.columns, "panels per row").range(1, 6);
    }
  };
  explicit SquashingPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {p_.artifact}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Figure figure;
    figure.id = request.id;
    const auto points = plot_points(run, p_.at);
    bool competes = false;
    double rival = 0;
    for (const auto& arm : completed_arms(run, p_.arms)) {
      Panel panel;
      panel.title = request.config->arm_label(arm);
      panel.x.label = "score x";
      panel.legend = Legend::kBelow;
      int color = 0;
      for (const auto& point : points) {
        const JobView& job = plot_job(run, arm, point, p_.seed);
        draw_artifact(run, request, job, p_.artifact, [&](const nlohmann::json& json) {
          Line line;
          line.label = point.size() == 1 ? p_.symbol + " = " + format_parameter(point[0].second) : rest_label(*request.config, point, {});
          line.x = json_numbers(json.at("x"));
          line.y = json_numbers(json.at("y"));
          line.color = color++;
          if (json.at("competitive").get<bool>()) {
            competes = true;
            rival = json.at("rival").get<double>();
            panel.x.label = fmt::format("x against {:g}", rival);
          }
          panel.lines.push_back(std::move(line));
        });
      }
      const double last = panel.lines.empty() || panel.lines[0].x.empty() ? 0 : panel.lines[0].x.back();
      for (int i = 0; i <= last && last <= 8; ++i) panel.x.ticks.emplace_back(i, std::to_string(i));
      figure.panels.push_back(std::move(panel));
    }
    figure.columns = std::min(static_cast<std::size_t>(p_.columns), figure.panels.size());
    figure.width = figure.columns > 1 ? kDoubleColumn : kSingleColumn;
    figure.height = 1.85 * static_cast<double>(figure.rows()) + 0.2;
    figure.caption = caption_of(
        {request.caption,
         competes ? fmt::format("Competitive functions show the share of a score x against one rival score of {:g}.", rival) : ""});
    return {std::move(figure)};
  }

 private:
  Params p_;
};
YATLAB_REGISTER(Plot, SquashingPlot, "squashing", "curves of normalizers");

}  // namespace
}  // namespace yatlab
