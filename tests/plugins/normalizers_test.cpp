#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/ops/normalizer.h"
#include "ops/gradients.h"

using at::Tensor;
using yatlab::Node;
using yatlab::Normalizer;
using yatlab::Registry;

namespace {

std::shared_ptr<Normalizer> make_normalizer(const char* name, double power = 1) {
  Node spec = Node::map();
  spec.set("name", name);
  spec.set("power", power);
  return Registry<Normalizer>::create(spec);
}

constexpr const char* kAll[] = {"softmax", "softermax", "soft_sigmoid", "soft_tanh"};
constexpr const char* kNonNegative[] = {"softermax", "soft_sigmoid", "soft_tanh"};

Tensor row(std::initializer_list<double> v, at::ScalarType type = at::kDouble) {
  return at::tensor(std::vector<double>(v), at::kDouble).to(type).unsqueeze(0);
}
Tensor mask_of(std::initializer_list<int> v, at::IntArrayRef shape) { return at::tensor(std::vector<int>(v)).view(shape).to(at::kBool); }
bool finite(const Tensor& t) { return at::isfinite(t).all().item<bool>(); }

/// The textbook formula in double, row by row.
double formula(const std::string& name, const Tensor& scores, std::int64_t k, double n) {
  double sum = 0;
  for (std::int64_t i = 0; i < scores.numel(); ++i) {
    const double x = scores[i].item<double>();
    sum += name == "softmax" ? std::exp(n * x) : std::pow(x, n);
  }
  const double x = scores[k].item<double>();
  if (name == "softmax") return std::exp(n * x) / sum;
  if (name == "softermax") return std::pow(x, n) / (1e-12 + sum);
  if (name == "soft_sigmoid") return std::pow(x, n) / (1 + std::pow(x, n));
  return (std::pow(x, n) - 1) / (std::pow(x, n) + 1);
}

}  // namespace

TEST_CASE("normalizers: values agree with the paper's formulas", "[normalizers]") {
  const Tensor scores = at::tensor({0.0, 0.2, 1.0, 3.0, 0.7}, at::kDouble);
  for (const char* name : kAll) {
    for (const double n : {0.5, 1.0, 2.0, 3.7}) {
      const auto op = make_normalizer(name, n);
      const Tensor y = op->normalize(scores, 0);
      for (std::int64_t k = 0; k < 5; ++k) {
        INFO(name << " n " << n << " k " << k);
        CHECK(y[k].item<double>() == Approx(formula(name, scores, k, n)).margin(1e-14));
      }
      if (op->competitive()) CHECK(y.sum().item<double>() == Approx(1));
      CHECK(op->needs_non_negative() == (std::string(name) != "softmax"));
    }
  }
  const Tensor y = make_normalizer("softermax")->normalize(row({1, 2}));
  CHECK(y[0][0].item<double>() == Approx(1.0 / 3));
  CHECK(y[0][1].item<double>() == Approx(2.0 / 3));
}

TEST_CASE("normalizers: empty rows and numbers near the largest work", "[normalizers]") {
  for (const char* name : kAll) {
    const auto op = make_normalizer(name, 2);
    INFO(name);
    CHECK(op->normalize(at::empty({3, 0})).sizes() == at::IntArrayRef({3, 0}));
    if (std::string(name) != "soft_tanh") CHECK(op->log_normalize(at::empty({3, 0})).sizes() == at::IntArrayRef({3, 0}));
  }
  for (const double power : {0.5, 1.0, 2.0, 1000.0}) {
    const auto softmax = make_normalizer("softmax", power);
    const Tensor x = row({3e38, -3e38, 3e38, 0}, at::kFloat).set_requires_grad(true);
    const Tensor y = softmax->normalize(x);
    INFO("power " << power << "\n" << y);
    CHECK(at::equal(y.detach(), row({0.5, 0, 0.5, 0}, at::kFloat)));
    CHECK(finite(torch::autograd::grad({y.narrow(1, 0, 1)}, {x})[0]));
    const Tensor mask = mask_of({0, 1, 0, 1, 0, 0, 0, 0}, {2, 4});
    const Tensor masked = softmax->normalize(at::cat({x.detach(), x.detach()}), -1, mask);
    CHECK(at::equal(masked, at::cat({row({0, 0, 0, 1}, at::kFloat), row({0, 0, 0, 0}, at::kFloat)})));
  }
}

