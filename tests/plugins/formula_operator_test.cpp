#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>

#include <fmt/format.h>
#include "catch.h"

#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/ops/bodies.h"
#include "core/ops/operator.h"
#include "holds.h"
#include "ops/gradients.h"

using at::Tensor;
using gradients::relative_error;
using namespace yatlab;

namespace {

std::shared_ptr<Operator> made(const std::string& yaml) { return Registry<Operator>::create(parse_yaml(yaml, "x.yaml")); }
std::shared_ptr<Operator> formula(const std::string& f, const std::string& parameters = "{}") {
  return made("{name: formula, f: '" + f + "', parameters: " + parameters + "}");
}
std::string refused(const std::string& f, const std::string& parameters = "{}") {
  try {
    formula(f, parameters);
  } catch (const Error& e) {
    return std::string(e.message()) + " | " + std::string(e.why()) + " | " + std::string(e.hint());
  }
  return "no error";
}
void refuses(const std::string& why, const std::string& f, const std::string& parameters = "{}") {
  const auto error = refused(f, parameters);
  INFO(f << ": " << error);
  CHECK(testing::holds(error, why));
}
bool finite(const Tensor& t) { return at::isfinite(t).all().item<bool>(); }
Tensor random(at::IntArrayRef shape) { return at::randn(shape, at::kDouble); }
Tensor dot_of(const Tensor& x, const Tensor& w) { return x.matmul(w.t()); }
Tensor dist2_of(const Tensor& x, const Tensor& w) { return (x.unsqueeze(1) - w.unsqueeze(0)).square().sum(-1); }

}  // namespace

TEST_CASE("a formula's scores are those of its own words, written out", "[formula]") {
  at::manual_seed(40);
  const Tensor x = random({3, 5}), w = random({4, 5});
  const Tensor dot = dot_of(x, w), d2 = dist2_of(x, w), xx = x.square().sum(-1, true), ww = w.square().sum(-1).unsqueeze(0);
  const auto same = [&](const std::string& f, const Tensor& expected, const std::string& parameters = "{}") {
    INFO(f);
    CHECK(relative_error(formula(f, parameters)->scores(x, w), expected.expand({3, 4})) < 1e-12);
  };
  same("dot", dot);
  same("dot^2 / (dist2 + eps)", dot.square() / (d2 + 0.1), "{eps: 0.1}");
  same("exp(-dist2 / (2 * s^2))", (-d2 / 18).exp(), "{s: 3}");
  same("-dist", -d2.sqrt());
  same("cos", dot / (xx * ww).sqrt());
  same("dot / (sqrt(xx) * sqrt(ww) + 1)", dot / (xx.sqrt() * ww.sqrt() + 1));
  same("1 / (1 + dist2)^1.5", (1 + d2).pow(-1.5));
  same("tanh(dot / sqrt(d))", (dot / std::sqrt(5.0)).tanh());
  same("max(dot, 0)^3 - relu(dot)^3 + n", at::full({3, 4}, 4.0, at::kDouble));
  same("where(dot > 0 and not dist2 > 4, dot, -abs(dot))", at::where((dot > 0).logical_and(d2 <= 4), dot, -dot.abs()));
  same("min(dot, cos, 0.1) + sigmoid(dot) * log(1 + dist2) + log10(xx + 1)",
       at::minimum(at::minimum(dot, dot / (xx * ww).sqrt()), at::full({}, 0.1, at::kDouble)) + dot.sigmoid() * (1 + d2).log() +
           (xx + 1).log10());
  same("2^3 - 2 ^ -1", at::full({3, 4}, 7.5, at::kDouble));
  same("xx", xx);
  same("(dot - 1)^3 / -2", (dot - 1).pow(3) / -2);
  // The bias is added, leading dimensions broadcast, and types are kept.
  const auto op = formula("dot^2 / (dist2 + 0.1)");
  const Tensor b = random({4});
  CHECK(relative_error(op->scores(x, w, b), dot.square() / (d2 + 0.1) + b) < 1e-12);
  CHECK(op->scores(random({2, 1, 3, 5}), random({6, 4, 5})).sizes() == at::IntArrayRef({2, 6, 3, 4}));
  CHECK(formula("xx")->scores(random({2, 1, 3, 5}), random({6, 4, 5})).sizes() == at::IntArrayRef({2, 6, 3, 4}));
  CHECK(op->scores(at::zeros({0, 5}), w.to(at::kFloat)).sizes() == at::IntArrayRef({0, 4}));
  for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    const Tensor low = op->scores(x.to(type), w.to(type));
    CHECK(low.scalar_type() == type);
    CHECK(relative_error(low, op->scores(x.to(type).to(at::kDouble), w.to(type).to(at::kDouble))) < (type == at::kFloat ? 1e-5 : 3e-2));
  }
}

