#include "core/train/layer_statistics.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/model/language_model.h"

namespace yatlab {
namespace {

double norm_of(const Tensor& t) { return t.defined() ? t.to(at::kDouble).norm().item<double>() : 0; }

double entropy_of(const Tensor& weights) {
  const auto t = weights.size(-1);
  if (t < 2) return 0;
  const Tensor w = weights.to(at::kDouble), share = w / w.sum(-1, true).clamp_min(1e-300);
  const Tensor entropy = -(share * share.clamp_min(1e-300).log()).sum(-1);  // [B, H, T]
  const Tensor most = at::arange(1, t + 1, w.options()).log();
  return (entropy.narrow(-1, 1, t - 1) / most.narrow(0, 1, t - 1)).mean().item<double>();
}

/// While it exists, the model is in evaluation mode, reports its layers' values and has no gradients; its destructor restores all three.
class LayerWatchScope {
 public:
  LayerWatchScope(Architecture& model, LanguageModel& lm, LayerWatch watch)
      : model_(model), lm_(lm), training_(model.is_training()), parameters_(model.parameters()) {
    for (const auto& p : parameters_) {
      gradients_.push_back(p.grad());
      p.mutable_grad().reset();
    }
    model_.eval();
    lm_.watch(std::move(watch));
  }
  ~LayerWatchScope() {
    lm_.watch({});
    for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].mutable_grad() = gradients_[i];
    model_.train(training_);
  }
  LayerWatchScope(const LayerWatchScope&) = delete;
  LayerWatchScope& operator=(const LayerWatchScope&) = delete;

 private:
  Architecture& model_;
  LanguageModel& lm_;
  bool training_;
  std::vector<Tensor> parameters_, gradients_;
};

}  // namespace

std::vector<LayerStatistics> layer_statistics(Architecture& model, const Task& task, const Tensor& inputs, const Tensor& targets) {
  auto* const lm = dynamic_cast<LanguageModel*>(&model);
  if (!lm) throw config_error("statistics of layers need a language model", "architecture", {}, "use architecture=gpt2, or turn them off");
  std::vector<LayerStatistics> out;
  std::vector<Tensor> stream;
  const LayerWatchScope watching(model, *lm, [&](const std::string& what, std::int64_t layer, const Tensor& values) {
    if (static_cast<std::int64_t>(out.size()) <= layer) out.resize(static_cast<std::size_t>(layer) + 1);
    auto& l = out[static_cast<std::size_t>(layer)];
    if (what == "residual") {
      values.retain_grad();
      stream.push_back(values);
      const Tensor squares = values.detach().to(at::kDouble).square().mean(-1);
      l.residual_rms = std::sqrt(squares.mean().item<double>());
      l.residual_largest = std::sqrt(squares.max().item<double>());
    } else if (what == "scores") {
      const Tensor seen = values.masked_select(at::ones(values.sizes().slice(2), values.options().dtype(at::kBool)).tril());
      l.score_min = seen.min().item<double>();
      l.score_mean = seen.mean().item<double>();
      l.score_max = seen.max().item<double>();
    } else if (what == "weights") {
      l.entropy = entropy_of(values);
    }
  });
  {
    at::AutoGradMode with_gradients(true);
    task.training_loss(model, inputs, targets).backward();
  }
  if (out.empty())
    throw config_error("this architecture does not expose its layers", "architecture", {},
                       "use architecture=gpt2, or turn off statistics of layers");
  for (std::size_t i = 0; i < stream.size(); ++i) out[i].gradient = norm_of(stream[i].grad());
  for (const auto& p : model.named_parameters()) {
    if (p.key().rfind("block", 0) != 0) continue;
    const auto layer = static_cast<std::size_t>(std::atoll(p.key().c_str() + 5)) + 1;
    if (layer < out.size()) out[layer].parameter_gradient = std::hypot(out[layer].parameter_gradient, norm_of(p.value().grad()));
  }
  return out;
}

std::vector<MetricDoc> layer_summary_docs() {
  // A title for each name; layer_summary alone decides which names there are.
  const std::map<std::string, const char*> titles = {{"residual_rms", "residual stream behind the last block, RMS"},
                                                     {"residual_largest", "residual stream behind the last block, largest token's RMS"},
                                                     {"gradient_embeddings", "gradient at the embeddings, norm"},
                                                     {"score_max", "largest attention score"},
                                                     {"attention_entropy", "entropy of attention (share of the largest)"},
                                                     {"attention_entropy_min", "entropy of attention, least of the layers"}};
  std::vector<MetricDoc> out;
  for (const auto& [name, value] : layer_summary(std::vector<LayerStatistics>(2)))
    out.push_back(MetricDoc(name).called(titles.at(name)).neither());
  return out;
}

Metrics layer_summary(const std::vector<LayerStatistics>& layers) {
  Metrics out{{"residual_rms", layers.back().residual_rms},
              {"residual_largest", layers.back().residual_largest},
              {"gradient_embeddings", layers.front().gradient}};
  if (layers.size() < 2) return out;
  double score = -HUGE_VAL, sum = 0, least = HUGE_VAL;  // NaN stays
  for (std::size_t i = 1; i < layers.size(); ++i) {
    if (!std::isnan(score) && !(layers[i].score_max <= score)) score = layers[i].score_max;
    sum += layers[i].entropy;
    if (!std::isnan(least) && !(layers[i].entropy >= least)) least = layers[i].entropy;
  }
  out["score_max"] = score;
  out["attention_entropy"] = sum / static_cast<double>(layers.size() - 1);
  out["attention_entropy_min"] = least;
  return out;
}

}  // namespace yatlab
