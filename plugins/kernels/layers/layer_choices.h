#pragma once

#include "core/model/start_weights.h"
#include "core/ops/nmn.h"
#include "plugins/kernels/layers/activation.h"
#include "plugins/kernels/layers/batch_norm.h"
#include "plugins/kernels/layers/layer_operators.h"

namespace yatlab {

/// What a network of several layers lets its user choose about them, the same for all but the operators.
struct LayerChoices {
  LayerOperators operators;
  Activation activation = Activation::kRelu;
  Normalization normalization = Normalization::kNone;
  bool bias = true;
  ComponentRef init = "kaiming_normal";
  ComponentRef bias_init = "zeros";
  ScaleParams scale;
  StartWeights weights;

  /// `where` activations stand, and what `bias` does, for people.
  static void declare(
      Fields& f, LayerChoices& p, const char* where,
      const char* of_bias =
          "give every unit a bias, placed as the operator has it; layers that are normalised have the normalisation's shift instead");
};

}  // namespace yatlab
