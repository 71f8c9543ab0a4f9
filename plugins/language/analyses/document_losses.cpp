#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/measure/analysis.h"
#include "core/model/language_model.h"
#include "core/model/text_scores.h"

namespace yatlab {
namespace {

/// A language model's loss, document by document. Tokens of one document depend on each other, so a validation text is a sample of
/// documents, not of tokens: confidence intervals resample documents. Only whole documents count, those that begin and end in
/// the split. The token that ends a document belongs to it.
class DocumentLosses final : public Analysis {
 public:
  struct Params {
    std::string split = "test";
    std::optional<std::int64_t> end_of_text;
    std::int64_t resamples = 1000, block = 512;
    double level = 0.95;
    static void declare(Fields& f, Params& p) {
      f.field("split", p.split, "split whose tokens are predicted");
      f.field("end_of_text", p.end_of_text, "token that precedes every document; null: the vocabulary's last, as in all tokenizers here")
          .non_negative();
      f.field("resamples", p.resamples, "number of bootstrap resamples of documents").positive();
      f.field("block", p.block, "number of tokens whose logits are in memory at once").positive();
      f.field("level", p.level, "confidence level of the interval").range(0.5, 0.999);
    }
  };
  explicit DocumentLosses(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    const auto end = [&](const char* name, const char* which) {
      return MetricDoc(name)
          .called(fmt::format("{} end of its {:g} % interval over documents", which, 100 * p_.level))
          .in("nats a token")
          .lower();
    };
    return {with_prefix("documents/",
                        {MetricDoc("loss").called("loss over whole documents").in("nats a token").lower().shown(), end("loss_low", "lower"),
                         end("loss_high", "upper"), MetricDoc("count").called("whole documents").neither().as(NumberFormat::kInteger)}),
            {"documents"}};
  }
  void check(const ArmParts& arm) const override {
    arm.require_language_model("analysis 'document_losses'");
    arm.require_split(p_.split, "analysis 'document_losses'");
  }

  void check_data(const ArmParts&, const ArmData& data) const override { whole_documents(split_of(data.splits), data.dataset); }

  Findings analyse(const TrainedArm& arm) const override {
    auto* const lm = dynamic_cast<LanguageModel*>(&arm.model);
    if (!lm) {
      throw config_error("analysis 'document_losses' needs a model that predicts tokens", "analyses", {},
                         "remove it, or use architecture=gpt2");
    }
    const Split& split = split_of(arm.splits);
    const auto documents_at = whole_documents(split, arm.dataset);
    const Tensor losses = losses_of(*lm, split, arm.eval_batch_size);
    if (!at::isfinite(losses).all().item<bool>()) {
      Findings out;
      out.not_finite = fmt::format("losses on '{}' are not finite", p_.split);
      return out;
    }
    std::vector<double> sums;
    std::vector<std::int64_t> tokens;
    for (const auto& [begin, end] : documents_at) {
      const auto* const loss = losses.data_ptr<double>();
      sums.push_back(std::accumulate(loss + begin, loss + end, 0.0));
      tokens.push_back(end - begin);
    }
    const Tensor sum = at::tensor(sums, at::kDouble), count = at::tensor(tokens, at::kDouble);
    const auto documents = sum.size(0);
    auto generator = at::make_generator<at::CPUGeneratorImpl>(derive_seed(arm.seed, "document_losses"));
    const Tensor picks = at::randint(0, documents, {p_.resamples, documents}, generator, at::TensorOptions().dtype(at::kLong));
    const Tensor resampled = sum.index({picks}).sum(1) / count.index({picks}).sum(1);
    const double tail = (1 - p_.level) / 2;

    Findings out;
    const double loss = (sum.sum() / count.sum()).item<double>();
    out.metrics["documents/loss"] = loss;
    out.metrics["documents/loss_low"] = at::quantile(resampled, tail).item<double>();
    out.metrics["documents/loss_high"] = at::quantile(resampled, 1 - tail).item<double>();
    out.metrics["documents/count"] = static_cast<double>(documents);
    out.artifacts["documents"] = {{"split", p_.split}, {"level", p_.level}, {"loss", loss}, {"tokens", tokens}, {"losses", sums}};
    return out;
  }

 private:
  /// The loss of every target, in the text's order.
  Tensor losses_of(LanguageModel& lm, const Split& split, std::int64_t batch) const {
    std::vector<Tensor> parts;
    score_split(lm, split, batch, p_.block,
                [&](std::int64_t, const TokenScores& scores) { parts.push_back(scores.loss.to(at::kCPU, at::kDouble)); });
    return at::cat(parts).contiguous();
  }

  const Split& split_of(const std::map<std::string, Split>& splits) const {
    const auto found = splits.find(p_.split);
    if (found == splits.end()) throw config_error("document_losses: no split '" + p_.split + "'", "document_losses.split");
    return found->second;
  }

  /// For each whole document, the first of its targets and the one after its last, in the text's order. Throws if there is none.
  std::vector<std::pair<std::int64_t, std::int64_t>> whole_documents(const Split& split, const Dataset& dataset) const {
    const auto end_of_text = p_.end_of_text.value_or(dataset.num_classes() - 1);
    const Tensor inputs = token_numbers(split.inputs.to(at::kCPU)).flatten().contiguous();
    const Tensor targets = token_numbers(split.targets.to(at::kCPU)).flatten().contiguous();
    const auto *x = inputs.data_ptr<std::int64_t>(), *y = targets.data_ptr<std::int64_t>();
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    std::optional<std::int64_t> begin;
    for (std::int64_t i = 0; i < targets.size(0); ++i) {
      if (x[i] == end_of_text) begin = i;
      if (!begin || y[i] != end_of_text) continue;
      out.emplace_back(*begin, i + 1);
      begin.reset();
    }
    if (!out.empty()) return out;
    throw config_error(fmt::format("document_losses: no whole document in the split '{}'", p_.split), "document_losses",
                       fmt::format("no document begins and ends with token {}", end_of_text),
                       "use more text (dataset.test_limit), set the token that ends documents (end_of_text), or remove the analysis");
  }

  Params p_;
};

YATLAB_REGISTER(Analysis, DocumentLosses, "document_losses", "a language model's loss per document, with an interval over documents");

}  // namespace
}  // namespace yatlab
