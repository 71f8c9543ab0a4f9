#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/measure/analysis.h"
#include "core/model/language_model.h"
#include "core/model/saved_bytes.h"

namespace yatlab {
namespace {

/// The memory of one training step: the bytes that autograd saves from the forward for the backward pass (the paper's "activation storage",
/// tab:gpt2_comparison), and the peak. For the model as configured, and for language models also with every block recomputed in the backward pass.
/// Counted tensor by tensor, so that it is the same on every machine; weights and the optimizer's moments are counted separately, under `parameters`.
class StepMemory final : public Analysis {
 public:
  struct Params {
    std::int64_t samples = 1;
    std::string split = "test";
    static void declare(Fields& f, Params& p) {
      f.field("samples", p.samples, "number of samples in the batch, the split's first ones").positive();
      f.field("split", p.split, "split to take the batch from");
    }
  };
  explicit StepMemory(const Params& p) : p_(p) {}
  bool of_diverged() const override { return true; }  // sizes, not values
  FindingNames names(const ArmParts& arm) const override {
    const auto bytes = [](const char* name, const char* title) {
      return MetricDoc(name).called(title).in("bytes").lower().as(NumberFormat::kInteger);
    };
    FindingNames out{{bytes("memory/parameters", "weights and moments"), bytes("memory/saved", "kept for the backward pass").shown(),
                      bytes("memory/peak", "most that is alive in a step").shown()},
                     {"step_memory"}};
    if (dynamic_cast<const LanguageModel*>(arm.model.get())) {
      out.metrics.push_back(bytes("memory/saved_recomputed", "kept for the backward pass, blocks computed again"));
      out.metrics.push_back(bytes("memory/peak_recomputed", "most that is alive in a step, blocks computed again"));
    }
    return out;
  }
  void check(const ArmParts& arm) const override { arm.require_split(p_.split, "analysis 'step_memory'"); }

  Findings analyse(const TrainedArm& arm) const override {
    const auto found = arm.splits.find(p_.split);
    if (found == arm.splits.end()) throw config_error("step_memory: no split '" + p_.split + "'", "step_memory.split");
    const auto model = arm.initial();
    model->train();
    const auto samples = std::min(p_.samples, found->second.size());
    const Tensor inputs = found->second.inputs.narrow(0, 0, samples), targets = found->second.targets.narrow(0, 0, samples);
    const auto loss = [&] { return arm.task.training_loss(*model, inputs, targets); };

    Findings out;
    auto& json = out.artifacts["step_memory"];
    json["samples"] = samples;
    double bytes = 0;
    for (const auto& p : model->parameters()) bytes += static_cast<double>(p.nbytes());
    out.metrics["memory/parameters"] = bytes;
    const auto measure = [&](const std::string& how) {
      at::AutoGradMode with_gradients(true);
      const auto saved = saved_for_backward(loss);
      double peak = 0;
      {
        const MemoryWatch watch;
        loss().backward();
        peak = static_cast<double>(watch.peak());
      }
      for (const auto& p : model->parameters()) p.mutable_grad().reset();
      out.metrics["memory/saved" + how] = static_cast<double>(saved.total);
      out.metrics["memory/peak" + how] = peak;
      json["saved" + how] = {{"bytes", saved.total}, {"tensors", saved.blocks.size()}};
      json["peak" + how] = {{"bytes", peak}};
    };
    auto* const lm = dynamic_cast<LanguageModel*>(model.get());
    if (lm) lm->recompute(false);
    measure("");
    if (lm) {
      lm->recompute(true);
      measure("_recomputed");
    }
    return out;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Analysis, StepMemory, "step_memory", "bytes that a training step keeps for the backward pass, and its peak");

}  // namespace
}  // namespace yatlab
