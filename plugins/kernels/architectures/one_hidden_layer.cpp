#include <ATen/ATen.h>

#include <cmath>

#include "core/model/initialize.h"
#include "core/model/stacked_architecture.h"
#include "core/model/start_weights.h"
#include "core/ops/nmn.h"

namespace yatlab {
namespace {

enum class HiddenActivation { kNone, kRelu };

/// N(0, 1) for every entry.
ComponentRef standard_normal() {
  ComponentRef out = "normal";
  out.node.set("std", 1.0);
  return out;
}

/// f(x) = m^-p sum_i a_i K(x, w_i) [+ b]: one hidden layer of the operator and a linear readout, the network of prop:ntk.
/// operator=dot with relu is the usual one. p = 1/2 with a_i and w_i of a size that does not depend on m is the
/// parametrisation whose tangent kernel has a limit; p = 0 is what the paper prints.
class OneHiddenLayer final : public StackedArchitecture {
 public:
  struct Params {
    std::int64_t width = 1024;
    HiddenActivation activation = HiddenActivation::kNone;
    bool bias = false, readout_bias = false;
    ComponentRef init = standard_normal();
    ComponentRef bias_init = "zeros";
    ComponentRef readout_init = standard_normal();
    double output_power = 0.5;
    StartWeights weights;
    static void declare(Fields& f, Params& p) {
      f.field("width", p.width, "m, the hidden units").min(1);
      f.choice("activation", p.activation, {{"none", HiddenActivation::kNone}, {"relu", HiddenActivation::kRelu}},
               "activation after the hidden layer");
      f.field("bias", p.bias, "give every hidden unit a bias, where the operator places it");
      f.component("init", p.init, "initializer", "initializer of the hidden weights");
      f.component("bias_init", p.bias_init, "initializer", "initializer of the biases");
      f.component("readout_init", p.readout_init, "initializer", "initializer of the a_i");
      f.field("readout_bias", p.readout_bias, "add a bias to every output, initially 0");
      f.field("output_power", p.output_power, "p in f = m^-p sum_i a_i K(x, w_i)").non_negative();
      StartWeights::declare(f, p.weights);
    }
  };
  explicit OneHiddenLayer(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    op_ = context.op;
    sample_dims_ = context.input_shape.size();
    NmnOptions o;
    o.inputs = flat_size(context.input_shape);
    o.units = p_.width;
    o.bias = p_.bias;
    hidden_ = register_module("hidden", std::make_shared<Nmn>(op_, o));
    register_operator_parameters(*this, op_);
    readout_ = register_parameter("readout", at::zeros({context.num_classes, p_.width}, at::kFloat));
    if (p_.readout_bias) readout_bias_ = register_parameter("readout_bias", at::zeros({context.num_classes}, at::kFloat));
    initialize(hidden_->weight, p_.init, context, "weights");
    if (p_.bias) initialize(hidden_->bias, p_.bias_init, context.seed, "biases");
    initialize(readout_, p_.readout_init, context.seed, "readout");
    factor_ = std::pow(static_cast<double>(p_.width), -p_.output_power);
  }

  std::shared_ptr<Architecture> miniature() const override {
    Params small = p_;
    small.width = std::min<std::int64_t>(p_.width, 4);
    return std::make_shared<OneHiddenLayer>(small);
  }

  Tensor forward(const Tensor& inputs) override {
    Tensor h = hidden_->forward(flat_samples(inputs, sample_dims_));
    if (p_.activation == HiddenActivation::kRelu) h = at::relu(h);
    const Tensor out = at::matmul(h, readout_.transpose(-2, -1)) * factor_;
    return readout_bias_.defined() ? out + readout_bias_.unsqueeze(-2) : out;
  }

  std::map<std::string, double> observables() const override { return operator_observables(op_); }
  std::vector<std::string> stacked_parameters() const override { return {"init", "bias_init", "readout_init"}; }

 private:
  Params p_;
  std::size_t sample_dims_ = 1;
  std::shared_ptr<Operator> op_;
  std::shared_ptr<Nmn> hidden_;
  Tensor readout_, readout_bias_;
  double factor_ = 1;
};

YATLAB_REGISTER(Architecture, OneHiddenLayer, "one_hidden_layer", "one hidden layer of the operator and a linear readout");

}  // namespace
}  // namespace yatlab
