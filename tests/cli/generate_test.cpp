#include <ATen/ATen.h>
#include <fmt/format.h>

#include "catch.h"
#include "cli/support.h"
#include "core/data/safetensors.h"
#include "core/job/trained_language_model.h"
#include "plugins/language/commands/sample_tokens.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

const char* const kText = R"(name: tiny
defaults:
  - /dataset: generated_text
  - /architecture: gpt2_hf
  - /task: language_modeling
  - _self_
operator: {name: dot}
dataset: {train_stories: 12, test_stories: 4, context: 16}
architecture: {layers: 1, heads: 4, width: 8, context: 16}
trainer: {epochs: 1, batch_size: 64, eval_batch_size: 64}
optimizer: {lr: 0.03}
seeds: [0]
trackers: []
arms:
  gpt2: []
)";

const std::string kJob = "results/tiny/latest/jobs/gpt2/seed=0";

Answer asked(const Desk& desk, const std::string& job, const std::vector<std::string>& options) {
  std::vector<std::string> words{"generate", job, "--threads", "1"};
  words.insert(words.end(), options.begin(), options.end());
  return desk.ask(words);
}

}  // namespace

TEST_CASE("generate continues a prompt and works without one", "[generate]") {
  const Desk desk(kText);
  REQUIRE(desk.ask({"run", "tiny.yaml"}).status == 0);
  // The expected output, from the model itself: the prompt's tokens, then its samples.
  const auto trained = load_language_model(desk.path() / kJob);
  const auto tokenizer = trained.tokenizer({});
  SampleOptions o;
  o.tokens = 40;
  o.temperature = 1.5;
  o.top_k = 20;
  o.seed = 3;
  o.context = trained.context;
  o.vocabulary = trained.vocabulary;
  o.stop = tokenizer->end_of_text();
  const auto drawn = [&](std::vector<Token> prompt) {
    return tokenizer->decode(sample_tokens(trained.language_model(), std::move(prompt), o));
  };
  std::vector<Token> prompt;
  tokenizer->encode("Anna went", prompt);
  auto behind_end = prompt;
  behind_end.insert(behind_end.begin(), tokenizer->end_of_text());
  REQUIRE(drawn(prompt) != drawn(behind_end));  // otherwise the cases below would be indistinguishable

  const std::vector<std::string> options = {"--tokens", "40", "--temperature", "1.5", "--top-k", "20", "--seed", "3"};
  auto with_prompt = options;
  with_prompt.insert(with_prompt.end(), {"--prompt", "Anna went"});
  const auto answer = asked(desk, kJob, with_prompt);
  CHECK(answer.status == 0);
  CHECK(answer.output == "Anna went" + drawn(prompt) + "\n");
  CHECK(asked(desk, kJob, with_prompt).output == answer.output);
  with_prompt[7] = "4";
  CHECK(asked(desk, kJob, with_prompt).output != answer.output);

  const auto begun = asked(desk, kJob, options);
  CHECK(begun.status == 0);
  const std::string notice = "no --prompt: the model writes a new document, from the token that begins each document\n";
  CHECK(begun.output == notice + drawn({tokenizer->end_of_text()}) + "\n");

  auto longer = options;
  longer.insert(longer.end(), {"--prompt", "Anna went to the market"});
  CHECK(asked(desk, kJob, longer).output.rfind("the prompt has 23 tokens: the model sees the last 16\nAnna went to the market", 0) == 0);
}

