#pragma once

#include <ATen/core/Tensor.h>

#include "core/registry/fields.h"

namespace yatlab {

/// The activation after a layer.
enum class Activation { kRelu, kGelu, kTanh, kNone };

/// Declares the setting `activation`.
void declare_activation(Fields& f, Activation& target, const char* doc);

at::Tensor activate(const at::Tensor& x, Activation activation);

}  // namespace yatlab
