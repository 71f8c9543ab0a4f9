#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/autograd.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/ops/normalizer.h"
#include "holds.h"
#include "ops/gradients.h"
#include "plugins/language/architectures/attention.h"

using at::Tensor;
using gradients::relative_error;
using namespace yatlab;

namespace {

std::shared_ptr<Normalizer> normalizer_of(const std::string& yaml) { return Registry<Normalizer>::create(parse_yaml(yaml, "x.yaml")); }
std::shared_ptr<Normalizer> score_formula(const std::string& f, const std::string& more = "") {
  return normalizer_of("{name: formula, f: '" + f + "'" + more + "}");
}
std::string score_error(const std::string& f, const std::string& more = "") {
  try {
    score_formula(f, more);
  } catch (const Error& e) {
    return std::string(e.message()) + " | " + std::string(e.where()) + " | " + std::string(e.why()) + " | " + std::string(e.hint());
  }
  return "no error";
}

/// A built-in normalizer and equivalent formulas.
struct Known {
  std::string built_in;
  std::vector<std::string> formulas;
};
std::vector<Known> known(double n) {
  const auto power = fmt::format(", power: {:.1f}}}", n);
  std::vector<Known> out = {
      {"{name: softmax" + power, {"exp(n * s) / sum(exp(n * s))", "exp(n * s - max(n * s)) / sum(exp(n * s - max(n * s)))"}},
      {"{name: softermax" + power, {"s^n / (1e-12 + sum(s^n))", "s^n / (sum(s^n) + 1e-12)"}},
      {"{name: soft_sigmoid" + power, {"s^n / (1 + s^n)", "s^n / (s^n + 1)"}},
      {"{name: soft_tanh" + power, {"(s^n - 1) / (s^n + 1)"}}};
  return out;
}

using Form = std::function<Tensor(const Normalizer&, const Tensor&)>;
/// Value, gradient of its projection, and that gradient's gradient.
std::vector<Tensor> orders_of(const Normalizer& normalizer, const Tensor& scores, const Form& form) {
  const Tensor s = scores.detach().clone().set_requires_grad(true);
  const Tensor y = form(normalizer, s), finite = at::where(y.isfinite(), y, at::zeros({}, y.options()));
  const Tensor first = torch::autograd::grad({(finite * gradients::weights_like(y)).sum()}, {s}, {}, true, true)[0];
  const Tensor second = torch::autograd::grad({(first * gradients::weights_like(first).cos()).sum()}, {s})[0];
  return {y.detach(), first.detach(), second};
}

void same_orders(const Normalizer& a, const Normalizer& b, const Tensor& scores, const Form& form, double tolerance = 1e-11) {
  const auto mine = orders_of(a, scores, form), theirs = orders_of(b, scores, form);
  CHECK(at::equal(mine[0].isinf(), theirs[0].isinf()));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    INFO("derivative " << i);
    const auto plain = [](const Tensor& t) { return at::where(t.isinf(), at::zeros({}, t.options()), t); };
    CHECK(relative_error(plain(mine[i]), plain(theirs[i])) < tolerance);
  }
}

}  // namespace

TEST_CASE("built-in normalizers written as formulas agree in values and derivatives", "[formula][normalizers]") {
  at::manual_seed(50);
  const Tensor scores = at::rand({4, 5}, at::kDouble) * 4 + 0.01;
  Tensor mask = at::rand({4, 5}) > 0.4;
  mask.select(0, 1).fill_(false);  // a completely masked row
  mask.select(0, 2).fill_(true);
  for (const double n : {0.5, 1.0, 2.0, 3.7}) {
    for (const auto& [built_in, formulas] : known(n)) {
      const auto reference = normalizer_of(built_in);
      for (const auto& f : formulas) {
        INFO(f << " n " << n);
        const auto own = score_formula(f, fmt::format(", n: {}", n));
        CHECK(own->competitive() == reference->competitive());
        if (n != 2) CHECK(own->needs_non_negative() == reference->needs_non_negative());  // a square accepts any score
        for (const std::int64_t dim : {-1, 0}) {
          same_orders(*own, *reference, scores, [&](const Normalizer& g, const Tensor& s) { return g.normalize(s, dim); });
          same_orders(*own, *reference, scores, [&](const Normalizer& g, const Tensor& s) { return g.normalize(s, dim, mask); });
          if (built_in.find("tanh") != std::string::npos) continue;
          same_orders(*own, *reference, scores, [&](const Normalizer& g, const Tensor& s) { return g.log_normalize(s, dim); });
          same_orders(*own, *reference, scores, [&](const Normalizer& g, const Tensor& s) { return g.log_normalize(s, dim, mask); });
          same_orders(
              *own, *reference, scores, [&](const Normalizer& g, const Tensor& s) { return g.log_complement(s, dim); }, 1e-9);
        }
      }
    }
  }
}

