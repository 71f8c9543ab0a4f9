// `tracker=wandb` and `yatlab sync`, used as by a user.

#include <algorithm>
#include <csignal>
#include <fstream>

#include "catch.h"
#include "cli/support.h"
#include "trackers/wandb/environment.h"
#include "trackers/wandb/log_reader.h"
#include "trackers/wandb/server.h"

namespace yatlab {
namespace {

using testing::Answer;
using testing::CleanEnvironment;
using testing::Desk;
using testing::holds;
using testing::kKey;
using testing::Process;
using testing::WandbServer;

const char* const kSynced = R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - _self_
dataset: {train_size: 200, test_size: 60}
trainer: {epochs: 2, batch_size: 20, log_every: 3}
seeds: [0, 1]
launcher: {workers: 2}
arms:
  linear: [operator=dot]
  yat: [operator=yat]
)";

/// Every file below a folder that holds `text`.
std::vector<std::string> holders_of(const fs::path& folder, const std::string& text) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && holds(read_file(entry.path()), text)) out.push_back(entry.path().string());
  }
  return out;
}

}  // namespace

TEST_CASE("a run is logged offline and synced once", "[cli][wandb]") {
  CleanEnvironment environment;
  const Desk desk(kSynced);
  const auto run = desk.ask({"tiny.yaml", "tracker=wandb"});
  INFO(run.output);
  REQUIRE(run.status == 0);
  CHECK(holds(run.output, "5 runs in ./wandb; to upload them: yatlab sync ./wandb"));
  const auto metadata = nlohmann::json::parse(read_file(desk.path() / "wandb/latest-run/files/wandb-metadata.json"));
  CHECK(metadata.at("program") == "yatlab");  // the started program, not the one that it became
  CHECK(metadata.at("executable") == testing::program());

  const auto keyless = desk.ask({"sync"});
  CHECK(keyless.status == 2);
  CHECK(holds(keyless.output, "error: there is no W&B API key"));
  const auto dry = desk.ask({"sync", "--dry-run"});
  CHECK(dry.status == 0);
  CHECK(std::count(dry.output.begin(), dry.output.end(), '\n') == 5);
  const auto nowhere = desk.ask({"sync", "configs"});
  CHECK(nowhere.status == 2);
  CHECK(holds(nowhere.output, "error: 'configs' contains no W&B run"));

  WandbServer server;
  environment.set("WANDB_BASE_URL", server.url());
  environment.set("WANDB_API_KEY", kKey);
  const auto sync = desk.ask({"sync", "--entity", "team", "wandb"});
  INFO(sync.output);
  CHECK(sync.status == 0);
  CHECK(holds(sync.output, "5 of 5 runs uploaded\n"));
  CHECK(server.state().run.at("entity") == "team");
  const auto requests = server.state().requests.size();
  const auto again = desk.ask({"sync"});
  CHECK(again.status == 0);
  CHECK(holds(again.output, "0 of 5 runs uploaded, 5 were uploaded before\n"));
  CHECK(server.state().requests.size() == requests);
  CHECK(holders_of(desk.path(), kKey).empty());
}

TEST_CASE("sync fails without a server and the same command continues later", "[cli][wandb]") {
  CleanEnvironment environment;
  const Desk desk(kSynced);
  REQUIRE(desk.ask({"tiny.yaml", "-q", "tracker=wandb", "tracker.reports=false", "seeds=[0]", "~arms.linear"}).status == 0);
  WandbServer server;
  environment.set("WANDB_BASE_URL", server.url());
  environment.set("WANDB_API_KEY", kKey);
  server.stop();
  const auto away = desk.ask({"sync", "--patience", "0.5"});
  INFO(away.output);
  CHECK(away.status == 1);
  CHECK(holds(away.output, "run the same command again to continue\n0 of 1 runs uploaded, 1 failed\n"));
  server.start_again();
  CHECK(desk.ask({"sync"}).status == 0);
}

TEST_CASE("the API key of a live run is in no files, messages or process lists", "[cli][wandb][security]") {
  CleanEnvironment environment;
  WandbServer server;
  const Desk desk(kSynced);
  environment.set("WANDB_BASE_URL", server.url());
  environment.set("WANDB_API_KEY", kKey);
  const fs::path output = desk.path() / "output.txt";
  Process process({"tiny.yaml", "tracker=wandb", "trainer.epochs=100000", "seeds=[0]", "~arms.linear", "tracker.finish_seconds=20"},
                  desk.path(), output, desk.environment());
  REQUIRE(process.wait_until([&] { return !server.state().lines("wandb-history.jsonl").empty(); }));
  // What other processes can see while it runs, and what a crash would leave.
  CHECK_FALSE(holds(read_file(fs::path("/proc") / std::to_string(process.id()) / "environ"), kKey));
  CHECK_FALSE(holds(read_file(fs::path("/proc") / std::to_string(process.id()) / "cmdline"), kKey));
  const auto limits = read_file(fs::path("/proc") / std::to_string(process.id()) / "limits");
  const auto line = limits.substr(limits.find("Max core file size"), 60);
  CHECK((holds(line, "  1  ") || holds(line, "  0  ")));
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  INFO(read_file(output));
  CHECK(holds(read_file(output), "uploaded -> " + server.url() + "/ent/yatlab"));
  CHECK(server.state().exit_code == 255);
  CHECK(holders_of(desk.path(), kKey).empty());

  // kill -9, then resumed: one run, every row once.
  const std::vector<std::string> command{
      "tiny.yaml", "-q",           "tracker=wandb",        "trainer.epochs=400", "trainer.checkpoint_steps=50",
      "seeds=[0]", "~arms.linear", "tracker.reports=false"};
  environment.set("WANDB_MODE", "offline");
  const auto job = desk.path() / "results/tiny/latest/jobs/yat/seed=0";
  fs::remove_all(desk.path() / "wandb");
  fs::remove_all(desk.path() / "results");
  for (int kill = 0; kill < 3; ++kill) {
    Process victim(command, desk.path(), output, desk.environment());
    const bool began = victim.wait_until([&] {
      std::error_code none;
      const auto size = fs::file_size(job / "metrics.jsonl", none);
      return !none && size > static_cast<std::uintmax_t>(3000 * (kill + 1));
    });
    if (!began) break;
    victim.signal(SIGKILL);
    victim.wait();
  }
  const auto last = desk.ask(command);
  INFO(last.output);
  REQUIRE(last.status == 0);
  std::vector<fs::path> logs;
  for (const auto& entry : fs::recursive_directory_iterator(desk.path() / "wandb")) {
    if (entry.path().extension() == ".wandb") logs.push_back(entry.path());
  }
  REQUIRE(logs.size() == 1);
  std::vector<std::int64_t> steps, expected;
  for (const auto& row : testing::records_of(logs[0], 2)) {
    for (const auto& [key, value] : testing::read_items(row, 1)) {
      if (key == "_step") steps.push_back(std::stoll(value));
    }
  }
  std::ifstream history(job / "metrics.jsonl");
  for (std::string text; std::getline(history, text);) {
    const auto step = nlohmann::json::parse(text).at("step").get<std::int64_t>();
    if (expected.empty() || expected.back() != step) expected.push_back(step);
  }
  CHECK(steps == expected);
}

}  // namespace yatlab
