#include <ATen/ATen.h>

#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/model/language_model.h"
#include "core/model/text_scores.h"
#include "core/model/token_loss.h"
#include "core/train/arm_parts.h"
#include "core/train/layer_statistics.h"
#include "core/train/samples_trained_on.h"

namespace yatlab {

/// Next-token prediction. Inputs and targets are [B, T] tokens; targets are shifted by one position. The loss is the mean
/// cross-entropy in nats per token.
class LanguageModeling final : public Task {
 public:
  struct Params {
    std::optional<std::int64_t> block;
    std::int64_t calibration_bins = 15;
    std::int64_t layer_statistics = 0;
    static void declare(Fields& f, Params& p) {
      f.field("block", p.block, "number of tokens whose logits are in memory at once; null: 512 on the CPU, 4096 on other devices")
          .positive();
      f.field("calibration_bins", p.calibration_bins, "number of bins of the expected calibration error").range(1, 1e6);
      f.field("layer_statistics", p.layer_statistics,
              "number of samples on which every evaluation also measures the model's layers (sizes, gradients, attention scores); 0: "
              "none")
          .non_negative();
    }
  };
  explicit LanguageModeling(const Params& p) : p_(p) {}

  /// The experiment's normalizer belongs to the attention; tokens are always predicted by softmax.
  void set_normalizer(std::shared_ptr<Normalizer>) override {}

  void check(const ArmParts& arm) const override {
    if (arm.data.targets != DataShape::Targets::kUnknown && arm.data.targets != DataShape::Targets::kTokens) {
      throw config_error("task 'language_modeling' needs a data set of text", {}, {},
                         "use dataset=tinyshakespeare, or task=classification");
    }
    arm.require_language_model("task 'language_modeling'");
  }
  std::vector<MetricDoc> metrics(const ArmParts&) const override {
    std::vector<MetricDoc> out = {MetricDoc("loss").in("nats a token").lower().shown(), MetricDoc("perplexity").lower().shown(),
                                  MetricDoc("accuracy").called("accuracy of the next token").higher().percent().shown(),
                                  MetricDoc("ece").called("expected calibration error").lower().percent()};
    if (p_.layer_statistics == 0) return out;
    for (auto& metric : with_prefix("layers_", layer_summary_docs())) out.push_back(std::move(metric));
    return out;
  }

  /// Refuses data in which some positions have no next token.
  void observe(const Split& train) override {
    const Tensor targets = picked(train, {0}).targets;
    if (targets.scalar_type() != at::kLong || !targets.lt(0).any().item<bool>()) return;
    throw config_error("task 'language_modeling' needs a token to predict at every position", "task",
                       "this data set scores only some positions", "use task=scored_positions");
  }

  /// outputs: logits [B, T, V]
  Tensor loss(const Tensor& outputs, const Tensor& targets) const override {
    return at::nll_loss(at::log_softmax(outputs.flatten(0, 1).to(at::kFloat), 1), token_numbers(targets).flatten());
  }

  Tensor training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const override {
    auto& lm = language_model(model);
    const Tensor hidden = lm.hidden(inputs);
    return token_loss(hidden.flatten(0, 1), lm.head().to(hidden.scalar_type()), token_numbers(targets).flatten(), block_on(hidden.device()),
                      lm.vocabulary());
  }

  /// The entropy of the split's token frequencies: no unigram model predicts them better.
  std::optional<double> constant_loss(const Split& split) const override {
    const Tensor counts = at::bincount(token_numbers(split.targets.to(at::kCPU)).flatten()).to(at::kDouble);
    const Tensor p = counts / counts.sum();
    return -at::xlogy(p, p).sum().item<double>();
  }

  Metrics evaluate(Architecture& model, const Split& split, std::int64_t batch) const override {
    const at::NoGradGuard no_grad;
    auto& lm = language_model(model);
    double tokens = 0;
    const auto bins = at::TensorOptions(at::kDouble).device(lm.head().device());  // sums stay on the device until the end
    Tensor loss = at::zeros({}, bins), correct = at::zeros({}, bins);
    Tensor confidence = at::zeros({p_.calibration_bins}, bins), right = confidence.clone();
    score_split(lm, split, batch, block_on(lm.head().device()), [&](std::int64_t, const TokenScores& scores) {
      loss += scores.loss.to(at::kDouble).sum();
      correct += scores.correct.sum();
      tokens += static_cast<double>(scores.loss.size(0));
      const Tensor sure = scores.confidence.to(at::kDouble), bin = confidence_bins(sure, p_.calibration_bins);
      confidence.index_add_(0, bin, sure);
      right.index_add_(0, bin, scores.correct.to(at::kDouble));
    });
    const double mean = loss.item<double>() / tokens;
    Metrics out{{"loss", mean},
                {"perplexity", std::exp(mean)},
                {"accuracy", std::isnan(mean) ? mean : correct.item<double>() / tokens},
                {"ece", (confidence - right).abs().sum().item<double>() / tokens}};
    if (const auto samples = std::min(p_.layer_statistics, split.size()); samples > 0) {
      const auto layers = layer_statistics(model, *this, split.inputs.narrow(0, 0, samples), split.targets.narrow(0, 0, samples));
      for (const auto& [name, value] : layer_summary(layers)) out["layers_" + name] = value;
    }
    return out;
  }

 private:
  std::int64_t block_on(const at::Device& device) const { return p_.block.value_or(device.is_cpu() ? 512 : 4096); }

  static LanguageModel& language_model(Architecture& model) {
    if (auto* lm = dynamic_cast<LanguageModel*>(&model)) return *lm;
    throw config_error("this architecture does not predict tokens", "architecture", {}, "use architecture=gpt2 or another transformer");
  }

  Params p_;
};

YATLAB_REGISTER(Task, LanguageModeling, "language_modeling", "next-token cross-entropy, perplexity, calibration error");

}  // namespace yatlab
