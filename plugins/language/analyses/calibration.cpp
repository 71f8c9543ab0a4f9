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

namespace yatlab {
namespace {

/// How sure a language model is of its likeliest token, and how often it is right (paper, fig:ntk_calibration b): tokens in bins of equal
/// width by confidence, and the expected calibration error, the mean over tokens of |confidence - accuracy| of their bin. Intervals
/// come from resampling whole samples, whose tokens depend on each other. An ECE is never below 0: where a model
/// is well calibrated, its resamples lie above it, and `ece_floor` is what a perfectly calibrated model with the same confidences would
/// show on as many tokens.
class Calibration final : public Analysis {
 public:
  struct Params {
    std::string split = "test";
    std::int64_t bins = 15, resamples = 1000, block = 512;
    double level = 0.95;
    static void declare(Fields& f, Params& p) {
      f.field("split", p.split, "whose tokens are predicted");
      f.field("bins", p.bins, "of equal width, between 0 and 1").range(1, 1e6);
      f.field("resamples", p.resamples, "bootstrap resamples of samples").positive();
      f.field("block", p.block, "tokens whose logits are held at once").positive();
      f.field("level", p.level, "of the intervals").range(0.5, 0.999);
    }
  };
  explicit Calibration(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    const auto end = [&](const char* name, const char* which) {
      return MetricDoc(name)
          .called(fmt::format("calibration error, {} end of its {:g} % interval", which, 100 * p_.level))
          .lower()
          .percent();
    };
    return {
        with_prefix("calibration/", {MetricDoc("ece").called("expected calibration error").lower().percent().shown(),
                                     end("ece_low", "lower"), end("ece_high", "upper"),
                                     MetricDoc("ece_floor").called("calibration error of a perfectly calibrated model").neither().percent(),
                                     MetricDoc("confidence").called("mean confidence").neither().percent(),
                                     MetricDoc("accuracy").called("accuracy of the next token").higher().percent()}),
        {"calibration"}};
  }
  void check(const ArmParts& arm) const override {
    arm.require_language_model("analysis 'calibration'");
    arm.require_split(p_.split, "analysis 'calibration'");
  }