TEST_CASE("normalizers: soft-tanh is 2 soft-sigmoid - 1", "[normalizers]") {
  const Tensor x = at::linspace(0, 9, 50, at::kDouble);
  for (const double n : {0.5, 1.0, 3.0}) {
    CHECK(gradients::relative_error(make_normalizer("soft_tanh", n)->normalize(x),
                                    2 * make_normalizer("soft_sigmoid", n)->normalize(x) - 1) < 1e-14);
  }
}

TEST_CASE("normalizers: weights compete along dim", "[normalizers]") {
  at::manual_seed(41);
  const Tensor x = at::rand({2, 3, 4}, at::kDouble) + 0.1;
  for (const char* name : {"softmax", "softermax"}) {
    for (const std::int64_t dim : {0, 1, 2, -1, -2}) {
      const Tensor sums = make_normalizer(name, 2)->normalize(x, dim).sum(dim);
      CHECK((sums - 1).abs().max().item<double>() < 1e-10);
    }
  }
}

TEST_CASE("normalizers: log_normalize is the logarithm of normalize", "[normalizers]") {
  at::manual_seed(42);
  const Tensor x = at::rand({3, 5}, at::kDouble) * 4 + 0.01;
  const Tensor mask = mask_of({1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1}, {3, 5});
  for (const char* name : {"softmax", "softermax", "soft_sigmoid"}) {
    for (const double n : {0.5, 1.0, 3.0}) {
      const auto op = make_normalizer(name, n);
      CHECK(gradients::relative_error(op->log_normalize(x), op->normalize(x).log()) < 1e-11);
      const Tensor logs = op->log_normalize(x, -1, mask);
      CHECK(at::equal(at::isinf(logs), ~mask));
      CHECK((logs.exp() - op->normalize(x, -1, mask)).abs().max().item<double>() < 1e-11);
    }
  }
  try {
    make_normalizer("soft_tanh")->log_normalize(x);
    FAIL("no error");
  } catch (const yatlab::Error& e) {
    CHECK(e.message() == "soft_tanh has no logarithm");
  }
}

TEST_CASE("normalizers: log_complement agrees with long double at every magnitude", "[normalizers]") {
  for (const char* name : {"soft_sigmoid", "soft_tanh"}) {
    for (const double n : {0.5, 1.0, 2.0, 8.0}) {
      const auto op = make_normalizer(name, n);
      for (const auto type : {at::kFloat, at::kDouble}) {
        for (const double size : {1e-8, 1e-4, 0.1, 0.999, 1.0, 1.001, 3.0, 1e4, 1e8, 1e16, 1e30}) {
          const Tensor x = at::full({1, 1}, size, type).set_requires_grad(true);
          const Tensor y = op->log_complement(x);
          const auto exact = static_cast<long double>(x.item<double>()), power = std::pow(exact, static_cast<long double>(n));
          const long double at_zero = std::string(name) == "soft_tanh" ? std::log(2.0L) : 0;
          const double tolerance = type == at::kFloat ? 2e-6 : 1e-14;
          INFO(name << " n " << n << " x " << size << " " << c10::toString(type));
          CHECK(y.item<double>() == Approx(static_cast<double>(at_zero - std::log1p(power)))
                                        .epsilon(tolerance)
                                        .margin(static_cast<double>(at_zero) * tolerance + 1e-38));
          const auto slope = static_cast<double>(-n * power / exact / (1 + power));
          CHECK(torch::autograd::grad({y}, {x})[0].item<double>() == Approx(slope).epsilon(tolerance).margin(1e-38));
        }
      }
      const Tensor ends = row({0, std::numeric_limits<double>::infinity()}, at::kFloat).set_requires_grad(true);
      const Tensor y = op->log_complement(ends);
      CHECK(finite(y));
      CHECK(finite(torch::autograd::grad({y.sum()}, {ends})[0]));
    }
  }
}

TEST_CASE("normalizers: log_complement is log(1 - weight) and 0 where masked", "[normalizers]") {
  at::manual_seed(45);
  const Tensor x = at::rand({3, 5}, at::kDouble) * 4 + 0.01;
  const Tensor mask = mask_of({1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1}, {3, 5});
  for (const char* name : kAll) {
    for (const double n : {0.5, 1.0, 3.0}) {
      const auto op = make_normalizer(name, n);
      INFO(name << " " << n);
      CHECK(gradients::relative_error(op->log_complement(x), (1 - op->normalize(x)).log()) < 1e-12);
      const Tensor logs = op->log_complement(x, -1, mask);
      CHECK((logs.masked_select(~mask) == 0).all().item<bool>());
      CHECK((logs.exp() - (1 - op->normalize(x, -1, mask))).abs().masked_select(mask).max().item<double>() < 1e-12);
      for (const Tensor& m : {Tensor(), mask}) {
        CHECK(gradients::first_order_error([&](const std::vector<Tensor>& in) { return op->log_complement(in[0], -1, m); }, {x}) < 1e-6);
      }
      for (const auto type : {at::kFloat, at::kBFloat16}) {  // a weight that rounds to 1
        const Tensor far = row({1000, 0, 0.5}, type).set_requires_grad(true);
        const Tensor y = op->log_complement(far);
        CHECK(y.scalar_type() == type);
        CHECK(finite(y));
        CHECK(finite(torch::autograd::grad({y.sum()}, {far})[0]));
      }
    }
  }
  // The complement of a weight keeps its digits even if small: e^-20 / (1 + e^-20).
  const double small = std::exp(-20.0);
  CHECK(make_normalizer("softmax")->log_complement(row({0, 20}, at::kFloat))[0][0].item<double>() == Approx(-small).epsilon(1e-5));
}

