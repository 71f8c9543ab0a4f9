// Convolutions of any operator, against LibTorch's convolution, slow loops and finite differences.
#include "plugins/kernels/layers/patch_layer.h"

#include <ATen/ATen.h>

#include "catch.h"
#include "core/model/saved_bytes.h"
#include "core/ops/kernel_choice.h"
#include "helpers.h"
#include "ops/gradients.h"
#include "ops/slow_reference.h"

namespace yatlab {
namespace {

using gradients::relative_error;
using testing::spec;

/// Kernel, stride, padding.
const std::vector<PatchShape> kShapes = {{3, 1, 1}, {3, 2, 1}, {1, 1, 0}, {5, 1, 2}, {2, 2, 0}, {3, 3, 2}};

PatchLayer layer_of(const Node& op, std::int64_t channels, std::int64_t units, const PatchShape& shape,
                    std::int64_t most = PatchLayer::kMostNumbers, const ScaleParams& scale = {}) {
  NmnOptions o;
  o.inputs = channels * shape.kernel * shape.kernel;
  o.units = units;
  o.bias = true;
  o.scale = scale;
  auto nmn = std::make_shared<Nmn>(Registry<Operator>::create(op), o);
  nmn->to(at::kDouble);
  const at::NoGradGuard no_grad;
  nmn->weight.copy_(at::randn({units, o.inputs}, at::kDouble));
  nmn->bias.copy_(at::randn({units}, at::kDouble));
  return {nmn, shape, most};
}

Tensor nchw(const Tensor& x) { return x.permute({0, 3, 1, 2}); }

/// The windows, one number at a time: [B, H', W', C k k], channels first.
Tensor slow_windows(const Tensor& x, const PatchShape& s) {
  const auto rows = s.windows(x.size(1)), columns = s.windows(x.size(2)), channels = x.size(3);
  const Tensor out = at::zeros({x.size(0), rows, columns, channels * s.kernel * s.kernel}, x.options());
  const auto from = x.accessor<double, 4>();
  auto to = out.accessor<double, 4>();
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        std::int64_t k = 0;
        for (std::int64_t channel = 0; channel < channels; ++channel) {
          for (std::int64_t i = 0; i < s.kernel; ++i) {
            for (std::int64_t j = 0; j < s.kernel; ++j, ++k) {
              const auto y = r * s.stride + i - s.padding, z = c * s.stride + j - s.padding;
              if (y >= 0 && y < x.size(1) && z >= 0 && z < x.size(2)) to[b][r][c][k] = from[b][y][z][channel];
            }
          }
        }
      }
    }
  }
  return out;
}

TEST_CASE("a patch layer with the dot product equals LibTorch's convolution", "[patches]") {
  at::manual_seed(11);
  for (const auto& shape : kShapes) {
    INFO("kernel " << shape.kernel << ", stride " << shape.stride << ", padding " << shape.padding);
    const Tensor x = at::randn({2, 7, 6, 3}, at::kDouble);
    const auto layer = layer_of(spec("dot"), 3, 4, shape);
    const auto k = shape.kernel;
    const Tensor expected = at::conv2d(nchw(x), layer.nmn()->weight.view({4, 3, k, k}), layer.nmn()->bias, shape.stride, shape.padding);
    const Tensor y = layer.forward(x);
    REQUIRE(nchw(y).sizes() == expected.sizes());
    CHECK(relative_error(nchw(y), expected) < 1e-13);
  }
}

TEST_CASE("generic and CPU kernels give the same windows and their sums", "[patches]") {
  at::manual_seed(15);
  for (const auto& shape : kShapes) {
    INFO("kernel " << shape.kernel << ", stride " << shape.stride << ", padding " << shape.padding);
    const Tensor x = at::randn({3, 6, 7, 2});
    const Tensor windows = patches(x, shape), added = sum_of_patches(windows, 6, 7, shape);
    const ForceGenericKernels general;
    CHECK(at::equal(patches(x, shape), windows));
    CHECK(relative_error(sum_of_patches(windows, 6, 7, shape), added) < 1e-6);
  }
}

TEST_CASE("a patch layer scores each window including zero padding with any operator", "[patches]") {
  at::manual_seed(12);
  for (const auto& shape : kShapes) {
    INFO("kernel " << shape.kernel << ", stride " << shape.stride << ", padding " << shape.padding);
    const Tensor x = at::randn({2, 6, 7, 2}, at::kDouble);
    ScaleParams scale;
    scale.scale = ScaleKind::kNOverLog;
    scale.alpha_init = 1.5;
    const auto layer = layer_of(spec("yat", {{"epsilon", 0.3}}), 2, 3, shape, PatchLayer::kMostNumbers, scale);
    slow::Problem p;
    p.epsilon = 0.3;
    p.scale = std::pow(3 / std::log(4.0), 1.5);
    const Tensor windows = slow_windows(x, shape);
    const Tensor expected = slow::yat(windows.flatten(0, 2), layer.nmn()->weight.detach(), layer.nmn()->bias.detach(), p);
    CHECK(relative_error(layer.forward(x).flatten(0, 2), expected) < 1e-6);  // the scale's alpha is a double converted from a float
    for (const char* op : {"cosine", "euclidean"}) {
      const auto other = layer_of(spec(op), 2, 3, shape);
      const Tensor of_rows = other.nmn()->op().scores(windows.flatten(0, 2), other.nmn()->weight, other.nmn()->bias);
      CHECK(relative_error(other.forward(x).flatten(0, 2), of_rows) < 1e-12);
    }
  }
}

