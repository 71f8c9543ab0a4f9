#include "core/model/ntk.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"

using namespace yatlab;

namespace {

std::shared_ptr<Architecture> network(const char* op, const char* activation, std::int64_t width, std::uint64_t seed, std::int64_t dim,
                                      bool bias = false, std::int64_t outputs = 1) {
  Node spec = Node::map();
  spec.set("name", "one_hidden_layer");
  spec.set("width", width);
  spec.set("activation", activation);
  spec.set("bias", bias);
  auto model = Registry<Architecture>::create(spec);
  BuildContext context;
  Node operator_spec = Node::map();
  operator_spec.set("name", op);
  if (std::string(op) == "yat") operator_spec.set("epsilon", 0.5);
  context.op = Registry<Operator>::create(operator_spec);
  context.input_shape = {dim};
  context.num_classes = outputs;
  context.seed = seed;
  model->build(context);
  model->to(at::kDouble);
  return model;
}

double largest(const Tensor& t) { return t.abs().max().item<double>(); }

Tensor parameter(const Architecture& model, const char* name) { return model.named_parameters()[name].detach(); }

}  // namespace

TEST_CASE("the empirical kernel of a network equals the paper's sum over units", "[ntk]") {
  const auto model = network("yat", "none", 7, 3, 2);
  const Tensor x = domain_points(Domain::kBall, 5, 2);
  const Tensor k = empirical_ntk(*model, x);
  REQUIRE(k.sizes() == at::IntArrayRef({5, 5}));
  const Tensor w = parameter(*model, "hidden.weight"), a = parameter(*model, "readout");
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      double sum = 0;
      for (int u = 0; u < 7; ++u) {
        const auto entry = [&](int r, double& value, double(&slope)[2]) {
          const double w0 = w[u][0].item<double>(), w1 = w[u][1].item<double>();
          const double x0 = x[r][0].item<double>(), x1 = x[r][1].item<double>();
          const double s = w0 * x0 + w1 * x1;
          const double q = (w0 - x0) * (w0 - x0) + (w1 - x1) * (w1 - x1) + 0.5;
          value = s * s / q;
          slope[0] = 2 * s * x0 / q - 2 * s * s * (w0 - x0) / (q * q);
          slope[1] = 2 * s * x1 / q - 2 * s * s * (w1 - x1) / (q * q);
        };
        double vi = 0, vj = 0, gi[2], gj[2];
        entry(i, vi, gi);
        entry(j, vj, gj);
        const double readout = a[0][u].item<double>();
        sum += (vi * vj + readout * readout * (gi[0] * gj[0] + gi[1] * gj[1])) / 7;
      }
      CHECK(k[i][j].item<double>() == Approx(sum).epsilon(1e-9));
    }
  }
}

TEST_CASE("kernels of single outputs sum to the total kernel", "[ntk]") {
  const auto model = network("yat", "none", 5, 1, 3, true, 3);
  const Tensor x = domain_points(Domain::kCube, 4, 3);
  Tensor sum = at::zeros({4, 4}, at::kDouble);
  for (std::int64_t c = 0; c < 3; ++c) {
    const Tensor j = parameter_gradients(*model, x, c);
    CHECK(j.sizes() == at::IntArrayRef({4, 5 * 3 + 5 + 3 * 5}));
    const Tensor k = empirical_ntk(*model, x, c);
    CHECK(largest(k - at::mm(j, j.t())) < 1e-12);
    sum += k;
  }
  CHECK(largest(empirical_ntk(*model, x) - sum) < 1e-11);
  CHECK_THROWS_WITH(empirical_ntk(*model, x, 3), "the model has no output 3\n  at: ntk\n  why: it has 3");
}

TEST_CASE("arc-cosine kernels agree with values known by hand", "[ntk]") {
  const Tensor x = at::tensor(std::vector<double>{2, 0}, at::kDouble).view({1, 2});
  const Tensor y = at::tensor(std::vector<double>{3, 0, 0, 3, -3, 0, 1, 1}, at::kDouble).view({4, 2});
  const Tensor k0 = arc_cosine_kernel(0, x, y), k1 = arc_cosine_kernel(1, x, y);
  const double zero[] = {1, 0.5, 0, 0.75};
  const double one[] = {6, 6 / M_PI, 0, 2 * std::sqrt(2.0) * (1 + 0.75 * M_PI) / std::sqrt(2.0) / M_PI};
  for (int i = 0; i < 4; ++i) {
    CHECK(k0[0][i].item<double>() == Approx(zero[i]).margin(1e-12));
    CHECK(k1[0][i].item<double>() == Approx(one[i]).margin(1e-12));
  }
  CHECK_THROWS_AS(arc_cosine_kernel(2, x, y), Error);
}

TEST_CASE("the closed-form ReLU kernel is the mean over finite-width networks", "[ntk]") {
  const Tensor x = domain_points(Domain::kBall, 4, 3);
  const std::int64_t width = 16, models = 400;
  Tensor sum = at::zeros({4, 4}, at::kDouble), squares = sum.clone();
  for (std::int64_t seed = 0; seed < models; ++seed) {
    const auto model = network("dot", "relu", width, static_cast<std::uint64_t>(seed), 3, true);
    const Tensor k = empirical_ntk(*model, x);
    sum += k;
    squares += k * k;
  }
  ReluNetwork n;
  n.width = width;
  n.factor = 0.25;
  n.bias = true;
  const Tensor mean = sum / models;
  const Tensor error = ((squares / models - mean * mean) / models).sqrt();
  CHECK(largest((mean - relu_ntk(x, x, n)) / error) < 4.5);
  n.bias = false;  // a bias missing from the closed form would show
  CHECK(largest((mean - relu_ntk(x, x, n)) / error) > 10);
}

