#include "plugins/kernels/tasks/class_loss.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "ops/either_body.h"
#include "ops/gradients.h"

namespace yatlab {
namespace {

using at::Tensor;

Tensor scores(std::int64_t members, std::int64_t batch, std::int64_t classes, double size) {
  return at::arange(members * batch * classes, at::kDouble).mul(1.3).sin().mul(size).view({members, batch, classes});
}
Tensor targets(std::int64_t members, std::int64_t batch, std::int64_t classes) {
  return at::arange(members * batch, at::kLong).mul(7).remainder(classes).view({members, batch});
}

}  // namespace

TEST_CASE("class losses and gradients agree with a double-precision log softmax", "[loss][stack]") {
  ON_EITHER_BODY;
  const auto classes = GENERATE(1, 2, 10, 16, 37);
  const auto batch = GENERATE(1, 16, 33);  // rows are processed 16 at a time
  const auto size = GENERATE(1.0, 60.0, 1e4);
  const Tensor s = scores(3, batch, classes, size).to(at::kFloat), t = targets(3, batch, classes);
  // The layout of a stack's scores: members next to each other in a row.
  const Tensor strided = s.transpose(0, 1).contiguous().transpose(0, 1);
  for (const Tensor& given : {s, strided}) {
    const Tensor x = given.detach().set_requires_grad(true), wide = given.detach().to(at::kDouble).set_requires_grad(true);
    const Tensor out = class_losses(x, t), expected = class_losses_composed(wide, t);
    const Tensor weights = at::tensor({1.0, 0.5, -2.0}, at::kDouble);
    const Tensor found = torch::autograd::grad({out}, {x}, {weights.to(at::kFloat)}, true)[0];
    const Tensor plain = torch::autograd::grad({out}, {x}, {at::ones({3})})[0];
    const Tensor true_plain = torch::autograd::grad({expected}, {wide}, {at::ones({3}, at::kDouble)}, true)[0];
    const Tensor true_found = torch::autograd::grad({expected}, {wide}, {weights})[0];
    CHECK(out.sizes() == at::IntArrayRef({3}));
    CHECK(gradients::relative_error(out, expected, 1e-3) < 1e-6);
    CHECK(gradients::relative_error(found, true_found, 1e-3 / batch) < 2e-6);
    CHECK(gradients::relative_error(plain, true_plain, 1e-3 / batch) < 2e-6);
  }
}

TEST_CASE("the class loss of one model equals that of a stack of one as a scalar", "[loss]") {
  ON_EITHER_BODY;
  const auto batch = GENERATE(1, 33);
  const Tensor s = scores(1, batch, 10, 60.0)[0].to(at::kFloat), t = targets(1, batch, 10)[0];
  const Tensor strided = s.t().contiguous().t();  // consecutive numbers of a row are not adjacent
  for (const Tensor& given : {s, strided}) {
    const Tensor x = given.detach().set_requires_grad(true), wide = given.detach().to(at::kDouble).set_requires_grad(true);
    const Tensor out = class_losses(x, t), expected = class_losses_composed(wide.unsqueeze(0), t.unsqueeze(0))[0];
    CHECK(out.dim() == 0);
    CHECK(gradients::relative_error(out, expected, 1e-3) < 1e-6);
    CHECK(at::equal(class_losses(given, t), out));  // if no gradients are requested
    for (const double weight : {1.0, -2.0}) {
      const auto seed = [&](const Tensor& like) { return std::vector<Tensor>{at::full({}, weight, like.options())}; };
      const Tensor found = torch::autograd::grad({out}, {x}, seed(out), true)[0];
      const Tensor true_found = torch::autograd::grad({expected}, {wide}, seed(expected), true)[0];
      CHECK(gradients::relative_error(found, true_found, 1e-3 / batch) < 2e-6);
    }
    const Tensor first = torch::autograd::grad({class_losses(x, t)}, {x}, {}, true, true)[0];
    const Tensor true_first = torch::autograd::grad({expected}, {wide}, {}, true, true)[0];
    const Tensor second = torch::autograd::grad({(first * gradients::weights_like(first)).sum()}, {x})[0];
    const Tensor true_second = torch::autograd::grad({(true_first * gradients::weights_like(true_first)).sum()}, {wide})[0];
    CHECK(gradients::relative_error(second, true_second, 1e-6) < 1e-4);
  }
  CHECK_THROWS(class_losses(s, at::full({batch}, 10, at::kLong)));
}

TEST_CASE("class losses have second derivatives", "[loss][stack]") {
  const Tensor s = scores(2, 3, 4, 1.0), t = targets(2, 3, 4);
  CHECK(gradients::second_order_error([&](const std::vector<Tensor>& in) { return class_losses(in[0], t); }, {s}) < 1e-6);
  // In float32, whose backward pass has another implementation when it is differentiated itself.
  const Tensor x = s.to(at::kFloat).set_requires_grad(true), wide = s.detach().clone().set_requires_grad(true);
  const auto second = [&](const Tensor& at_point) {
    const Tensor first = torch::autograd::grad({class_losses(at_point, t).sum()}, {at_point}, {}, true, true)[0];
    return torch::autograd::grad({(first * gradients::weights_like(first)).sum()}, {at_point})[0];
  };
  CHECK(gradients::relative_error(second(x), second(wide)) < 1e-5);
}

TEST_CASE("a NaN in one member's scores does not affect other members", "[loss][stack]") {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Tensor s = scores(3, 5, 4, 1.0).to(at::kFloat);
    s[1][2][0] = bad;
    const Tensor x = s.set_requires_grad(true), out = class_losses(x, targets(3, 5, 4));
    const Tensor grad = torch::autograd::grad({out}, {x}, {at::ones({3})})[0];
    CHECK(std::isnan(out[1].item<double>()));
    for (const std::int64_t m : {0, 2}) {
      CHECK(std::isfinite(out[m].item<double>()));
      CHECK(at::isfinite(grad[m]).all().item<bool>());
    }
  }
}

TEST_CASE("a class out of range is an error", "[loss][stack]") {
  CHECK_THROWS(class_losses(scores(2, 3, 4, 1.0).to(at::kFloat), at::full({2, 3}, 4, at::kLong)));
  CHECK_THROWS(class_losses(scores(2, 3, 4, 1.0).to(at::kFloat), at::full({2, 3}, -1, at::kLong)));
}

}  // namespace yatlab
