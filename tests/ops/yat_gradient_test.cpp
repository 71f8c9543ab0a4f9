#include <ATen/ATen.h>
#include <torch/autograd.h>

#include "catch.h"
#include "core/model/saved_bytes.h"
#include "core/ops/yat.h"
#include "ops/either_body.h"
#include "ops/gradients.h"
#include "ops/slow_reference.h"

using at::Tensor;
using gradients::first_order_error;
using gradients::relative_error;
using gradients::second_order_error;
using yatlab::BiasPlace;
using yatlab::saved_for_backward;
using yatlab::yat;
using yatlab::YatOptions;

namespace {

Tensor doubles(at::IntArrayRef shape, double scale = 1) { return at::randn(shape, at::kDouble) * scale; }

/// x, w, bias, epsilon and scale, all of them variables.
gradients::Function all_inputs(BiasPlace place) {
  return [place](const std::vector<Tensor>& in) {
    YatOptions o;
    o.bias = in[2];
    o.bias_place = place;
    o.learned_epsilon = in[3];
    o.scale = in[4];
    return yat(in[0], in[1], o);
  };
}

Tensor number(double v) { return at::scalar_tensor(v, at::kDouble); }

}  // namespace

TEST_CASE("yat: first and second derivatives in every input agree with finite differences", "[yat]") {
  at::manual_seed(11);
  for (const auto place : {BiasPlace::kInside, BiasPlace::kAfter}) {
    const auto f = all_inputs(place);
    for (const auto& [rows, units, dim] : {std::tuple{3, 4, 5}, {1, 1, 1}, {2, 17, 3}, {7, 1, 2}}) {
      const std::vector<Tensor> in = {doubles({rows, dim}), doubles({units, dim}), doubles({units}), number(0.4), number(1.3)};
      INFO("rows " << rows << " units " << units << " dim " << dim);
      CHECK(first_order_error(f, in) < 1e-6);
      CHECK(second_order_error(f, in) < 1e-6);
    }
  }
}

TEST_CASE("yat: derivatives through broadcast leading dimensions are right", "[yat]") {
  at::manual_seed(12);
  const auto f = all_inputs(BiasPlace::kInside);
  for (const auto& [x, w] : {std::pair{doubles({2, 3, 4}), doubles({5, 4})},
                             {doubles({3, 4}), doubles({2, 5, 4})},
                             {doubles({2, 1, 3, 4}), doubles({3, 5, 4})}}) {
    const std::vector<Tensor> in = {x, w, doubles({5}), number(0.4), number(1.3)};
    CHECK(first_order_error(f, in) < 1e-6);
    CHECK(second_order_error(f, in) < 1e-6);
  }
}

TEST_CASE("yat: third derivatives exist", "[yat]") {
  const Tensor x = at::tensor({0.7}, at::kDouble).view({1, 1}).set_requires_grad(true);
  const Tensor w = at::tensor({1.5}, at::kDouble).view({1, 1});
  YatOptions o;
  o.epsilon = 1;
  Tensor d = yat(x, w, o).sum();
  for (int order = 0; order < 3; ++order) {
    d = torch::autograd::grad({d.sum()}, {x}, {}, true, true)[0];
  }
  // y = w^2 x^2 / ((x - w)^2 + 1), third derivative by central differences of the closed form.
  const auto y = [](long double t) { return 2.25L * t * t / ((t - 1.5L) * (t - 1.5L) + 1); };
  const long double h = 1e-3L;
  const double numeric = static_cast<double>((y(0.7L + 2 * h) - 2 * y(0.7L + h) + 2 * y(0.7L - h) - y(0.7L - 2 * h)) / (2 * h * h * h));
  CHECK(d.item<double>() == Approx(numeric).epsilon(1e-4));
}

