#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>
#include <map>

#include "catch.h"
#include "core/base/error.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/operator.h"
#include "core/ops/score_range.h"
#include "ops/either_body.h"
#include "ops/gradients.h"
#include "ops/slow_reference.h"

using at::Tensor;
using gradients::relative_error;
using yatlab::Node;
using yatlab::Operator;
using yatlab::Registry;

namespace {

std::shared_ptr<Operator> make_operator(const char* name, const std::vector<std::pair<std::string, Node>>& p = {}) {
  Node spec = Node::map();
  spec.set("name", name);
  for (const auto& [key, value] : p) spec.set(key, value);
  return Registry<Operator>::create(spec);
}

Tensor random(at::IntArrayRef shape) { return at::randn(shape, at::kDouble); }

/// Every operator in every form, with its expected value for one pair of vectors.
struct Form {
  std::shared_ptr<Operator> op;
  std::function<double(const Tensor&, const Tensor&)> value;  // x [d], w [d]
};
std::vector<Form> forms() {
  const auto dot = [](const Tensor& a, const Tensor& b) { return (a * b).sum().item<double>(); };
  const auto d2 = [](const Tensor& a, const Tensor& b) { return (a - b).square().sum().item<double>(); };
  return {
      {make_operator("dot"), dot},
      {make_operator("cosine"), [=](const Tensor& a, const Tensor& b) { return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)); }},
      {make_operator("euclidean"), [=](const Tensor& a, const Tensor& b) { return -d2(a, b); }},
      {make_operator("euclidean", {{"form", "distance"}}), [=](const Tensor& a, const Tensor& b) { return -std::sqrt(d2(a, b)); }},
      {make_operator("euclidean", {{"form", "inverse"}, {"epsilon", 0.1}}),
       [=](const Tensor& a, const Tensor& b) { return 1 / (d2(a, b) + 0.1); }},
      {make_operator("yat", {{"epsilon", 0.1}}),
       [=](const Tensor& a, const Tensor& b) { return std::pow(dot(a, b), 2) / (d2(a, b) + 0.1); }},
      {make_operator("yat", {{"epsilon", 0.1}, {"spherical", true}}),
       [=](const Tensor& a, const Tensor& b) {
         const double c = dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
         return c * c / (2 - 2 * c + 0.1);
       }},
      {make_operator("yat", {{"epsilon", 0.1}, {"learn_epsilon", true}}),
       [=](const Tensor& a, const Tensor& b) { return std::pow(dot(a, b), 2) / (d2(a, b) + 0.1); }},
  };
}

}  // namespace

TEST_CASE("operators: float agrees with double near a unit", "[operators][close]") {
  at::manual_seed(30);
  for (const double gap : {0.0, 1e-6, 1e-3, 0.1}) {
    const Tensor w = at::randn({3, 784}, at::kFloat), x = w + gap * at::randn({3, 784}, at::kFloat);
    for (const auto& op :
         {make_operator("euclidean"), make_operator("euclidean", {{"form", "distance"}}), make_operator("euclidean", {{"form", "inverse"}}),
          make_operator("yat"), make_operator("yat", {{"epsilon", 0.1}, {"learn_epsilon", true}})}) {
      const auto gradients_of = [&](const Tensor& a, const Tensor& b) {
        const Tensor own = at::eye(3, a.options());
        const Tensor from = a.clone().set_requires_grad(true), to = b.clone().set_requires_grad(true);
        const Tensor y = op->scores(from, to);
        auto out = torch::autograd::grad({y}, {from, to}, {own});
        out.push_back(y.detach().diagonal());
        return out;
      };
      const auto single = gradients_of(x, w), exact = gradients_of(x.to(at::kDouble), w.to(at::kDouble));
      INFO("gap " << gap);
      for (std::size_t i = 0; i < 3; ++i) CHECK(relative_error(single[i], exact[i], 1e-6) < 1e-5);
    }
  }
}

