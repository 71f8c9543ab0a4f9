#pragma once

#include "core/model/start_weights.h"
#include "core/ops/nmn.h"
#include "plugins/kernels/layers/activation.h"
#include "plugins/kernels/layers/batch_norm.h"
#include "plugins/kernels/layers/layer_operators.h"

namespace yatlab {

/// The layer settings of a network with several layers, shared by all architectures, except the operators.
struct LayerChoices {
  LayerOperators operators;
  Activation activation = Activation::kRelu;
  Normalization normalization = Normalization::kNone;
  bool bias = true;
  ComponentRef init = "kaiming_normal";
  ComponentRef bias_init = "zeros";
  ScaleParams scale;
  StartWeights weights;

  /// `where` the activations are, and what `bias` does, for the documentation.
  static void declare(Fields& f, LayerChoices& p, const char* where,
                      const char* of_bias =
                          "give every unit a bias, where the operator places it; normalised layers have the normalisation's shift instead");
};

}  // namespace yatlab