TEST_CASE("yat: gradients of every type agree with the slow reference", "[yat]") {
  at::manual_seed(13);
  for (const auto& [rows, units, dim] : {std::tuple{3, 33, 17}, {65, 700, 20}, {1, 1, 1}}) {
    for (const bool after : {false, true}) {
      const Tensor x0 = doubles({rows, dim}), w0 = doubles({units, dim}), b0 = doubles({units});
      const Tensor g0 = doubles({rows, units});
      slow::Problem p;
      p.epsilon = 0.25;
      p.scale = 1.5;
      p.bias_after = after;
      for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf}) {
        const Tensor x = x0.to(type).set_requires_grad(true);
        const Tensor w = w0.to(type).set_requires_grad(true);
        const Tensor b = b0.to(type).set_requires_grad(true);
        const Tensor e = at::scalar_tensor(p.epsilon, at::kFloat).set_requires_grad(true);
        const Tensor s = at::scalar_tensor(p.scale, at::kFloat).set_requires_grad(true);
        YatOptions o;
        o.bias = b;
        o.bias_place = after ? BiasPlace::kAfter : BiasPlace::kInside;
        o.learned_epsilon = e;
        o.scale = s;
        const Tensor g = g0.to(type);
        const auto got = torch::autograd::grad({yat(x, w, o)}, {x, w, b, e, s}, {g});
        const auto expected = slow::yat_gradient(x, w, b, g, p);
        const double tolerance = type == at::kDouble ? 1e-12 : type == at::kFloat ? 5e-5 : type == at::kHalf ? 5e-3 : 3e-2;
        INFO(c10::toString(type) << " " << rows << "x" << units << "x" << dim << " after " << after);
        CHECK(got[0].scalar_type() == type);
        CHECK(relative_error(got[0], expected.x) < tolerance);
        CHECK(relative_error(got[1], expected.w) < tolerance);
        CHECK(relative_error(got[2], expected.bias) < tolerance);
        // Sums over all pairs, of both signs, in float at best.
        const double scalar_tolerance = std::max(3 * tolerance, 1e-6);
        CHECK(got[3].item<double>() == Approx(expected.epsilon).epsilon(scalar_tolerance));
        CHECK(got[4].item<double>() == Approx(expected.scale).epsilon(scalar_tolerance).margin(scalar_tolerance * 10));
      }
    }
  }
}

TEST_CASE("yat: at x = w the gradient comes from the numerator alone", "[yat]") {
  at::manual_seed(14);
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
    const Tensor w = (at::randn({4, 50}, at::kDouble) * 3).to(type);
    const Tensor x = w.clone().set_requires_grad(true);
    YatOptions o;
    o.epsilon = 1e-4;
    const Tensor y = yat(x, w, o).diagonal();
    const Tensor g = torch::autograd::grad({y.sum()}, {x})[0].to(at::kDouble);
    // 2 |w|^2 / epsilon * w
    const Tensor v = w.to(at::kDouble);
    const Tensor expected = 2e4 * v.square().sum(1, true) * v;
    CHECK(relative_error(g, expected) < (type == at::kDouble ? 1e-12 : type == at::kFloat ? 1e-5 : 2e-2));
  }
}

TEST_CASE("yat: negative rounded distances leak no gradient", "[yat]") {
  // Without the clamp, |x|^2 + |w|^2 - 2 x.w rounds to a negative number for some of these rows.
  at::manual_seed(15);
  const Tensor w = (at::randn({64, 33}) * 100).set_requires_grad(true);
  const Tensor x = w.detach().clone().set_requires_grad(true);
  const Tensor raw = x.square().sum(1) + w.square().sum(1) - 2 * at::mm(x, w.t()).diagonal();
  REQUIRE((raw != 0).any().item<bool>());
  YatOptions o;
  o.epsilon = 1;
  const auto g = torch::autograd::grad({yat(x, w, o).diagonal().sum()}, {x, w});
  const Tensor expected = 2 * w.detach().square().sum(1, true) * w.detach();
  CHECK(relative_error(g[0], expected) < 1e-5);
  CHECK(relative_error(g[1], expected) < 1e-5);
}

