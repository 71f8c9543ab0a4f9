#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/error.h"
#include "core/experiment/analysis.h"
#include "core/train/language_model.h"

namespace yatlab {
namespace {

/// What flows through a language model's layers on one batch, and back: the size of the residual stream and of its gradient behind every
/// block, the gradient of each block's parameters, and the attention's scores and entropies. For a look at why a model is
/// stable or not: whether something grows from layer to layer, and whether attention has collapsed onto single keys.
class ActivationStatistics final : public Analysis {
 public:
  struct Params {
    std::string split = "test";
    std::int64_t samples = 8;
    bool initial = true;
    static void declare(Fields& f, Params& p) {
      f.field("split", p.split, "whose samples are looked at");
      f.field("samples", p.samples, "the first so many are the batch").positive();
      f.field("initial", p.initial, "also of the model before its first step");
    }
  };
  explicit ActivationStatistics(const Params& p) : p_(p) {}

  Findings analyse(const TrainedArm& arm) const override {
    const auto found = arm.splits.find(p_.split);
    if (found == arm.splits.end()) throw config_error("activation_statistics: no split '" + p_.split + "'", "activation_statistics.split");
    Findings out;
    const auto trained = layers_of(arm.model, arm.task, found->second);
    auto& json = out.artifacts["activation_statistics"];
    json["split"] = p_.split;
    json["samples"] = std::min(p_.samples, found->second.size());
    json["layers"] = to_json(trained);
    if (p_.initial) {
      const auto before = arm.initial();
      json["initial"] = to_json(layers_of(*before, arm.task, found->second));
    }

    const auto over = [&](auto value, auto better, double start) {
      double best = start;
      for (std::size_t i = 1; i < trained.size(); ++i) best = better(best, value(trained[i]));
      return best;
    };
    const auto larger = [](double a, double b) { return std::max(a, b); };
    const auto smaller = [](double a, double b) { return std::min(a, b); };
    out.metrics["activations/residual_first"] = trained.front().residual;
    out.metrics["activations/residual_last"] = trained.back().residual;
    out.metrics["activations/residual_max"] = over([](const Layer& l) { return l.residual_max; }, larger, 0.0);
    out.metrics["activations/gradient_first"] = trained.front().gradient;
    out.metrics["activations/gradient_last"] = trained.back().gradient;
    if (trained.size() > 1) {
      out.metrics["attention/score_max"] = over([](const Layer& l) { return l.score_max; }, larger, -HUGE_VAL);
      out.metrics["attention/score_min"] = over([](const Layer& l) { return l.score_min; }, smaller, HUGE_VAL);
      double entropy = 0;
      for (std::size_t i = 1; i < trained.size(); ++i) entropy += trained[i].entropy / static_cast<double>(trained.size() - 1);
      out.metrics["attention/entropy"] = entropy;
      out.metrics["attention/entropy_min"] = over([](const Layer& l) { return l.entropy; }, smaller, HUGE_VAL);
    }
    return out;
  }

 private:
  /// Behind block i; the first is that of the embeddings and has no attention.
  struct Layer {
    double residual = 0, residual_max = 0;  // root mean square over tokens and width; largest token's
    double gradient = 0;                    // norm of the loss's gradient
    double parameter_gradient = 0;          // norm over the block's parameters
    double score_min = 0, score_mean = 0, score_max = 0;  // over all pairs that see each other
    double entropy = 0;                                   // nats, mean over queries and heads, as a share of that of equal weights
  };

  std::vector<Layer> layers_of(Architecture& model, const Task& task, const Split& split) const {
    auto* const lm = dynamic_cast<LanguageModel*>(&model);
    if (!lm) throw config_error("analysis 'activation_statistics' needs a language model", "analyses", {}, "take it out, or use architecture=gpt2");
    const bool training = model.is_training();
    model.eval();
    std::vector<Layer> out;
    std::vector<Tensor> stream;
    lm->watch([&](const std::string& what, std::int64_t layer, const Tensor& values) {
      if (static_cast<std::int64_t>(out.size()) <= layer) out.resize(static_cast<std::size_t>(layer) + 1);
      Layer& l = out[static_cast<std::size_t>(layer)];
      if (what == "residual") {
        values.retain_grad();
        stream.push_back(values);
        const Tensor squares = values.detach().to(at::kDouble).square().mean(-1);
        l.residual = std::sqrt(squares.mean().item<double>());
        l.residual_max = std::sqrt(squares.max().item<double>());
      } else if (what == "scores") {
        const Tensor seen = values.masked_select(at::ones(values.sizes().slice(2), values.options().dtype(at::kBool)).tril());
        l.score_min = seen.min().item<double>();
        l.score_mean = seen.mean().item<double>();
        l.score_max = seen.max().item<double>();
      } else if (what == "weights") {
        l.entropy = entropy_of(values);
      }
    });
    std::vector<Tensor> kept;
    const auto parameters = model.parameters();
    for (const auto& p : parameters) {
      kept.push_back(p.grad());
      p.mutable_grad().reset();
    }
    const auto samples = std::min(p_.samples, split.size());
    const auto restore = [&] {
      lm->watch({});
      for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].mutable_grad() = kept[i];
      model.train(training);
    };
    try {
      at::AutoGradMode with_grad(true);
      task.training_loss(model, split.inputs.narrow(0, 0, samples), split.targets.narrow(0, 0, samples)).backward();
    } catch (...) {
      restore();
      throw;
    }
    for (std::size_t i = 0; i < stream.size(); ++i) {
      out[i].gradient = stream[i].grad().defined() ? stream[i].grad().to(at::kDouble).norm().item<double>() : 0;
    }
    for (const auto& p : model.named_parameters()) {
      if (p.key().rfind("block", 0) != 0 || !p.value().grad().defined()) continue;
      const auto layer = static_cast<std::size_t>(std::atoll(p.key().c_str() + 5)) + 1;
      if (layer < out.size()) out[layer].parameter_gradient += p.value().grad().to(at::kDouble).square().sum().item<double>();
    }
    for (auto& l : out) l.parameter_gradient = std::sqrt(l.parameter_gradient);
    restore();
    if (out.empty()) throw config_error("analysis 'activation_statistics' needs a model that shows its layers", "analyses");
    return out;
  }

  /// 1: all visible keys weigh the same; 0: each query looks at one alone. The first query, which has no choice, does not count.
  static double entropy_of(const Tensor& weights) {
    const auto t = weights.size(-1);
    if (t < 2) return 0;
    const Tensor w = weights.to(at::kDouble), share = w / w.sum(-1, true).clamp_min(1e-300);
    const Tensor entropy = -(share * share.clamp_min(1e-300).log()).sum(-1);  // [B, H, T]
    const Tensor most = at::arange(1, t + 1, w.options()).log();
    return (entropy.narrow(-1, 1, t - 1) / most.narrow(0, 1, t - 1)).mean().item<double>();
  }

  static nlohmann::ordered_json to_json(const std::vector<Layer>& layers) {
    auto out = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Layer& l = layers[i];
      nlohmann::ordered_json json{{"layer", i}, {"residual", {{"rms", l.residual}, {"largest", l.residual_max}}}, {"gradient", l.gradient}};
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

YATLAB_REGISTER(Analysis, ActivationStatistics, "activation_statistics", "norms of a language model's layers and their gradients, attention scores");

}  // namespace
}  // namespace yatlab
