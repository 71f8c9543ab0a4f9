#include "plugins/language/commands/sample_tokens.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "core/base/error.h"
#include "helpers.h"

namespace yatlab {
namespace {

using testing::error_of;

/// Gives every next token the same distribution.
struct Forgetful final : LanguageModel {
  explicit Forgetful(std::vector<double> p) : logits(at::tensor(p, at::kDouble).log().unsqueeze(1)) {}
  Tensor hidden(const Tensor& tokens) override { return at::ones({1, tokens.size(1), 1}, at::kDouble); }
  Tensor head() const override { return logits; }
  Tensor logits;
};

std::vector<double> shares(const SampleOptions& given) {
  Forgetful model({0.15, 0.5, 0.05, 0.3});
  SampleOptions o = given;
  o.tokens = 4000;
  o.context = 1;
  std::vector<double> out(4);
  for (const Token t : sample_tokens(model, {0}, o)) out.at(t) += 1.0 / static_cast<double>(o.tokens);
  return out;
}

void check_shares(const SampleOptions& o, const std::vector<double>& expected) {
  const auto found = shares(o);
  for (std::size_t i = 0; i < 4; ++i) {
    INFO(i);
    CHECK(found[i] == Approx(expected[i]).margin(expected[i] == 0 || expected[i] == 1 ? 0 : 0.04));  // five standard deviations
  }
}

}  // namespace

TEST_CASE("tokens are drawn as often as their probabilities say", "[sampling]") {
  SampleOptions o;
  check_shares(o, {0.15, 0.5, 0.05, 0.3});
  o.temperature = 0.5;  // squares
  check_shares(o, {0.0225 / 0.365, 0.25 / 0.365, 0.0025 / 0.365, 0.09 / 0.365});
  o.temperature = 1;
  o.top_k = 2;
  check_shares(o, {0, 0.625, 0, 0.375});
  o.top_k = 0;
  o.vocabulary = 2;
  check_shares(o, {0.15 / 0.65, 0.5 / 0.65, 0, 0});
  o.vocabulary = 0;
  o.temperature = 0;
  check_shares(o, {0, 1, 0, 0});
}

TEST_CASE("sampling ends after a number of tokens, by callback or at a stop token", "[sampling]") {
  Forgetful model({0.15, 0.5, 0.05, 0.3});
  SampleOptions o;
  o.tokens = 50;
  o.context = 1;
  std::vector<Token> told;
  const auto all = sample_tokens(model, {0}, o, [&](Token t) { return told.push_back(t), true; });
  CHECK(all.size() == 50);
  CHECK(told == all);
  told.clear();
  const auto few = sample_tokens(model, {0}, o, [&](Token t) { return told.push_back(t), told.size() < 3; });
  CHECK(few == std::vector<Token>(all.begin(), all.begin() + 3));
  CHECK(told == few);
  o.stop = 3;
  const auto stopped = sample_tokens(model, {0}, o);
  const auto first = std::find(all.begin(), all.end(), Token{3});
  REQUIRE(first != all.end());
  CHECK(stopped == std::vector<Token>(all.begin(), first));  // the stop token is not included
}

TEST_CASE("sampling rejects invalid options", "[sampling]") {
  const auto error = [](std::int64_t tokens, double temperature, std::int64_t top_k) {
    SampleOptions o;
    o.tokens = tokens;
    o.temperature = temperature;
    o.top_k = top_k;
    return error_of([&] { check_sampling(o); });
  };
  for (const double t : {-1e-9, -1.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    INFO(t);
    CHECK(error(1, t, 0).rfind("--temperature must be a finite number that is not negative", 0) == 0);
  }
  CHECK(error(0, 1, 0).rfind("--tokens must be positive", 0) == 0);
  CHECK(error(1, 1, -1).rfind("--top-k must not be negative", 0) == 0);
  SampleOptions least;
  least.tokens = 1;
  least.temperature = 0;
  CHECK_NOTHROW(check_sampling(least));
}

}  // namespace yatlab
