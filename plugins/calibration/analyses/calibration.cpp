#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/measure/analysis.h"
#include "core/model/language_model.h"
#include "core/model/text_scores.h"
#include "plugins/calibration/scores/class_scores.h"

namespace yatlab {
namespace {

/// Predictions in bins by confidence: for each [samples, bins] their count, the sum of their confidences, and the number of correct ones.
struct BinSums {
  Tensor count, confidence, right;
  Tensor variance;  ///< [bins]: variance of the number correct, if each confidence were the true probability

  BinSums(std::int64_t samples, std::int64_t bins) {
    for (auto* sum : {&count, &confidence, &right}) *sum = at::zeros({samples, bins}, at::kDouble);
    variance = at::zeros({bins}, at::kDouble);
  }
  /// Adds the predictions of `samples` samples from `first` on, equally many per sample. sure, correct: [N] on the CPU, in double.
  void add(std::int64_t first, std::int64_t samples, const Tensor& sure, const Tensor& correct) {
    const auto bins = count.size(1);
    const Tensor bin = confidence_bins(sure, bins);
    variance.index_add_(0, bin, sure * (1 - sure));
    const Tensor cell = at::arange(first, first + samples, at::kLong).repeat_interleave(sure.size(0) / samples) * bins + bin;
    count.view(-1).index_add_(0, cell, at::ones_like(sure));
    confidence.view(-1).index_add_(0, cell, sure);
    right.view(-1).index_add_(0, cell, correct);
  }
};

/// A model's confidence in its most probable token, or class, compared with its accuracy (paper, fig:ntk_calibration b): predictions in bins of equal
/// width by confidence, and the expected calibration error, the mean over predictions of |confidence - accuracy| of their bin. Intervals come from
/// resampling whole samples, because the tokens of a sample depend on each other. An ECE is never below 0, so resamples of a well calibrated model
/// are above it. `ece_floor` is the ECE of a perfectly calibrated model with the same confidences and as many predictions. For classifiers also the
/// proper scores, and everything again with scores divided by one temperature, fitted on samples not used in training (Guo et al. 2017).
class Calibration final : public Analysis {
 public:
  struct Params {
    std::string split = "test";
    std::int64_t bins = 15, resamples = 1000, block = 512;
    double level = 0.95;
    std::optional<std::string> temperature;
    static void declare(Fields& f, Params& p) {
      f.field("split", p.split, "split whose tokens or classes are predicted");
      f.field("bins", p.bins, "number of confidence bins, of equal width between 0 and 1").range(1, 1e6);
      f.field("resamples", p.resamples, "number of bootstrap resamples of the samples").positive();
      f.field("block", p.block, "tokens whose logits are in memory at once").positive();
      f.field("level", p.level, "confidence level of the intervals").range(0.5, 0.999);
      f.field("temperature", p.temperature,
              "for classifiers: split to fit a temperature on by negative log-likelihood, e.g. validation, for scaled_ece and the other "
              "scaled metrics; null: none");
    }
  };
  explicit Calibration(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts& arm) const override {
    FindingNames out{with_prefix("calibration/", of_bins()), {"calibration"}};
    const auto add = [&](const std::string& prefix, const std::vector<MetricDoc>& docs, const char* title) {
      const auto more = with_prefix(prefix, docs, title);
      out.metrics.insert(out.metrics.end(), more.begin(), more.end());
    };
    const bool text = is_language_model(arm);
    add("calibration/", {MetricDoc("accuracy").called(text ? "accuracy of the next token" : "accuracy").higher().percent()}, "{}");
    if (text) return out;
    add("calibration/", proper_scores(), "{}");
    if (!p_.temperature) return out;
    add("calibration/", {MetricDoc("temperature").called("fitted temperature").neither().shown()}, "{}");
    add("calibration/scaled_", of_bins(), "{} after it");
    add("calibration/scaled_", proper_scores(), "{} after it");
    out.artifacts.emplace_back("calibration_scaled");
    return out;
  }
  void check(const ArmParts& arm) const override {
    const bool text = is_language_model(arm);
    if (!text && arm.data.targets != DataShape::Targets::kUnknown && arm.data.targets != DataShape::Targets::kClasses) {
      throw config_error("analysis 'calibration' needs a model that predicts tokens, or one class for each sample", "analyses",
                         "confidence is the probability of the predicted token or class", "remove it, or use dataset=mnist");
    }
    if (text && p_.temperature) {
      throw config_error("analysis 'calibration' fits a temperature for classifiers only", "calibration.temperature",
                         "this model predicts tokens", "remove 'temperature'");
    }
    arm.require_split(p_.split, "analysis 'calibration'");
    if (p_.temperature) arm.require_split(*p_.temperature, "analysis 'calibration' (temperature)");
  }