TEST_CASE("normalizer formulas handle zero scores, empty rows and every type", "[formula][normalizers]") {
  const Tensor scores = at::tensor({0.0, 2.0, 0.0, 0.5, 0.0, 0.0}, at::kDouble).view({2, 3});
  for (const double n : {0.5, 1.0, 2.0}) {
    const auto own = score_formula("s^n / (1e-12 + sum(s^n))", fmt::format(", n: {}", n));
    const auto reference = normalizer_of(fmt::format("{{name: softermax, power: {:.1f}}}", n));
    INFO(n);
    const auto mine = orders_of(*own, scores.narrow(0, 0, 1), [](const Normalizer& g, const Tensor& s) { return g.normalize(s); });
    const auto theirs = orders_of(*reference, scores.narrow(0, 0, 1), [](const Normalizer& g, const Tensor& s) { return g.normalize(s); });
    for (std::size_t i = 0; i < 2; ++i) CHECK(relative_error(mine[i], theirs[i]) < 1e-12);
    CHECK(relative_error(own->log_normalize(scores), reference->log_normalize(scores)) < 1e-12);
  }
  const auto softmax = score_formula("exp(s) / sum(exp(s))");
  CHECK(softmax->normalize(at::empty({3, 0})).sizes() == at::IntArrayRef({3, 0}));
  CHECK(softmax->log_normalize(at::empty({0, 3})).sizes() == at::IntArrayRef({0, 3}));
  for (const auto type : {at::kFloat, at::kHalf, at::kBFloat16}) {
    const Tensor low = softmax->normalize(scores.to(type));
    CHECK(low.scalar_type() == type);
    CHECK(relative_error(low.to(at::kDouble), at::softmax(scores, -1)) < (type == at::kFloat ? 1e-6 : 1e-2));
  }
  try {
    score_formula("s / (1 + s)")->normalize(-at::ones({2, 2}));
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(testing::holds(e.what(), "normalizer formula got a negative score (-1)"));
  }
}

TEST_CASE("normalizer formulas are evaluated in a numerically stable way", "[formula][normalizers]") {
  const auto close = [](const std::string& f, const Tensor& scores, const Tensor& expected) {
    INFO(f);
    const auto own = score_formula(f);
    const Tensor s = scores.to(at::kFloat).set_requires_grad(true), y = own->normalize(s);
    CHECK(relative_error(y.detach().to(at::kDouble), expected) < 2e-5);
    const Tensor logs = own->log_normalize(s);
    CHECK(logs.isfinite().all().item<bool>());
    for (const auto& out : {y, logs}) {
      const Tensor g = torch::autograd::grad({(out * gradients::weights_like(out)).sum()}, {s}, {}, true)[0];
      CHECK(g.isfinite().all().item<bool>());
    }
  };
  const Tensor far = at::tensor({1000.0, 999.0, -1000.0, 3.0, -2000.0, -2001.0, -2002.0, -2003.0}, at::kDouble).view({2, 4});
  close("exp(s) / sum(exp(s))", far, at::softmax(far, -1));
  close("exp(s)^2 / sum(exp(s)^2)", far, at::softmax(2 * far, -1));
  close("exp(s) / (1 + sum(exp(s)))", far, (far - at::logsumexp(at::cat({far, at::zeros({2, 1}, at::kDouble)}, 1), {1}, true)).exp());
  close("sigmoid(s)", far, far.sigmoid());
  close("1 / (1 + exp(-s))", far, far.sigmoid());
  close("exp(s) / (exp(s) + exp(-s))", far, (2 * far).sigmoid());
  const Tensor large = at::tensor({1e30, 3e29, 1e-30, 2.0}, at::kDouble).view({1, 4});
  close("s^3 / (1e-12 + sum(s^3))", large, large.pow(3) / large.pow(3).sum());
  close("(s + 1)^-3 / ((s + 1)^-3 + 1)", large, 1 / (1 + (large + 1).pow(3)));
  close("(s + 1)^4 / sum((s + 1)^4)", large, (large + 1).pow(4) / (large + 1).pow(4).sum());
  // ln(1 - f) where f rounds to 1.
  const Tensor s = at::tensor({40.0, 400.0}), left = score_formula("sigmoid(s)")->log_complement(s);
  CHECK(at::allclose(left, -s));
}