TEST_CASE("a formula's first and second derivatives", "[formula]") {
  at::manual_seed(41);
  for (const char* f : {"dot^2 / (dist2 + 0.1)", "exp(-dist2 / 8)", "-dist", "cos^2 / (1.1 - cos)", "tanh(dot) * (1 + xx)^0.5 * ww",
                        "where(dot > 0, dist, dot^3)"}) {
    INFO(f);
    const auto op = formula(f);
    const gradients::Function value = [&](const std::vector<Tensor>& in) { return op->scores(in[0], in[1], in[2]); };
    const std::vector<Tensor> in = {random({2, 3}), random({3, 3}), random({3})};
    CHECK(gradients::first_order_error(value, in) < 1e-6);
    CHECK(gradients::second_order_error(value, in) < 1e-5);
  }
}

TEST_CASE("yat as a formula is yat: far and close, first gradients too", "[formula][close]") {
  at::manual_seed(42);
  for (const double gap : {1e-6, 1e-3, 0.1, 10.0}) {
    for (const double epsilon : {1e-5, 0.1}) {
      const Tensor w = at::randn({3, 784}, at::kFloat), x = w + gap * at::randn({3, 784}, at::kFloat);
      const auto yat = made(fmt::format("{{name: yat, epsilon: {}}}", epsilon));
      const auto own = formula("dot^2 / (dist2 + eps)", fmt::format("{{eps: {}}}", epsilon));
      const auto both = [&](const Operator& op) {
        const Tensor from = x.clone().set_requires_grad(true), to = w.clone().set_requires_grad(true);
        const Tensor y = op.scores(from, to);
        auto out = torch::autograd::grad({y}, {from, to}, {at::eye(3)});
        out.push_back(y.detach());
        return out;
      };
      const auto a = both(*yat), b = both(*own);
      INFO("gap " << gap << ", epsilon " << epsilon);
      for (std::size_t i = 0; i < 3; ++i) CHECK(relative_error(b[i], a[i], 1e-6) < 2e-5);
    }
  }
}

TEST_CASE("a formula at zero vectors and at x = w gives numbers and gradients", "[formula]") {
  for (const char* f : {"dot^2 / (dist2 + 1e-5)", "-dist", "dist2^0.5", "sqrt(dist2)", "cos", "sqrt(xx) * sqrt(ww)", "exp(-dist)"}) {
    INFO(f);
    const auto op = formula(f);
    const Tensor x = at::zeros({2, 3}).set_requires_grad(true), w = at::zeros({2, 3}).set_requires_grad(true);
    const Tensor y = op->scores(x, w);
    CHECK(finite(y));
    for (const auto& g : torch::autograd::grad({y.sum()}, {x, w})) CHECK(finite(g));
    const Tensor same = at::ones({1, 3}).set_requires_grad(true);
    CHECK(finite(torch::autograd::grad({op->scores(same, same.detach()).sum()}, {same})[0]));
  }
}