TEST_CASE("exporting and importing weights gives the same model", "[generate][model]") {
  const Desk desk(kText);
  REQUIRE(desk.ask({"run", "tiny.yaml"}).status == 0);
  auto answer = desk.ask({"model", "export", kJob, "--out", "out"});
  INFO(answer.output);
  REQUIRE(answer.status == 0);
  CHECK(holds(answer.output, "out: the model of " + kJob));
  const auto config = nlohmann::json::parse(read_file(desk.path() / "out/config.json"));
  CHECK(config.at("n_head") == 4);
  CHECK(config.at("n_embd") == 8);
  CHECK(config.at("n_inner") == 32);
  CHECK(config.at("vocab_size") == 257);
  CHECK(load_safetensors(desk.path() / "out/model.safetensors").metadata.at("n_head") == "4");

  const auto imports = [&](const std::string& file, const std::string& out, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"model", "import", file, "--out", out});
    return desk.ask(options);
  };
  answer = imports("out", "imported");
  INFO(answer.output);
  REQUIRE(answer.status == 0);
  CHECK(holds(answer.output, "1 layers, width 8, 4 heads, context 16, vocabulary 257"));
  const auto trained = load_language_model(desk.path() / kJob), imported = load_language_model(desk.path() / "imported");
  const at::Tensor x = at::arange(65, 80).unsqueeze(0);
  CHECK(at::equal(imported.model->forward(x), trained.model->forward(x)));
  const std::vector<std::string> options = {"--prompt", "Anna went", "--tokens", "20"};
  const auto continued = asked(desk, kJob, options).output;
  CHECK(holds(continued, "Anna went"));
  CHECK(holds(asked(desk, "imported", options).output, continued));
  REQUIRE(desk.ask({"model", "export", "imported", "--out", "again"}).status == 0);
  const auto weights = load_safetensors(desk.path() / "out/model.safetensors").tensors;
  CHECK(dump_safetensors(load_safetensors(desk.path() / "again/model.safetensors").tensors) == dump_safetensors(weights));
  CHECK(read_file(desk.path() / "again/config.json") == read_file(desk.path() / "out/config.json"));

  // Another number of heads is another model, so it must be given and is never guessed.
  fs::create_directory(desk.path() / "bare");
  save_safetensors(desk.path() / "bare/model.safetensors", weights, {{"format", "pt"}});
  answer = imports("bare/model.safetensors", "bare_import");
  CHECK(answer.status == 2);
  CHECK(
      holds(answer.output,
            "the number of attention heads of this model is unknown\n  at: bare/model.safetensors\n  why: there is no 'bare/config.json'"));
  CHECK(holds(answer.output, "give --heads N"));
  CHECK_FALSE(fs::exists(desk.path() / "bare_import"));
  REQUIRE(imports("bare/model.safetensors", "four", {"--heads", "4"}).status == 0);
  CHECK(at::equal(load_language_model(desk.path() / "four").model->forward(x), trained.model->forward(x)));
  REQUIRE(imports("bare/model.safetensors", "two", {"--heads", "2"}).status == 0);
  CHECK_FALSE(at::allclose(load_language_model(desk.path() / "two").model->forward(x), trained.model->forward(x)));
  for (const char* heads : {"3", "0", "-4"}) {
    answer = imports("bare/model.safetensors", "never", {fmt::format("--heads={}", heads)});
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, fmt::format("a width of 8 is not divisible by {} heads", heads)));
  }
  // The metadata alone define it; a contradicting option is an error that names both values.
  save_safetensors(desk.path() / "bare/told.safetensors", weights, {{"n_head", "4"}});
  CHECK(holds(imports("bare/told.safetensors", "told").output, "4 heads"));
  answer = imports("bare/told.safetensors", "never", {"--heads", "2"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "--heads says 2 heads, the metadata of 'bare/told.safetensors' says 4"));
  save_safetensors(desk.path() / "bare/lies.safetensors", weights, {{"n_head", "four"}});
  answer = imports("bare/lies.safetensors", "never", {"--heads", "4"});
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "the metadata contain n_head='four'"));
  const auto with_config = [&](const std::string& text, const std::vector<std::string>& more = {}) {
    write_file_atomic(desk.path() / "bare/config.json", text);
    return imports("bare/model.safetensors", "never", more);
  };
  answer = with_config("{\"n_head\": 2}", {"--heads", "4"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "--heads says 4 heads, n_head of 'bare/config.json' says 2"));
  answer = with_config("{\"n_head\": 4, \"n_layer\": 12}");
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "n_layer is 12, but the weights have 1\n  at: bare/config.json"));
  answer = with_config("{\"n_layer\": 1}");
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "why: there is no n_head in 'bare/config.json'"));
  answer = with_config("{\"n_head\": 4, \"activation_function\": \"relu\"}");
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "activation_function is \"relu\""));
  CHECK_FALSE(fs::exists(desk.path() / "never"));
  // As in config.json: exact GELU and unscaled scores give other predictions.
  write_file_atomic(desk.path() / "bare/config.json", "{\"n_head\": 4, \"activation_function\": \"gelu\", \"scale_attn_weights\": false}");
  REQUIRE(imports("bare/model.safetensors", "exact").status == 0);
  CHECK_FALSE(at::equal(load_language_model(desk.path() / "exact").model->forward(x), trained.model->forward(x)));
  REQUIRE(desk.ask({"model", "export", "exact", "--out", "exact_out"}).status == 0);
  const auto exact = nlohmann::json::parse(read_file(desk.path() / "exact_out/config.json"));
  CHECK(exact.at("activation_function") == "gelu");
  CHECK(exact.at("scale_attn_weights") == false);
}

