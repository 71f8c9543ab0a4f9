#pragma once

#include <ATen/core/Tensor.h>

#include "core/registry/fields.h"

namespace yatlab {

/// What stands behind a layer.
enum class Activation { kRelu, kGelu, kTanh, kNone };

/// Declares `activation`.
void declare_activation(Fields& f, Activation& target, const char* doc);

at::Tensor activate(const at::Tensor& x, Activation activation);

}  // namespace yatlab
