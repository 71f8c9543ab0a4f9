#include "plugins/kernels/layers/layer_choices.h"

namespace yatlab {

void LayerChoices::declare(Fields& f, LayerChoices& p, const char* where, const char* of_bias) {
  LayerOperators::declare(f, p.operators);
  declare_activation(f, p.activation, where);
  declare_normalization(f, p.normalization);
  f.field("bias", p.bias, of_bias);
  f.component("init", p.init, "initializer", "initializer of the weights");
  f.component("bias_init", p.bias_init, "initializer", "initializer of the biases");
  ScaleParams::declare(f, p.scale);
  StartWeights::declare(f, p.weights);
}

}  // namespace yatlab
