#pragma once

#include <ATen/core/Tensor.h>

#include "core/ops/kernel_choice.h"

namespace yatlab {

/// True when all tensors are dense float32 on the CPU, so that one plain loop may update them.
template <class... Tensors>
bool plain_floats(const Tensors&... tensors) {
  return ((tensors.is_contiguous() && use_cpu_kernel(tensors) && tensors.scalar_type() == at::kFloat) && ...);
}

}  // namespace yatlab
