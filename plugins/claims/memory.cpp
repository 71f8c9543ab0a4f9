#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/model/saved_bytes.h"
#include "core/ops/yat.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// Bytes that autograd saves for the backward pass: the "activation storage".
class Memory final : public Claim {
 public:
  struct Params {
    double low = 0.15, high = 0.25, more_on_gpu = 36.5;
    static void declare(Fields& f, Params& p) {
      f.field("low", p.low, "smallest saving, as printed");
      f.field("high", p.high, "largest saving, as printed");
      f.field("more_on_gpu", p.more_on_gpu,
              "percent by which Aether of 124M parameters keeps more than GPT-2 on a GPU (docs/measurements/language_models.md)");
    }
  };
  explicit Memory(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto op = context.op.make();
    const std::int64_t d = context.scaled(128, 32), rows = 2 * d;
    const Net net(rows, d, 4 * d, context.seed);
    const std::string where = fmt::format("{} rows, d = {}, {} units, float", rows, d, 4 * d);

    const auto layer = [&](const Tensor& x) { return op->scores(x, net.up); };
    const auto linear = [&](const Tensor& x) { return at::linear(x, net.up); };
    const auto gelu = [&](const Tensor& x) { return at::gelu(linear(x)); };
    const auto relu = [&](const Tensor& x) { return at::relu(linear(x)); };
    const auto norm = [&](const Tensor& x) { return at::layer_norm(x, {net.dim}, net.gain, net.shift); };
    const auto down = [&](const Tensor& x) { return at::linear(x, net.down); };
    const auto block = [&](auto first) { return net.saved([&](const Tensor& x) { return x + down(first(x)); }); };
    const auto with_norm = [&](auto first) { return [&, first](const Tensor& x) { return first(norm(x)); }; };

    const double yat_block = block(layer), gelu_block = block(gelu), normed_block = block(with_norm(gelu));
    const double relu_block = block(relu);
    const double saving = 1 - yat_block / normed_block;
    evidence.part("15 to 25 %");
    evidence.at_least(Role::kCore,
                      "saving of the MLP block without LayerNorm over LayerNorm + Linear + GELU + Linear, against the lower figure printed",
                      saving, p_.low, 0, where);
    evidence.at_most(Role::kCore, "the same, against the upper figure printed", saving, p_.high, 0, where);
    evidence.at_least(Role::kReading, "saving over the same block without LayerNorm: what dropping the activation gives",
                      1 - yat_block / gelu_block, p_.low, 0,
                      where + "; the layer keeps x.w where GELU keeps its input, and the scores where GELU keeps its output");
    evidence.at_least(Role::kReading, "saving over the block with ReLU", 1 - yat_block / relu_block, p_.low, 0, where);
    const auto outside = [&](auto first) {
      const Tensor& x = net.input;
      return static_cast<double>(saved_for_backward([&] { return x + down(first(x)); }).total);
    };
    evidence.note("saving over LayerNorm + Linear + GELU + Linear, the block's input not counted",
                  1 - outside(layer) / outside(with_norm(gelu)), where);
    const double weights = static_cast<double>(net.up.nbytes() + net.down.nbytes());
    evidence.note("the same with input and weights counted",
                  1 - (yat_block + weights) / (normed_block + weights + static_cast<double>(2 * net.gain.nbytes())), where);
    // x, x.w and the scores, compared with the norm's input and output and GELU's input and output.
    const double unit = static_cast<double>(rows * d) * 4;
    evidence.equals(Role::kCorrected, "kept by the block, in tensors of the input's size", yat_block / unit, 9, 0.02, "1 + 4 + 4");
    evidence.equals(Role::kCorrected, "kept by LayerNorm + Linear + GELU + Linear", normed_block / unit, 10, 0.1,
                    "1 + 1 + 4 + 4, and two numbers per row");

    const double yat_layer = net.saved(layer), normed_layer = net.saved(with_norm(gelu));
    evidence.note("saving of the layer alone over LayerNorm + Linear + GELU", 1 - yat_layer / normed_layer, where);
    evidence.note("saving of the layer alone over Linear + GELU", 1 - yat_layer / net.saved(gelu), where);
    evidence.note("saving of the layer alone over Linear + ReLU", 1 - yat_layer / net.saved(relu), where);
    evidence.note("the layer alone / a linear layer without activation", yat_layer / net.saved(linear), where);
    const double composed = net.saved([&](const Tensor& x) { return yat_composed(x, net.up); });
    evidence.note("the formula from separate operations / the fused layer", composed / yat_layer, where);
    context.tick(0.5, "a transformer block");
    transformer(context, evidence, *op);
    const auto in_inputs = [&](double bytes) { return fmt::format("{:.3g}", bytes / unit); };
    evidence.set("block", in_inputs(yat_block));
    evidence.set("gelu", in_inputs(gelu_block));
    evidence.set("normed", in_inputs(normed_block));
    evidence.set("relu", in_inputs(relu_block));
    evidence.set("saving", fmt::format("{:.1f}", 100 * saving));
    evidence.set("over_gelu", fmt::format("{:.1f}", 100 * (1 - yat_block / gelu_block)));
    evidence.set("more_on_gpu", p_.more_on_gpu);
    evidence.set("where", where);
  }

