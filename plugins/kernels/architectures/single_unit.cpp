#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/model/initialize.h"
#include "core/model/stacked_architecture.h"
#include "core/ops/nmn.h"

namespace yatlab {
namespace {

/// One unit of any operator, read as a binary classifier: logits [B, 2] = (0, a K(x, w) + c), so that
/// cross entropy over two classes is the logistic loss and class 1 is where a K > -c. What one unit
/// can separate is a property of its operator (XOR).
class SingleUnit final : public StackedArchitecture {
 public:
  struct Params {
    ComponentRef init = "normal";
    bool bias = false;
    ComponentRef bias_init = "zeros";
    double gain = 1;
    bool learn_gain = true;
    double threshold = 0;
    bool learn_threshold = true;
    static void declare(Fields& f, Params& p) {
      f.component("init", p.init, "initializer", "initializer of the weight vector");
      f.field("bias", p.bias, "give the operator a bias");
      f.component("bias_init", p.bias_init, "initializer", "initializer of the bias");
      f.field("gain", p.gain, "a in the logit a K(x, w) - t (its initial value, if learned)");
      f.field("learn_gain", p.learn_gain, "learn a");
      f.field("threshold", p.threshold, "t in the logit a K(x, w) - t (its initial value, if learned)");
      f.field("learn_threshold", p.learn_threshold, "learn t");
    }
  };
  explicit SingleUnit(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    if (context.num_classes != 2) {
      throw config_error("single_unit needs two classes", "architecture", fmt::format("the dataset has {}", context.num_classes),
                         "use dataset=xor, or architecture=prototype_classifier");
    }
    NmnOptions o;
    o.inputs = flat_size(context.input_shape);
    o.units = 1;
    o.bias = p_.bias;
    unit_ = register_module("unit", std::make_shared<Nmn>(context.op, o));
    op_ = context.op;
    sample_dims_ = context.input_shape.size();
    register_operator_parameters(*this, op_);
    gain_ = add("gain", p_.gain, p_.learn_gain);
    threshold_ = add("threshold", p_.threshold, p_.learn_threshold);
    initialize(unit_->weight, p_.init, context.seed, "unit");
    if (p_.bias) initialize(unit_->bias, p_.bias_init, context.seed, "unit_bias");
  }

  Tensor forward(const Tensor& inputs) override {
    const Tensor score = unit_->forward(flat_samples(inputs, sample_dims_));
    const Tensor logit = score * for_members(gain_) - for_members(threshold_);
    return at::cat({at::zeros_like(logit), logit}, -1);
  }

  std::map<std::string, double> observables() const override {
    std::map<std::string, double> seen = operator_observables(op_);
    seen["model/gain"] = gain_.item<double>();
    seen["model/threshold"] = threshold_.item<double>();
    seen["prototypes/norm"] = at::norm(prototypes()).item<double>();
    return seen;
  }

  Tensor prototypes() const override { return unit_->weight.detach(); }
  void set_prototypes(const Tensor& values) override {
    at::NoGradGuard no_grad;
    unit_->weight.copy_(values);
  }

  std::vector<std::string> stacked_parameters() const override { return {"init", "bias_init", "gain", "threshold"}; }

 private:
  Tensor add(const char* name, double value, bool learned) {
    const Tensor t = at::scalar_tensor(value, at::kFloat);
    return learned ? register_parameter(name, t) : register_buffer(name, t);
  }

  Params p_;
  std::size_t sample_dims_ = 1;
  std::shared_ptr<Operator> op_;
  std::shared_ptr<Nmn> unit_;
  Tensor gain_, threshold_;
};

YATLAB_REGISTER(Architecture, SingleUnit, "single_unit", "one unit of the operator as a binary classifier");

}  // namespace
}  // namespace yatlab