TEST_CASE("euclidean: all forms keep full precision near a unit on either kernel", "[operators][close]") {
  ON_EITHER_BODY;
  struct Limits {
    at::ScalarType type;
    double value, gradient;
  };
  at::manual_seed(31);
  const std::string form = GENERATE("squared", "distance", "inverse");
  for (const auto& [type, value, gradient] : {Limits{at::kDouble, 1e-11, 1e-11}, {at::kFloat, 2e-6, 1e-5}, {at::kBFloat16, 1.3e-2, 3e-2}}) {
    for (const double epsilon : form == "inverse" ? std::vector<double>{1e-12, 1e-5, 1e-2, 1.0, 1e3} : std::vector<double>{1e-5}) {
      const auto op = make_operator("euclidean", {{"form", form}, {"epsilon", epsilon}});
      for (const std::int64_t dim : {1, 2, 64, 785, 4097}) {
        for (const double gap : {0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0}) {
          for (const bool differentiable : {false, true}) {
            INFO(form << " " << c10::toString(type) << ", d = " << dim << ", gap " << gap << ", epsilon " << epsilon
                      << (differentiable ? ", differentiable" : ""));
            const Tensor unit = at::randn({1, dim}, at::kDouble), away = at::randn({1, dim}, at::kDouble);
            const Tensor w = unit.to(type, false, true).set_requires_grad(true),
                         x = (unit + away / away.norm() * unit.norm() * gap).to(type).set_requires_grad(true);
            const Tensor y = op->scores(x, w);
            const auto found = torch::autograd::grad({y}, {x, w}, {at::ones_like(y)}, true, differentiable);
            const Tensor u = (x.detach().to(at::kDouble) - w.detach().to(at::kDouble)).flatten();
            const double squared = u.dot(u).item<double>(), below = squared + epsilon;
            double score = -squared;
            Tensor slope = -2 * u;  // in x; the same the other way in w
            if (form == "distance") score = -std::sqrt(squared), slope = squared > 0 ? -u / std::sqrt(squared) : at::zeros_like(u);
            if (form == "inverse") score = 1 / below, slope = -2 * u / below / below;
            CHECK(std::abs(y.item<double>() - score) <= value * std::abs(score));
            for (const int side : {0, 1}) {
              const Tensor own = found[static_cast<std::size_t>(side)].detach().to(at::kDouble).flatten();
              CHECK((own - (side == 0 ? slope : -slope)).norm().item<double>() <= gradient * slope.norm().item<double>());
            }
          }
        }
      }
    }
  }
}

TEST_CASE("operators: rows whose squares overflow float agree with double on every kernel", "[operators][range]") {
  at::manual_seed(35);
  const Tensor x = at::randn({4, 6}) * at::tensor({1.0F, 1e20F, 1e30F, 1e-2F}).unsqueeze(1),
               w = at::randn({3, 6}) * at::tensor({1.0F, 1e21F, 2.0F}).unsqueeze(1);
  const auto check = [&](const char* body) {
    const auto all = forms();
    for (std::size_t i = 1; i < all.size(); ++i) {  // the first is dot, which is LibTorch's own
      const auto& form = all[i];
      const Tensor from = x.clone().set_requires_grad(true), wide = x.to(at::kDouble).set_requires_grad(true);
      const Tensor y = form.op->scores(from, w), exact = form.op->scores(wide, w.to(at::kDouble)), rounded = exact.detach().to(at::kFloat);
      const Tensor held = at::isfinite(rounded);
      INFO(body << "\n" << y << "\n" << exact);
      CHECK(y.scalar_type() == at::kFloat);
      CHECK(at::allclose(y.detach(), rounded, 1e-5, 1e-44));  // infinite where the rounded one is
      const Tensor g = torch::autograd::grad({y}, {from}, {held.to(at::kFloat)})[0],
                   right = torch::autograd::grad({exact}, {wide}, {held.to(at::kDouble)})[0];
      const Tensor size = right.norm(2, {1}, true);
      CHECK(((g.to(at::kDouble) - right).norm(2, {1}, true) <= 1e-5 * size + 1e-42).all().item<bool>());
    }
  };
  check("fast");
  const yatlab::ForceGenericKernels general;
  check("general");
}

TEST_CASE("operators: values, symmetry, sign and type are right", "[operators]") {
  at::manual_seed(31);
  const Tensor x = random({3, 5}), w = random({4, 5});
  for (const auto& [op, value] : forms()) {
    const Tensor y = op->scores(x, w);
    REQUIRE(y.sizes() == at::IntArrayRef({3, 4}));
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) CHECK(y[i][j].item<double>() == Approx(value(x[i], w[j])).epsilon(1e-6));
    }
    const auto traits = op->traits();
    CHECK(traits.symmetric);
    CHECK(relative_error(op->scores(w, x).t(), y) < 1e-12);
    CHECK(traits.even);
    CHECK(relative_error(op->scores(x, -w), op->scores(-x, w)) < 1e-12);
    CHECK((y < 0).any().item<bool>() == !traits.non_negative);
    for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
      const Tensor low = op->scores(x.to(type), w.to(type));
      CHECK(low.scalar_type() == type);
      CHECK(relative_error(low, op->scores(x.to(type).to(at::kDouble), w.to(type).to(at::kDouble))) < (type == at::kFloat ? 1e-5 : 3e-2));
    }
    CHECK(op->scores(at::zeros({0, 5}), w.to(at::kFloat)).sizes() == at::IntArrayRef({0, 4}));
    CHECK(op->flops(2, 3, 5) >= 60);
    CHECK(op->scores(random({2, 1, 3, 5}), random({6, 4, 5})).sizes() == at::IntArrayRef({2, 6, 3, 4}));
  }
}

TEST_CASE("operators: first and second derivatives are right", "[operators]") {
  at::manual_seed(32);
  for (const auto& form : forms()) {
    const gradients::Function f = [&](const std::vector<Tensor>& in) { return form.op->scores(in[0], in[1], in[2]); };
    const std::vector<Tensor> in = {random({2, 3}), random({3, 3}), random({3})};
    CHECK(gradients::first_order_error(f, in) < 1e-6);
    CHECK(gradients::second_order_error(f, in) < 1e-5);
  }
}

