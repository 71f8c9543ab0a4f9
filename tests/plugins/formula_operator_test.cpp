#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <array>
#include <cmath>

#include <fmt/format.h>
#include "catch.h"

#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/ops/coordinate_rows.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/operator.h"
#include "core/ops/score_range.h"
#include "core/ops/stacked_operator.h"
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
/// sum of term(x_k, w_k) over coordinates, one by one.
template <class Term>
Tensor slow_sum(const Tensor& x, const Tensor& w, const Term& term) {
  Tensor out = at::zeros({x.size(0), w.size(0)}, at::kDouble);
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    for (std::int64_t j = 0; j < w.size(0); ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < x.size(1); ++k) sum += term(x[i][k].item<double>(), w[j][k].item<double>());
      out[i][j] = sum;
    }
  }
  return out;
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
bool all_finite(const Tensor& t) { return at::isfinite(t).all().item<bool>(); }
Tensor random(at::IntArrayRef shape) { return at::randn(shape, at::kDouble); }
Tensor dot_of(const Tensor& x, const Tensor& w) { return x.matmul(w.t()); }
Tensor dist2_of(const Tensor& x, const Tensor& w) { return (x.unsqueeze(1) - w.unsqueeze(0)).square().sum(-1); }

}  // namespace

TEST_CASE("an operator formula's scores equal the written-out expression", "[formula]") {
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

TEST_CASE("an operator formula has right first and second derivatives", "[formula]") {
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

TEST_CASE("yat as a formula equals yat near and far with its gradients", "[formula][close]") {
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

TEST_CASE("formulas and their gradients are finite at zero vectors and at x = w", "[formula]") {
  for (const char* f : {"dot^2 / (dist2 + 1e-5)", "-dist", "dist2^0.5", "sqrt(dist2)", "cos", "sqrt(xx) * sqrt(ww)", "exp(-dist)"}) {
    INFO(f);
    const auto op = formula(f);
    const Tensor x = at::zeros({2, 3}).set_requires_grad(true), w = at::zeros({2, 3}).set_requires_grad(true);
    const Tensor y = op->scores(x, w);
    CHECK(all_finite(y));
    for (const auto& g : torch::autograd::grad({y.sum()}, {x, w})) CHECK(all_finite(g));
    const Tensor same = at::ones({1, 3}).set_requires_grad(true);
    CHECK(all_finite(torch::autograd::grad({op->scores(same, same.detach()).sum()}, {same})[0]));
  }
}

TEST_CASE("a formula's traits follow from its range of values", "[formula]") {
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
  // The range holds for all values.
  at::manual_seed(43);
  for (const char* f : {"cos^2 / (1.1 - cos)", "tanh(dot) - exp(-dist2)", "max(cos, -0.5) * min(cos, 0.5)", "1 / (2 + cos)^2",
                        "(cos - 3)^-3", "abs(cos)^1.5 - cos"}) {
    INFO(f);
    CHECK(traits(f).bounded);
    const Tensor y = formula(f)->scores(random({50, 2}), random({50, 2}));
    CHECK(((y >= 0).all().item<bool>() || !traits(f).non_negative));
    const auto range = score_range(*formula(f));
    REQUIRE(range);
    CHECK(((y >= range->low).all().item<bool>() && (y <= range->high).all().item<bool>()));
  }
  CHECK(score_range(*formula("exp(-dist2)"))->high == 1);
  CHECK_FALSE(score_range(*formula("dot")));
  CHECK_FALSE(score_range(*formula("a * tanh(dot)", "{a: {start: 1}}")));
}

TEST_CASE("ranges of a formula's functions are known at both ends", "[formula]") {
  struct Case {
    const char* function;
    double low, high;
  };
  for (const auto& c : {Case{"exp(tanh(dot))", std::exp(-1), std::exp(1)}, Case{"log(2 + tanh(dot))", 0, std::log(3)},
                        Case{"log10(2 + tanh(dot))", 0, std::log10(3)}, Case{"sqrt(2 + tanh(dot))", 1, std::sqrt(3)},
                        Case{"tanh(tanh(dot))", -std::tanh(1), std::tanh(1)},
                        Case{"sigmoid(tanh(dot))", 1 / (1 + std::exp(1)), 1 / (1 + std::exp(-1))}, Case{"relu(tanh(dot))", 0, 1},
                        Case{"abs(tanh(dot))", 0, 1}, Case{"min(tanh(dot), 0.5)", -1, 0.5}, Case{"max(tanh(dot), 0.5)", 0.5, 1}}) {
    INFO(c.function);
    CHECK(refused(fmt::format("sqrt({} - ({}))", c.function, c.low - 0.01)) == "no error");
    CHECK(refused(fmt::format("sqrt({} - {})", c.high + 0.01, c.function)) == "no error");
    refuses("sqrt of a value that can be", fmt::format("sqrt({} - ({}))", c.function, c.low + 0.01));
    refuses("sqrt of a value that can be", fmt::format("sqrt({} - {})", c.high - 0.01, c.function));
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

TEST_CASE("undefined formulas and unknown names are rejected with their place", "[formula]") {
  refuses("column 7: it is divided by a value that can be 0", "dot / dist2");
  refuses("dist2 + eps", "dot / dist2");
  refuses("divided by a value that can be 0", "dot / (dist2 + eps)", "{eps: 0}");
  refuses("divided by a value that can be 0", "1 / cos");
  refuses("divided by a value that can be 0", "dist2^-1");
  CHECK(refused("1 / (cos - 2)") == "no error");
  refuses("sqrt of a value that can be -inf", "sqrt(dot)");
  refuses("log of a value that can be 0", "log(dist2)");
  refuses("not an integer", "dot^0.5");
  CHECK(refused("abs(dot)^0.5") == "no error");
  refuses("'dist3' is neither a measure of x and w nor a parameter", "dist3 + 1");
  refuses("did you mean", "dist3 + 1");
  refuses("operator.s=1", "dot + s");
  refuses("the formula has no 'eps'", "dot", "{eps: 1}");
  refuses("a parameter cannot be called 'xx'", "dot + xx", "{xx: 1}");
  refuses("expected a number, found a condition", "dot > 0");
  refuses("this is not a condition", "where(dot, 1, 2)");
  refuses("this is not a number", "dot + true");
  refuses("column 6: expected a value, found the end", "dot +");
  refuses("must be a number or a map", "dot * s", "{s: big}");
  refuses("cannot start at 0", "dot * s", "{s: {start: 0, positive: true}}");
  refuses("begin", "dot * s", "{s: {begin: 0}}");
}

TEST_CASE("sums over coordinates in a formula equal slow loops", "[formula][coordinates]") {
  at::manual_seed(45);
  const Tensor x = random({3, 5}), w = random({4, 5});
  const auto same = [&](const std::string& f, const Tensor& expected, const std::string& parameters = "{}") {
    INFO(f);
    CHECK(relative_error(formula(f, parameters)->scores(x, w), expected) < 1e-12);
  };
  same("sum(abs(x - w))", slow_sum(x, w, [](double a, double b) { return std::abs(a - b); }));
  same("sum(abs(x - w)^p)^(1/p)", slow_sum(x, w, [](double a, double b) { return std::pow(std::abs(a - b), 1.5); }).pow(1 / 1.5),
       "{p: 1.5}");
  same("sum(min(x, w))", slow_sum(x, w, [](double a, double b) { return std::min(a, b); }));
  same("sum(x * w) - dot + 1", at::ones({3, 4}, at::kDouble));
  same("mean(tanh(x * w))", slow_sum(x, w, [](double a, double b) { return std::tanh(a * b); }) / 5);
  same("sum(x^2 * w) * dot / d", slow_sum(x, w, [](double a, double b) { return a * a * b; }) * dot_of(x, w) / 5);
  same("max(abs(x - w))", (x.unsqueeze(1) - w.unsqueeze(0)).abs().amax(-1));
  same("min(x + w) + sum(x)", (x.unsqueeze(1) + w.unsqueeze(0)).amin(-1) + x.sum(-1, true));
  same("sum(where(x > w, 1, 0))", slow_sum(x, w, [](double a, double b) { return a > b ? 1.0 : 0.0; }));
  // Leading dimensions, a bias, types.
  const auto op = formula("exp(-sum(abs(x - w)))");
  const Tensor a = random({2, 1, 3, 5}), b = random({6, 4, 5}), y = op->scores(a, b);
  CHECK(y.sizes() == at::IntArrayRef({2, 6, 3, 4}));
  CHECK(relative_error(y[1][4], op->scores(a[1][0], b[4])) < 1e-14);
  CHECK(op->scores(x.to(at::kBFloat16), w.to(at::kBFloat16), at::ones({4})).scalar_type() == at::kBFloat16);
  CHECK(op->scores(at::zeros({0, 5}), w.to(at::kFloat)).sizes() == at::IntArrayRef({0, 4}));
}

TEST_CASE("sums over coordinates have first and second derivatives, in parameters too", "[formula][coordinates]") {
  at::manual_seed(46);
  for (const char* f : {"sum(abs(x - w)^3)", "exp(-sum(sqrt((x - w)^2 + 0.1)))", "sum(tanh(x * w)) * dot", "max(x * w)", "sum(x)^2 + ww"}) {
    INFO(f);
    const auto op = formula(f);
    const gradients::Function value = [&](const std::vector<Tensor>& in) { return op->scores(in[0], in[1]); };
    const std::vector<Tensor> in = {random({2, 3}), random({3, 3})};
    CHECK(gradients::first_order_error(value, in) < 1e-6);
    CHECK(gradients::second_order_error(value, in) < 1e-5);
  }
  // d/dp sum |x - w|^p = sum |x - w|^p ln|x - w|
  const auto op = formula("sum(abs(x - w)^max(p, 1))", "{p: {start: 2.5}}");
  const Tensor x = random({3, 5}), w = random({4, 5}), p = op->parameters()[0].second;
  const auto g = torch::autograd::grad({op->scores(x, w).sum()}, {p}, {}, true, true)[0];
  const auto gap = [&](int logs) {
    return slow_sum(x, w, [&](double a, double b) { return std::pow(std::abs(a - b), 2.5) * std::pow(std::log(std::abs(a - b)), logs); })
        .sum();
  };
  CHECK(g.item<double>() == Approx(gap(1).item<double>()).epsilon(1e-5));
  CHECK(torch::autograd::grad({g}, {p})[0].item<double>() == Approx(gap(2).item<double>()).epsilon(1e-5));
  // At x = w, where |.| and roots have no derivative.
  const Tensor at = at::ones({2, 3}).set_requires_grad(true);
  for (const char* f : {"sum(abs(x - w))", "sum(abs(x - w)^1.5)^(1/1.5)", "sum(sqrt(abs(x - w)))"}) {
    INFO(f);
    CHECK(all_finite(torch::autograd::grad({formula(f)->scores(at, at.detach()).sum()}, {at})[0]));
  }
}

TEST_CASE("sums over coordinates and their gradients are the same beyond one tile", "[formula][coordinates]") {
  at::manual_seed(47);
  // Tiles that end within rows, and within units.
  for (const auto& [rows, units, dim] : {std::array<std::int64_t, 3>{70, 30, 400}, {3, 1500, 500}, {2, 3, kCoordinateTile + 5}}) {
    INFO(rows << " x " << units << " x " << dim);
    std::int64_t largest = 0, tiles = 0;
    const CoordinateRule rule = [&](const Tensor& x, const Tensor& w, const std::vector<Tensor>& p) {
      const Tensor terms = (x - w).square() * p[0];
      largest = std::max(largest, terms.numel());
      ++tiles;
      return terms.tanh().sum(-1);
    };
    const Tensor x = random({rows, dim}).set_requires_grad(true), w = random({units, dim}).set_requires_grad(true);
    const Tensor p = at::scalar_tensor(0.3, at::kDouble).set_requires_grad(true);
    const auto orders = [&](const Tensor& y) {
      auto out = torch::autograd::grad({(y * gradients::weights_like(y)).sum()}, {x, w, p}, {}, true, true);
      const auto second = torch::autograd::grad({(out[0] * gradients::weights_like(x)).sum() + out[2]}, {x, w, p});
      out.insert(out.end(), second.begin(), second.end());
      out.push_back(y);
      return out;
    };
    const auto tiled = orders(over_coordinates(rule, x, w, {p}));
    CHECK(tiles > 3 * 3);
    CHECK(largest <= std::max(kCoordinateTile, dim));
    std::vector<Tensor> all;  // row by row, without tiles
    for (std::int64_t i = 0; i < rows; ++i) all.push_back((((x[i] - w).square()) * p).tanh().sum(-1));
    const auto plain = orders(at::stack(all));
    for (std::size_t i = 0; i < tiled.size(); ++i) CHECK(relative_error(tiled[i], plain[i]) < 1e-11);
  }
}

TEST_CASE("traits of sums over coordinates are derived and invalid ones rejected", "[formula][coordinates]") {
  const auto traits = [](const std::string& f) { return formula(f)->traits(); };
  CHECK(traits("sum(abs(x - w))").non_negative);
  CHECK(traits("sum(abs(x - w))").symmetric);
  CHECK(traits("sum(abs(x - w))").even);
  CHECK(traits("exp(-sum(abs(x - w)))").bounded);
  CHECK(traits("mean(sigmoid(x * w))").bounded);
  CHECK_FALSE(traits("sum(min(x, w))").non_negative);
  CHECK_FALSE(traits("sum(x^2 * w)").symmetric);
  CHECK_FALSE(traits("sum(x^2 * w)").even);  // (x, -w) gives -f, (-x, w) gives f
  CHECK(formula("sum(abs(x - w))")->flops(2, 3, 5) > 2 * 3 * 5 * 3);
  refuses("column 1: 'x' has several coordinates", "x * dot");
  refuses("column 5: 'dot' is the same for all coordinates", "sum(dot * x)");
  refuses("column 5: sum is used inside another sum, mean, max or min", "sum(sum(x))");
  CHECK(refused("-sum(abs(x - w)^p)^(1/p)", "{p: {start: 2, positive: true}}") == "no error");
  refuses("which has no coordinates", "sum(2)");
  refuses("column 10: it is divided by a value that can be 0", "sum(x/(x - w))");
  refuses("not an integer", "sum((x - w)^0.5)");
  refuses("a parameter cannot be called 'w'", "sum(w)", "{w: 1}");
  const Tensor x = random({2, 3}).set_requires_grad(true);
  const Tensor first = torch::autograd::grad({formula("sum(tanh(x * w))")->scores(x, random({2, 3})).sum()}, {x}, {}, true, true)[0];
  CHECK_THROWS_AS(torch::autograd::grad({first.sum()}, {x}, {}, true, true), Error);
}

TEST_CASE("each member of a stack uses its own parameters in sums over coordinates", "[formula][coordinates]") {
  at::manual_seed(48);
  const Tensor x = random({1, 3, 5}), w = random({2, 4, 5});
  const auto op = formula("sum(abs(x - w)^max(p, 1)) * s", "{p: {start: 1.5}, s: 2}");
  CHECK(stacks(*op));
  const Tensor y = stacked_scores(*op, x, w, {}, {});
  for (std::int64_t i = 0; i < 2; ++i) CHECK(relative_error(y[i], op->scores(x[0], w[i])) < 1e-12);
}

TEST_CASE("a formula's parameters may be given beside it", "[formula]") {
  at::manual_seed(49);
  const Tensor x = random({3, 5}), w = random({4, 5});
  const auto beside = made("{name: formula, f: 'dot^2 / (dist2 + eps) * s', eps: 0.1, s: {start: -2}}");
  const auto within = formula("dot^2 / (dist2 + eps) * s", "{eps: 0.1, s: {start: -2}}");
  CHECK(at::equal(beside->scores(x, w), within->scores(x, w)));
  CHECK(beside->parameters().size() == 1);
  CHECK_THROWS_WITH(made("{name: formula, f: 'dot * eps', eps: 1, parameters: {eps: 2}}"),
                    Catch::Matchers::ContainsSubstring("'eps' is given twice"));
  CHECK_THROWS_WITH(
      made("{name: formula, f: 'dot * eps', eps: 1, epz: 2}"),
      Catch::Matchers::ContainsSubstring("the formula has no 'epz'") && Catch::Matchers::ContainsSubstring("did you mean 'eps'?"));
  CHECK_THROWS_WITH(made("{name: formula, f: 'dot', parametres: 1}"),
                    Catch::Matchers::ContainsSubstring("the formula has no 'parametres'"));
}
