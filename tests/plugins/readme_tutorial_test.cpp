// The operator of docs/getting_started.md is compiled into this program exactly as printed there.
#include <ATen/ATen.h>

#include <cmath>
#include <fstream>

#include "catch.h"
#include "core/base/error.h"
#include "core/ops/operator.h"

using namespace yatlab;

TEST_CASE("the tutorial's operator computes its documented kernel", "[tutorial]") {
  Node spec = Node::map();
  spec.set("name", "rational_quadratic");
  spec.set("length", 2.0);
  spec.set("mixture", 3.0);
  const auto op = Registry<Operator>::create(spec);
  const auto x = at::tensor({0.0, 0.0, 3.0, 4.0}, at::kDouble).view({2, 2});
  const auto w = at::tensor({0.0, 0.0}, at::kDouble).view({1, 2});
  const auto scores = op->scores(x, w);
  REQUIRE(scores.sizes() == at::IntArrayRef({2, 1}));
  CHECK(scores[0][0].item<double>() == Approx(1.0));
  CHECK(scores[1][0].item<double>() == Approx(std::pow(1 + 25.0 / (2 * 3 * 4), -3.0)));
  CHECK(op->traits().non_negative);
}

TEST_CASE("the tutorial's operator is differentiable", "[tutorial]") {
  const auto op = Registry<Operator>::create("rational_quadratic");
  auto x = at::tensor({0.5, -1.0}, at::kDouble).view({1, 2}).set_requires_grad(true);
  const auto w = at::tensor({1.0, 2.0}, at::kDouble).view({1, 2});
  op->scores(x, w).sum().backward();
  // K = 1 / (1 + d2 / 2), dK/dx = -(x - w) K^2
  const double k = 1 / (1 + (0.25 + 9.0) / 2);
  CHECK(x.grad()[0][0].item<double>() == Approx(0.5 * k * k));
  CHECK(x.grad()[0][1].item<double>() == Approx(3.0 * k * k));
}

TEST_CASE("the tutorial's operator checks its parameter ranges", "[tutorial]") {
  Node spec = Node::map();
  spec.set("name", "rational_quadratic");
  spec.set("length", -1.0);
  std::string message;
  try {
    Registry<Operator>::create(spec);
  } catch (const Error& e) {
    message = e.message();
  }
  CHECK(message == "'operator.length' is -1.0, but must be > 0");
}

TEST_CASE("the tutorial's operator has at most forty lines", "[tutorial]") {
  std::ifstream in(YATLAB_TUTORIAL);
  int lines = 0;
  for (std::string line; std::getline(in, line);) lines += line.empty() ? 0 : 1;
  CHECK(lines > 10);
  CHECK(lines <= 40);
}