  Findings analyse(const TrainedArm& arm) const override {
    Findings out;
    const Split& split = split_of(arm, p_.split, "split");
    if (auto* const lm = dynamic_cast<LanguageModel*>(&arm.model)) {
      const BinSums sums = of_tokens(*lm, split, arm.eval_batch_size);
      if (finite(sums.confidence, p_.split, out)) {
        const auto tokens = static_cast<std::int64_t>(sums.count.sum().item<double>());
        report({{"split", p_.split}, {"tokens", tokens}, {"samples", split.size()}}, sums, arm.seed, "", out);
        out.metrics["calibration/accuracy"] = sums.right.sum().item<double>() / static_cast<double>(tokens);
      }
      return out;
    }
    const Tensor scores = class_scores(arm.model, split.inputs, arm.eval_batch_size), targets = split.targets.to(at::kCPU);
    if (!finite(scores, p_.split, out)) return out;
    out.metrics["calibration/accuracy"] = scores.argmax(1).eq(targets).to(at::kDouble).mean().item<double>();
    report_classes(scores, targets, arm, 1, "", out);
    if (!p_.temperature) return out;
    const Split& held_back = split_of(arm, *p_.temperature, "temperature");
    const Tensor others = class_scores(arm.model, held_back.inputs, arm.eval_batch_size);
    if (!finite(others, *p_.temperature, out)) return out;
    const double temperature = fitted_temperature(others, held_back.targets.to(at::kCPU), arm.normalizer.get());
    out.metrics["calibration/temperature"] = temperature;
    report_classes(scores, targets, arm, temperature, "scaled_", out);
    return out;
  }

 private:
  static bool is_language_model(const ArmParts& arm) { return dynamic_cast<const LanguageModel*>(arm.model.get()) != nullptr; }

  std::vector<MetricDoc> of_bins() const {
    const auto end = [&](const char* name, const char* which) {
      return MetricDoc(name)
          .called(fmt::format("calibration error, {} end of its {:g} % interval", which, 100 * p_.level))
          .lower()
          .percent();
    };
    return {MetricDoc("ece").called("expected calibration error").lower().percent().shown(), end("ece_low", "lower"),
            end("ece_high", "upper"),
            MetricDoc("ece_floor").called("calibration error of a perfectly calibrated model").neither().percent(),
            MetricDoc("confidence").called("mean confidence").neither().percent()};
  }
  static std::vector<MetricDoc> proper_scores() {
    return {MetricDoc("nll").called("negative log-likelihood").in("nats").lower(), MetricDoc("brier").called("Brier score").lower()};
  }

  static const Split& split_of(const TrainedArm& arm, const std::string& name, const char* key) {
    const auto found = arm.splits.find(name);
    if (found == arm.splits.end()) throw config_error("calibration: no split '" + name + "'", std::string("calibration.") + key);
    return found->second;
  }

  static bool finite(const Tensor& values, const std::string& split, Findings& out) {
    if (at::isfinite(values).all().item<bool>()) return true;
    out = {};
    out.not_finite = fmt::format("scores on '{}' are not finite", split);
    return false;
  }

  BinSums of_tokens(LanguageModel& lm, const Split& split, std::int64_t batch) const {
    const at::NoGradGuard no_grad;
    BinSums out(split.size(), p_.bins);
    std::int64_t done = 0;
    score_split(lm, split, batch, p_.block, [&](std::int64_t samples, const TokenScores& scores) {
      out.add(done, samples, scores.confidence.to(at::kCPU, at::kDouble), scores.correct.to(at::kCPU, at::kDouble));
      done += samples;
    });
    return out;
  }

  void report_classes(const Tensor& scores, const Tensor& targets, const TrainedArm& arm, double temperature, const std::string& prefix,
                      Findings& out) const {
    const Tensor log_weights = log_class_weights(scores, arm.normalizer.get(), temperature);
    BinSums sums(scores.size(0), p_.bins);
    sums.add(0, scores.size(0), log_weights.amax(1).exp(), scores.argmax(1).eq(targets).to(at::kDouble));
    out.metrics["calibration/" + prefix + "nll"] = negative_log_likelihood(log_weights, targets);
    out.metrics["calibration/" + prefix + "brier"] = brier_score(log_weights, targets);
    report({{"split", p_.split}, {"predicted", "class"}, {"samples", scores.size(0)}, {"temperature", temperature}}, sums, arm.seed, prefix,
           out);
  }