  Findings analyse(const TrainedArm& arm) const override {
    auto* const lm = dynamic_cast<LanguageModel*>(&arm.model);
    if (!lm)
      throw config_error("analysis 'calibration' needs a model that predicts tokens", "analyses", {},
                         "take it out, or use architecture=gpt2");
    const auto found = arm.splits.find(p_.split);
    if (found == arm.splits.end()) throw config_error("calibration: no split '" + p_.split + "'", "calibration.split");
    const Sums all = sums(*lm, found->second, arm.eval_batch_size);

    if (!at::isfinite(all.confidence.sum()).item<bool>()) {
      Findings out;
      out.not_finite = fmt::format("scores on '{}' are not finite", p_.split);
      return out;
    }

    const auto windows = all.count.size(0);
    const Tensor count = all.count.sum(0), confidence = all.confidence.sum(0), right = all.right.sum(0);
    const double tokens = count.sum().item<double>();
    auto generator = at::make_generator<at::CPUGeneratorImpl>(derive_seed(arm.seed, "calibration"));
    std::vector<Tensor> rows;
    const Tensor sums_of_samples = at::cat({all.count, all.confidence, all.right}, 1);
    for (std::int64_t r = 0; r < p_.resamples; ++r) {
      const Tensor picks = at::randint(0, windows, {windows}, generator, at::TensorOptions().dtype(at::kLong));
      rows.push_back(at::bincount(picks, {}, windows).to(at::kDouble).matmul(sums_of_samples));
    }
    const auto resampled = at::stack(rows).split(p_.bins, 1);  // [resamples, bins] each
    const Tensor &counts = resampled[0], &rights = resampled[2];
    const Tensor errors = (resampled[1] - rights).abs().sum(1) / counts.sum(1);

    Findings out;
    const double ece = (confidence - right).abs().sum().item<double>() / tokens;
    const auto [low, high] = interval(errors);
    out.metrics["calibration/ece"] = ece;
    // Right with its confidence's probability: the error of a bin is a sum of steps without drift (tokens may depend on each other), near
    // normal, with mean size sqrt(2 variance / pi).
    const double floor = (all.variance * (2 / M_PI)).sqrt().sum().item<double>() / tokens;
    out.metrics["calibration/ece_floor"] = floor;
    out.metrics["calibration/ece_low"] = low;
    out.metrics["calibration/ece_high"] = high;
    out.metrics["calibration/confidence"] = confidence.sum().item<double>() / tokens;
    out.metrics["calibration/accuracy"] = right.sum().item<double>() / tokens;

    nlohmann::ordered_json json{
        {"split", p_.split}, {"tokens", static_cast<std::int64_t>(tokens)}, {"samples", windows}, {"level", p_.level}};
    json["ece"] = {{"value", ece}, {"low", low}, {"high", high}, {"floor", floor}};
    auto& bins = json["bins"] = nlohmann::ordered_json::array();
    TableData table;
    table.columns = {"from", "to", "tokens", "confidence", "accuracy"};
    for (std::int64_t b = 0; b < p_.bins; ++b) {
      const double n = count[b].item<double>();
      nlohmann::ordered_json bin{{"from", static_cast<double>(b) / static_cast<double>(p_.bins)},
                                 {"to", static_cast<double>(b + 1) / static_cast<double>(p_.bins)},
                                 {"count", static_cast<std::int64_t>(n)}};
      if (n > 0) {
        // Resamples without any such token say nothing of it.
        const Tensor seen = counts.select(1, b).gt(0).nonzero().view(-1);
        const auto [from, to] = interval((rights.select(1, b) / counts.select(1, b)).index_select(0, seen));
        bin["confidence"] = confidence[b].item<double>() / n;
        bin["accuracy"] = right[b].item<double>() / n;
        bin["accuracy_low"] = from;
        bin["accuracy_high"] = to;
      }
      table.rows.push_back({bin["from"], bin["to"], bin["count"], bin.value("confidence", nlohmann::ordered_json()),
                            bin.value("accuracy", nlohmann::ordered_json())});
      bins.push_back(std::move(bin));
    }
    out.media.push_back({"calibration", std::move(table), "confidence against accuracy of predicted tokens"});
    out.artifacts["calibration"] = std::move(json);
    return out;
  }

 private:
  /// [samples, bins] each: tokens, their confidences, how many were right.
  struct Sums {
    Tensor count, confidence, right;
    Tensor variance;  ///< [bins]: of how many are right, were each confidence true
  };

  Sums sums(LanguageModel& lm, const Split& split, std::int64_t batch) const {
    const at::NoGradGuard no_grad;
    const auto options = at::TensorOptions().dtype(at::kDouble);
    const auto cells = split.size() * p_.bins;
    Sums out{at::zeros({cells}, options), at::zeros({cells}, options), at::zeros({cells}, options), at::zeros({p_.bins}, options)};
    std::int64_t done = 0;
    score_split(lm, split, batch, p_.block, [&](std::int64_t samples, const TokenScores& scores) {
      const Tensor sure = scores.confidence.to(at::kCPU, at::kDouble);
      const Tensor bin = confidence_bins(sure, p_.bins);
      out.variance.index_add_(0, bin, sure * (1 - sure));
      const Tensor sample = at::arange(done, done + samples, at::kLong).repeat_interleave(sure.size(0) / samples);
      const Tensor cell = sample * p_.bins + bin;
      out.count.index_add_(0, cell, at::ones_like(sure));
      out.confidence.index_add_(0, cell, sure);
      out.right.index_add_(0, cell, scores.correct.to(at::kCPU, at::kDouble));
      done += samples;
    });
    for (auto* sum : {&out.count, &out.confidence, &out.right}) *sum = sum->view({split.size(), p_.bins});
    return out;
  }

  std::pair<double, double> interval(const Tensor& values) const {
    const double tail = (1 - p_.level) / 2;
    return {at::quantile(values, tail).item<double>(), at::quantile(values, 1 - tail).item<double>()};
  }

  Params p_;
};

YATLAB_REGISTER(Analysis, Calibration, "calibration",
                "confidence against accuracy of predicted tokens, and the expected calibration error");

}  // namespace
}  // namespace yatlab
