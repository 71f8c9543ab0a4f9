#include <ATen/ATen.h>

#include "core/measure/analysis.h"
#include "plugins/kernels/architectures/prototypes.h"

namespace yatlab {

/// How much the trained prototypes still resemble their random initialization: the cosine of each with its value before the first step, and the share
/// of positive weights, before and after training. Read it together with accuracy after w -> -w and the change of norms.
class PrototypeStart final : public Analysis {
 public:
  FindingNames names(const ArmParts&) const override {
    return {with_prefix("prototypes/", {MetricDoc("start_cosine").called("cosine to the start").neither().shown(),
                                        MetricDoc("start_positive").called("weights that start above 0").neither().percent(),
                                        MetricDoc("positive").called("weights above 0").neither().percent()}),
            {}};
  }
  void check(const ArmParts& arm) const override { arm.require_prototypes("analysis 'prototype_start'"); }

  Findings analyse(const TrainedArm& arm) const override {
    const Tensor after = prototypes_of(arm.model, "prototype_start").to(at::kDouble);
    const Tensor before = prototypes_of(*arm.initial(), "prototype_start").to(after.device(), at::kDouble);
    const Tensor norms = after.norm(2, -1) * before.norm(2, -1);
    const auto share = [](const Tensor& w) { return w.gt(0).to(at::kDouble).mean().item<double>(); };
    Findings out;
    // Prototypes that start as zeros have no direction: the result is NaN, which tables do not show.
    out.metrics["prototypes/start_cosine"] = ((after * before).sum(-1) / norms).mean().item<double>();
    out.metrics["prototypes/start_positive"] = share(before);
    out.metrics["prototypes/positive"] = share(after);
    return out;
  }
};

YATLAB_REGISTER(Analysis, PrototypeStart, "prototype_start", "how much the prototypes still resemble their random initialization");

}  // namespace yatlab
