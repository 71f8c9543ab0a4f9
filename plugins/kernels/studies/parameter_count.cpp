#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/measure/study.h"
#include "core/model/language_model.h"

namespace yatlab {
namespace {

/// A language model's number of parameters, for a vocabulary (tab:model_comparison): in total, in the token embeddings, and without token and
/// position embeddings.
class ParameterCount final : public Study {
 public:
  struct Params {
    std::int64_t vocabulary = 50257, context = 1024;
    static void declare(Fields& f, Params& p) {
      f.field("vocabulary", p.vocabulary, "vocabulary size").positive();
      f.field("context", p.context, "context length, in tokens").positive();
    }
  };
  explicit ParameterCount(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    const auto count = [](const char* name, const char* title) {
      return MetricDoc(name).called(title).neither().as(NumberFormat::kInteger).shown();
    };
    return {with_prefix("parameters/", {count("total", "parameters"), count("embeddings", "of them token embeddings"),
                                        count("positions", "of them positions"), count("others", "of them others")}),
            {}};
  }

  Findings run(const StudyContext& context) const override {
    const auto model = context.model({p_.context}, p_.vocabulary, context.seed);
    auto* const lm = dynamic_cast<LanguageModel*>(model.get());
    if (!lm) throw config_error("study 'parameter_count' needs a model that predicts tokens", "studies", {}, "use architecture=gpt2");
    double total = 0, positions = 0;
    for (const auto& item : model->named_parameters()) {
      const auto count = static_cast<double>(item.value().numel());
      total += count;
      if (item.key() == "positions") positions += count;
    }
    const auto embeddings = static_cast<double>(lm->head().numel());
    Findings out;
    out.metrics["parameters/total"] = total;
    out.metrics["parameters/embeddings"] = embeddings;
    out.metrics["parameters/positions"] = positions;
    out.metrics["parameters/others"] = total - embeddings - positions;
    return out;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Study, ParameterCount, "parameter_count",
                "number of parameters of a language model: in total, in embeddings, and the others");

}  // namespace
}  // namespace yatlab
