#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/model/architecture.h"
#include "core/model/initialize.h"
#include "plugins/kernels/layers/image_input.h"
#include "plugins/kernels/layers/layer_choices.h"
#include "plugins/kernels/layers/patch_layer.h"

namespace yatlab {
namespace {

/// A small convolutional network: convolutions whose inner product is the operator, each followed by its activation and a maximum over
/// 2 x 2 pixels, and a readout from all pixels that are left.
class Cnn final : public Architecture {
 public:
  struct Params : LayerChoices {
    std::vector<std::int64_t> channels = {16, 32};
    std::int64_t kernel = 3;
    Params() { operators.names = {"operator", "dot"}; }
    static void declare(Fields& f, Params& p) {
      f.field("channels", p.channels, "units (output channels) of each convolution").min(1);
      f.field("kernel", p.kernel, "kernel size in rows and columns, odd; zero padding keeps the image's size").positive();
      LayerChoices::declare(f, p, "activation after each convolution");
    }
  };
  explicit Cnn(const Params& p) : p_(p) {
    if (p.kernel % 2 == 0) {
      throw config_error(fmt::format("a kernel of {0} x {0} pixels has no center", p.kernel), "architecture.kernel", {}, "use 3 or 5");
    }
  }

  void build(const BuildContext& context) override {
    const auto image = image_shape(context.input_shape, "cnn");
    const auto halvings = p_.channels.size();
    const auto rows = halvings < 63 ? image.rows >> halvings : 0, columns = halvings < 63 ? image.columns >> halvings : 0;
    if (rows == 0 || columns == 0) {
      throw config_error(fmt::format("{} x {} pixels are too small for {} halvings", image.rows, image.columns, halvings),
                         "architecture.channels", {}, "use fewer convolutions");
    }
    const auto operators = p_.operators.of(p_.channels.size() + 1, context.op);
    NmnOptions o;
    o.bias = p_.bias && p_.normalization == Normalization::kNone;  // added before a normalisation it would have no gradient but noise
    auto inputs = image.channels;
    for (std::size_t i = 0; i < p_.channels.size(); ++i) {
      o.inputs = inputs * p_.kernel * p_.kernel;
      o.units = p_.channels[i];
      convolutions_.emplace_back(layer(operators[i], o, context.seed, i), PatchShape{p_.kernel, 1, p_.kernel / 2});
      if (p_.normalization == Normalization::kBatch) {
        norms_.push_back(register_module("norm" + std::to_string(i), std::make_shared<BatchNorm>(o.units)));
      }
      inputs = o.units;
    }
    o.bias = p_.bias;
    o.inputs = inputs * rows * columns;
    o.units = context.num_classes;
    readout_ = layer(operators.back(), o, context.seed, p_.channels.size());
    const bool used = std::any_of(operators.begin(), operators.end(), [](const LayerOperator& l) { return l.own; });
    if (used) op_ = context.op;
    register_operator_parameters(*this, op_);
  }

  Tensor forward(const Tensor& inputs) override {
    Tensor x = channels_last(inputs);
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      x = convolutions_[i].forward(x);
      if (!norms_.empty()) x = norms_[i]->forward(x);
      x = at::max_pool2d(activate(x, p_.activation).permute({0, 3, 1, 2}), 2).permute({0, 2, 3, 1});
    }
    return readout_->forward(x.flatten(1));
  }

  std::map<std::string, double> observables() const override {
    std::map<std::string, double> seen = operator_observables(op_);
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      const auto& alpha = convolutions_[i].nmn()->alpha;
      if (alpha.defined()) seen["model/alpha" + std::to_string(i)] = alpha.item<double>();
    }
    if (readout_->alpha.defined()) seen["model/alpha" + std::to_string(convolutions_.size())] = readout_->alpha.item<double>();
    return seen;
  }

  bool may_be_negative() const override { return readout_->may_be_negative(); }

 private:
  /// Layer i, registered and filled.
  std::shared_ptr<Nmn> layer(const LayerOperator& chosen, NmnOptions o, std::uint64_t seed, std::size_t i) {
    if (chosen.own) o.scale = p_.scale;
    const auto out = register_module("layer" + std::to_string(i), std::make_shared<Nmn>(chosen.op, o));
    initialize(out->weight, p_.init, seed, "weights", i);
    if (o.bias) initialize(out->bias, p_.bias_init, seed, "biases", i);
    if (!chosen.own) register_operator_parameters(*out, chosen.op);
    return out;
  }

  Params p_;
  std::shared_ptr<Operator> op_;  ///< the experiment's; null where no layer has it
  std::vector<PatchLayer> convolutions_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;
  std::shared_ptr<Nmn> readout_;
};

YATLAB_REGISTER(Architecture, Cnn, "cnn", "convolutions with the operator, each with activation and pooling, then a readout");

}  // namespace
}  // namespace yatlab