TEST_CASE("reductions in a normalizer formula are over unmasked scores", "[formula][normalizers]") {
  const Tensor s = at::tensor({1.0, 5.0, 2.0, 100.0}, at::kDouble).view({1, 4}), mask = at::tensor({1, 1, 1, 0}).view({1, 4}).to(at::kBool);
  const auto weights = [&](const std::string& f) { return score_formula(f)->normalize(s, -1, mask); };
  const auto is = [&](const std::string& f, std::vector<double> expected) {
    INFO(f);
    CHECK(relative_error(weights(f), at::tensor(expected, at::kDouble).view({1, 4})) < 1e-8);
  };
  is("1 / sum(1)", {1 / 3.0, 1 / 3.0, 1 / 3.0, 0});
  is("abs(s) / sum(abs(s) + 1)", {1 / 11.0, 5 / 11.0, 2 / 11.0, 0});
  is("max(s - mean(s), 0) / (1e-9 + sum(max(s - mean(s), 0)))", {0, 1, 0, 0});
  is("where(s == max(s), 1, 0) / max(sum(where(s == max(s), 1, 0)), 1)", {0, 1, 0, 0});
  is("exp(min(s) - s) / sum(exp(min(s) - s))", {1 / (1 + std::exp(-4) + std::exp(-1)), std::exp(-4) / (1 + std::exp(-4) + std::exp(-1)),
                                                std::exp(-1) / (1 + std::exp(-4) + std::exp(-1)), 0});
}

TEST_CASE("masked scores do not affect the exponent of their row", "[formula][normalizers]") {
  const Tensor s = at::tensor({-1000.0, -1001.0, 5.0}).view({1, 3}), mask = at::tensor({1, 1, 0}).view({1, 3}).to(at::kBool);
  const Tensor expected = at::tensor({1 / (1 + std::exp(-1.0)), 1 / (1 + std::exp(1.0)), 0.0}, at::kDouble).view({1, 3});
  CHECK(relative_error(score_formula("exp(s) / sum(exp(s))")->normalize(s, -1, mask).to(at::kDouble), expected) < 1e-6);
}

TEST_CASE("attention with normalizer formulas agrees with built-in ones, whole and in blocks", "[formula][normalizers][attention]") {
  at::manual_seed(51);
  const auto op = Registry<Operator>::create("yat");
  const std::vector<Tensor> in = {at::randn({2, 9, 4}, at::kDouble), at::randn({2, 9, 4}, at::kDouble), at::randn({2, 9, 3}, at::kDouble)};
  const std::vector<std::pair<std::string, std::string>> cases = {{"{name: softmax}", "exp(s) / sum(exp(s))"},
                                                                  {"{name: softmax, power: 2.0}", "exp(2 * s) / sum(exp(2 * s))"},
                                                                  {"{name: softermax}", "s / (1e-12 + sum(s))"},
                                                                  {"{name: softermax, power: 2.0}", "relu(s)^2 / (sum(relu(s)^2) + 1e-12)"},
                                                                  {"{name: soft_sigmoid}", "s / (1 + s)"}};
  for (const auto& [built_in, f] : cases) {
    const auto reference = normalizer_of(built_in), own = score_formula(f);
    for (const std::int64_t block : {0, 4}) {
      for (const bool causal : {true, false}) {
        INFO(f << " block " << block << " causal " << causal);
        AttentionOptions options;
        options.block = block;
        options.causal = causal;
        options.factor = 0.5;
        const auto both = [&](const std::shared_ptr<Normalizer>& normalizer) {
          const gradients::Function value = [&](const std::vector<Tensor>& x) {
            return attention(op, normalizer, x[0], x[1], x[2], options);
          };
          auto out = gradients::gradient(value, in);
          out.push_back(value(in));
          return out;
        };
        const auto a = both(own), b = both(reference);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(relative_error(a[i], b[i]) < 1e-11);
      }
    }
  }
}

