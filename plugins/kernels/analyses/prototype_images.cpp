#include <ATen/ATen.h>

#include <tuple>
#include <utility>

#include "core/figure/raster.h"
#include "core/measure/analysis.h"
#include "plugins/kernels/architectures/prototypes.h"

namespace yatlab {

/// The learned prototypes in the shape of the inputs, for the prototypes figure (fig:mnist_prototypes), and what training added to their start.
class PrototypeImages final : public Analysis {
 public:
  FindingNames names(const ArmParts&) const override { return {{}, {"prototypes", "prototypes_added"}}; }
  void check(const ArmParts& arm) const override { arm.require_prototypes("analysis 'prototype_images'"); }

  Findings analyse(const TrainedArm& arm) const override {
    const Tensor w = prototypes_of(arm.model, "prototype_images");
    std::vector<std::int64_t> shape{w.size(0)};
    for (const auto d : arm.dataset.input_shape()) shape.push_back(d);
    const Tensor start = prototypes_of(*arm.initial(), "prototype_images").to(w.device(), w.scalar_type());
    Findings out;
    for (const auto& [name, values] : {std::pair("prototypes", w), std::pair("prototypes_added", w - start)}) {
      auto artifact = tensor_to_json(values.view(shape));
      artifact["labels"] = arm.dataset.class_names();
      out.artifacts[name] = std::move(artifact);
    }
    const Tensor flat = w.to(at::kCPU, at::kDouble).contiguous();
    const std::vector<double> values(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
    if (shape.size() == 3) out.media.push_back({"prototypes", sheet(values, shape), "learned prototypes, one a class; white is 0"});
    out.media.push_back({"prototype_weights", histogram_of(values)});
    return out;
  }

 private:
  static Image sheet(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
    std::vector<Heat> heats;
    const auto size = static_cast<std::size_t>(shape[1] * shape[2]);
    for (std::int64_t i = 0; i < shape[0]; ++i) {
      Heat heat;
      heat.rows = static_cast<std::size_t>(shape[1]);
      heat.columns = static_cast<std::size_t>(shape[2]);
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * size);
      heat.values.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
      heats.push_back(std::move(heat));
    }
    ColorScale scale;
    scale.map = ColorMap::kDiverging;
    std::tie(scale.min, scale.max) = robust_symmetric_limits(values);
    return contact_sheet(heats, scale, 5, 4);
  }
};

YATLAB_REGISTER(Analysis, PrototypeImages, "prototype_images", "prototypes as images, in the shape of the inputs");

}  // namespace yatlab
