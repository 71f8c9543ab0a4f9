#include <ATen/ATen.h>

#include "core/model/initialize.h"
#include "core/model/stacked_architecture.h"
#include "core/model/start_weights.h"
#include "core/ops/nmn.h"

namespace yatlab {
namespace {

/// One prototype for each class, or several, and nothing else: scores [B, C] = s * K(x, w_c). With the
/// dot product and one each it is logistic regression. Rows of the weight are ordered by class; a class's
/// score is the largest of its prototypes', or their logarithm of summed exponentials. Inputs of any shape
/// are flattened.
class PrototypeClassifier final : public StackedArchitecture {
 public:
  enum class Combine { kMax, kLogSumExp };
  struct Params {
    ComponentRef init = "normal";
    std::int64_t per_class = 1;
    Combine combine = Combine::kMax;
    bool bias = false;
    ComponentRef bias_init = "zeros";
    ScaleParams scale;
    StartWeights weights;
    static void declare(Fields& f, Params& p) {
      f.component("init", p.init, "initializer", "initializer of the prototypes");
      f.field("per_class", p.per_class, "prototypes per class").min(1);
      f.choice("combine", p.combine, {{"max", Combine::kMax}, {"logsumexp", Combine::kLogSumExp}},
               "how to combine the scores of a class's prototypes, if it has several");
      f.field("bias", p.bias, "give every prototype a bias, where the operator places it");
      f.component("bias_init", p.bias_init, "initializer", "initializer of the biases");
      ScaleParams::declare(f, p.scale);
      StartWeights::declare(f, p.weights);
    }
  };
  explicit PrototypeClassifier(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    NmnOptions o;
    o.inputs = flat_size(context.input_shape);
    o.units = context.num_classes * p_.per_class;
    o.bias = p_.bias;
    o.scale = p_.scale;
    sample_dims_ = context.input_shape.size();
    layer_ = register_module("layer", std::make_shared<Nmn>(context.op, o));
    op_ = context.op;
    register_operator_parameters(*this, op_);
    initialize(layer_->weight, p_.init, context.seed, "prototypes");
    if (p_.bias) initialize(layer_->bias, p_.bias_init, context.seed, "biases");
  }

  Tensor forward(const Tensor& inputs) override {
    const Tensor scores = layer_->forward(flat_samples(inputs, sample_dims_));
    if (p_.per_class == 1) return scores;
    const Tensor by_class = scores.unflatten(-1, {-1, p_.per_class});
    return p_.combine == Combine::kMax ? by_class.amax(-1) : by_class.logsumexp(-1);
  }

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
  std::vector<std::string> stacked_parameters() const override { return {"init", "bias_init", "alpha_init"}; }

 private:
  Params p_;
  std::size_t sample_dims_ = 1;
  std::shared_ptr<Operator> op_;
  std::shared_ptr<Nmn> layer_;
};

YATLAB_REGISTER(Architecture, PrototypeClassifier, "prototype_classifier", "one or more prototypes per class, scored by the operator");

}  // namespace
}  // namespace yatlab