TEST_CASE("a formula's traits follow from what its values can be", "[formula]") {
  const auto traits = [](const std::string& f, const std::string& parameters = "{}") { return formula(f, parameters)->traits(); };
  const auto yat = traits("dot^2 / (dist2 + eps)", "{eps: 1}");
  CHECK(yat.non_negative);
  CHECK(yat.symmetric);
  CHECK(yat.even);
  CHECK_FALSE(traits("dot").non_negative);
  CHECK_FALSE(traits("dot").bounded);
  CHECK(traits("exp(-dist2)").bounded);
  CHECK(traits("exp(-dist2)").non_negative);
  CHECK(traits("1 / (dist2 + 0.5)").bounded);
  CHECK(traits("tanh(dot)").bounded);
  CHECK_FALSE(traits("tanh(dot)").non_negative);
  CHECK(traits("cos + 1").non_negative);
  CHECK_FALSE(traits("cos + 0.5").non_negative);
  CHECK(traits("(cos - 2)^2").non_negative);
  CHECK_FALSE(traits("(cos - 2)^3").non_negative);
  CHECK(traits("abs(dot)").non_negative);
  CHECK(traits("s * dist2", "{s: 1}").non_negative);
  CHECK_FALSE(traits("s * dist2", "{s: -1}").non_negative);
  CHECK_FALSE(traits("s * dist2", "{s: {start: 1}}").non_negative);
  CHECK(traits("s * dist2", "{s: {start: 1, positive: true}}").non_negative);
  CHECK_FALSE(traits("dot * sqrt(xx)").symmetric);
  CHECK(traits("dot * sqrt(xx) * sqrt(ww)").symmetric);
  CHECK(traits("where(dist2 < 1, 1, 0)").bounded);
  // The range holds whatever the values are.
  at::manual_seed(43);
  for (const char* f : {"cos^2 / (1.1 - cos)", "tanh(dot) - exp(-dist2)", "max(cos, -0.5) * min(cos, 0.5)", "1 / (2 + cos)^2",
                        "(cos - 3)^-3", "abs(cos)^1.5 - cos"}) {
    INFO(f);
    CHECK(traits(f).bounded);
    const Tensor y = formula(f)->scores(random({50, 2}), random({50, 2}));
    CHECK(((y >= 0).all().item<bool>() || !traits(f).non_negative));
  }
}

TEST_CASE("a formula's parameters are fixed or learned", "[formula]") {
  const auto op = formula("dot^2 / (dist2 + eps) * scale", "{eps: {start: 0.1, positive: true}, scale: {start: -2}}");
  const auto learned = op->parameters();
  REQUIRE(learned.size() == 2);
  CHECK(learned[0].first == "free_eps");
  CHECK(learned[1].first == "scale");
  const auto seen = op->observables();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].first == "eps");
  CHECK(seen[0].second == Approx(0.1).epsilon(1e-6));
  CHECK(seen[1].second == -2);
  at::manual_seed(44);
  const Tensor x = random({3, 5}), w = random({4, 5});
  const Tensor y = op->scores(x, w), plain = dot_of(x, w).square() / (dist2_of(x, w) + 0.1);
  CHECK(relative_error(y, -2 * plain) < 1e-6);
  const auto g = torch::autograd::grad({y.sum()}, {learned[0].second, learned[1].second});
  CHECK(g[1].item<double>() == Approx(plain.sum().item<double>()).epsilon(1e-5));
  // d softplus(p) / dp = 1 - e^-eps
  const double slope = (2 * plain / (dist2_of(x, w) + 0.1)).sum().item<double>();
  CHECK(g[0].item<double>() == Approx(slope * -std::expm1(-0.1)).epsilon(1e-4));
  CHECK(formula("dot + s", "{s: 1}")->parameters().empty());
  CHECK(formula("dot + s", "{s: {start: 50, positive: true}}")->observables()[0].second == Approx(50));
}

TEST_CASE("a formula that may be undefined, or that names nobody, is refused at its place", "[formula]") {
  refuses("column 7: it is divided by what may be 0", "dot / dist2");
  refuses("dist2 + eps", "dot / dist2");
  refuses("divided by what may be 0", "dot / (dist2 + eps)", "{eps: 0}");
  refuses("divided by what may be 0", "1 / cos");
  refuses("divided by what may be 0", "dist2^-1");
  CHECK(refused("1 / (cos - 2)") == "no error");
  refuses("sqrt of what may be -inf", "sqrt(dot)");
  refuses("log of what may be 0", "log(dist2)");
  refuses("not to a whole number", "dot^0.5");
  CHECK(refused("abs(dot)^0.5") == "no error");
  refuses("'dist3' is neither a measure of x and w nor a parameter", "dist3 + 1");
  refuses("did you mean", "dist3 + 1");
  refuses("operator.parameters={s: 1}", "dot + s");
  refuses("the formula has no 'eps'", "dot", "{eps: 1}");
  refuses("a parameter cannot be called 'xx'", "dot + xx", "{xx: 1}");
  refuses("a condition stands where a number is needed", "dot > 0");
  refuses("neither true nor false", "where(dot, 1, 2)");
  refuses("this is no number", "dot + true");
  refuses("column 6: it ends where a value is expected", "dot +");
  refuses("must be a number or a map", "dot * s", "{s: big}");
  refuses("cannot start at 0", "dot * s", "{s: {start: 0, positive: true}}");
  refuses("begin", "dot * s", "{s: {begin: 0}}");
}
