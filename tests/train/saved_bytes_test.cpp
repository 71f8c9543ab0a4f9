// What autograd keeps for the backward pass, against the known behaviour of Torch's own operations.
#include "core/model/saved_bytes.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/variable.h>

#include "catch.h"

using namespace yatlab;
using at::Tensor;

namespace {

constexpr std::int64_t kSamples = 100, kDim = 30, kUnits = 50;
constexpr std::int64_t kInput = kSamples * kDim * 4, kOutput = kSamples * kUnits * 4;

Tensor leaf(at::IntArrayRef sizes) { return at::rand(sizes).requires_grad_(); }

}  // namespace

TEST_CASE("MemoryWatch counts allocations and frees during its lifetime") {
  const Tensor before = at::zeros({1000});
  const MemoryWatch watch;
  CHECK(watch.live() == 0);
  Tensor a = at::zeros({100});
  const Tensor b = at::zeros({10}, at::kDouble), view = a.view({10, 10});
  CHECK(watch.live() == 480);
  CHECK(watch.blocks() == std::vector<std::int64_t>{400, 80});
  a = Tensor();
  CHECK(watch.live() == 480);  // the view keeps it alive
  { const Tensor c = at::zeros({1000}); }
  CHECK(watch.live() == 480);
  CHECK(watch.peak() == 4480);
}

TEST_CASE("nested memory watches: only the inner one counts") {
  const MemoryWatch outer;
  const Tensor a = at::zeros({100});
  {
    const MemoryWatch inner;
    const Tensor b = at::zeros({10});
    CHECK(inner.live() == 40);
  }
  const Tensor c = at::zeros({1});
  CHECK(outer.live() == 404);
}

TEST_CASE("a linear layer saves its input but not existing tensors") {
  const Tensor x = leaf({kSamples, kDim}), w = leaf({kUnits, kDim});
  CHECK(saved_for_backward([&] { return at::linear(x, w); }).total == 0);
  const SavedBytes made = saved_for_backward([&] { return at::linear(x.clone(), w); });
  CHECK(made.total == kInput);
  CHECK(made.blocks == std::vector<std::int64_t>{kInput});
  CHECK(made.peak >= kInput + kOutput);
}

TEST_CASE("GELU saves its input, ReLU its output and LayerNorm its input and statistics") {
  const Tensor x = leaf({kSamples, kDim}), w = leaf({kUnits, kDim}), gain = leaf({kDim}), shift = leaf({kDim});
  CHECK(saved_for_backward([&] { return at::gelu(at::linear(x.clone(), w)); }).total == kInput + kOutput);
  CHECK(saved_for_backward([&] { return at::relu(at::linear(x.clone(), w)); }).total == kInput + kOutput);
  CHECK(saved_for_backward([&] { return at::gelu(at::gelu(x.clone())); }).total == 2 * kInput);
  CHECK(saved_for_backward([&] { return at::relu(at::relu(x.clone())); }).total == 2 * kInput);
  CHECK(saved_for_backward([&] { return at::layer_norm(x.clone(), {kDim}, gain, shift); }).total == kInput + 2 * kSamples * 4);
}

TEST_CASE("the result itself counts only if the graph needs it") {
  const Tensor x = leaf({kSamples, kDim});
  CHECK(saved_for_backward([&] { return x + 1; }).total == 0);
  CHECK(saved_for_backward([&] { return x.exp(); }).total == kInput);
}

TEST_CASE("without gradients nothing is saved") {
  const Tensor x = at::rand({kSamples, kDim});
  CHECK(saved_for_backward([&] { return x.exp(); }).total == 0);
  at::NoGradGuard no_grad;
  const Tensor y = leaf({3});
  CHECK(saved_for_backward([&] { return y.exp(); }).total == 0);
}
