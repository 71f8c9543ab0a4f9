#include <fmt/format.h>

#include "catch.h"
#include "cli/support.h"

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
architecture: {layers: 1, heads: 2, width: 8, context: 16}
trainer: {epochs: 1, batch_size: 64, eval_batch_size: 64}
seeds: [0]
trackers: []
arms:
  gpt2: []
)";

}  // namespace

TEST_CASE("text is sampled from a job, weights go out and in again", "[generate]") {
  const Desk desk(kText);
  REQUIRE(desk.ask({"run", "tiny.yaml"}).status == 0);
  const auto text = [&](const std::string& job, const std::string& seed) {
    const auto answer = desk.ask({"generate", job, "--prompt", "Anna went", "--tokens", "40", "--temperature", "1", "--seed", seed});
    INFO(answer.output);
    REQUIRE(answer.status == 0);
    return answer.output;
  };
  const std::string job = "results/tiny/latest/jobs/gpt2/seed=0";
  const auto first = text(job, "1");
  CHECK(first.rfind("Anna went", 0) == 0);
  CHECK(first.size() > 15);
  CHECK(text(job, "1") == first);
  CHECK(text(job, "2") != first);

  auto answer = desk.ask({"model", "export", job, "--out", "weights.safetensors"});
  INFO(answer.output);
  REQUIRE(answer.status == 0);
  answer = desk.ask({"model", "import", "weights.safetensors", "--out", "imported", "--heads", "2"});
  CHECK(answer.status == 0);
  CHECK(holds(answer.output, "1 layers, width 8, 2 heads, context 16, vocabulary 257"));
  // 257 tokens are bytes: the same text comes out.
  CHECK(holds(text("imported", "1"), first));
  CHECK(desk.ask({"model", "export", "imported", "--out", "again.safetensors"}).status == 0);
  CHECK(read_file(desk.path() / "again.safetensors") == read_file(desk.path() / "weights.safetensors"));
}

TEST_CASE("generate and model say what is wrong", "[generate]") {
  const Desk desk;
  auto answer = desk.ask({"generate"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "no job named"));
  answer = desk.ask({"generate", "nowhere"});
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "is no job with a checkpoint"));
  CHECK(holds(desk.ask({"generate", "nowhere", "--temperature", "-1"}).output, "--temperature must not be negative"));
  CHECK(holds(desk.ask({"model", "improt", "x"}).output, "did you mean 'import'?"));
  CHECK(holds(desk.ask({"model", "import", "x"}).output, "--out must be given"));
}