TEST_CASE("an export is written to its own folder and can be repeated", "[model]") {
  const Desk desk(kText);
  REQUIRE(desk.ask({"run", "tiny.yaml"}).status == 0);
  write_file_atomic(desk.path() / "full/notes.txt", "mine");
  auto answer = desk.ask({"model", "export", kJob, "--out", "full"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "'full' is not empty: it contains notes.txt"));
  const std::string hint = "use a new folder: --out ";
  const auto at = answer.output.find(hint);
  REQUIRE(at != std::string::npos);
  const auto out = answer.output.substr(at + hint.size(), answer.output.find('\n', at) - at - hint.size());
  CHECK(desk.ask({"model", "export", kJob, "--out", out}).status == 0);
  CHECK(entries_of(desk.path() / "full").size() == 2);
  fs::remove_all(desk.path() / out);
  CHECK(desk.ask({"model", "export", kJob, "--out", "gpt2"}).status == 0);
  write_file_atomic(desk.path() / "gpt2/README.md", "old");
  CHECK(desk.ask({"model", "export", kJob, "--out", "gpt2"}).status == 0);
  CHECK(holds(read_file(desk.path() / "gpt2/README.md"), "GPT2LMHeadModel"));
  answer = desk.ask({"model", "export", kJob, "--out", "/proc/x"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "cannot write to the folder '/proc/x'\n  at: --out\n  why: No such file or directory"));
  std::ofstream(desk.path() / "file") << "in the way";
  answer = desk.ask({"model", "export", kJob, "--out", "file"});
  CHECK(holds(answer.output, "'file' is a file"));
  for (const char* place : {"file", "file/below", "/proc/x"}) {
    INFO(place);
    answer = desk.ask({"model", "import", "gpt2/model.safetensors", "--out", place});
    INFO(answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, fmt::format("cannot write to the folder '{}'", place)));
  }
  answer = desk.ask({"model", "import", "file", "--out", "x"});
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "'file' is not a valid safetensors file"));
  CHECK(desk.ask({"model", "import", "nowhere", "--out", "x"}).status == 3);
}

TEST_CASE("generate and model report errors", "[generate]") {
  const Desk desk;
  auto answer = desk.ask({"generate"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "no job given"));
  answer = desk.ask({"generate", "nowhere"});
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "is neither a job with a checkpoint"));
  const std::pair<std::string, std::string> options[] = {
      {"--temperature=-1", "--temperature must be a finite number that is not negative"},
      {"--temperature=nan", "--temperature"},
      {"--temperature=inf", "--temperature"},
      {"--temperature=warm", "--temperature"},
      {"--top-k=-1", "--top-k must not be negative"},
      {"--top-k=x", "--top-k"},
      {"--tokens=0", "--tokens must be positive"},
      {"--seed=-1", "--seed must not be negative"},
      {"--threads=-1", "--threads must be from 0 to 4096"},
      {"--threads=99999", "--threads must be from 0 to 4096"},
  };
  for (const auto& [option, says] : options) {
    answer = desk.ask({"generate", "nowhere", option});
    INFO(option << "\n" << answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, says));
  }
  CHECK(holds(desk.ask({"model", "improt", "x"}).output, "did you mean 'import'?"));
  CHECK(holds(desk.ask({"model", "import", "x"}).output, "--out is required"));
  answer = desk.ask({"model", "export", "x", "--out", "y", "--heads", "4"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "--heads is for 'model import'"));
}
