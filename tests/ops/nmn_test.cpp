#include "core/ops/nmn.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "ops/either_body.h"
#include "ops/gradients.h"
#include "ops/slow_reference.h"

using at::Tensor;
using yatlab::Nmn;
using yatlab::NmnOptions;
using yatlab::Operator;
using yatlab::Registry;
using yatlab::ScaleKind;

namespace {

NmnOptions options(ScaleKind kind, double alpha = 1) {
  NmnOptions o;
  o.inputs = 6;
  o.units = 10;
  o.scale.scale = kind;
  o.scale.alpha_init = alpha;
  return o;
}

void randomise(Nmn& layer) {
  at::NoGradGuard no_grad;
  layer.weight.normal_();
  if (layer.bias.defined()) layer.bias.normal_();
}

}  // namespace

TEST_CASE("NMN: every scale agrees with its formula for every operator", "[nmn]") {
  at::manual_seed(21);
  const Tensor x = at::randn({4, 6});
  const double n = 10, alpha = 1.7;
  const std::vector<std::pair<ScaleKind, double>> expected = {{ScaleKind::kNOverLog, std::pow(n / std::log(1 + n), alpha)},
                                                              {ScaleKind::kSqrtNOverLog, std::pow(std::sqrt(n) / std::log(1 + n), alpha)},
                                                              {ScaleKind::kMultiply, alpha},
                                                              {ScaleKind::kConstant, std::sqrt(2.0)},
                                                              {ScaleKind::kNone, 1.0}};
  for (const char* name : {"yat", "dot", "cosine", "euclidean"}) {
    const auto op = Registry<Operator>::create(name);
    for (const auto& [kind, factor] : expected) {
      auto o = options(kind, alpha);
      o.bias = true;
      Nmn layer(op, o);
      randomise(layer);
      const Tensor plain = op->scores(x, layer.weight, layer.bias);
      INFO(name << " factor " << factor);
      CHECK(gradients::relative_error(layer.forward(x), plain * factor) < 1e-6);
      CHECK(layer.forward(x[0]).sizes() == at::IntArrayRef({10}));
    }
  }
}

TEST_CASE("NMN: the constant factor is sqrt(2) to the last digit in double", "[nmn]") {
  at::manual_seed(24);
  for (const char* name : {"yat", "dot"}) {
    const auto op = Registry<Operator>::create(name);
    Nmn layer(op, options(ScaleKind::kConstant));
    layer.to(at::kDouble);
    randomise(layer);
    const Tensor x = at::randn({4, 6}, at::kDouble);
    CHECK(gradients::relative_error(layer.forward(x), op->scores(x, layer.weight) * std::sqrt(2.0)) < 1e-15);
    layer.to(at::kFloat);
    CHECK(layer.forward(x.to(at::kFloat)).scalar_type() == at::kFloat);
  }
}

TEST_CASE("NMN: alpha is learned, fixed or absent", "[nmn]") {
  const auto op = Registry<Operator>::create("yat");
  CHECK(Nmn(op, options(ScaleKind::kNOverLog)).parameters().size() == 2);
  CHECK(Nmn(op, options(ScaleKind::kConstant)).parameters().size() == 1);
  CHECK(Nmn(op, options(ScaleKind::kNone)).parameters().size() == 1);
  auto fixed = options(ScaleKind::kMultiply, 2);
  fixed.scale.learn_alpha = false;
  Nmn layer(op, fixed);
  CHECK(layer.parameters().size() == 1);
  CHECK(layer.buffers().size() == 1);
  CHECK(layer.factor().item<double>() == 2);
}

TEST_CASE("NMN: the gradient of alpha agrees with the formula", "[nmn]") {
  at::manual_seed(22);
  const auto op = Registry<Operator>::create("yat");
  const Tensor x = at::randn({4, 6});
  for (const auto kind : {ScaleKind::kNOverLog, ScaleKind::kSqrtNOverLog}) {
    Nmn layer(op, options(kind, 0.8));
    randomise(layer);
    const double base = (kind == ScaleKind::kNOverLog ? 10 : std::sqrt(10.0)) / std::log(11.0);
    const Tensor g = torch::autograd::grad({layer.forward(x).sum()}, {layer.alpha})[0];
    const double sum = slow::yat(x, layer.weight).sum().item<double>();
    CHECK(g.item<double>() == Approx(sum * std::pow(base, 0.8) * std::log(base)).epsilon(1e-4));
  }
}

TEST_CASE("NMN: the scale factor and its derivatives are right for single and stacked alphas", "[nmn]") {
  ON_EITHER_BODY;
  Nmn layer(Registry<Operator>::create("yat"), options(ScaleKind::kNOverLog));
  const double log_base = std::log(10 / std::log(11.0));
  for (const Tensor& alpha : {at::scalar_tensor(0.8), at::tensor({0.3F, -1.2F, 5.0F})}) {
    layer.alpha.set_data(alpha);
    const Tensor expected = (alpha.to(at::kDouble) * log_base).exp();
    const Tensor factor = layer.factor();
    CHECK(gradients::relative_error(factor, expected) < 1e-6);
    // One number expanded: gradients of sums look like this.
    const Tensor weights = at::scalar_tensor(-3.0).expand(alpha.sizes());
    const Tensor plain = torch::autograd::grad({factor}, {layer.alpha}, {weights}, true)[0];
    CHECK(gradients::relative_error(plain, -3.0 * expected * log_base) < 1e-6);
    const Tensor first = torch::autograd::grad({factor}, {layer.alpha}, {weights}, true, true)[0];
    CHECK(gradients::relative_error(first, plain) < 1e-6);
    const Tensor second = torch::autograd::grad({first.sum()}, {layer.alpha})[0];
    CHECK(gradients::relative_error(second, -3.0 * expected * log_base * log_base) < 1e-6);
  }
}

TEST_CASE("NMN: scores may be negative if the operator's or alpha may be", "[nmn]") {
  const auto yat = Registry<Operator>::create("yat"), dot = Registry<Operator>::create("dot");
  CHECK_FALSE(Nmn(yat, options(ScaleKind::kNOverLog)).may_be_negative());
  CHECK(Nmn(dot, options(ScaleKind::kNOverLog)).may_be_negative());
  CHECK(Nmn(yat, options(ScaleKind::kMultiply)).may_be_negative());
  auto fixed = options(ScaleKind::kMultiply, 2);
  fixed.scale.learn_alpha = false;
  CHECK_FALSE(Nmn(yat, fixed).may_be_negative());
}

TEST_CASE("NMN: a missing operator is an error", "[nmn]") {
  try {
    Nmn(nullptr, options(ScaleKind::kNone));
    FAIL("no error");
  } catch (const yatlab::Error& e) {
    CHECK(e.message() == "the NMN layer needs an operator");
    CHECK(e.exit_code() == 2);
  }
}
