#include <ATen/ATen.h>

#include "core/ops/nmn.h"
#include "core/train/architecture.h"
#include "core/train/initialize.h"

namespace yatlab {
namespace {

/// One prototype for each class and nothing else: scores [B, C] = s * K(x, w_c). With the dot
/// product it is logistic regression. Inputs of any shape are flattened.
class PrototypeClassifier final : public Architecture {
 public:
  struct Params {
    ComponentRef init = "normal";
    bool bias = false;
    ComponentRef bias_init = "zeros";
    ScaleParams scale;
    static void declare(Fields& f, Params& p) {
      f.component("init", p.init, "initializer", "where the prototypes start");
      f.field("bias", p.bias, "one bias per class, placed as the operator has it");
      f.component("bias_init", p.bias_init, "initializer", "where the biases start");
      ScaleParams::declare(f, p.scale);
    }
  };
  explicit PrototypeClassifier(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    NmnOptions o;
    o.inputs = flat_size(context.input_shape);
    o.units = context.num_classes;
    o.bias = p_.bias;
    o.scale = p_.scale;
    layer_ = register_module("layer", std::make_shared<Nmn>(context.op, o));
    op_ = context.op;
    register_operator_parameters(*this, op_);
    initialize(layer_->weight, p_.init, context.seed, "prototypes");
    if (p_.bias) initialize(layer_->bias, p_.bias_init, context.seed, "biases");
  }

  Tensor forward(const Tensor& inputs) override { return layer_->forward(inputs.flatten(1)); }

  std::map<std::string, double> observables() const override {
    std::map<std::string, double> seen = operator_observables(op_);
    if (layer_->alpha.defined()) seen["model/alpha"] = layer_->alpha.item<double>();
    seen["prototypes/norm"] = at::norm(prototypes(), 2, {1}).mean().item<double>();
    return seen;
  }

  Tensor prototypes() const override { return layer_->weight.detach(); }
  void set_prototypes(const Tensor& values) override {
    at::NoGradGuard no_grad;
    layer_->weight.copy_(values);
  }
  bool may_be_negative() const override { return layer_->may_be_negative(); }

 private:
  Params p_;
  std::shared_ptr<Operator> op_;
  std::shared_ptr<Nmn> layer_;
};

YATLAB_REGISTER(Architecture, PrototypeClassifier, "prototype_classifier",
                "one prototype per class, scored by the operator");

}  // namespace
}  // namespace yatlab