TEST_CASE("normalizer formulas g / (epsilon + sum g) are recognised for increasing g", "[formula][normalizers]") {
  const Tensor probe = at::ones({1});
  CHECK(score_formula("exp(s) / sum(exp(s))")->log_weight(probe).is_same(probe));  // attention uses its softmax for this one
  CHECK(score_formula("exp(s) / sum(exp(s))")->log_offset() == -std::numeric_limits<double>::infinity());
  CHECK(score_formula("relu(s)^2 / (1e-12 + sum(relu(s)^2))")->log_offset() == Approx(std::log(1e-12)));
  CHECK(score_formula("exp(s) / (1 + sum(exp(s)) + c)", ", c: 2")->log_offset() == Approx(std::log(3)));
  const auto known_form = [&](const std::string& f) { return score_formula(f)->log_weight(probe).defined(); };
  CHECK(known_form("sigmoid(s) / sum(sigmoid(s))"));
  CHECK(known_form("(1 + tanh(s)) / (1e-6 + sum(1 + tanh(s)))"));
  CHECK(known_form("relu(s)^3 / (1e-6 + sum(relu(s)^3))"));
  // Increasing functions: products and quotients with constants, or with decreasing ones.
  const auto known_weight = [&](const std::string& g) { return known_form(g + " / (1e-6 + sum(" + g + "))"); };
  CHECK(known_weight("(1 + 0.5 * tanh(s))"));
  CHECK(known_weight("(1 + tanh(-s) * (-0.5))"));
  CHECK(known_weight("(1 - 0.5 * tanh(-s))"));
  CHECK_FALSE(known_weight("(1 + tanh(s) * (-0.5))"));
  CHECK_FALSE(known_weight("(1 - 0.5 * tanh(s))"));
  CHECK(known_weight("relu(s / 2)"));
  CHECK(known_weight("relu(s) / (2 + tanh(-s))"));
  CHECK_FALSE(known_weight("relu(s) / (2 + tanh(s))"));
  CHECK_FALSE(known_weight("(2 + tanh(s) / (2 + tanh(-s)))"));  // not recognized: its numerator may be negative
  CHECK(known_weight("relu(s) * (2 + tanh(s))"));
  CHECK_FALSE(known_weight("relu(s) * (2 - tanh(s))"));
  CHECK_FALSE(known_form("abs(s) / (1e-6 + sum(abs(s)))"));            // decreases below 0
  CHECK_FALSE(known_form("exp(-s) / sum(exp(-s))"));                   // decreases
  CHECK_FALSE(known_form("s^2 / (1e-6 * max(s) + 1e-6 + sum(s^2))"));  // its epsilon differs between rows
  CHECK_FALSE(known_form("s / (1 + s)"));
  const auto zeros = score_formula("s^0.5 / (1e-12 + sum(s^0.5))")->log_weight(at::zeros({3}));
  CHECK(zeros.max().item<double>() < std::log(1e-12) - 100);
}

TEST_CASE("undefined normalizer formulas and those without weights are rejected with their place", "[formula][normalizers]") {
  const auto refuses = [](const std::string& why, const std::string& f, const std::string& more = "") {
    const auto error = score_error(f, more);
    INFO(f << ": " << error);
    CHECK(testing::holds(error, why));
  };
  refuses("column 5: it is divided by a value that can be 0", "s / sum(s)");
  refuses("sum(s) + 1e-12", "s / sum(s)");
  refuses("divided by a value that can be 0", "s / (s - 1)");
  refuses("'x' is neither the score s nor a parameter", "exp(x) / sum(exp(x))");
  refuses("normalizer.n=1", "s^n / (1 + s^n)");
  refuses("the formula has no 'power'", "exp(s) / sum(exp(s))", ", power: 2");
  refuses("a parameter cannot be called 's'", "exp(s) / sum(exp(s))", ", s: 2");
  refuses("sum to", "exp(s) / mean(exp(s))");
  refuses("divide by the sum", "exp(s - max(s))");
  refuses("weights must not be negative, but can be -inf", "s - max(s)");
  refuses("'normalizer.n' must be a number", "s^n / (1 + s^n)", ", n: {start: 1}");
  refuses("normalizer.f", "s / sum(s)");
  CHECK(score_formula("s / (1e-9 + sum(abs(s)))")->needs_non_negative());  // with negative scores, weights would be negative
  CHECK(score_formula("s / (1e-9 + sum(s))")->needs_non_negative());
  CHECK_FALSE(score_formula("tanh(s)")->needs_non_negative());
  const auto fails = [](const std::string& why, const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& e) {
      CHECK(testing::holds(e.what(), why));
      return;
    }
    FAIL("no error");
  };
  const Tensor s = at::rand({2, 3});
  fails("it has no logarithm: its values can be -1", [&] { score_formula("tanh(s)")->log_normalize(s); });
  fails("1 minus it has no logarithm: its values can be inf", [&] { score_formula("relu(s)")->log_complement(s); });
}
