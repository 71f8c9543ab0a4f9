// Exporting and loading trained models: `model export`, `evaluate`, `architecture.weights`.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "catch.h"
#include "cli/support.h"
#include "core/data/safetensors.h"
#include "core/job/trained_language_model.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

/// GPT-2 without biases and Aether, with a padded head, on generated text.
const char* const kLanguage = R"(name: tiny
defaults:
  - /dataset: generated_text
  - /architecture: gpt2
  - /task: language_modeling
  - _self_
operator: {name: dot}
dataset: {train_stories: 12, test_stories: 4, context: 16}
architecture: {layers: 2, heads: 2, width: 8, context: 16}
trainer: {epochs: 1, batch_size: 64, eval_batch_size: 64}
optimizer: {lr: 0.03}
seeds: [0]
trackers: []
arms:
  gpt2: [architecture.vocabulary_multiple=64]
  aether: [architecture=aether_gpt2, operator=yat, operator.epsilon=1e-3]
)";

const char* const kDigits = R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: mlp
  - _self_
dataset: {train_size: 60, test_size: 20}
architecture: {hidden: [8], activation: none}
trainer: {epochs: 1, batch_size: 20}
operator: {name: yat}
seeds: [0]
trackers: []
arms:
  yat: []
)";

std::string job_of(const std::string& arm) { return "results/tiny/latest/jobs/" + arm + "/seed=0"; }

nlohmann::json evaluated(const Desk& desk, std::vector<std::string> words) {
  words.insert(words.begin(), "evaluate");
  words.emplace_back("--json");
  const auto answer = desk.ask(words);
  INFO(answer.output);
  REQUIRE(answer.status == 0);
  return nlohmann::json::parse(answer.output);
}

/// Every file of a folder.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) out[entry.path().string()] = read_file(entry.path());
  }
  return out;
}

}  // namespace

TEST_CASE("a language model scores the same from its job and from its export", "[evaluate][model]") {
  const Desk desk(kLanguage);
  REQUIRE(desk.ask({"run", "tiny.yaml"}).status == 0);
  const auto before = contents(fs::canonical(desk.run()));
  for (const std::string arm : {"gpt2", "aether"}) {
    INFO(arm);
    const auto recorded = nlohmann::json::parse(read_file(desk.path() / job_of(arm) / "summary.json")).at("metrics");
    const auto job = evaluated(desk, {job_of(arm)});
    for (const char* metric : {"test/loss", "test/perplexity", "test/accuracy", "test/ece"})
      CHECK(job.at("metrics").at(metric) == recorded.at(metric));
    CHECK(job.at("differs_from_record").empty());
    auto answer = desk.ask({"model", "export", job_of(arm), "--out", "out/" + arm});
    INFO(answer.output);
    REQUIRE(answer.status == 0);
    CHECK(evaluated(desk, {"out/" + arm}).at("metrics") == job.at("metrics"));
    // Bytes: every token is one byte, except those that precede documents.
    const double loss = job.at("metrics").at("test/loss"), bits = job.at("metrics").at("test/bits_per_byte");
    CHECK(bits > loss / std::log(2.0));
    CHECK(bits < 1.01 * loss / std::log(2.0));
    const auto reference = load_safetensors(desk.path() / "out" / arm / "reference.safetensors");
    const auto model = load_language_model(desk.path() / "out" / arm);
    CHECK(at::allclose(model.model->forward(reference.at("inputs")), reference.at("scores"), 0, 1e-5));
    const auto trained = load_language_model(desk.path() / job_of(arm));
    CHECK(at::allclose(trained.model->forward(reference.at("inputs")).narrow(-1, 0, 257), reference.at("scores"), 0, 1e-5));
  }
  CHECK(contents(fs::canonical(desk.run())) == before);

  // GPT-2's names, layout and biases; no padding.
  const auto gpt2 = load_safetensors(desk.path() / "out/gpt2/model.safetensors");
  CHECK(gpt2.at("wte.weight").sizes() == at::IntArrayRef({257, 8}));
  CHECK(gpt2.at("h.1.attn.c_attn.weight").sizes() == at::IntArrayRef({8, 24}));
  CHECK(gpt2.at("h.1.attn.c_attn.bias").count_nonzero().item<std::int64_t>() == 0);
  const auto config = nlohmann::json::parse(read_file(desk.path() / "out/gpt2/config.json"));
  CHECK(config.at("architectures")[0] == "GPT2LMHeadModel");
  CHECK(config.at("eos_token_id") == 256);
  const auto special = nlohmann::json::parse(read_file(desk.path() / "out/gpt2/special_tokens_map.json"));
  for (const char* token : {"bos_token", "eos_token", "unk_token"}) CHECK(special.at(token) == "<|endoftext|>");
  const auto vocabulary = nlohmann::json::parse(read_file(desk.path() / "out/gpt2/vocab.json"));
  CHECK(vocabulary.at("<|endoftext|>") == 256);
  CHECK(vocabulary.size() == 257);
  CHECK(vocabulary.at("A") == 65);
  CHECK(vocabulary.at("\u0120") == 32);  // a blank
  CHECK(vocabulary.at("<|endoftext|>") == 256);
  CHECK_FALSE(fs::exists(desk.path() / "out/gpt2/modeling_aether.py"));
  const auto aether = nlohmann::json::parse(read_file(desk.path() / "out/aether/config.json"));
  CHECK(aether.at("auto_map").at("AutoModelForCausalLM") == "modeling_aether.AetherForCausalLM");
  CHECK(aether.at("operator").at("epsilon") == 1e-3);
  const auto modeling = read_file(desk.path() / "out/aether/modeling_aether.py");
  CHECK(std::count(modeling.begin(), modeling.end(), '\n') <= 150);

  // Other data and settings can be measured; no results are recorded for them.
  const auto fewer = evaluated(desk, {job_of("gpt2"), "dataset.test_stories=2"});
  CHECK(fewer.at("samples").at("test") < evaluated(desk, {job_of("gpt2")}).at("samples").at("test"));
  CHECK_FALSE(fewer.contains("differs_from_record"));
  CHECK(evaluated(desk, {job_of("gpt2"), "dataset=generated_text"}).at("data").at("name") == "generated_text");
  CHECK(evaluated(desk, {job_of("gpt2"), "--split", "train"}).at("metrics").contains("train/loss"));
  write_file_atomic(desk.path() / "text.txt", "Anna went to the harbour with a lantern. Boris went to the mill.\n");
  const auto text = evaluated(desk, {"out/gpt2", "--text", "text.txt", "--stride", "4"});
  CHECK(text.at("tokens").at("text") == 64);
  const double nats = 64 * text.at("metrics").at("text/loss").get<double>();
  CHECK(text.at("metrics").at("text/word_perplexity").get<double>() == Approx(std::exp(nats / 13)));
  CHECK(text.at("metrics").at("text/bits_per_byte").get<double>() == Approx(nats / std::log(2.0) / 64));

  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"dataset=synthetic_digits"}, "has 320 tokens, but the data 'synthetic_digits' has 10"},
      {{"dataset.context=64"}, "do not fit the model's context of 16"},
      {{"optimizer.lr=1"}, "evaluate cannot set 'optimizer.lr'"},
      {{"--split", "tset"}, "has no split 'tset'"},
      {{"--stride", "4"}, "--stride needs --text"},
      {{"--text", "text.txt", "--stride", "17"}, "windows of 16 tokens cannot be 17 apart"},
  };
  for (const auto& [words, says] : wrong) {
    std::vector<std::string> line{"evaluate", job_of("gpt2")};
    line.insert(line.end(), words.begin(), words.end());
    const auto answer = desk.ask(line);
    INFO(answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, says));
  }
}

