#include <ATen/ATen.h>

#include "catch.h"
#include "core/base/error.h"
#include "core/ops/operator.h"

namespace yatlab {

TEST_CASE("my_kernel: values and slopes agree with the formula", "[operator][my_kernel]") {
  Node spec = Node::map();
  spec.set("name", "my_kernel");
  spec.set("epsilon", 0.5);
  const auto op = Registry<Operator>::create(spec);

  const auto x = at::tensor({0.0, 0.0, 1.0, 2.0}, at::kDouble).view({2, 2}).requires_grad_();
  const auto w = at::tensor({0.0, 0.0, 1.0, 0.0, 1.0, 2.0}, at::kDouble).view({3, 2});
  const auto scores = op->scores(x, w);
  const double expected[] = {0, 0, 0, 0, 1 / 5.5, 5 / 5.5};
  for (int i = 0; i < 6; ++i) CHECK(scores.view(-1)[i].item<double>() == Approx(expected[i]).margin(1e-12));

  // d/dx n / D = (w D - n (2 x - w)) / D^2, here with n = 1 and D = 5.5.
  scores.index({1, 1}).backward();
  CHECK(x.grad().index({1, 0}).item<double>() == Approx((5.5 - 1) / (5.5 * 5.5)));
  CHECK(x.grad().index({1, 1}).item<double>() == Approx(-4 / (5.5 * 5.5)));
}

TEST_CASE("my_kernel: keeps what its traits promise", "[operator][my_kernel]") {
  const auto op = Registry<Operator>::create("my_kernel");
  const auto x = at::randn({5, 3}), w = at::randn({4, 3}), bias = at::randn({4});
  CHECK(op->traits().symmetric);
  CHECK(at::allclose(op->scores(x, w), op->scores(w, x).t()));
  CHECK(op->traits().even);
  CHECK(at::allclose(op->scores(x, -w), op->scores(-x, w)));
  CHECK(op->traits().bounded);
  CHECK(at::allclose(op->scores(x, x).diagonal(), at::ones({5}), 1e-3, 1e-3));
  CHECK(at::allclose(op->scores(x, -x).diagonal(), at::full({5}, -1.0 / 3), 1e-3, 1e-3));
  CHECK(op->scores(100 * x, w).abs().max().item<double>() < 1);
  CHECK(at::allclose(op->scores(x, w, bias), op->scores(x, w) + bias));
  CHECK(op->flops(5, 4, 3) > 0);
}

TEST_CASE("my_kernel: refuses an epsilon that is not positive", "[operator][my_kernel]") {
  Node spec = Node::map();
  spec.set("name", "my_kernel");
  spec.set("epsilon", 0.0);
  CHECK_THROWS_AS(Registry<Operator>::create(spec), Error);
}

}  // namespace yatlab