 private:
  /// An input and the weights of a block, and the count of saved bytes.
  struct Net {
    Net(std::int64_t rows, std::int64_t d, std::int64_t h, std::uint64_t seed) : dim(d) {
      auto g = generator_of(seed);
      const auto leaf = [&](at::IntArrayRef sizes) { return normals(sizes, g).to(at::kFloat).requires_grad_(); };
      input = leaf({rows, d});
      up = leaf({h, d});
      down = leaf({d, h});
      gain = leaf({d});
      shift = leaf({d});
    }
    /// f receives an input created inside the count, like the output of an earlier layer: it counts when it is saved.
    template <class F>
    double saved(const F& f) const {
      return static_cast<double>(saved_for_backward([&] { return f(input.clone()); }).total);
    }
    std::int64_t dim;
    Tensor input, up, down, gain, shift;
  };

  /// A GPT-2 block whose attention weights are stored, in GPT-2's proportions (heads x length = 16 d).
  void transformer(const ClaimContext& context, Evidence& evidence, const Operator& op) const {
    const std::int64_t heads = 4, d = context.scaled(64, 32), length = 16 * d / heads, width = d / heads;
    const Net net(length, d, 4 * d, context.seed + 1);
    auto g = generator_of(context.seed + 2);
    const Tensor project = normals({3 * d, d}, g).to(at::kFloat).requires_grad_();
    const Tensor merge = normals({d, d}, g).to(at::kFloat).requires_grad_();
    const auto norm = [&](const Tensor& x) { return at::layer_norm(x, {d}, net.gain, net.shift); };
    const auto attend = [&](const Tensor& x, bool kernel) {
      const Tensor qkv = at::linear(x, project).view({length, 3, heads, width}).permute({1, 2, 0, 3}).contiguous();
      const Tensor q = qkv[0], k = qkv[1], v = qkv[2];
      const Tensor scores = kernel ? op.scores(q, k) : at::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(width));
      const Tensor mixed = at::matmul(at::softmax(scores, -1), v);
      return at::linear(mixed.transpose(0, 1).reshape({length, d}), merge);
    };
    const double gpt = net.saved([&](const Tensor& x) {
      const Tensor y = x + attend(norm(x), false);
      return y + at::linear(at::gelu(at::linear(norm(y), net.up)), net.down);
    });
    const double aether = net.saved([&](const Tensor& x) {
      const Tensor y = x + attend(x, true);
      return y + at::linear(op.scores(y, net.up), net.down);
    });
    evidence.at_least(Role::kReading, "saving of a whole block (attention weights stored) over GPT-2's", 1 - aether / gpt, p_.low, 0,
                      fmt::format("heads x length = 16 d, d = {}; the kernel's attention keeps q.k beside the weights", d));
  }

  Params p_;
};

YATLAB_REGISTER(Claim, Memory, "claim:memory");

}  // namespace
}  // namespace yatlab