TEST_CASE("patch layers have the right derivatives", "[patches]") {
  at::manual_seed(13);
  for (const auto& shape : kShapes) {
    INFO("kernel " << shape.kernel << ", stride " << shape.stride << ", padding " << shape.padding);
    const auto windows = [&](const std::vector<Tensor>& in) { return patches(in[0], shape); };
    const Tensor x = at::randn({2, 5, 4, 2}, at::kDouble);
    CHECK(gradients::first_order_error(windows, {x}) < 1e-8);
    CHECK(gradients::second_order_error([&](const std::vector<Tensor>& in) { return windows(in).sin(); }, {x}) < 1e-7);
    for (const char* op : {"dot", "yat", "cosine", "euclidean"}) {
      INFO(op);
      const auto layer = layer_of(spec(op), 2, 3, shape);
      const auto scores = [&](const std::vector<Tensor>& in) {
        layer.nmn()->weight = in[1];
        layer.nmn()->bias = in[2];
        return layer.forward(in[0]);
      };
      const auto w = layer.nmn()->weight.detach().clone(), b = layer.nmn()->bias.detach().clone();
      CHECK(gradients::first_order_error(scores, {x, w, b}) < 1e-6);
    }
  }
}

TEST_CASE("tiles of samples give the values and gradients of the whole batch", "[patches]") {
  at::manual_seed(14);
  const PatchShape shape{3, 1, 1};
  ScaleParams scale;
  scale.scale = ScaleKind::kNOverLog;
  const auto whole = layer_of(spec("yat", {{"learn_epsilon", true}, {"epsilon", 0.5}}), 2, 3, shape, PatchLayer::kMostNumbers, scale);
  const auto each = 5 * 4 * 2 * 9;  // numbers in a sample's patches
  for (const std::int64_t most : {1, each, 3 * each + 1, 7 * each - 1}) {
    INFO(most);
    const PatchLayer tiled(whole.nmn(), shape, most);
    const Tensor x = at::randn({7, 5, 4, 2}, at::kDouble);
    std::vector<std::vector<Tensor>> gradients;
    std::vector<Tensor> values;
    const auto epsilon = whole.nmn()->op().parameters().at(0).second;
    for (const auto* layer : {&whole, &tiled}) {
      const Tensor own = x.clone().set_requires_grad(true);
      for (const auto& p : whole.nmn()->parameters()) p.mutable_grad().reset();
      epsilon.mutable_grad().reset();
      values.push_back(layer->forward(own));
      (values.back() * gradients::weights_like(values.back())).sum().backward();
      gradients.push_back({own.grad(), epsilon.grad()});
      for (const auto& p : whole.nmn()->parameters()) gradients.back().push_back(p.grad());
    }
    CHECK(relative_error(values[1], values[0]) < 1e-13);
    REQUIRE(gradients[0].size() == 5);  // x, epsilon, weight, bias, alpha
    for (std::size_t i = 0; i < gradients[0].size(); ++i) CHECK(relative_error(gradients[1][i], gradients[0][i]) < 1e-6);
  }
}

TEST_CASE("the backward pass through tiles keeps its layer alive", "[patches]") {
  at::manual_seed(15);
  const PatchShape shape{3, 1, 1};
  const Tensor x = at::randn({5, 4, 4, 2}, at::kDouble).set_requires_grad(true);
  Tensor y, expected;
  std::weak_ptr<Nmn> nmn;
  {
    auto layer = std::make_unique<PatchLayer>(layer_of(spec("yat", {{"epsilon", 0.5}}), 2, 3, shape, 1));
    nmn = layer->nmn();
    expected = torch::autograd::grad({PatchLayer(layer->nmn(), shape).forward(x).sum()}, {x})[0];
    y = layer->forward(x);
    layer.reset();
  }
  CHECK_FALSE(nmn.expired());
  CHECK(relative_error(torch::autograd::grad({y.sum()}, {x})[0], expected) < 1e-12);
  y.reset();
  CHECK(nmn.expired());
}

TEST_CASE("memory for patches does not grow with the batch", "[patches]") {
  const PatchShape shape{3, 1, 1};
  const auto each = 16 * 16 * 8 * 9;
  const auto layer = layer_of(spec("yat"), 8, 4, shape, 2 * each);
  const auto beyond = [&](std::int64_t batch) {
    const Tensor x = at::randn({batch, 16, 16, 8}, at::kDouble).set_requires_grad(true);
    const MemoryWatch watch;
    {
      const Tensor y = layer.forward(x);
      y.sum().backward();
    }
    // Memory that every batch needs in proportion to its size: scores (as parts and as a whole, and their gradients) and the gradient of x.
    return watch.peak() - 8 * batch * 16 * 16 * (4 * 4 + 3 * 8);
  };
  const auto patches_bytes = 8 * 2 * each;
  CHECK(beyond(4) < 6 * patches_bytes);
  CHECK(beyond(64) < 6 * patches_bytes);  // all patches of the batch at once are 32 times as large
}

}  // namespace
}  // namespace yatlab
