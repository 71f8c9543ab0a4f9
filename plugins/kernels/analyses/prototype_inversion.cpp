#include <ATen/ATen.h>

#include "core/measure/analysis.h"
#include "plugins/kernels/architectures/prototypes.h"

namespace yatlab {

/// Negates every prototype, w -> -w, evaluates, and restores them (paper, "Superposition Robustness"). A linear unit's logit changes sign; the
/// numerator of ⵟ does not.
class PrototypeInversion final : public Analysis {
 public:
  struct Params {
    std::string split = "test";
    static void declare(Fields& f, Params& p) { f.field("split", p.split, "split to evaluate on"); }
  };
  explicit PrototypeInversion(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts& arm) const override {
    return {with_prefix("inverted/", arm.task->metrics(arm), "{} after w → −w"), {}};
  }
  void check(const ArmParts& arm) const override {
    arm.require_prototypes("analysis 'prototype_inversion'");
    arm.require_split(p_.split, "analysis 'prototype_inversion'");
  }

  Findings analyse(const TrainedArm& arm) const override {
    const auto split = arm.splits.find(p_.split);
    if (split == arm.splits.end()) throw config_error("prototype_inversion: no split '" + p_.split + "'");
    const Tensor w = prototypes_of(arm.model, "prototype_inversion");
    arm.model.set_prototypes(-w);
    const auto metrics = arm.task.evaluate(arm.model, split->second, arm.eval_batch_size);
    arm.model.set_prototypes(w);
    Findings out;
    for (const auto& [name, value] : metrics) out.metrics["inverted/" + name] = value;
    return out;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Analysis, PrototypeInversion, "prototype_inversion", "accuracy with every prototype negated");

}  // namespace yatlab
