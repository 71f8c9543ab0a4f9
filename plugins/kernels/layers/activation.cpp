#include "plugins/kernels/layers/activation.h"

#include <ATen/ATen.h>

namespace yatlab {

void declare_activation(Fields& f, Activation& target, const char* doc) {
  f.choice("activation", target,
           {{"relu", Activation::kRelu}, {"gelu", Activation::kGelu}, {"tanh", Activation::kTanh}, {"none", Activation::kNone}}, doc);
}

at::Tensor activate(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kTanh:
      return at::tanh(x);
    case Activation::kNone:
      break;
  }
  return x;
}

}  // namespace yatlab
