#include "core/model/stacked_architecture.h"

#include <ATen/ATen.h>

namespace yatlab {

const StackedArchitecture* as_stacked(const Architecture& model) {
  const auto* stacked = dynamic_cast<const StackedArchitecture*>(&model);
  return stacked && stacked->stacks() ? stacked : nullptr;
}

Tensor flat_samples(const Tensor& inputs, std::size_t sample_dims) {
  const bool stacked = inputs.dim() == static_cast<std::int64_t>(sample_dims) + 2;
  return inputs.flatten(stacked ? 2 : 1);
}

Tensor for_members(const Tensor& number) { return number.dim() == 0 ? number : number.view({-1, 1, 1}); }

}  // namespace yatlab