TEST_CASE("the expected kernel agrees with the closed form within its errors", "[ntk]") {
  const Tensor x = domain_points(Domain::kSphere, 5, 4);
  auto g = at::make_generator<at::CPUGeneratorImpl>(5);
  const auto draw = [&](std::int64_t n) { return at::randn({n, 4}, g, at::kDouble); };
  const auto k = expected_ntk(relu_units(), x, draw, 50, 800);
  const Tensor off = (k.total.mean - relu_ntk(x, x, {})) / k.total.error;
  CHECK(largest(off) < 4.5);
  CHECK(off.square().mean().item<double>() > 0.1);  // too wide an error bar would show here
  CHECK(largest(k.features.mean + k.gradients.mean - k.total.mean) < 1e-12);
  CHECK(largest(k.features.mean - 0.5 * arc_cosine_kernel(1, x, x)) < 0.03);
}

TEST_CASE("the expectation over weights is the mean of its batches with their standard error", "[ntk]") {
  // A unit's value is its first weight times the input's first number, so every kernel is known.
  const UnitFunction units = [](const Tensor& x, const Tensor& w) { return at::matmul(x, w.transpose(-2, -1)); };
  const Tensor x = at::tensor({2.0, 3.0}, at::kDouble).view({2, 1});
  std::vector<std::int64_t> asked;
  const auto draw = [&](std::int64_t n) {
    asked.push_back(n);
    return at::full({n, 1}, static_cast<double>(asked.size()), at::kDouble);  // 1, 2, 3: squares 1, 4, 9
  };
  const auto k = expected_ntk(units, x, draw, 3, 7);
  CHECK(asked == std::vector<std::int64_t>{7, 7, 7});
  const Tensor products = at::mm(x, x.t());
  CHECK(largest(k.features.mean - products * (14.0 / 3)) < 1e-12);
  CHECK(largest(k.gradients.mean - products) < 1e-12);
  CHECK(largest(k.total.mean - products * (17.0 / 3)) < 1e-12);
  const double error = std::sqrt(49.0 / 3 / 3);  // the sample variance of 1, 4, 9 is 49/3
  CHECK(largest(k.features.error - products * error) < 1e-9);
  CHECK(largest(k.total.error - products * error) < 1e-9);
  CHECK(largest(k.gradients.error) < 1e-6);
}

TEST_CASE("decay rates and spectra are right", "[ntk]") {
  std::vector<double> power;
  for (int k = 1; k <= 40; ++k) power.push_back(3 * std::pow(k, -1.5));
  const auto fit = fit_decay(power, 4, 30);
  CHECK(fit.exponent == Approx(1.5));
  CHECK(fit.scale == Approx(3));
  CHECK((fit.first == 4 && fit.last == 30));
  CHECK(fit_decay(power, 4, 300, 0.01).last == 21);  // 21^-1.5 = 0.0104
  CHECK_THROWS_WITH(
      fit_decay({1, 0.5, 0}, 1, 3),
      "a decay rate needs at least 3 eigenvalues\n  at: ntk\n  why: only 2 of the ranks 1 to 3 are above 1e-11 of the largest");
  const auto spectrum = kernel_spectrum(at::diag(at::tensor(std::vector<double>{2, -1e-17, 6}, at::kDouble)));
  CHECK(spectrum == std::vector<double>{2, 2.0 / 3, 0});
  // On the circle 1 - theta / pi = 1/2 + sum over odd j of 4 cos(j theta) / (pi j)^2: pairs of eigenvalues.
  const Tensor x = domain_points(Domain::kSphere, 256, 2);
  const auto circle = kernel_spectrum(arc_cosine_kernel(0, x, x));
  CHECK(circle[0] == Approx(0.5).epsilon(1e-3));
  for (int pair = 0; pair < 5; ++pair) {
    const double expected = 2 / std::pow(M_PI * (2 * pair + 1), 2);
    CHECK(circle[static_cast<std::size_t>(2 * pair + 1)] == Approx(expected).epsilon(0.03));
    CHECK(circle[static_cast<std::size_t>(2 * pair + 2)] == Approx(expected).epsilon(0.03));
  }
}

TEST_CASE("quasi-random points fill their domains", "[ntk]") {
  for (const std::int64_t d : {1, 2, 3, 5}) {
    const Tensor cube = domain_points(Domain::kCube, 512, d);
    CHECK(cube.sizes() == at::IntArrayRef({512, d}));
    CHECK(largest(cube) <= 1);
    CHECK(largest(cube.mean(0)) < 0.02);
    CHECK(largest(at::mm(cube.t(), cube) / 512 - at::eye(d, at::kDouble) / 3) < 0.03);
    const Tensor radius = domain_points(Domain::kBall, 512, d).norm(2, {1});
    CHECK(largest(radius) <= 1);
    CHECK(radius.mean().item<double>() == Approx(static_cast<double>(d) / static_cast<double>(d + 1)).margin(0.02));
    if (d == 1) continue;
    const Tensor sphere = domain_points(Domain::kSphere, 512, d);
    CHECK(largest(sphere.norm(2, {1}) - 1) < 1e-12);
    CHECK(largest(at::mm(sphere.t(), sphere) / 512 - at::eye(d, at::kDouble) / static_cast<double>(d)) < 0.03);
  }
}
