#include "core/ops/search.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <limits>

#include "catch.h"

namespace yatlab {
namespace {

using at::Tensor;

Tensor starts(std::vector<std::int64_t> shape, std::uint64_t seed) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::TensorOptions().dtype(at::kDouble));
}

TEST_CASE("a smooth maximum is found to many digits") {
  // -(x - 3)^2 + 5 summed over two coordinates
  const auto f = [](const Tensor& x) { return 5 - (x - 3).pow(2).sum(1); };
  const auto found = maximise(f, starts({16, 2}, 1), {});
  CHECK(found.value == Approx(5).epsilon(1e-9));
  CHECK((found.point - 3).abs().max().item<double>() < 1e-3);
}

TEST_CASE("points stay in the admissible set") {
  // Over the unit ball a linear function is largest at the direction's own unit vector.
  const Tensor direction = at::tensor({3.0, 4.0}, at::TensorOptions().dtype(at::kDouble));
  const auto ball = [](const Tensor& x) { return x / at::norm(x, 2, {1}, true).clamp_min(1); };
  const auto found = maximise([&](const Tensor& x) { return x.matmul(direction); }, starts({8, 2}, 2), ball);
  CHECK(found.value == Approx(5).epsilon(1e-9));
  CHECK(at::norm(found.point).item<double>() <= 1 + 1e-12);
}

TEST_CASE("the highest of many local maxima is found from many starts") {
  // Hills at 0, 1, ..., 9 with heights equal to their positions.
  const Tensor hills = at::arange(10, at::TensorOptions().dtype(at::kDouble));
  const auto f = [&](const Tensor& x) { return std::get<0>((hills * (-50 * (x - hills).pow(2)).exp()).max(1)); };
  const Tensor spread = 9 * at::rand({200, 1}, at::make_generator<at::CPUGeneratorImpl>(3), at::TensorOptions().dtype(at::kDouble));
  const auto found = maximise(f, spread, {});
  CHECK(found.value == Approx(9).epsilon(1e-6));
}

TEST_CASE("non-finite values are not maxima and starting points count") {
  const auto f = [](const Tensor& x) {
    const Tensor v = -x.pow(2).sum(1);
    return at::where(x.select(1, 0) > 0.5, at::full_like(v, std::numeric_limits<double>::infinity()), v);
  };
  const auto found = maximise(f, at::full({4, 1}, -1.0, at::TensorOptions().dtype(at::kDouble)), {});
  CHECK(found.value == Approx(0).margin(1e-6));
  SearchOptions none;
  none.steps = none.refinements = 0;
  const auto start = maximise([](const Tensor& x) { return x.sum(1); }, at::full({1, 2}, 2.0), {}, none);
  CHECK(start.value == 4);
}

TEST_CASE("maximisation uses Adam with a cosine learning rate") {
  // A slope that changes from step to step: x^2 from 1 on, computed by hand.
  const auto f = [](const Tensor& x) { return x.pow(2).sum(1); };
  SearchOptions o;
  o.steps = 12;
  o.refinements = 0;
  double x = 1, m = 0, v = 0;
  for (int t = 1; t <= 12; ++t) {
    const double g = 2 * x, rate = 0.05 * (0.01 + 0.99 * (1 + std::cos(M_PI * t / 12.0)) / 2);
    m = 0.9 * m + 0.1 * g;
    v = 0.99 * v + 0.01 * g * g;
    x += rate * (m / (1 - std::pow(0.9, t))) / std::sqrt(v / (1 - std::pow(0.99, t)));
  }
  CHECK(maximise(f, at::ones({1, 1}, at::kDouble), {}, o).point.item<double>() == Approx(x).epsilon(1e-12));
}

TEST_CASE("the same seed gives the same answer") {
  const auto f = [](const Tensor& x) { return at::sin(x).sum(1); };
  const auto a = maximise(f, starts({5, 3}, 4), {}), b = maximise(f, starts({5, 3}, 4), {});
  CHECK(a.value == b.value);
  CHECK(at::equal(a.point, b.point));
}

}  // namespace
}  // namespace yatlab
