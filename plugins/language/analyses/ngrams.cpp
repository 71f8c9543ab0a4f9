#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/measure/analysis.h"
#include "core/model/language_model.h"
#include "plugins/language/analyses/ngram_scores.h"

namespace yatlab {
namespace {

/// Whether a language model uses its context: n-gram models of its training tokens, scored on the same validation tokens
/// (plugins/language/analyses/ngram_scores.h). A model that does not beat the bigram has learnt pairs of tokens at most.
class Ngrams final : public Analysis {
 public:
  struct Params {
    std::string split = "test";
    std::int64_t orders = 6, tokens = 40'000'000;
    static void declare(Fields& f, Params& p) {
      f.field("split", p.split, "split whose tokens are predicted");
      f.field("orders", p.orders, "fit n-gram models from n = 1 to this; n includes the predicted token").range(1, 32);
      f.field("tokens", p.tokens, "maximum number of trained-on tokens to count (40 bytes of memory each), the first in the training text")
          .range(1, 1e12);
    }
  };
  explicit Ngrams(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    std::vector<MetricDoc> out = {
        MetricDoc("passed").called("longest n-gram model that is beaten").higher().as(NumberFormat::kInteger).shown()};
    for (std::int64_t order = 1; order <= p_.orders; ++order) {
      out.push_back(MetricDoc(loss_name(order)).called(fmt::format("loss of the {}-gram model", order)).in("nats a token").lower());
    }
    return {with_prefix("ngrams/", out), {"ngrams"}};
  }
  void check(const ArmParts& arm) const override {
    arm.require_language_model("analysis 'ngrams'");
    arm.require_split(p_.split, "analysis 'ngrams'");
  }

  Findings analyse(const TrainedArm& arm) const override {
    if (!dynamic_cast<LanguageModel*>(&arm.model)) {
      throw config_error("analysis 'ngrams' needs a model that predicts tokens", "analyses", {}, "remove it, or use architecture=gpt2");
    }
    const auto found = arm.splits.find(p_.split);
    if (found == arm.splits.end()) throw config_error("ngrams: no split '" + p_.split + "'", "ngrams.split");
    const auto most = std::max<std::int64_t>(1, p_.tokens / found->second.inputs.size(1));
    const auto measured = arm.task.evaluate(arm.model, found->second, arm.eval_batch_size);
    Findings out;
    if (const auto metric = arm.task.not_finite(measured)) {
      out.not_finite = fmt::format("{}/{} is not finite", p_.split, *metric);
      return out;
    }
    const Split seen = arm.trained_on ? arm.trained_on(most) : arm.splits.at("train");
    const auto losses =
        ngram_losses({seen.inputs, seen.targets}, {found->second.inputs, found->second.targets}, arm.dataset.num_classes(), p_.orders);
    const double model = measured.at("loss");
    std::size_t passed = 0;
    while (passed < losses.size() && model < losses[passed]) ++passed;
    out.metrics["ngrams/passed"] = static_cast<double>(passed);
    for (std::size_t i = 0; i < losses.size(); ++i) out.metrics["ngrams/" + loss_name(static_cast<std::int64_t>(i) + 1)] = losses[i];
    out.artifacts["ngrams"] = {{"losses", losses}, {"model", model}, {"samples", seen.size()}, {"split", p_.split}};
    return out;
  }

 private:
  static std::string loss_name(std::int64_t order) { return "loss_" + std::to_string(order); }

  Params p_;
};

YATLAB_REGISTER(Analysis, Ngrams, "ngrams", "n-gram models of the same text, and the longest that the model beats");

}  // namespace
}  // namespace yatlab