TEST_CASE("a model with non-finite scores is evaluated with a note but not exported", "[evaluate][model][finite]") {
  const auto check = [](const Desk& desk, const std::string& arm, const std::vector<std::string>& metrics) {
    INFO(arm);
    const auto ran = desk.ask({"run", "tiny.yaml", "optimizer.lr=1e38", "trainer.steps=1"});
    INFO(ran.output);
    CHECK(ran.status == 0);
    const auto json = evaluated(desk, {job_of(arm)});
    CHECK(json.at("not_finite") == std::vector<std::string>{"test"});
    CHECK(json.at("differs_from_record").empty());
    for (const auto& metric : metrics) CHECK(json.at("metrics").at("test/" + metric) == "nan");
    const auto said = desk.ask({"evaluate", job_of(arm)});
    CHECK(said.status == 0);
    CHECK(holds(said.output, "the model's scores on test are not finite: its training diverged (test/loss is nan at step 1)"));
    const auto refused = desk.ask({"model", "export", job_of(arm), "--out", "models/" + arm});
    CHECK(refused.status == 3);
    CHECK(holds(refused.output, "cannot be exported: its tensor '"));
    CHECK(holds(refused.output, "its training diverged: test/loss is nan at step 1"));
    CHECK_FALSE(fs::exists(desk.path() / "models" / arm));
  };
  const Desk text(kLanguage);
  check(text, "aether", {"loss", "accuracy", "ece", "perplexity", "bits_per_byte"});
  std::ofstream(text.path() / "story.txt") << "Once upon a time there was a number.";
  const auto of_text = text.ask({"evaluate", job_of("gpt2"), "--text", "story.txt"});
  CHECK(of_text.status == 0);
  CHECK(holds(of_text.output, "the model's scores on text are not finite"));
  check(Desk(kDigits), "yat", {"loss", "accuracy", "ece"});
}