TEST_CASE("yat: gradients are computed only for inputs that require them", "[yat]") {
  at::manual_seed(16);
  const std::vector<Tensor> base = {doubles({3, 4}), doubles({5, 4}), doubles({5}), number(0.4), number(1.3)};
  const auto f = all_inputs(BiasPlace::kInside);
  const auto full = gradients::gradient(f, base);
  for (unsigned subset = 1; subset < 32; ++subset) {
    std::vector<Tensor> in, wanted;
    for (std::size_t i = 0; i < base.size(); ++i) {
      const bool on = (subset >> i) & 1U;
      in.push_back(base[i].clone().set_requires_grad(on));
      if (on) wanted.push_back(in.back());
    }
    const auto got = torch::autograd::grad({gradients::projected(f, in)}, wanted);
    std::size_t next = 0;
    for (std::size_t i = 0; i < base.size(); ++i) {
      if (!((subset >> i) & 1U)) continue;
      INFO("subset " << subset << " input " << i);
      CHECK(relative_error(got[next++], full[i]) < 1e-13);
    }
  }
  at::NoGradGuard no_grad;
  CHECK_FALSE(f(gradients::leaves(base)).requires_grad());
}

TEST_CASE("yat: gradients of strided and shared inputs are right", "[yat]") {
  at::manual_seed(17);
  const Tensor base = doubles({4, 6});
  const gradients::Function f = [](const std::vector<Tensor>& in) {
    YatOptions o;
    o.epsilon = 0.5;
    return yat(in[0].t(), in[0].t().slice(0, 0, 6, 2), o);
  };
  CHECK(first_order_error(f, {base}) < 1e-6);
  CHECK(second_order_error(f, {base}) < 1e-6);
}

TEST_CASE("yat: epsilon works from 1e-12 to 1e3", "[yat]") {
  at::manual_seed(18);
  const Tensor x0 = doubles({4, 9}), w0 = doubles({6, 9}), g = doubles({4, 6});
  for (const double epsilon : {1e-12, 1e-9, 1e-5, 1e-2, 1.0, 1e3}) {
    slow::Problem p;
    p.epsilon = epsilon;
    YatOptions o;
    o.epsilon = epsilon;
    const Tensor x = x0.clone().set_requires_grad(true), w = w0.clone().set_requires_grad(true);
    const auto got = torch::autograd::grad({yat(x, w, o)}, {x, w}, {g});
    const auto expected = slow::yat_gradient(x, w, {}, g, p);
    CHECK(relative_error(got[0], expected.x) < 1e-12);
    CHECK(relative_error(got[1], expected.w) < 1e-12);
  }
}

TEST_CASE("yat: saves no more for backward than Linear + GELU", "[yat]") {
  at::manual_seed(19);
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    const Tensor x = at::randn({512, 768}).to(type).set_requires_grad(true);
    const Tensor w = at::randn({1024, 768}).to(type).set_requires_grad(true);
    const Tensor b = at::randn({1024}).to(type).set_requires_grad(true);
    const Tensor scale = at::ones({}).set_requires_grad(true);
    YatOptions o;
    o.bias = b;
    o.scale = scale;
    const auto fused = saved_for_backward([&] { return yat(x, w, o); }).total;
    const auto gelu = saved_for_backward([&] { return at::gelu(at::linear(x, w, b)); }).total;
    const auto composed = saved_for_backward([&] { return yatlab::yat_composed(x, w, o); }).total;
    const auto matrix = static_cast<std::int64_t>(512 * 1024 * x.element_size());
    INFO("fused " << fused << ", Linear+GELU " << gelu << ", composed " << composed);
    CHECK(gelu == matrix);
    CHECK(fused == matrix);       // the products, and no norms
    CHECK(composed > 3 * fused);  // the measure can distinguish them
  }
}

