#include <ATen/ATen.h>

#include <algorithm>

#include "core/model/architecture.h"
#include "core/model/initialize.h"
#include "plugins/kernels/layers/image_input.h"
#include "plugins/kernels/layers/layer_choices.h"
#include "plugins/kernels/layers/patch_layer.h"

namespace yatlab {
namespace {

/// A residual network for small images (He et al. 2015, section 4.2): a convolution, three stages of `blocks` pairs of convolutions with
/// 1, 2 and 4 times `width` channels, of which the second and third halve the image, the mean over pixels, and a readout: 6 blocks + 2
/// layers. Shortcuts are theirs for these images, option A: every second pixel, and zeros for the channels that are new.
class ResNet final : public Architecture {
 public:
  struct Params : LayerChoices {
    std::int64_t blocks = 3, width = 16;
    Params() {
      operators.names = {"operator", "dot"};
      normalization = Normalization::kBatch;
      bias = false;
    }
    static void declare(Fields& f, Params& p) {
      f.field("blocks", p.blocks, "n: pairs of convolutions in each of three stages; the network has 6 n + 2 layers").positive();
      f.field("width", p.width, "channels of the first stage; the others have 2 and 4 times as many").positive();
      LayerChoices::declare(f, p, "activation after each convolution; after a pair's second one, the shortcut is added first",
                            "give the units of convolutions a bias, where the operator places it; the readout always has one");
    }
  };
  explicit ResNet(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    const auto image = image_shape(context.input_shape, "resnet");
    operators_ = p_.operators.of(static_cast<std::size_t>(6 * p_.blocks + 2), context.op);
    const auto used = std::any_of(operators_.begin(), operators_.end(), [](const LayerOperator& l) { return l.own; });
    if (used) op_ = context.op;
    seed_ = context.seed;
    add_convolution(image.channels, p_.width, 1);
    auto channels = p_.width;
    for (std::int64_t stage = 0; stage < 3; ++stage) {
      for (std::int64_t block = 0; block < p_.blocks; ++block) {
        const auto wider = p_.width << stage;
        add_convolution(channels, wider, stage > 0 && block == 0 ? 2 : 1);
        add_convolution(wider, wider, 1);
        channels = wider;
      }
    }
    NmnOptions o;
    o.inputs = channels;
    o.units = context.num_classes;
    o.bias = true;
    readout_ = add_layer(o);
    register_operator_parameters(*this, op_);
  }

  std::shared_ptr<Architecture> miniature() const override {
    Params small = p_;
    small.width = std::min<std::int64_t>(p_.width, 2);
    if (small.operators.names.size() <= 8) small.blocks = 1;
    return std::make_shared<ResNet>(small);
  }

  Tensor forward(const Tensor& inputs) override {
    Tensor x = activate(convolved(0, channels_last(inputs)), p_.activation);
    for (std::size_t i = 1; i + 1 < convolutions_.size(); i += 2) {
      const Tensor inner = activate(convolved(i, x), p_.activation);
      x = activate(convolved(i + 1, inner) + shortcut(x, convolutions_[i]), p_.activation);
    }
    return readout_->forward(x.mean(at::IntArrayRef{1, 2}));
  }

  std::map<std::string, double> observables() const override {
    std::map<std::string, double> seen = operator_observables(op_);
    double sum = 0, count = 0;
    for (const auto& layer : layers_) {
      if (!layer->alpha.defined()) continue;
      sum += layer->alpha.item<double>();
      ++count;
    }
    if (count > 0) seen["model/alpha"] = sum / count;
    return seen;
  }

  bool may_be_negative() const override { return readout_->may_be_negative(); }

 private:
  /// The next layer, registered and filled.
  std::shared_ptr<Nmn> add_layer(NmnOptions o) {
    const auto i = layers_.size();
    if (operators_[i].own) o.scale = p_.scale;
    layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Nmn>(operators_[i].op, o)));
    auto& layer = *layers_.back();
    initialize(layer.weight, p_.init, seed_, "weights", i);
    if (o.bias) initialize(layer.bias, p_.bias_init, seed_, "biases", i);
    if (!operators_[i].own) register_operator_parameters(layer, operators_[i].op);
    return layers_.back();
  }

  void add_convolution(std::int64_t inputs, std::int64_t units, std::int64_t stride) {
    const auto i = convolutions_.size();
    NmnOptions o;
    o.inputs = 9 * inputs;
    o.units = units;
    o.bias = p_.bias;
    convolutions_.emplace_back(add_layer(o), PatchShape{3, stride, 1});
    if (p_.normalization == Normalization::kBatch) {
      norms_.push_back(register_module("norm" + std::to_string(i), std::make_shared<BatchNorm>(units)));
    }
  }

  Tensor convolved(std::size_t i, const Tensor& x) const {
    const Tensor y = convolutions_[i].forward(x);
    return norms_.empty() ? y : norms_[i]->forward(y);
  }

  /// x as the pair that begins with `first` gives it back.
  static Tensor shortcut(const Tensor& x, const PatchLayer& first) {
    const auto stride = first.shape().stride, added = first.nmn()->options().units - x.size(3);
    const Tensor seen = stride == 1 ? x : x.slice(1, 0, {}, stride).slice(2, 0, {}, stride);
    return added == 0 ? seen : at::constant_pad_nd(seen, {added / 2, added - added / 2});
  }

  Params p_;
  std::uint64_t seed_ = 0;
  std::shared_ptr<Operator> op_;  ///< the experiment's; null where no layer has it
  std::vector<LayerOperator> operators_;
  std::vector<std::shared_ptr<Nmn>> layers_;  ///< convolutions, then the readout
  std::vector<PatchLayer> convolutions_;
  std::vector<std::shared_ptr<BatchNorm>> norms_;
  std::shared_ptr<Nmn> readout_;
};

YATLAB_REGISTER(Architecture, ResNet, "resnet", "a residual network of the operator's convolutions for small images: ResNet-20");

}  // namespace
}  // namespace yatlab