TEST_CASE("a model that diverged by its loss alone is exported with a note", "[model][finite]") {
  const Desk desk(kDigits);
  REQUIRE(desk.ask({"run", "tiny.yaml", "trainer.diverged_above=1e-9"}).status == 0);
  const auto out = desk.ask({"model", "export", job_of("yat"), "--out", "models/yat"});
  CHECK(out.status == 0);
  CHECK(holds(out.output, "note: the training of this model diverged: training loss "));
  CHECK(holds(read_file(desk.path() / "models/yat/README.md"), "**Its training diverged:** training loss "));
}

TEST_CASE("training starts from a job, folder or file and misfits are named", "[model][weights]") {
  const Desk desk(kLanguage);
  REQUIRE(desk.ask({"run", "tiny.yaml"}).status == 0);
  const auto job = fs::canonical(desk.path() / job_of("gpt2"));
  REQUIRE(desk.ask({"model", "export", job, "--out", "out"}).status == 0);
  // Learning rate 0: the first and last evaluation equal that of the weights.
  const double loss = nlohmann::json::parse(read_file(job / "summary.json")).at("metrics").at("test/loss");
  for (const auto& from : {job.string(), std::string("out"), std::string("out/model.safetensors")}) {
    const auto answer =
        desk.ask({"run", "tiny.yaml", "name=again", "~arms.aether", "architecture.weights='" + from + "'", "optimizer.lr=1e-12"});
    INFO(answer.output);
    REQUIRE(answer.status == 0);
    const auto again = desk.path() / "results/again/latest/jobs/gpt2/seed=0";
    CHECK(nlohmann::json::parse(read_file(again / "summary.json")).at("metrics").at("test/loss").get<double>() ==
          Approx(loss).epsilon(1e-5));
    CHECK_FALSE(holds(read_file(again / "job.yaml"), "weights_sha256: null"));
    CHECK(evaluated(desk, {again.string()}).at("differs_from_record").empty());
  }
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"architecture.weights=nowhere"}, "there is no file or folder 'nowhere'"},
      {{"architecture.weights=out", "architecture.heads=4"}, "architecture.heads is 4, but the weights were trained with 2"},
      {{"architecture.weights=out", "architecture.width=16"}, "in this model"},
      {{"architecture.weights=out", "architecture.layers=3"}, "the weights have no tensor 'block2."},
      {{"architecture.weights=out", "architecture.layers=1"}, "the weights have a tensor 'block1."},
      {{"architecture.weights=out", "architecture.context=32"}, "'positions' is [16, 8] in the weights and [32, 8] in this model"},
      {{"architecture.weights=out", "architecture.weights_sha256=00"}, "the weights do not match architecture.weights_sha256"},
  };
  for (const auto& [words, says] : wrong) {
    std::vector<std::string> line{"plan", "tiny.yaml", "~arms.aether"};
    line.insert(line.end(), words.begin(), words.end());
    const auto answer = desk.ask(line);
    INFO(answer.output);
    CHECK(answer.status != 0);
    CHECK(holds(answer.output, says));
  }
}

TEST_CASE("a classifier is exported with its formula and evaluated and trained further from there", "[evaluate][model]") {
  const Desk desk(kDigits);
  REQUIRE(desk.ask({"run", "tiny.yaml"}).status == 0);
  const auto recorded = nlohmann::json::parse(read_file(desk.path() / job_of("yat") / "summary.json")).at("metrics");
  const auto job = evaluated(desk, {job_of("yat")});
  for (const char* metric : {"test/loss", "test/accuracy"}) CHECK(job.at("metrics").at(metric) == recorded.at(metric));
  CHECK(job.at("metrics").at("test/ece").get<double>() > 0);
  // In batches of seven out of twenty: each is compared with its own targets.
  const auto parts = evaluated(desk, {job_of("yat"), "trainer.eval_batch_size=7"});
  for (const char* metric : {"test/loss", "test/accuracy", "test/ece"}) {
    CHECK(parts.at("metrics").at(metric).get<double>() == Approx(job.at("metrics").at(metric).get<double>()).epsilon(1e-5));
  }
  REQUIRE(desk.ask({"model", "export", job_of("yat"), "--out", "out"}).status == 0);
  CHECK(evaluated(desk, {"out"}).at("metrics") == job.at("metrics"));
  const auto readme = read_file(desk.path() / "out/README.md");
  CHECK(holds(readme, "| `layer0.weight` | [8, 784] |"));
  CHECK(holds(readme, "def scores(x)"));
  const auto answer = desk.ask({"run", "tiny.yaml", "name=again", "architecture.weights=out", "optimizer.lr=1e-12"});
  INFO(answer.output);
  REQUIRE(answer.status == 0);
  const auto again = nlohmann::json::parse(read_file(desk.path() / "results/again/latest/jobs/yat/seed=0/summary.json"));
  CHECK(again.at("metrics").at("test/loss").get<double>() == Approx(recorded.at("test/loss").get<double>()).epsilon(1e-5));
}