TEST_CASE("normalizers: a causal mask hides the future", "[normalizers]") {
  // The published softermax puts weight 1 on the future token in row 2, and gives NaN at power 2.
  at::manual_seed(43);
  const Tensor mask = at::ones({4, 4}, at::kBool).tril();
  for (const char* name : kAll) {
    for (const double n : {1.0, 2.0}) {
      const Tensor x = (at::rand({4, 4}, at::kDouble) + 0.1).set_requires_grad(true);
      const auto op = make_normalizer(name, n);
      const Tensor y = op->normalize(x, -1, mask);
      CHECK(y.masked_select(~mask).abs().max().item<double>() == 0);
      if (op->competitive()) CHECK((y.sum(-1) - 1).abs().max().item<double>() < 1e-10);
      const Tensor g = torch::autograd::grad(
          {gradients::projected([&](const std::vector<Tensor>& in) { return op->normalize(in[0], -1, mask); }, {x})}, {x})[0];
      CHECK(finite(g));
      CHECK(g.masked_select(~mask).abs().max().item<double>() == 0);
    }
  }
}

TEST_CASE("normalizers: masked scores may have any value", "[normalizers]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor mask = mask_of({1, 0, 1, 0, 0}, {1, 5});
  for (const char* name : kAll) {
    const Tensor x = row({1, infinity, 2, -5, std::nan("")}).set_requires_grad(true);
    const Tensor y = make_normalizer(name, 2)->normalize(x, -1, mask);
    CHECK(finite(y));
    CHECK(y[0][1].item<double>() == 0);
    CHECK(finite(torch::autograd::grad({(y * row({1, 2, 3, 4, 5})).sum()}, {x})[0]));
  }
}

TEST_CASE("normalizers: a fully masked row gives zeros also in the gradient", "[normalizers]") {
  const Tensor mask = mask_of({1, 1, 0, 0}, {2, 2});
  for (const char* name : kAll) {
    for (const double n : {0.5, 1.0, 2.0}) {
      const Tensor x = at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble).view({2, 2}).set_requires_grad(true);
      const Tensor y = make_normalizer(name, n)->normalize(x, -1, mask);
      CHECK(y[1].abs().max().item<double>() == 0);
      const Tensor g = torch::autograd::grad({y.square().sum()}, {x})[0];
      CHECK(finite(g));
      CHECK(g[1].abs().max().item<double>() == 0);
    }
  }
  for (const char* name : {"softmax", "softermax", "soft_sigmoid"}) {
    const Tensor x = at::ones({2, 2}, at::kDouble).set_requires_grad(true);
    const Tensor logs = make_normalizer(name)->log_normalize(x, -1, mask);
    CHECK((at::isinf(logs) == ~mask).all().item<bool>());
    CHECK(finite(torch::autograd::grad({logs[0].sum()}, {x})[0]));
  }
}

TEST_CASE("normalizers: masks broadcast", "[normalizers]") {
  const Tensor mask = mask_of({1, 0, 1}, {3});
  const Tensor x = at::rand({2, 4, 3}, at::kDouble) + 0.1;
  for (const char* name : kAll) {
    const Tensor y = make_normalizer(name)->normalize(x, -1, mask);
    CHECK(y.select(-1, 1).abs().max().item<double>() == 0);
    CHECK(y.sizes() == x.sizes());
  }
}

