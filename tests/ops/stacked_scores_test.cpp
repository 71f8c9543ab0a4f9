// stacked_scores against the scores of one member after the other.
#include <ATen/ATen.h>
#include <torch/autograd.h>

#include "catch.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/stacked_operator.h"
#include "helpers.h"
#include "ops/either_body.h"
#include "ops/gradients.h"

namespace yatlab {
namespace {

using testing::spec;

struct Inputs {
  Tensor x, w, bias, scale;
};

Inputs inputs(std::int64_t groups, std::int64_t members, std::int64_t units, std::int64_t dim, at::ScalarType type) {
  const auto make = [&](std::vector<std::int64_t> shape, double phase) {
    const Tensor t = at::arange(at::prod(at::tensor(shape)).item<std::int64_t>(), at::kDouble).mul(0.37 + phase).add(phase).sin();
    return t.view(shape).to(type);
  };
  Inputs out{make({groups, 7, dim}, 0.1), make({members, units, dim}, 0.2), make({members, units}, 0.3), make({members}, 0.4).abs() + 0.5};
  out.w.select(0, 0).select(0, 1).copy_(out.x[0][2]);  // x = w somewhere
  return out;
}

/// One member after the other, each as a model of its own has it.
Tensor one_by_one(const std::vector<std::shared_ptr<Operator>>& ops, const Inputs& in, bool bias, bool scale) {
  std::vector<Tensor> out;
  const auto each = in.w.size(0) / in.x.size(0);
  for (std::int64_t i = 0; i < in.w.size(0); ++i) {
    out.push_back(ops[static_cast<std::size_t>(i) % ops.size()]->scaled_scores(in.x[i / each], in.w[i], bias ? in.bias[i] : Tensor(),
                                                                               scale ? in.scale[i] : Tensor()));
  }
  return at::stack(out);
}

/// Scores and the gradients of all that is given.
std::vector<Tensor> with_gradients(const Inputs& given, const std::function<Tensor(const Inputs&)>& scores, bool bias, bool scale) {
  Inputs in{given.x.clone().set_requires_grad(true), given.w.clone().set_requires_grad(true), given.bias.clone().set_requires_grad(true),
            given.scale.clone().set_requires_grad(true)};
  const Tensor y = scores(in);
  std::vector<Tensor> leaves{in.x, in.w};
  if (bias) leaves.push_back(in.bias);
  if (scale) leaves.push_back(in.scale);
  auto out = torch::autograd::grad({y}, leaves, {gradients::weights_like(y)});
  out.insert(out.begin(), y.detach());
  return out;
}

}  // namespace

TEST_CASE("stacked scores and their gradients equal those of separate members", "[operator][stack]") {
  ON_EITHER_BODY;
  const auto op =
      GENERATE(spec("dot"), spec("yat"), spec("yat", {{"bias_place", "after"}, {"epsilon", 0.3}}),
               spec("yat", {{"spherical", true}, {"epsilon", 0.1}}), spec("cosine"), spec("euclidean"),
               spec("euclidean", {{"form", "inverse"}, {"epsilon", 0.1}}), spec("formula", {{"f", "dot^2 / (dist2 + 0.1) + ww / n"}}));
  const bool bias = GENERATE(false, true), scale = GENERATE(false, true);
  const auto type = GENERATE(at::kDouble, at::kFloat);
  INFO(op.to_flow() << (bias ? " bias" : "") << (scale ? " scale" : ""));
  for (const std::int64_t groups : {1, 2, 6}) {
    // 43 units and 19 coordinates: no multiple of a vector's lanes.
    const auto in = inputs(groups, 6, groups == 2 ? 43 : 3, 19, type);
    const auto stacked = Registry<Operator>::create(op);
    REQUIRE(stacks(*stacked));
    const auto here = with_gradients(
        in, [&](const Inputs& t) { return stacked_scores(*stacked, t.x, t.w, bias ? t.bias : Tensor(), scale ? t.scale : Tensor()); }, bias,
        scale);
    const auto there = with_gradients(
        in, [&](const Inputs& t) { return one_by_one({stacked}, t, bias, scale); }, bias, scale);
    CHECK(here[0].sizes() == at::IntArrayRef({6, 7, groups == 2 ? 43 : 3}));
    for (std::size_t i = 0; i < here.size(); ++i) {
      INFO("groups " << groups << ", " << (i == 0 ? "scores" : i == 1 ? "x" : i == 2 ? "w" : i == 3 && bias ? "bias" : "scale"));
      CHECK(gradients::relative_error(here[i], there[i]) < (type == at::kDouble ? 1e-12 : 2e-5));
    }
  }
}

TEST_CASE("members of a stack may have epsilons of their own, fixed or learned", "[operator][stack]") {
  ON_EITHER_BODY;
  const auto type = GENERATE(at::kDouble, at::kFloat);
  const double tolerance = type == at::kDouble ? 1e-12 : 2e-5;
  const std::vector<double> epsilons = {1e-5, 0.1, 3.0, 1e-3, 0.7, 50.0};
  for (const std::int64_t groups : {1, 3, 6}) {
    INFO("groups " << groups);
    const auto in = inputs(groups, 6, 5, 11, type);
    std::vector<std::shared_ptr<Operator>> alone;
    for (const double epsilon : epsilons) alone.push_back(Registry<Operator>::create(spec("yat", {{"epsilon", epsilon}})));
    const auto stacked = Registry<Operator>::create(spec("yat"));
    CHECK(stacked_parameters(*stacked) == std::vector<std::string>{"epsilon"});
    set_stacked(*stacked, "epsilon", at::tensor(epsilons, at::kDouble));
    const auto here = with_gradients(
        in, [&](const Inputs& t) { return stacked_scores(*stacked, t.x, t.w, t.bias, t.scale); }, true, true);
    const auto there = with_gradients(
        in, [&](const Inputs& t) { return one_by_one(alone, t, true, true); }, true, true);
    for (std::size_t i = 0; i < here.size(); ++i) {
      INFO(i);
      CHECK(gradients::relative_error(here[i], there[i]) < tolerance);
    }

    // Learned: the gradient of every member's own.
    const auto learning = Registry<Operator>::create(spec("yat", {{"learn_epsilon", true}}));
    std::vector<Tensor> own, expected;
    for (const double epsilon : epsilons) {
      const auto op = Registry<Operator>::create(spec("yat", {{"learn_epsilon", true}, {"epsilon", epsilon}}));
      own.push_back(op->parameters()[0].second.detach());
      const auto i = static_cast<std::int64_t>(expected.size());
      const Tensor y = op->scaled_scores(in.x[i / (6 / groups)], in.w[i], in.bias[i], in.scale[i]);
      expected.push_back(
          torch::autograd::grad({y}, {op->parameters()[0].second}, {gradients::weights_like(at::empty({6, 7, 5}, y.options()))[i]})[0]);
    }
    const Tensor free = learning->parameters()[0].second;
    free.set_data(at::stack(own));
    const Tensor y = stacked_scores(*learning, in.x, in.w, in.bias, in.scale);
    const Tensor found = torch::autograd::grad({y}, {free}, {gradients::weights_like(y)})[0];
    for (std::int64_t i = 0; i < 6; ++i) {
      INFO("epsilon of member " << i);
      CHECK(found[i].item<double>() ==
            Approx(expected[static_cast<std::size_t>(i)].item<double>()).epsilon(type == at::kDouble ? 1e-6 : 1e-4));
    }
  }
}

TEST_CASE("first and second derivatives of stacked yat scores are right", "[operator][stack]") {
  ON_EITHER_BODY;
  const auto groups = GENERATE(1, 2);
  const auto in = inputs(groups, 4, 2, 3, at::kDouble);
  const auto op = Registry<Operator>::create(spec("yat", {{"epsilon", 0.2}}));
  set_stacked(*op, "epsilon", at::tensor({0.2, 0.5, 1.0, 2.0}, at::kDouble));
  const auto f = [&](const std::vector<Tensor>& t) { return stacked_scores(*op, t[0], t[1], t[2], t[3]); };
  const std::vector<Tensor> point = {in.x.narrow(1, 0, 2), in.w + 0.3, in.bias, in.scale};
  CHECK(gradients::first_order_error(f, point) < 1e-6);
  CHECK(gradients::second_order_error(f, point) < 1e-6);
}

TEST_CASE("stacked yat scores too large for one pass are right with generic kernels", "[operator][stack][slow]") {
  const ForceGenericKernels general;
  constexpr std::int64_t kUnits = 4100;  // two layers of 4100 x 4100: beyond 2^25
  const Tensor x = at::arange(2 * kUnits * 2, at::kFloat).mul(0.1F).sin().view({2, kUnits, 2});
  const Tensor w = at::arange(2 * kUnits * 2, at::kFloat).mul(0.3F).cos().view({2, kUnits, 2}).set_requires_grad(true);
  const auto op = Registry<Operator>::create(spec("yat"));
  set_stacked(*op, "epsilon", at::tensor({0.5, 2.0}, at::kDouble));
  const Tensor y = stacked_scores(*op, x, w, {}, {});
  const Tensor found = torch::autograd::grad({y.sum()}, {w})[0];
  for (const std::int64_t i : {0, 1}) {
    const auto alone = Registry<Operator>::create(spec("yat", {{"epsilon", i == 0 ? 0.5 : 2.0}}));
    CHECK(gradients::relative_error(y[i].narrow(0, 0, 9), alone->scores(x[i].narrow(0, 0, 9), w[i])) < 1e-5);
    const Tensor some = w.detach()[i].narrow(0, 0, 9).clone().set_requires_grad(true);
    const Tensor expected = torch::autograd::grad({alone->scores(x[i], some).sum()}, {some})[0];
    CHECK(gradients::relative_error(found[i].narrow(0, 0, 9), expected) < 1e-4);
  }
}

TEST_CASE("rows whose squares overflow float score the same in a stack as alone", "[operator][stack]") {
  auto in = inputs(2, 4, 3, 5, at::kFloat);
  in.w.select(0, 2).mul_(1e20F);
  const auto op = Registry<Operator>::create(spec("yat"));
  const Tensor here = stacked_scores(*op, in.x, in.w, in.bias, in.scale), there = one_by_one({op}, in, true, true);
  CHECK(at::isfinite(here).all().item<bool>());
  for (std::int64_t i = 0; i < 4; ++i) CHECK(gradients::relative_error(here[i], there[i]) < 2e-5);
}

/// Scores that depend on the number of units.
class SharedScores final : public Operator {
 public:
  Tensor scores(const Tensor& x, const Tensor& w, const Tensor&) const override { return at::matmul(x, w.t()) / w.size(0); }
  OperatorTraits traits() const override {
    OperatorTraits t;
    t.independent_units = false;
    return t;
  }
  std::int64_t flops(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }
};

TEST_CASE("an operator with interdependent units does not stack", "[operator][stack]") {
  CHECK_FALSE(stacks(SharedScores()));
  CHECK(stacks(*Registry<Operator>::create("euclidean")));
  const auto yat = Registry<Operator>::create("yat"), dot = Registry<Operator>::create("dot");
  CHECK(stacks(*yat));
  CHECK(stacked_parameters(*dot).empty());
  CHECK_THROWS_AS(set_stacked(*dot, "epsilon", at::ones({2})), Error);
  CHECK_THROWS_AS(set_stacked(*Registry<Operator>::create("euclidean"), "epsilon", at::ones({2})), Error);
}

}  // namespace yatlab
