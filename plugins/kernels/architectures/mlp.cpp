#include <ATen/ATen.h>

#include "core/model/initialize.h"
#include "core/model/stacked_architecture.h"
#include "plugins/kernels/layers/layer_choices.h"

namespace yatlab {
namespace {

/// Layers of an operator with an activation between them, and a last one to the classes. operator=dot with relu is the usual network;
/// operator=yat with activation=none is the paper's activation-free one.
class MlpArchitecture final : public StackedArchitecture {
 public:
  struct Params : LayerChoices {
    std::vector<std::int64_t> hidden = {128};
    std::int64_t repeat = 1;
    static void declare(Fields& f, Params& p) {
      f.field("hidden", p.hidden, "units of each hidden layer").min(1);
      f.field("repeat", p.repeat, "how many times to repeat the layers of `hidden`, one set after the other").range(1, 1000);
      LayerChoices::declare(f, p, "activation after each hidden layer");
    }
  };
  explicit MlpArchitecture(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    sample_dims_ = context.input_shape.size();
    std::vector<std::int64_t> units;
    for (std::int64_t r = 0; r < p_.repeat; ++r) units.insert(units.end(), p_.hidden.begin(), p_.hidden.end());
    units.push_back(context.num_classes);
    const auto operators = p_.operators.of(units.size(), context.op);
    NmnOptions o;
    o.inputs = flat_size(context.input_shape);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const bool normalized = p_.normalization == Normalization::kBatch && i + 1 < units.size();
      o.units = units[i];
      o.bias = p_.bias && !normalized;  // added before a normalisation it would have no gradient but noise
      o.scale = operators[i].own ? p_.scale : ScaleParams();
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Nmn>(operators[i].op, o)));
      initialize(layers_[i]->weight, p_.init, context.seed, "weights", i);
      if (o.bias) initialize(layers_[i]->bias, p_.bias_init, context.seed, "biases", i);
      if (operators[i].own) {
        op_ = context.op;
      } else {
        register_operator_parameters(*layers_[i], operators[i].op);
      }
      if (normalized) norms_.push_back(register_module("norm" + std::to_string(i), std::make_shared<BatchNorm>(units[i])));
      o.inputs = units[i];
    }
    register_operator_parameters(*this, op_);
  }

  Tensor forward(const Tensor& inputs) override {
    Tensor x = flat_samples(inputs, sample_dims_);
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      x = layers_[i]->forward(x);
      if (!norms_.empty()) x = norms_[i]->forward(x);
      x = activate(x, p_.activation);
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
  bool stacks() const override { return p_.operators.all_own() && p_.normalization == Normalization::kNone; }
  std::vector<std::string> stacked_parameters() const override { return {"init", "bias_init", "alpha_init"}; }

 private:
  Params p_;
  std::size_t sample_dims_ = 1;
  std::shared_ptr<Operator> op_;  ///< the experiment's; null where no layer has it
  std::vector<std::shared_ptr<Nmn>> layers_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;
};

YATLAB_REGISTER(Architecture, MlpArchitecture, "mlp", "layers of the operator, with or without activations");

}  // namespace
}  // namespace yatlab