TEST_CASE("normalizers: huge scores do not overflow and tiny ones do not underflow", "[normalizers]") {
  for (const double n : {1.0, 8.0, 64.0}) {
    const Tensor x = row({1e30, 2e30, 0}, at::kFloat).set_requires_grad(true);
    const Tensor w = make_normalizer("softermax", n)->normalize(x);
    CHECK(w[0][1].item<double>() == Approx(1 / (1 + std::pow(0.5, n))).epsilon(1e-5));
    CHECK(finite(torch::autograd::grad({w[0][0]}, {x})[0]));
    CHECK(finite(make_normalizer("softermax", n)->log_normalize(x)));
    CHECK(make_normalizer("soft_sigmoid", n)->normalize(x)[0][0].item<double>() == 1);
    CHECK(make_normalizer("soft_tanh", n)->normalize(x)[0][0].item<double>() == 1);
    CHECK(finite(make_normalizer("soft_sigmoid", n)->log_normalize(x)));
    CHECK(make_normalizer("softmax", n)->normalize(x)[0][1].item<double>() == 1);
  }
  // x^2 of these is far below the smallest float, but their ratio is not; epsilon outweighs both.
  const Tensor small = row({1e-5, 3e-5}, at::kFloat);
  CHECK(make_normalizer("softermax", 2)->normalize(small)[0][1].item<double>() == Approx(9e-10 / (1e-9 + 1e-12)).epsilon(1e-4));
  CHECK(make_normalizer("softermax", 8)->normalize(small).abs().max().item<double>() < 1e-20);
  CHECK(make_normalizer("softermax", 8)->log_normalize(small)[0][1].item<double>() ==
        Approx(8 * std::log(3e-5) - std::log(1e-12)).epsilon(1e-5));
}

TEST_CASE("normalizers: rows of zeros work", "[normalizers]") {
  for (const double n : {0.5, 1.0, 2.0}) {
    const Tensor x = at::zeros({2, 3}).set_requires_grad(true);
    for (const char* name : kNonNegative) {
      const Tensor y = make_normalizer(name, n)->normalize(x);
      CHECK((y == (std::string(name) == "soft_tanh" ? -1 : 0)).all().item<bool>());
      CHECK(finite(torch::autograd::grad({y.sum()}, {x})[0]));
    }
    for (const char* name : {"softermax", "soft_sigmoid"}) {
      const Tensor logs = make_normalizer(name, n)->log_normalize(x);
      CHECK(finite(logs));
      CHECK(finite(torch::autograd::grad({logs.sum()}, {x})[0]));
    }
  }
}

TEST_CASE("normalizers: negative scores are rejected where they are undefined", "[normalizers]") {
  const Tensor x = row({1, -0.5});
  for (const char* name : kNonNegative) {
    try {
      make_normalizer(name)->normalize(x);
      FAIL("no error");
    } catch (const yatlab::Error& e) {
      CHECK(e.message() == std::string("normalizer ") + name + " got a negative score (-0.5)");
      CHECK(e.why() == "it is defined for scores >= 0");
    }
  }
  CHECK(finite(make_normalizer("softmax")->normalize(x)));
}

TEST_CASE("normalizers: derivatives agree with finite differences", "[normalizers]") {
  at::manual_seed(44);
  const Tensor x = at::rand({2, 4}, at::kDouble) * 3 + 0.05;
  const Tensor mask = mask_of({1, 1, 0, 1, 0, 1, 1, 1}, {2, 4});
  for (const char* name : kAll) {
    for (const double n : {0.5, 1.0, 2.5}) {
      for (const Tensor& m : {Tensor(), mask}) {
        const auto op = make_normalizer(name, n);
        const gradients::Function f = [&](const std::vector<Tensor>& in) { return op->normalize(in[0], -1, m); };
        INFO(name << " " << n);
        CHECK(gradients::first_order_error(f, {x}) < 1e-7);
        CHECK(gradients::second_order_error(f, {x}) < 1e-6);
        if (std::string(name) == "soft_tanh") continue;
        const gradients::Function logs = [&](const std::vector<Tensor>& in) {
          const Tensor y = op->log_normalize(in[0], -1, m);
          return at::where(at::isinf(y), at::zeros({}, y.options()), y);
        };
        CHECK(gradients::first_order_error(logs, {x}) < 1e-7);
      }
    }
  }
}

TEST_CASE("normalizers: 16-bit scores are computed in float and returned in their type", "[normalizers]") {
  for (const char* name : kAll) {
    for (const auto type : {at::kBFloat16, at::kHalf}) {
      const Tensor x = at::linspace(0, 20, 40, at::kFloat).to(type);
      const Tensor y = make_normalizer(name, 3)->normalize(x);
      CHECK(y.scalar_type() == type);
      CHECK(gradients::relative_error(y, make_normalizer(name, 3)->normalize(x.to(at::kDouble))) < 1e-2);
    }
  }
}
