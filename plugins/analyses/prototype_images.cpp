#include <ATen/ATen.h>

#include "core/experiment/analysis.h"
#include "core/train/prototypes.h"

namespace yatlab {

/// The learned prototypes in the shape of the inputs, for the prototypes figure (fig:mnist_prototypes).
class PrototypeImages final : public Analysis {
 public:
  FindingNames names(const ArmParts&) const override { return {{}, {"prototypes"}}; }
  void check(const ArmParts& arm) const override { arm.require_prototypes("analysis 'prototype_images'"); }

  Findings analyse(const TrainedArm& arm) const override {
    const Tensor w = prototypes_of(arm.model, "prototype_images");
    std::vector<std::int64_t> shape{w.size(0)};
    for (const auto d : arm.dataset.input_shape()) shape.push_back(d);
    Findings out;
    auto artifact = tensor_to_json(w.view(shape));
    artifact["labels"] = arm.dataset.class_names();
    out.artifacts["prototypes"] = std::move(artifact);
    return out;
  }
};

YATLAB_REGISTER(Analysis, PrototypeImages, "prototype_images", "the prototypes, in the shape of the inputs");

}  // namespace yatlab
