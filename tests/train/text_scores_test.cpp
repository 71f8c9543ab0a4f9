#include "core/model/text_scores.h"

#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "helpers.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::error_of;
using testing::holds;

/// Predicts the next token more confidently the more tokens it has seen: its hidden state at position t is t + 1 times the one-hot of the last token.
class SureByPlace final : public LanguageModel {
 public:
  Tensor hidden(const Tensor& tokens) override {
    longest = std::max(longest, tokens.size(1));
    const Tensor place = at::arange(1, tokens.size(1) + 1).view({1, -1, 1}).to(at::kFloat);
    return at::one_hot(tokens, kTokens).to(at::kFloat) * place;
  }
  Tensor head() const override { return at::eye(kTokens); }
  std::int64_t longest = 0;
  static constexpr std::int64_t kTokens = 5;
};

/// By definition: each token from the window that predicts it first.
double slow_nats(const std::vector<Token>& text, std::int64_t context, std::int64_t stride) {
  double out = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    std::int64_t begin = 0;
    while (static_cast<std::int64_t>(i) > begin + context) begin += stride;
    const double place = static_cast<double>(static_cast<std::int64_t>(i) - begin);
    const double sum = std::exp(place) + SureByPlace::kTokens - 1;
    out -= text[i] == text[i - 1] ? place - std::log(sum) : -std::log(sum);
  }
  return out;
}

}  // namespace

TEST_CASE("a model with NaN scores has no text scores", "[text_scores][finite]") {
  const Tensor sure = at::tensor({0.1, std::nan(""), 0.9}), right = at::tensor(std::vector<std::int64_t>{0, 1, 1}).to(at::kBool);
  CHECK(std::isnan(calibration_error(sure, right, 15)));
  const Tensor edges = at::tensor({0., 0.05, 0.99, 1., std::nan("")});
  CHECK(confidence_bins(edges, 10).equal(at::tensor(std::vector<std::int64_t>{0, 0, 9, 9, 0})));
  class Nowhere final : public LanguageModel {
   public:
    Tensor hidden(const Tensor& tokens) override { return at::full({tokens.size(0), tokens.size(1), 3}, std::nan(""), at::kFloat); }
    Tensor head() const override { return at::eye(3); }
  } model;
  WindowOptions o;
  o.context = 4;
  o.stride = 4;
  const auto scores = score_text(model, {0, 1, 2, 0, 1, 2}, o);
  for (const double value : {scores.nats, scores.accuracy, scores.ece}) CHECK(std::isnan(value));
}

TEST_CASE("every token but the first counts once, from the first window that has it", "[text_scores]") {
  std::vector<Token> text;
  for (int i = 0; i < 37; ++i) text.push_back(static_cast<Token>(i / 3 % 5));
  for (const std::int64_t stride : {1, 2, 3, 5, 8}) {
    for (const std::int64_t batch : {1, 3, 100}) {
      SureByPlace model;
      WindowOptions o;
      o.context = 8;
      o.stride = stride;
      o.batch = batch;
      const auto scores = score_text(model, text, o);
      INFO(stride << " " << batch);
      CHECK(scores.tokens == 36);
      CHECK(scores.nats == Approx(slow_nats(text, 8, stride)).epsilon(1e-5));
      CHECK(scores.accuracy == Approx(24.0 / 36));  // the first and each that follows a different one
      CHECK(model.longest == 8);
    }
  }
  SureByPlace model;
  WindowOptions o;
  o.context = 100;
  o.stride = 100;
  CHECK(score_text(model, text, o).nats == Approx(slow_nats(text, 100, 100)).epsilon(1e-5));
  o.stride = 101;
  CHECK(holds(error_of([&] { score_text(model, text, o); }), "windows of 100 tokens cannot be 101 apart"));
  o.stride = 1;
  CHECK(holds(error_of([&] { score_text(model, {3}, o); }), "nothing to predict"));
}

TEST_CASE("the calibration error weights each bin's gap by its count", "[text_scores]") {
  const Tensor sure = at::tensor({0.9, 0.95, 0.1, 1.0}), right = at::tensor({1.0, 0.0, 0.0, 1.0}).to(at::kBool);
  // Bins of 0.5: three above, of which two are right, with 2.85 of confidence; one below.
  CHECK(calibration_error(sure, right, 2) == Approx((0.85 + 0.1) / 4));
  CHECK(calibration_error(sure, right, 1) == Approx((2.95 - 2) / 4));
}

}  // namespace yatlab
