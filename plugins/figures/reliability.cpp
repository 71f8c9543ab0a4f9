#include "plugins/figures/artifact_panels.h"

namespace yatlab {
namespace {

/// Accuracy minus confidence in bins of confidence, one curve for each arm, above the share of predictions in each bin (paper,
/// fig:ntk_calibration b): accuracy itself would lie on the diagonal. Reads the artifact of analysis `calibration`, for tokens or classes;
/// `artifact: calibration_scaled` is the one after temperature scaling.
class ReliabilityPlot final : public Plot {
 public:
  struct Params : ArtifactParams {
    std::int64_t fewest = 20;
    std::string best;
    Params() : ArtifactParams("calibration") {}
    static void declare(Fields& f, Params& p) {
      ArtifactParams::declare(f, p);
      f.field("fewest", p.fewest, "leave bins of fewer tokens, or samples, out of the curves").positive();
      f.field("best", p.best, "in a sweep: show each arm where this metric is best; empty: all points");
    }
  };
  explicit ReliabilityPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override {
    PlotNeeds out{{}, {}, {p_.artifact}, p_.arms};
    if (!p_.best.empty()) out.results = {p_.best};
    return out;
  }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Panel curves, shares;
    Line calibrated;
    calibrated.x = {0, 1};
    calibrated.y = {0, 0};
    calibrated.rgb = "#888888";
    calibrated.dash = 2;
    calibrated.width = 0.8;
    curves.lines.push_back(calibrated);
    const auto points = plot_points(run, p_.at);
    std::vector<std::string> errors;
    SeedsSeen seeds;
    int color = 0;
    double level = 0;
    bool classes = false;
    for (const auto& arm : completed_arms(run, p_.arms)) {
      for (const auto& point : arm_points(run, *request.config, arm, points, p_.best)) {
        const auto rest = rest_label(*request.config, point, {});
        const auto label = request.config->arm_label(arm) + (rest.empty() ? "" : ", " + rest);
        const JobView& job = plot_job(run, arm, point, p_.seed);
        seeds.add({job.seed});
        draw_artifact(run, request, job, p_.artifact, [&](const nlohmann::json& json) {
          Line curve, share;
          curve.label = label;
          curve.color = share.color = color++;
          curve.markers = curve.error_bars = true;
          classes = json.value("predicted", "token") == "class";
          const auto predictions = json.at(classes ? "samples" : "tokens").get<double>();
          for (const auto& bin : json.at("bins")) {
            const auto count = bin.at("count").get<double>();
            for (const char* end : {"from", "to"}) {
              share.x.push_back(bin.at(end).get<double>());
              share.y.push_back(count / predictions);
            }
            if (count < static_cast<double>(p_.fewest)) continue;
            const auto confidence = bin.at("confidence").get<double>();
            curve.x.push_back(confidence);
            curve.y.push_back(bin.at("accuracy").get<double>() - confidence);
            curve.low.push_back(bin.at("accuracy_low").get<double>() - confidence);
            curve.high.push_back(bin.at("accuracy_high").get<double>() - confidence);
          }
          const auto& ece = json.at("ece");
          level = json.at("level").get<double>();
          errors.push_back(fmt::format("{} {:.3f} [{:.3f}, {:.3f}]", label, ece.at("value").get<double>(), ece.at("low").get<double>(),
                                       ece.at("high").get<double>()));
          curves.lines.push_back(std::move(curve));
          shares.lines.push_back(std::move(share));
        });
      }
    }
    for (auto* panel : {&curves, &shares}) {
      panel->x.min = 0;
      panel->x.max = 1;
      for (const double tick : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) panel->x.ticks.emplace_back(tick, fmt::format("{:g}", tick));
    }
    curves.y.label = "accuracy − confidence";
    curves.y.percent = true;
    curves.legend = Legend::kBelow;
    shares.x.label = classes ? "confidence in the likeliest class" : "confidence in the likeliest token";
    shares.y.label = classes ? "share of samples" : "share of tokens";
    shares.y.min = 0;
    shares.y.percent = true;

    Figure figure;
    figure.id = request.id;
    figure.height = 3.9 + 0.16 * static_cast<double>((curves.lines.size()) / 2);
    figure.panels = {std::move(curves), std::move(shares)};
    figure.caption = request.caption;
    figure.notes = {seeds.text(), fmt::format("Bars: {:g} % intervals over resampled samples.", 100 * level),
                    fmt::format("Expected calibration error: {}.", join(errors, "; "))};
    return {std::move(figure)};
  }

 private:
  Params p_;
};
YATLAB_REGISTER(Plot, ReliabilityPlot, "reliability", "accuracy minus confidence of predicted tokens or classes");

}  // namespace
}  // namespace yatlab
