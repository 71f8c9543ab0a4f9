#include "core/ops/yat_general.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include "catch.h"
#include "core/ops/kernel_choice.h"

namespace yatlab {
namespace {

using at::Tensor;

struct Found {
  Tensor y;
  std::vector<Tensor> gradients;
};

Found found(const Tensor& x, const Tensor& w, const YatOptions& o) {
  std::vector<Tensor> inputs{x.detach().requires_grad_(true), w.detach().requires_grad_(true), o.bias, o.learned_epsilon, o.scale};
  const Tensor y = yat(inputs[0], inputs[1], o);
  // Uneven weights, applied one row at a time to limit memory.
  const Tensor weights = at::arange(y.size(-1), y.options()).sin();
  return {y.detach(), torch::autograd::grad({at::matmul(y, weights).sum()}, inputs)};
}

}  // namespace

TEST_CASE("the generic kernel computes very large score matrices in parts", "[yat][slow]") {
  // 2 x 4097 x 4096 is just above the size of one part.
  at::manual_seed(4);
  YatOptions o;
  o.bias = at::randn({4096}).requires_grad_(true);
  o.learned_epsilon = at::full({1}, 0.3).requires_grad_(true);
  o.scale = at::full({1}, 1.7).requires_grad_(true);
  const Tensor x = at::randn({2, 4097, 3});
  for (const bool own_units : {false, true}) {
    INFO((own_units ? "separate units" : "shared units"));
    const Tensor w = own_units ? at::randn({2, 4096, 3}) : at::randn({4096, 3});
    const auto fused = found(x, w, o);
    const ForceGenericKernels general;
    const auto parts = found(x, w, o);
    CHECK(at::allclose(parts.y, fused.y, 1e-4, 1e-5));
    for (std::size_t i = 0; i < fused.gradients.size(); ++i) {
      INFO("gradient " << i);
      const double scale = fused.gradients[i].abs().max().item<double>();
      CHECK((parts.gradients[i] - fused.gradients[i]).abs().max().item<double>() <= 2e-4 * scale);
    }
  }
}

TEST_CASE("the generic kernel saves no more for backward than the fused one", "[yat]") {
  const Tensor x = at::randn({2, 3, 7, 5}).requires_grad_(true), w = at::randn({2, 1, 6, 5}).requires_grad_(true);
  const ForceGenericKernels general;
  const Tensor y = yat(x, w);
  REQUIRE(y.grad_fn());
  // One node: the graph keeps no intermediate results of distances and quotients.
  CHECK(y.grad_fn()->name().find("GeneralYat") != std::string::npos);
}

}  // namespace yatlab
