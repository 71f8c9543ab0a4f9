#include "core/base/error.h"
#include "core/measure/analysis.h"
#include "core/train/layer_statistics.h"

namespace yatlab {
namespace {

/// Statistics of the activations and gradients in a language model's layers on one batch, before and after training. They show why a model is stable
/// or not, whether something grows from layer to layer, and whether attention has collapsed onto single keys. Also runs on diverged models. The same
/// numbers during training: `task.layer_statistics`.
class ActivationStatistics final : public Analysis {
 public:
  struct Params {
    std::string split = "test";
    std::int64_t samples = 8;
    bool initial = true;
    static void declare(Fields& f, Params& p) {
      f.field("split", p.split, "split to take the batch from");
      f.field("samples", p.samples, "number of samples in the batch, the split's first ones").positive();
      f.field("initial", p.initial, "also measure the model before its first step");
    }
  };
  explicit ActivationStatistics(const Params& p) : p_(p) {}
  bool of_diverged() const override { return true; }
  FindingNames names(const ArmParts&) const override { return {with_prefix("layers/", layer_summary_docs()), {"activation_statistics"}}; }
  void check(const ArmParts& arm) const override {
    arm.require_language_model("analysis 'activation_statistics'");
    arm.require_split(p_.split, "analysis 'activation_statistics'");
  }

  Findings analyse(const TrainedArm& arm) const override {
    const auto found = arm.splits.find(p_.split);
    if (found == arm.splits.end()) throw config_error("activation_statistics: no split '" + p_.split + "'", "activation_statistics.split");
    const auto samples = std::min(p_.samples, found->second.size());
    const auto of = [&](Architecture& model) {
      return layer_statistics(model, arm.task, found->second.inputs.narrow(0, 0, samples), found->second.targets.narrow(0, 0, samples));
    };
    Findings out;
    const auto trained = of(arm.model);
    auto& json = out.artifacts["activation_statistics"];
    json["split"] = p_.split;
    json["samples"] = samples;
    json["layers"] = to_json(trained);
    if (p_.initial) json["initial"] = to_json(of(*arm.initial()));
    out.media.push_back({"layers", table_of(trained), "what flows through the layers after training"});
    for (const auto& [name, value] : layer_summary(trained)) out.metrics["layers/" + name] = value;
    return out;
  }

 private:
  static TableData table_of(const std::vector<LayerStatistics>& layers) {
    TableData out;
    out.columns = {"layer", "residual_rms", "residual_largest", "gradient", "largest_score", "entropy"};
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto& l = layers[i];
      auto row = nlohmann::ordered_json::array({i, l.residual_rms, l.residual_largest, l.gradient});
      row.push_back(i > 0 ? nlohmann::ordered_json(l.score_max) : nlohmann::ordered_json());  // the first is the embedding
      row.push_back(i > 0 ? nlohmann::ordered_json(l.entropy) : nlohmann::ordered_json());
      out.rows.push_back(std::move(row));
    }
    return out;
  }

  static nlohmann::ordered_json to_json(const std::vector<LayerStatistics>& layers) {
    auto out = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto& l = layers[i];
      nlohmann::ordered_json json{
          {"layer", i}, {"residual", {{"rms", l.residual_rms}, {"largest", l.residual_largest}}}, {"gradient", l.gradient}};
      if (i > 0) {
        json["parameter_gradient"] = l.parameter_gradient;
        json["scores"] = {{"min", l.score_min}, {"mean", l.score_mean}, {"max", l.score_max}};
        json["entropy"] = l.entropy;
      }
      out.push_back(std::move(json));
    }
    return out;
  }

  Params p_;
};

YATLAB_REGISTER(Analysis, ActivationStatistics, "activation_statistics",
                "norms of a language model's layers and their gradients, attention scores");

}  // namespace
}  // namespace yatlab
