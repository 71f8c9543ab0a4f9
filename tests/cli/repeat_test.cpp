// `yatlab repeat`: recorded results against the program.

#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "trackers/wandb/environment.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;
using testing::Desk;
using testing::holds;

/// A run of three seeds whose summary is recorded.
struct RecordedDesk {
  testing::CleanEnvironment clean;
  Desk desk{testing::kTinyExperiment};
  fs::path summary = desk.path() / "recorded/tiny/summary.json";
  RecordedDesk() {
    REQUIRE(desk.ask({"tiny.yaml", "seeds=[0,1,2]", "latest=true", "--quiet"}).status == 0);
    fs::create_directories(summary.parent_path());
    fs::copy_file(desk.run() / "summary.json", summary);
  }
  testing::Answer repeat(std::vector<std::string> words) const {
    std::vector<std::string> all{"repeat", "tiny.yaml", "--recorded", "recorded"};
    all.insert(all.end(), words.begin(), words.end());
    return desk.ask(all);
  }
  std::size_t kept() const {
    std::size_t out = 0;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(desk.path() / "results/.repeated/tiny", ec))
      out += entry.is_directory() && !entry.is_symlink();
    return out;
  }
};

}  // namespace

TEST_CASE("repeat reruns recorded jobs, gets the same numbers and leaves no files", "[cli][repeat]") {
  const RecordedDesk recorded;
  // By its name, from a folder without such a file.
  const auto elsewhere = recorded.desk.path() / "elsewhere";
  fs::create_directories(elsewhere / "experiments");
  std::ofstream(elsewhere / "experiments/other.yaml") << testing::kTinyExperiment;
  const auto named = recorded.desk.ask_in(elsewhere, {"repeat", "tiny", "--recorded", "../recorded", "-q"});
  INFO(named.output);
  CHECK(named.status == 0);
  CHECK(holds(named.output, "tiny: 1 of 6 recorded jobs; "));
  const auto one = recorded.repeat({"--quiet", "tracker=wandb"});
  INFO(one.output);
  CHECK(one.status == 0);
  CHECK(holds(one.output, "tiny: 1 of 6 recorded jobs; "));
  CHECK(holds(one.output, " the same\n"));
  CHECK(holds(one.output, "\n  recorded: "));
  CHECK_FALSE(holds(one.output, "within"));
  CHECK_FALSE(fs::exists(recorded.desk.path() / "results/.repeated"));
  CHECK_FALSE(fs::exists(recorded.desk.path() / "wandb"));
  const auto several = recorded.repeat({"--jobs", "all", "--all", "seeds=[0,1,2]"});
  INFO(several.output);
  CHECK(several.status == 0);
  CHECK(holds(several.output, "tiny: 6 of 6 recorded jobs; "));
  for (const char* job : {"jobs/linear/seed=0", "jobs/linear/seed=2", "jobs/yat/seed=1"})
    CHECK(holds(several.output, std::string("  same     ") + job + " test/accuracy: recorded "));
  CHECK_FALSE(holds(several.output, "tables, figures"));
  const auto spaced = recorded.repeat({"--jobs=2", "--all", "-q", "seeds=[0,1,2]"});
  INFO(spaced.output);
  CHECK(holds(spaced.output, "tiny: 2 of 6 recorded jobs; "));
  for (const char* job : {"jobs/linear/seed=0", "jobs/yat/seed=0"}) CHECK(holds(spaced.output, job));
  CHECK_FALSE(holds(spaced.output, "seed=1"));
  // The list of runs does not change.
  CHECK_FALSE(holds(recorded.desk.ask({"runs"}).output, "repeated"));
}

TEST_CASE("repeat finds an altered recorded number and keeps the run that shows it", "[cli][repeat]") {
  const RecordedDesk recorded;
  auto json = Json::parse(read_file(recorded.summary));
  json["arms"]["linear"]["metrics"]["test/loss"]["values"] = {1e3, 1e3, 1e3};
  std::ofstream(recorded.summary) << json.dump(2);
  const auto answer = recorded.repeat({"--jobs=all", "--quiet"});
  INFO(answer.output);
  CHECK(answer.status == 1);
  CHECK(holds(answer.output, "  BEYOND   jobs/linear/seed=0 test/loss: recorded 1000, now "));
  CHECK(holds(answer.output, "tiny: 2 of 6 recorded jobs; "));
  CHECK(holds(answer.output, "  kept: results/.repeated/tiny/"));
  CHECK(recorded.kept() == 1);
}

TEST_CASE("repeat explains what cannot be repeated", "[cli][repeat][hints]") {
  const RecordedDesk recorded;
  const auto refused = [&](const std::vector<std::string>& words) {
    const auto answer = recorded.repeat(words);
    CHECK(answer.status == 2);
    return answer.output;
  };
  const auto protocol = refused({"trainer.epochs=2"});
  CHECK(holds(protocol, "tiny cannot be repeated with trainer.epochs=2"));
  const auto hint = protocol.find("yatlab run tiny.yaml trainer.epochs=2\n");
  REQUIRE(hint != std::string::npos);
  CHECK(recorded.desk.ask_shell(protocol.substr(hint)).status == 0);
  CHECK(holds(refused({"--jobs", "0"}), "'0' is not a number of jobs"));
  CHECK(holds(refused({"nothing.yaml"}), "there is no experiment file 'nothing.yaml'"));
  const auto unrecorded = refused({"xor"});
  CHECK(holds(unrecorded, "no recorded results of"));
  CHECK(holds(unrecorded, "recorded: tiny"));
  const auto empty = recorded.desk.ask({"repeat", "tiny.yaml", "--recorded", "elsewhere"});
  CHECK(empty.status == 2);
  CHECK(holds(empty.output, "no results are recorded in 'elsewhere'"));
  // Another scale, and data that do not exist.
  std::ofstream(recorded.desk.path() / "scaled.yaml") << testing::kTinyExperiment << "scales: {half: [trainer.epochs=2], paper: []}\n";
  const auto scaled = recorded.desk.ask({"repeat", "scaled.yaml", "scale=half", "--recorded", "recorded"});
  CHECK(scaled.status == 2);
  CHECK(holds(scaled.output, "tiny cannot be repeated with scale=half"));
  auto gone = testing::kTinyExperiment;
  gone.replace(gone.find("name: tiny"), 10, "name: gone");
  gone.replace(gone.find("dataset: {train_size: 60, test_size: 20}"), 40, "dataset: {file: gone.csv, label: y}");
  gone.replace(gone.find("synthetic_digits"), 16, "table");
  std::ofstream(recorded.desk.path() / "gone.yaml") << gone;
  fs::create_directory(recorded.desk.path() / "recorded/gone");
  fs::copy_file(recorded.summary, recorded.desk.path() / "recorded/gone/summary.json");
  const auto without = recorded.desk.ask({"repeat", "gone.yaml", "tiny.yaml", "--recorded", "recorded", "-q"});
  INFO(without.output);
  CHECK(without.status == 3);
  CHECK(holds(without.output, "gone: not repeated: "));
  CHECK(holds(without.output, "tiny: 1 of 6 recorded jobs; "));
  // Seeds without recorded results.
  const auto other = recorded.repeat({"seeds=[7]"});
  CHECK(other.status == 1);
  CHECK(holds(other.output, "tiny: none of its 6 recorded jobs is in the current experiment"));
}

}  // namespace yatlab
