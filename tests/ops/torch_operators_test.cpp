#include "core/ops/torch_operators.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/autograd.h>

#include "catch.h"
#include "core/ops/causal_softmax.h"

namespace yatlab {
namespace {

using at::Tensor;

TEST_CASE("the dispatcher uses CPU kernels for CPU tensors with and without gradients", "[operators]") {
  for (const char* name : {"yatlab::yat", "yatlab::causal_softmax", "yatlab::causal_softmax_backward"}) {
    INFO(name);
    const auto schema = c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
    CHECK(schema.hasKernelForDispatchKey(c10::DispatchKey::CPU));
    CHECK_FALSE(schema.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1));
  }
  CHECK(has_kernels_for(c10::DispatchKey::AutogradCPU));
  CHECK(has_kernels_for(c10::DispatchKey::CPU));
  CHECK_FALSE(has_kernels_for(c10::DispatchKey::PrivateUse1));

  at::manual_seed(17);
  const Tensor x = at::randn({5, 7}), w = at::randn({19, 7});
  YatOptions o;
  o.epsilon = 0.3;
  o.bias = at::randn({19});
  o.bias_place = BiasPlace::kAfter;
  o.scale = at::full({}, 1.7);
  CHECK(at::equal(dispatched_yat(x, w, o), yat(x, w, o)));
  o.learned_epsilon = at::full({}, 0.1);
  o.bias_place = BiasPlace::kInside;
  const auto gradient = [&](auto&& product) {
    const Tensor variable = x.clone().set_requires_grad(true);
    return torch::autograd::grad({product(variable, w, o).sum()}, {variable})[0];
  };
  CHECK(at::equal(gradient(dispatched_yat), gradient(yat)));
  const Tensor scores = at::randn({2, 6, 6}), weights = causal_softmax_forward(scores, 0.5, 0), g = at::randn({2, 6, 6});
  CHECK(at::equal(dispatched_causal_softmax(scores, 0.5, 0), weights));
  CHECK(at::equal(dispatched_causal_softmax_backward(g, weights, 0.5, 0), causal_softmax_backward(g, weights, 0.5, 0)));
}

}  // namespace
}  // namespace yatlab