TEST_CASE("operators: bounded operators level off far from the origin", "[operators]") {
  const Tensor w = at::tensor({1.0, 2.0}, at::kDouble).view({1, 2});
  const Tensor x = at::tensor({2.0, 0.5}, at::kDouble).view({1, 2});
  for (const auto& form : forms()) {
    const double near = std::abs(form.op->scores(x, w).item<double>());
    const double far = std::abs(form.op->scores(x * 1e6, w).item<double>());
    CHECK(form.op->traits().bounded == (far < 100 * near));
  }
}

TEST_CASE("operators: scores stay in the declared range and nearly fill it", "[operators]") {
  at::manual_seed(33);
  std::size_t declared = 0;
  for (const auto& form : forms()) {
    const auto range = yatlab::score_range(*form.op);
    if (!range) continue;
    ++declared;
    const Tensor x = random({500, 2}), y = form.op->scores(x, at::cat({x, -x, random({50, 2}) * 1e3}));
    CHECK(y.min().item<double>() >= range->low - 1e-9);
    CHECK(y.max().item<double>() <= range->high + 1e-9);
    CHECK(y.max().item<double>() - y.min().item<double>() > 0.9 * (range->high - range->low));
  }
  CHECK(declared == 1);  // the cosine: all other bounds depend on w, or do not exist
}

TEST_CASE("operators: zero vectors and x = w give numbers and gradients", "[operators]") {
  for (const auto& form : forms()) {
    const Tensor x = at::zeros({2, 3}).set_requires_grad(true);
    const Tensor w = at::zeros({2, 3}).set_requires_grad(true);
    const Tensor y = form.op->scores(x, w);
    CHECK(at::isfinite(y).all().item<bool>());
    for (const auto& g : torch::autograd::grad({y.sum()}, {x, w})) {
      CHECK(at::isfinite(g).all().item<bool>());
    }
    const Tensor same = at::ones({1, 3}).set_requires_grad(true);
    const Tensor z = form.op->scores(same, same.detach());
    CHECK(at::isfinite(torch::autograd::grad({z.sum()}, {same})[0]).all().item<bool>());
  }
}

TEST_CASE("operators: yat's bias is inside the square or after it", "[operators]") {
  at::manual_seed(33);
  const Tensor x = random({3, 5}), w = random({4, 5}), b = random({4});
  slow::Problem p;
  CHECK(relative_error(make_operator("yat")->scores(x, w, b), slow::yat(x, w, b, p)) < 1e-12);
  p.bias_after = true;
  const auto after = make_operator("yat", {{"bias_place", "after"}});
  CHECK(relative_error(after->scores(x, w, b), slow::yat(x, w, b, p)) < 1e-12);
  CHECK_FALSE(after->traits().non_negative);
}

TEST_CASE("operators: yat learns epsilon through a softplus", "[operators]") {
  at::manual_seed(34);
  for (const double epsilon : {1e-12, 1e-5, 0.1, 1.0, 50.0}) {
    const auto op = make_operator("yat", {{"learn_epsilon", true}, {"epsilon", epsilon}});
    const auto learned = op->parameters();
    REQUIRE(learned.size() == 1);
    const auto& [name, free] = learned[0];
    CHECK(name == "free_epsilon");
    REQUIRE(op->observables().size() == 1);
    CHECK(op->observables()[0].second == Approx(epsilon).epsilon(1e-5));
    const Tensor x = random({3, 5}), w = random({4, 5});
    const Tensor g = torch::autograd::grad({op->scores(x, w).sum()}, {free})[0];
    slow::Problem p;
    p.epsilon = epsilon;
    const double slope = slow::yat_gradient(x, w, {}, at::ones({3, 4}), p).epsilon;
    // d softplus(p) / dp = 1 - e^-epsilon
    CHECK(g.item<double>() == Approx(slope * -std::expm1(-epsilon)).epsilon(1e-4));
  }
  CHECK(make_operator("yat")->parameters().empty());
  CHECK(make_operator("yat")->observables().empty());
}

TEST_CASE("operators: aliases work and invalid parameters are rejected", "[operators]") {
  CHECK(make_operator("ⵟ")->traits().non_negative);
  const auto why = [](const char* name, const char* key, Node value) {
    try {
      make_operator(name, {{key, value}});
    } catch (const yatlab::Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(why("yat", "epsilon", 0.0).find("epsilon") != std::string::npos);
  CHECK(why("yat", "epsilom", 1.0).find("epsilon") != std::string::npos);
  CHECK(why("cosine", "epsilon", -1.0) != "no error");
  CHECK(why("euclidean", "form", "cubed").find("squared") != std::string::npos);
  try {
    make_operator("dot")->scores(at::zeros({2, 3}), at::zeros({2, 4}));
    FAIL("no error");
  } catch (const yatlab::Error& e) {
    CHECK(e.message() == "operator dot: the tensors have the wrong type or shape");
    CHECK(e.why() == "x is [2, 3], w is [2, 4]");
  }
}
