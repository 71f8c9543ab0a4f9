// A language model's training that is interrupted and resumed ends with the same bytes as an uninterrupted one.

#include <algorithm>
#include <cstdlib>

#include "catch.h"
#include "cli/support.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::differences;
using testing::job_files;
using testing::Process;

/// All state that a resumed run must restore: dropout's random numbers, the position in the data (an epoch is 16 batches, the last of
/// them smaller), gradients accumulated over micro-batches, AdamW's moments, the schedule, the mean loss since the last evaluation.
const char* const kLanguageExperiment = R"(name: tiny
defaults:
  - /dataset: generated_text
  - /architecture: gpt2
  - /size: nano
  - /task: language_modeling
  - /optimizer: adamw
  - /schedule: cosine
  - _self_
dataset: {train_stories: 20, test_stories: 4, context: 64}
architecture: {layers: 2, heads: 2, width: 32, context: 64, dropout: 0.1}
optimizer: {lr: 1e-3, beta2: 0.95, weight_decay: 0.01, decay_matrices_only: true}
schedule: {warmup_steps: 10, final_factor: 0.1}
trainer: {steps: 120, eval_steps: 25, batch_size: 8, micro_batch: 3, eval_batch_size: 16, grad_clip: 1.0, log_every: 1, checkpoint_steps: 3, checkpoint_seconds: 1000}
seeds: [0]
launcher: {workers: 2}
trackers: []
arms:
  gpt2: [operator=dot]
  aether: [architecture=aether_gpt2, operator=yat, operator.epsilon=1e-3]
metrics:
  test/loss: {better: lower}
)";

const std::vector<std::string> kCommand = {"tiny.yaml", "--quiet"};

/// The step of the newest checkpoint of an arm, complete or being written; -1: none.
std::int64_t newest_checkpoint(const fs::path& run, const std::string& arm) {
  std::int64_t out = -1;
  std::error_code gone;  // the other process adds and removes files meanwhile
  for (fs::directory_iterator step(run / "jobs" / arm / "seed=0/checkpoints", gone), end; !gone && step != end; step.increment(gone)) {
    const auto name = step->path().filename().string();
    if (name.rfind("step=", 0) == 0) out = std::max<std::int64_t>(out, std::atoll(name.c_str() + 5));
  }
  return out;
}

bool being_written(const fs::path& run, const std::string& arm) {
  std::error_code gone;
  const auto step = run / "jobs" / arm / "seed=0/checkpoints" / ("step=" + [&] {
                      const auto number = std::to_string(std::max<std::int64_t>(0, newest_checkpoint(run, arm)));
                      return std::string(9 - std::min<std::size_t>(9, number.size()), '0') + number;
                    }());
  for (fs::directory_iterator file(step, gone), end; !gone && file != end; file.increment(gone)) {
    if (file->path().extension() == ".tmp") return true;
  }
  return false;
}

std::string state_of(const fs::path& run, const std::string& arm) {
  return nlohmann::json::parse(read_file(run / "jobs" / arm / "seed=0/status.json")).at("state");
}

/// A run's summary of its arms, without values that depend on the machine's load.
nlohmann::json results(const fs::path& run) {
  auto arms = nlohmann::json::parse(read_file(run / "summary.json")).at("arms");
  for (auto& [name, arm] : arms.items()) {
    auto& metrics = arm.at("metrics");
    for (auto it = metrics.begin(); it != metrics.end();) it = it.key().rfind("run/", 0) == 0 ? metrics.erase(it) : std::next(it);
  }
  return arms;
}

}  // namespace

TEST_CASE("a killed and resumed language model training is bitwise identical", "[cli][crash][slow]") {
  const Desk unbroken(kLanguageExperiment);
  const auto whole = unbroken.ask(kCommand);
  INFO(whole.output);
  REQUIRE(whole.status == 0);
  const auto expected = job_files(unbroken.run());
  for (const char* arm : {"gpt2", "aether"}) {
    const auto job = arm + std::string("/seed=0/");
    REQUIRE(expected.count(job + "summary.json"));
    REQUIRE(expected.count(job + "checkpoints/step=000000120/model.safetensors"));
    REQUIRE(expected.count(job + "checkpoints/step=000000120/optimizer.safetensors"));
    const auto& history = expected.at(job + "metrics.jsonl");
    CHECK(std::count(history.begin(), history.end(), '\n') == 1 + 120 + 5);  // step 0, every step, and evaluations
  }

  const auto check_same = [&](const Desk& desk) {
    const auto last = desk.ask(kCommand);
    INFO(last.output);
    REQUIRE(last.status == 0);
    CHECK(differences(expected, job_files(desk.run())).empty());
    CHECK(results(desk.run()) == results(unbroken.run()));
  };
  /// Starts the command and sends a signal once `due()`; the exit status, or -1 when the command ended before that.
  const auto cut_off = [](const Desk& desk, int signal, const auto& due) {
    Process process(kCommand, desk.path(), desk.path() / "output.txt", desk.environment());
    if (!process.wait_until(due)) return -1;
    process.signal(signal);
    return process.wait();
  };

  // If this process is suspended for a second or two, the program ends first: then try once more.
  int status = -1;
  for (int attempt = 0; attempt < 5 && status != 143; ++attempt) {
    const Desk desk(kLanguageExperiment);
    status =
        cut_off(desk, SIGTERM, [&] { return newest_checkpoint(desk.run(), "gpt2") >= 20 && newest_checkpoint(desk.run(), "aether") >= 4; });
    if (status != 143) continue;
    CHECK((state_of(desk.run(), "gpt2") == "interrupted" || state_of(desk.run(), "aether") == "interrupted"));
    check_same(desk);
  }
  CHECK(status == 143);

  // kill -9: at any time, while a checkpoint is being written, and during a resumed run.
  const Desk desk(kLanguageExperiment);
  int kills = 0, torn = 0;
  for (const std::int64_t step : {5, 30, 50, 75, 95}) {
    const bool in_writing = step % 10 == 0;
    const auto due = [&] {
      const auto now = newest_checkpoint(desk.run(), "aether");
      return now >= step && (!in_writing || being_written(desk.run(), "aether") || now >= step + 15);
    };
    if (cut_off(desk, SIGKILL, due) == -1) break;  // it has ended
    ++kills;
    torn += being_written(desk.run(), "aether");
  }
  INFO(kills << " kills, " << torn << " of them during a checkpoint");
  CHECK(kills >= 2);
  check_same(desk);
  for (const auto& entry : fs::recursive_directory_iterator(fs::canonical(desk.run()) / "jobs")) {
    INFO(entry.path().string());
    CHECK(entry.path().extension() != ".tmp");
  }
}

}  // namespace yatlab