TEST_CASE("yat: epsilon and scale can be single, per unit or per layer", "[yat]") {
  ON_EITHER_BODY;
  at::manual_seed(29);
  constexpr std::int64_t kLayers = 3, kRows = 4, kUnits = 19, kDim = 6;  // 19: not a multiple of a vector's lanes
  enum Form { kNone, kOne, kUnit, kLayer };
  const auto number_of = [&](Form form) {
    const Tensor all = at::rand({kLayers, 1, kUnits}, at::kDouble) + 0.3;
    return form == kNone ? Tensor() : form == kOne ? all[0][0][0].clone() : form == kUnit ? all[0][0].clone() : all;
  };
  const bool layers = GENERATE(false, true);
  const Form of_epsilon = GENERATE(kNone, kOne, kUnit, kLayer), of_scale = GENERATE(kNone, kOne, kUnit, kLayer);
  const auto place = GENERATE(BiasPlace::kInside, BiasPlace::kAfter);
  if (!layers && (of_epsilon == kLayer || of_scale == kLayer)) return;
  INFO((layers ? "layers" : "one layer") << ", epsilon " << of_epsilon << ", scale " << of_scale << ", bias "
                                         << (place == BiasPlace::kAfter ? "after" : "inside"));
  const std::int64_t count = layers ? kLayers : 1;
  YatOptions o;
  o.epsilon = 0.2;
  o.bias = doubles({kUnits});
  o.bias_place = place;
  o.learned_epsilon = number_of(of_epsilon);
  o.scale = number_of(of_scale);
  const Tensor x = doubles({count, kRows, kDim}), w = doubles({count, kUnits, kDim});
  std::vector<Tensor> leaves = {x, w, o.bias};
  for (const auto& t : {o.learned_epsilon, o.scale}) {
    if (t.defined()) leaves.push_back(t);
  }
  for (auto& t : leaves) t.set_requires_grad(true);
  const Tensor y = layers ? yat(x, w, o) : yat(x[0], w[0], o).unsqueeze(0);
  const Tensor g = doubles(y.sizes());
  const auto found = torch::autograd::grad({y}, leaves, {g});

  // Unit by unit, layer by layer, each as a separate problem.
  std::vector<Tensor> expected;
  for (const auto& t : leaves) expected.push_back(at::zeros(t.sizes(), at::kDouble));
  Tensor values = at::empty_like(y);
  const auto own = [&](const Tensor& t, std::int64_t layer, std::int64_t unit, double otherwise) {
    if (!t.defined()) return otherwise;
    return t.detach().expand({kLayers, 1, kUnits})[layer][0][unit].item<double>();
  };
  const auto add = [&](std::size_t leaf, const Tensor& t, std::int64_t layer, std::int64_t unit, double value) {
    Tensor& sum = expected[leaf];
    (t.numel() == 1 ? sum : t.dim() == 1 ? sum[unit] : sum[layer][0][unit]) += value;
  };
  for (std::int64_t l = 0; l < count; ++l) {
    for (std::int64_t j = 0; j < kUnits; ++j) {
      const slow::Problem problem{own(o.learned_epsilon, l, j, o.epsilon), own(o.scale, l, j, 1), place == BiasPlace::kAfter};
      const Tensor unit = w.detach()[l].narrow(0, j, 1), bias = o.bias.detach().narrow(0, j, 1);
      values[l].narrow(1, j, 1).copy_(slow::yat(x.detach()[l], unit, bias, problem));
      const auto slopes = slow::yat_gradient(x.detach()[l], unit, bias, g[l].narrow(1, j, 1), problem);
      expected[0][l] += slopes.x;
      expected[1][l][j] += slopes.w[0];
      expected[2][j] += slopes.bias[0];
      std::size_t leaf = 3;
      if (o.learned_epsilon.defined()) add(leaf++, o.learned_epsilon, l, j, slopes.epsilon);
      if (o.scale.defined()) add(leaf, o.scale, l, j, slopes.scale);
    }
  }
  CHECK(relative_error(y.detach(), values) < 1e-12);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    INFO("gradient of input " << i);
    CHECK(relative_error(found[i], expected[i]) < 1e-12);
  }
}
