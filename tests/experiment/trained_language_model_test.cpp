#include "core/job/trained_language_model.h"

#include <ATen/ATen.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <set>

#include "catch.h"
#include "core/config/yaml.h"
#include "core/model/gpt2_weights.h"
#include "experiment/support.h"
#include "helpers.h"
#include "holds.h"
#include "plugins/language/commands/sample_tokens.h"

namespace yatlab {
namespace {

using testing::error_of;
using testing::holds;

const char* const kText = R"(name: tiny
defaults:
  - /dataset: generated_text
  - /architecture: gpt2_hf
  - /task: language_modeling
  - _self_
operator: {name: dot}
dataset: {train_stories: 12, test_stories: 4, context: 16}
architecture: {layers: 1, heads: 2, width: 8, context: 16}
trainer: {epochs: 1, batch_size: 64, eval_batch_size: 64, checkpoint_seconds: 1000}
seeds: [0]
launcher: {workers: 1}
trackers: []
arms:
  gpt2: []
)";

/// A model whose next token is always the last plus one, modulo 8.
class Counter final : public LanguageModel {
 public:
  Tensor hidden(const Tensor& tokens) override {
    longest = std::max(longest, tokens.size(1));
    return at::one_hot((tokens + 1).remainder(8), 8).to(at::kFloat) * factor;
  }
  Tensor head() const override { return at::eye(8); }
  std::int64_t longest = 0;
  double factor = 3;
};

}  // namespace

TEST_CASE("sampling follows seed, temperature and top-k", "[sample]") {
  Counter model;
  SampleOptions o;
  o.tokens = 20;
  o.context = 5;
  o.temperature = 0;
  CHECK(sample_tokens(model, {0}, o) == std::vector<Token>{1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4});
  CHECK(model.longest == 5);
  o.stop = 3;
  CHECK(sample_tokens(model, {0}, o) == std::vector<Token>{1, 2});
  o.stop.reset();
  CHECK(sample_tokens(model, {0}, o, [](Token t) { return t != 4; }) == std::vector<Token>{1, 2, 3, 4});
  o.temperature = 5;
  o.top_k = 1;
  CHECK(sample_tokens(model, {6}, o)[0] == 7);
  o.top_k = 0;
  o.seed = 1;
  const auto first = sample_tokens(model, {0}, o);
  CHECK(sample_tokens(model, {0}, o) == first);
  o.seed = 2;
  CHECK(sample_tokens(model, {0}, o) != first);
  // At temperature 1 the favourite has probability e^3 / (e^3 + 7) = 0.742.
  o.temperature = 1;
  o.tokens = 4000;
  Token last = 0;
  double right = 0;
  for (const Token token : sample_tokens(model, {0}, o)) {
    right += token == (last + 1) % 8;
    last = token;
  }
  CHECK(right / 4000 == Approx(0.742).margin(0.025));
  // Two remain: the favourite and, among equals, the first.
  o.top_k = 2;
  last = 0;
  for (const Token token : sample_tokens(model, {0}, o)) {
    CHECK((token == (last + 1) % 8 || token == (last == 7 ? 1 : 0)));
    last = token;
  }
  o.vocabulary = 4;
  for (const Token token : sample_tokens(model, {0}, o)) CHECK(token < 4);
}

TEST_CASE("sampling rejects invalid options and predictions", "[sample]") {
  Counter model;
  const auto refused = [&](const std::function<void(SampleOptions&)>& change) {
    SampleOptions o;
    o.tokens = 3;
    o.context = 5;
    change(o);
    return error_of([&] { sample_tokens(model, {0}, o); });
  };
  CHECK(refused([](auto&) {}) == "no error");
  CHECK(holds(refused([](auto& o) { o.tokens = 0; }), "--tokens must be positive"));
  CHECK(holds(refused([](auto& o) { o.temperature = -0.1; }), "--temperature"));
  CHECK(holds(refused([](auto& o) { o.temperature = std::nan(""); }), "--temperature"));
  CHECK(holds(refused([](auto& o) { o.temperature = HUGE_VAL; }), "--temperature"));
  CHECK(holds(refused([](auto& o) { o.top_k = -1; }), "--top-k"));
  model.factor = std::nan("");
  CHECK(holds(refused([](auto&) {}), "the model's predictions are not finite"));
  CHECK(holds(refused([](auto& o) { o.temperature = 0; }), "the model's predictions are not finite"));
}

TEST_CASE("a trained model is loaded from its checkpoint and survives GPT-2's layout", "[sample]") {
  const testing::Workspace space(kText);
  space.run();
  const auto run = space.path() / "results/tiny/latest";
  const auto trained = load_language_model(run);  // its only job
  CHECK(trained.job.filename() == "seed=0");
  CHECK(trained.context == 16);
  CHECK(trained.vocabulary == 257);
  CHECK(trained.step > 0);
  DataContext data;
  data.root = space.path() / "data";
  const auto tokenizer = trained.tokenizer(data);
  CHECK(tokenizer->vocabulary() == 257);
  SampleOptions o;
  o.tokens = 5;
  o.context = trained.context;
  CHECK(sample_tokens(trained.language_model(), {256}, o).size() == 5);

  // Exported as GPT-2 and imported again: the same predictions.
  const auto tensors = import_gpt2({export_gpt2(model_tensors(*trained.model)), {}});
  const auto copy = space.path() / "copy";
  save_language_model(copy, trained.config, tensors);
  const auto again = load_language_model(copy);
  CHECK(again.step == 0);
  const Tensor x = at::arange(10).unsqueeze(0);
  CHECK(at::equal(again.model->forward(x), trained.model->forward(x)));
  CHECK(holds(error_of([&] { save_language_model(copy, trained.config, tensors); }), "is not empty"));
}

TEST_CASE("jobs without a language model are rejected for generation", "[sample]") {
  const testing::Workspace digits;
  digits.run();
  const auto run = digits.path() / "results/tiny/latest";
  CHECK(holds(error_of([&] { load_language_model(run); }), "has 4 trained jobs"));
  CHECK(holds(error_of([&] { load_language_model(run / "jobs/yat/seed=1"); }), "'prototype_classifier' does not predict tokens"));
  CHECK(holds(error_of([&] { load_language_model(digits.path() / "nowhere"); }), "is neither a job with a checkpoint"));
  const testing::Workspace text(kText);
  text.run();
  const auto job = fs::canonical(text.path() / "results/tiny/latest") / "jobs/gpt2/seed=0";
  const auto config = read_file(job / "job.yaml");
  std::ofstream(job / "job.yaml") << config.substr(0, config.find("width: 8")) + "width: 4" + config.substr(config.find("width: 8") + 8);
  CHECK(holds(error_of([&] { load_language_model(job); }), "does not fit its config"));
  fs::remove_all(job / "checkpoints");
  fs::create_directory(job / "checkpoints");
  CHECK(holds(error_of([&] { load_language_model(job); }), "has no valid checkpoint"));
}

}  // namespace yatlab