  /// Reports the metrics calibration/<prefix>ece and so on, and the artifact, which extends `json`.
  void report(nlohmann::ordered_json json, const BinSums& all, std::uint64_t seed, const std::string& prefix, Findings& out) const {
    const auto windows = all.count.size(0);
    const Tensor count = all.count.sum(0), confidence = all.confidence.sum(0), right = all.right.sum(0);
    const double predictions = count.sum().item<double>();
    auto generator = at::make_generator<at::CPUGeneratorImpl>(derive_seed(seed, "calibration"));
    std::vector<Tensor> rows;
    const Tensor sums_of_samples = at::cat({all.count, all.confidence, all.right}, 1);
    for (std::int64_t r = 0; r < p_.resamples; ++r) {
      const Tensor picks = at::randint(0, windows, {windows}, generator, at::TensorOptions().dtype(at::kLong));
      rows.push_back(at::bincount(picks, {}, windows).to(at::kDouble).matmul(sums_of_samples));
    }
    const auto resampled = at::stack(rows).split(p_.bins, 1);  // [resamples, bins] each
    const Tensor errors = (resampled[1] - resampled[2]).abs().sum(1) / resampled[0].sum(1);

    const double ece = (confidence - right).abs().sum().item<double>() / predictions;
    const auto [low, high] = interval(errors);
    // If each prediction is correct with the probability of its confidence, a bin's error is a sum of zero-mean terms (tokens may depend on each
    // other): nearly normal, with mean absolute value sqrt(2 variance / pi).
    const double floor = (all.variance * (2 / M_PI)).sqrt().sum().item<double>() / predictions;
    const Metrics found = {{"ece", ece},
                           {"ece_low", low},
                           {"ece_high", high},
                           {"ece_floor", floor},
                           {"confidence", confidence.sum().item<double>() / predictions}};
    for (const auto& [name, value] : found) out.metrics["calibration/" + prefix + name] = value;

    json["level"] = p_.level;
    json["ece"] = {{"value", ece}, {"low", low}, {"high", high}, {"floor", floor}};
    const bool classes = json.contains("predicted");
    add_bins(json, resampled, count, confidence, right, classes ? "samples" : "tokens", prefix, out);
    out.artifacts[prefix.empty() ? "calibration" : "calibration_scaled"] = std::move(json);
  }

  void add_bins(nlohmann::ordered_json& json, const std::vector<Tensor>& resampled, const Tensor& count, const Tensor& confidence,
                const Tensor& right, const char* counted, const std::string& prefix, Findings& out) const {
    auto& bins = json["bins"] = nlohmann::ordered_json::array();
    TableData table;
    table.columns = {"from", "to", counted, "confidence", "accuracy"};
    for (std::int64_t b = 0; b < p_.bins; ++b) {
      const double n = count[b].item<double>();
      nlohmann::ordered_json bin{{"from", static_cast<double>(b) / static_cast<double>(p_.bins)},
                                 {"to", static_cast<double>(b + 1) / static_cast<double>(p_.bins)},
                                 {"count", static_cast<std::int64_t>(n)}};
      if (n > 0) {
        // Resamples without a prediction in this bin are left out.
        const Tensor counts = resampled[0].select(1, b), seen = counts.gt(0).nonzero().view(-1);
        const auto [from, to] = interval((resampled[2].select(1, b) / counts).index_select(0, seen));
        bin["confidence"] = confidence[b].item<double>() / n;
        bin["accuracy"] = right[b].item<double>() / n;
        bin["accuracy_low"] = from;
        bin["accuracy_high"] = to;
      }
      table.rows.push_back({bin["from"], bin["to"], bin["count"], bin.value("confidence", nlohmann::ordered_json()),
                            bin.value("accuracy", nlohmann::ordered_json())});
      bins.push_back(std::move(bin));
    }
    out.media.push_back({prefix.empty() ? "calibration" : "calibration_scaled", std::move(table),
                         fmt::format("confidence against accuracy of predicted {}", counted[0] == 't' ? "tokens" : "classes")});
  }

  std::pair<double, double> interval(const Tensor& values) const {
    const double tail = (1 - p_.level) / 2;
    return {at::quantile(values, tail).item<double>(), at::quantile(values, 1 - tail).item<double>()};
  }

  Params p_;
};

YATLAB_REGISTER(Analysis, Calibration, "calibration",
                "confidence against accuracy of predicted tokens or classes, the calibration error, and temperature scaling");

}  // namespace
}  // namespace yatlab
