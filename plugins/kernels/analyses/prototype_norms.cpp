#include <ATen/ATen.h>

#include "core/measure/analysis.h"
#include "plugins/kernels/architectures/prototypes.h"

namespace yatlab {

/// Mean row norm of the prototypes before and after training, and its relative change: the paper's
/// Δ‖w‖ (tab:mnist_results).
class PrototypeNorms final : public Analysis {
 public:
  FindingNames names(const ArmParts&) const override {
    return {with_prefix("prototypes/", {MetricDoc("norm_initial").called("mean ‖w‖ at the start").neither(),
                                        MetricDoc("norm_final").called("mean ‖w‖ after training").neither(),
                                        MetricDoc("norm_change").called("Δ‖w‖").neither().as(NumberFormat::kSignedPercent).shown()}),
            {}};
  }
  void check(const ArmParts& arm) const override { arm.require_prototypes("analysis 'prototype_norms'"); }

  Findings analyse(const TrainedArm& arm) const override {
    const double after = mean_norm(prototypes_of(arm.model, "prototype_norms"));
    const double before = mean_norm(prototypes_of(*arm.initial(), "prototype_norms"));
    Findings out;
    out.metrics["prototypes/norm_initial"] = before;
    out.metrics["prototypes/norm_final"] = after;
    out.metrics["prototypes/norm_change"] = after / before - 1.0;
    return out;
  }

 private:
  static double mean_norm(const Tensor& w) { return w.to(at::kDouble).norm(2, -1).mean().item<double>(); }
};

YATLAB_REGISTER(Analysis, PrototypeNorms, "prototype_norms", "change of the prototypes' mean norm");

}  // namespace yatlab
