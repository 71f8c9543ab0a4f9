#include "core/model/recompute.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <memory>

#include "catch.h"

namespace yatlab {
namespace {

using at::Tensor;

TEST_CASE("recomputation gives the same results and releases memory in the backward pass", "[recompute]") {
  at::manual_seed(5);
  const Tensor x = at::randn({4, 3}, at::kDouble).set_requires_grad(true), w = at::randn({3, 3}, at::kDouble).set_requires_grad(true);
  const Tensor fixed = at::randn({3}, at::kDouble);
  int calls = 0;
  auto held = std::make_shared<Tensor>(at::zeros({1}));
  const std::weak_ptr<Tensor> watched = held;
  const auto plain = [&](const Tensor& t) { return (t.matmul(w).tanh() + fixed).square(); };
  Tensor y = recomputed(
      [&, held](const Tensor& t) {
        ++calls;
        return plain(t);
      },
      x, {w, fixed});
  held.reset();
  const Tensor expected = plain(x), g = at::randn({4, 3}, at::kDouble);
  CHECK(calls == 1);
  CHECK(at::equal(y, expected));
  const auto same = [&](bool keep) {
    const auto found = torch::autograd::grad({y}, {x, w}, {g}, keep), wanted = torch::autograd::grad({expected}, {x, w}, {g}, true);
    CHECK(at::equal(found[0], wanted[0]));
    CHECK(at::equal(found[1], wanted[1]));
  };
  same(true);
  CHECK(calls == 2);
  CHECK_FALSE(watched.expired());  // it may be needed once more
  same(false);
  CHECK(calls == 3);
  CHECK(watched.expired());
  CHECK_THROWS(torch::autograd::grad({y}, {x}, {g}));

  const at::NoGradGuard no_grad;
  CHECK_FALSE(recomputed(plain, x, {w}).requires_grad());
}

}  // namespace
}  // namespace yatlab
