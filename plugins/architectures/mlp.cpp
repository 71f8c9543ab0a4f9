#include <ATen/ATen.h>

#include "core/ops/nmn.h"
#include "core/train/architecture.h"
#include "core/train/initialize.h"

namespace yatlab {
namespace {

enum class MlpActivation { kRelu, kGelu, kTanh, kNone };

Tensor activate(const Tensor& x, MlpActivation activation) {
  switch (activation) {
    case MlpActivation::kRelu:
      return at::relu(x);
    case MlpActivation::kGelu:
      return at::gelu(x);
    case MlpActivation::kTanh:
      return at::tanh(x);
    case MlpActivation::kNone:
      break;
  }
  return x;
}

/// Layers of the experiment's operator with an activation between them, and a last one to the
/// classes. operator=dot with relu is the usual network; operator=yat with activation=none is the
/// paper's activation-free one.
class MlpArchitecture final : public Architecture {
 public:
  struct Params {
    std::vector<std::int64_t> hidden = {128};
    MlpActivation activation = MlpActivation::kRelu;
    bool bias = true;
    ComponentRef init = "kaiming_normal";
    ComponentRef bias_init = "zeros";
    ScaleParams scale;
    static void declare(Fields& f, Params& p) {
      f.field("hidden", p.hidden, "units of each hidden layer").min(1);
      f.choice(
          "activation", p.activation,
          {{"relu", MlpActivation::kRelu}, {"gelu", MlpActivation::kGelu}, {"tanh", MlpActivation::kTanh}, {"none", MlpActivation::kNone}},
          "after each hidden layer");
      f.field("bias", p.bias, "give every unit a bias, placed as the operator has it");
      f.component("init", p.init, "initializer", "where the weights start");
      f.component("bias_init", p.bias_init, "initializer", "where the biases start");
      ScaleParams::declare(f, p.scale);
    }
  };
  explicit MlpArchitecture(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    op_ = context.op;
    sample_dims_ = context.input_shape.size();
    std::vector<std::int64_t> units = p_.hidden;
    units.push_back(context.num_classes);
    NmnOptions o;
    o.inputs = flat_size(context.input_shape);
    o.bias = p_.bias;
    o.scale = p_.scale;
    for (std::size_t i = 0; i < units.size(); ++i) {
      o.units = units[i];
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Nmn>(context.op, o)));
      initialize(layers_[i]->weight, p_.init, context.seed, "weights", i);
      if (p_.bias) initialize(layers_[i]->bias, p_.bias_init, context.seed, "biases", i);
      o.inputs = units[i];
    }
    register_operator_parameters(*this, op_);
  }

  Tensor forward(const Tensor& inputs) override {
    Tensor x = flat_samples(inputs, sample_dims_);
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      x = activate(layers_[i]->forward(x), p_.activation);
    }
    return layers_.back()->forward(x);
  }

  std::map<std::string, double> observables() const override {
    std::map<std::string, double> seen = operator_observables(op_);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (!layers_[i]->alpha.defined()) continue;
      seen["model/alpha" + std::to_string(i)] = layers_[i]->alpha.item<double>();
    }
    return seen;
  }

  bool may_be_negative() const override { return layers_.back()->may_be_negative(); }
  bool stacks() const override { return true; }
  std::vector<std::string> stacked_parameters() const override { return {"init", "bias_init", "alpha_init"}; }

 private:
  Params p_;
  std::size_t sample_dims_ = 1;
  std::shared_ptr<Operator> op_;
  std::vector<std::shared_ptr<Nmn>> layers_;
};

YATLAB_REGISTER(Architecture, MlpArchitecture, "mlp", "layers of the operator, with or without activations");

}  // namespace
}  // namespace yatlab
