// The tracker `wandb`, exercised by small complete runs.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "catch.h"
#include "core/plan/trackers.h"
#include "core/run/replay.h"
#include "core/system/stop.h"
#include "experiment/support.h"
#include "helpers.h"
#include "holds.h"
#include "plugins/wandb/log/sync.h"
#include "trackers/wandb/environment.h"
#include "trackers/wandb/log_reader.h"
#include "trackers/wandb/server.h"

namespace yatlab {
namespace {

using testing::CleanEnvironment;
using testing::field;
using testing::holds;
using testing::kKey;
using testing::read_fields;
using testing::read_items;
using testing::records_of;
using testing::WandbServer;
using testing::Workspace;
using Json = nlohmann::ordered_json;

/// Two arms, two seeds, with W&B's folder beside the results.
std::string experiment(bool one_seed = false) {
  std::string text = testing::kTiny;
  text.replace(text.find("trackers: []"), 12, "trackers: [{name: wandb, finish_seconds: 20}]");
  if (one_seed) text.replace(text.find("seeds: [0, 1]"), 13, "seeds: [0]");
  return text;
}

/// Logs by the display name of their run.
std::map<std::string, fs::path> logs_in(const fs::path& folder) {
  std::map<std::string, fs::path> out;
  for (const auto& log : wandb::find_logs({folder})) out[field(records_of(log, 17).front(), 8)] = log;
  return out;
}

std::vector<std::int64_t> steps(const fs::path& log) {
  std::vector<std::int64_t> out;
  for (const auto& row : records_of(log, 2)) {
    for (const auto& [key, value] : read_items(row, 1)) {
      if (key == "_step") out.push_back(std::stoll(value));
    }
  }
  return out;
}

/// The steps in a job's own history.
std::vector<std::int64_t> expected_steps(const fs::path& job) {
  std::vector<std::int64_t> out;
  std::ifstream in(job / "metrics.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto step = Json::parse(line).at("step").get<std::int64_t>();
    if (out.empty() || out.back() != step) out.push_back(step);
  }
  return out;
}

/// Records of artifacts of one type.
std::vector<std::string> artifacts_of(const fs::path& log, const std::string& type) {
  std::vector<std::string> out;
  for (const auto& artifact : records_of(log, 8)) {
    if (field(artifact, 4) == type) out.push_back(artifact);
  }
  return out;
}

std::map<std::string, std::string> summary_of(const fs::path& log) {
  std::map<std::string, std::string> out;
  for (const auto& record : records_of(log, 3)) {
    for (const auto& [key, value] : read_items(record, 1)) out[key] = value;
  }
  return out;
}

}  // namespace

TEST_CASE("every job is a W&B run with its data and the report is another", "[wandb][tracker]") {
  CleanEnvironment environment;
  const Workspace w(experiment());
  environment.set("WANDB_DIR", w.path().string());
  environment.set("WANDB_TAGS", "first,second");
  environment.set("WANDB_PROJECT", "reproduction");
  const auto run = w.run();
  REQUIRE(run.exit_code == 0);
  const auto logs = logs_in(w.path() / "wandb");
  REQUIRE(logs.size() == 5);
  const auto& log = logs.at("yat seed=1");
  const fs::path job = run.directory / "jobs/yat/seed=1";

  const auto record = records_of(log, 17).front();
  CHECK(field(record, 3) == "reproduction");
  CHECK(field(record, 6) == "tiny");
  CHECK(field(record, 7) == "yat");
  std::vector<std::string> tags;
  for (const auto& [number, value] : read_fields(record)) {
    if (number == 10) tags.push_back(value);
  }
  CHECK(tags == std::vector<std::string>{"first", "second"});
  std::map<std::string, Json> config;
  for (const auto& [key, value] : read_items(field(record, 4), 1)) config[key] = Json::parse(value);
  CHECK(config.at("operator").at("name") == "yat");
  CHECK(config.at("trainer").at("batch_size") == 20);
  CHECK(config.at("seed") == 1);
  CHECK(config.at("arm") == "yat");

  // The same rows as in the job's own history.
  CHECK(steps(log) == expected_steps(job));
  std::ifstream history(job / "metrics.jsonl");
  std::map<std::int64_t, Json> expected;
  for (std::string line; std::getline(history, line);) {
    const auto row = Json::parse(line);
    expected[row.at("step").get<std::int64_t>()].update(row);
  }
  for (const auto& row : records_of(log, 2)) {
    std::map<std::string, std::string> items;
    for (const auto& [key, value] : read_items(row, 1)) items[key] = value;
    const auto& want = expected.at(std::stoll(items.at("_step")));
    CHECK(items.size() == want.size() + 2);  // _step for step; _runtime, _timestamp
    for (const auto& [key, value] : want.items()) {
      if (key != "step") CHECK(std::stod(items.at(key)) == value.get<double>());
    }
  }
  const auto summary = summary_of(log);
  const auto metrics = testing::read_json(job / "summary.json").at("metrics");
  const auto accuracy = Json::parse(summary.at("test/accuracy"));
  CHECK(accuracy.at("last") == metrics.at("test/accuracy"));
  CHECK(accuracy.at("best") == accuracy.at("max"));
  CHECK(summary.at("status") == "\"completed\"");
  bool defined = false;
  for (const auto& metric : records_of(log, 12)) {
    if (field(metric, 1) != "test/accuracy") continue;
    defined = true;
    CHECK(field(metric, 4) == "epoch");
    CHECK(field(metric, 8) == "2");  // higher is better
  }
  CHECK(defined);
  CHECK(!records_of(log, 7).empty());   // the machine's load
  CHECK(!records_of(log, 13).empty());  // console
  const auto artifact = artifacts_of(log, "model").at(0);
  CHECK(field(artifact, 5) == "tiny-yat-seed-1");
  CHECK(field(records_of(log, 18).front(), 1) == "");  // exit code 0
  const auto metadata = Json::parse(read_file(log.parent_path() / "files/wandb-metadata.json"));
  CHECK(metadata.at("cpu_count").get<int>() >= 1);

  const auto& report = logs.at("tiny report");
  CHECK(field(records_of(report, 17).front(), 7) == "report");
  const auto row = read_items(records_of(report, 2).front(), 1);
  std::string table;
  for (const auto& [key, value] : row) {
    if (key.rfind("tables/", 0) == 0) table = value;
  }
  REQUIRE(!table.empty());
  const auto rows = Json::parse(read_file(report.parent_path() / "files" / Json::parse(table).at("path").get<std::string>()));
  CHECK(rows.at("columns").at(0) == "table");
  CHECK(rows.at("data").size() >= 2);
  std::set<std::string> names;
  for (const auto& [number, entry] : read_fields(field(artifacts_of(report, "report").at(0), 12))) {
    if (number == 4) names.insert(field(entry, 1));
  }
  CHECK(names.count("summary.json") == 1);

  // On a second run everything is done: nothing is logged twice.
  REQUIRE(w.run().exit_code == 0);
  CHECK(logs_in(w.path() / "wandb").size() == 5);
  CHECK(wandb::find_logs({w.path() / "wandb"}).size() == 5);
}

TEST_CASE("media are logged at their step and the data set as an input artifact", "[wandb][tracker][media]") {
  CleanEnvironment environment;
  const Workspace w(experiment(true) + "analyses: [prototype_images, prototype_similarity]\n");
  environment.set("WANDB_DIR", w.path().string());
  const auto run = w.run();
  const auto log = logs_in(w.path() / "wandb").at("yat seed=0");
  CHECK(steps(log) == expected_steps(run.directory / "jobs/yat/seed=0"));
  std::map<std::string, std::string> last;
  for (const auto& [key, value] : read_items(records_of(log, 2).back(), 1)) last[key] = value;
  CHECK(last.at("_step") == "12");
  CHECK(last.count("test/accuracy") == 1);
  const auto picture = Json::parse(last.at("prototypes"));
  CHECK(picture.at("_type") == "image-file");
  const auto bytes = read_file(log.parent_path() / "files" / picture.at("path").get<std::string>());
  CHECK(bytes == read_file(run.directory / "jobs/yat/seed=0/analyses/prototype_images/media/000-prototypes.png"));
  CHECK(Json::parse(last.at("prototype_weights")).at("_type") == "histogram");
  CHECK(Json::parse(last.at("similarity/cosine")).at("_type") == "image-file");
  const auto inputs = artifacts_of(log, "dataset");
  REQUIRE(inputs.size() == 1);
  CHECK(field(inputs[0], 10) == "1");  // used, not made
  CHECK(Json::parse(field(inputs[0], 8)).at("sha256") ==
        testing::read_json(run.directory / "jobs/yat/seed=0/summary.json").at("dataset").at("sha256"));
}

TEST_CASE("a diverged job ends as failed, with an alert and its reason", "[wandb][tracker]") {
  CleanEnvironment environment;
  const Workspace w(experiment(true));
  environment.set("WANDB_DIR", w.path().string());
  REQUIRE(w.run({"trainer.diverged_above=1e-9"}).exit_code == 0);
  const auto log = logs_in(w.path() / "wandb").at("yat seed=0");
  CHECK(field(records_of(log, 18).front(), 1) == "1");
  CHECK(summary_of(log).at("status") == "\"diverged\"");
  REQUIRE(records_of(log, 10).size() == 1);
  const auto alert = records_of(log, 10).front();
  CHECK(field(alert, 1) == "yat seed=0 diverged");
  CHECK(holds(field(alert, 2), "training loss "));
  CHECK(field(alert, 3) == "WARN");
  const Workspace quiet(experiment(true));
  environment.set("WANDB_DIR", quiet.path().string());
  quiet.run({"trainer.diverged_above=1e-9", "trackers=[{name: wandb, alerts: false}]"});
  CHECK(records_of(logs_in(quiet.path() / "wandb").at("yat seed=0"), 10).empty());
}

TEST_CASE("checkpoints: none, the last or all are versions of one artifact", "[wandb][tracker]") {
  CleanEnvironment environment;
  const auto versions = [&](const std::string& choice) {
    const Workspace w(experiment(true));
    environment.set("WANDB_DIR", w.path().string());
    REQUIRE(w.run({"trackers=[{name: wandb, checkpoints: " + choice + "}]", "trainer.checkpoint_steps=5"}).exit_code == 0);
    std::vector<std::string> out;
    for (const auto& artifact : artifacts_of(logs_in(w.path() / "wandb").at("yat seed=0"), "model")) {
      out.push_back(field(artifact, 5) + " " + Json::parse(field(artifact, 8)).at("step").dump());
    }
    return out;
  };
  CHECK(versions("none").empty());
  CHECK(versions("last") == std::vector<std::string>{"tiny-yat-seed-0 12"});
  CHECK(versions("all") == std::vector<std::string>{"tiny-yat-seed-0 5", "tiny-yat-seed-0 10", "tiny-yat-seed-0 12"});
}

TEST_CASE("text evaluations are plotted over tokens with fractional epochs", "[wandb][tracker]") {
  CleanEnvironment environment;
  const Workspace w(R"(name: tiny
defaults:
  - /dataset: generated_text
  - /architecture: gpt2
  - /task: language_modeling
  - _self_
architecture: {layers: 1, heads: 2, width: 16}
trainer: {steps: 6, batch_size: 2, eval_steps: 2, log_every: 3, checkpoint_seconds: 1000}
seeds: [0]
launcher: {workers: 1}
trackers: [wandb]
arms:
  gpt2: [operator=dot]
  aether: [operator=yat]
)");
  environment.set("WANDB_DIR", w.path().string());
  const auto run = w.run();
  REQUIRE(run.exit_code == 0);
  const auto log = logs_in(w.path() / "wandb").at("gpt2 seed=0");
  std::map<std::string, std::string> axis;
  for (const auto& metric : records_of(log, 12)) axis[field(metric, 1)] = field(metric, 4);
  CHECK(axis.at("test/loss") == "tokens");
  CHECK(axis.at("train/batch_loss").empty());  // steps
  std::set<std::string> epochs, tokens;
  std::size_t rows = 0;
  for (const auto& row : records_of(log, 2)) {
    std::map<std::string, std::string> items;
    for (const auto& [key, value] : read_items(row, 1)) items[key] = value;
    epochs.insert(items.at("epoch"));
    tokens.insert(items.at("tokens"));
    ++rows;
  }
  CHECK(rows >= 4);
  CHECK(epochs.size() == rows);
  CHECK(tokens.size() == rows);
}

TEST_CASE("a W&B sweep agent finds one run for one or several jobs", "[wandb][tracker][sweep]") {
  CleanEnvironment environment;
  const auto runs_of_sweep = [](const fs::path& folder) {
    std::vector<std::string> out;
    for (const auto& [name, log] : logs_in(folder)) {
      const auto record = records_of(log, 17).front();
      if (!field(record, 12).empty()) out.push_back(name + " " + field(record, 1) + " " + field(record, 12));
    }
    return out;
  };
  const Workspace one(experiment(true));
  environment.set("WANDB_DIR", one.path().string());
  environment.set("WANDB_SWEEP_ID", "sweep7");
  environment.set("WANDB_RUN_ID", "agents1");
  one.run({"~arms.linear"});
  CHECK(logs_in(one.path() / "wandb").size() == 2);  // the job and the report
  CHECK(runs_of_sweep(one.path() / "wandb") == std::vector<std::string>{"yat seed=0 agents1 sweep7"});

  const Workspace several(experiment());
  environment.set("WANDB_DIR", several.path().string());
  const auto run = several.run({"~arms.linear"});
  CHECK(runs_of_sweep(several.path() / "wandb") == std::vector<std::string>{"tiny agents1 sweep7"});
  const auto row = read_items(records_of(logs_in(several.path() / "wandb").at("tiny"), 2).front(), 1);
  double sum = 0;
  for (const char* seed : {"0", "1"}) {
    sum += testing::read_json(run.directory / "jobs/yat" / ("seed=" + std::string(seed)) / "summary.json")
               .at("metrics")
               .at("test/accuracy")
               .get<double>();
  }
  bool mean = false;
  for (const auto& [key, value] : row) {
    if (key == "test/accuracy") CHECK(std::stod(value) == sum / 2);
    mean = mean || key == "test/accuracy";
  }
  CHECK(mean);
}

TEST_CASE("a replay logs a finished run once, with its rows, objects and report", "[wandb][tracker][replay]") {
  CleanEnvironment environment;
  const Workspace w(experiment() + "analyses: [prototype_images]\n");
  const auto run = w.run({"trackers=[]"});
  environment.set("WANDB_DIR", w.path().string());
  Node trackers = Node::list();
  trackers.push_back(Node("wandb"));
  for (int times = 0; times < 2; ++times) {
    CHECK(replay_run(run.directory, trackers, true).jobs == 4);
    const auto logs = logs_in(w.path() / "wandb");
    CHECK(wandb::find_logs({w.path() / "wandb"}).size() == 5);
    REQUIRE(logs.count("yat seed=1") == 1);
    CHECK(steps(logs.at("yat seed=1")) == expected_steps(run.directory / "jobs/yat/seed=1"));
    CHECK(records_of(logs.at("yat seed=1"), 18).size() == 1);
    CHECK(records_of(logs.at("yat seed=1"), 7).empty());  // no metrics of the machine that replays
    CHECK(logs.count("tiny report") == 1);
  }
}

TEST_CASE("jobs finished before the tracker was added are named until they are replayed", "[wandb][tracker][replay]") {
  CleanEnvironment environment;
  const Workspace w;
  const auto run = w.run().directory;
  environment.set("WANDB_DIR", w.path().string());
  const auto log = [&] {
    fs::remove(run / "log.txt");
    w.run({"tracker=wandb", "tracker.tags=[a,b]", "tracker.reports=false"});
    return read_file(run / "log.txt");
  };
  const std::string said =
      "note: 4 of 4 jobs finished before tracker 'wandb' was added, so it does not show them. To add them:\n  yatlab replay " +
      run.string() + " --tracker wandb 'tracker.tags=[a,b]' tracker.reports=false\n";
  CHECK(holds(log(), said));
  CHECK(holds(log(), said));
  Node trackers = Node::list();
  trackers.push_back(Node("wandb"));
  CHECK(replay_run(run, trackers, true).jobs == 4);
  CHECK_FALSE(holds(log(), "were done before"));
  // A run that logs nothing leaves nothing out.
  fs::remove_all(w.path() / "wandb");
  environment.set("WANDB_MODE", "disabled");
  CHECK_FALSE(holds(log(), "were done before"));
}

TEST_CASE("tracker=wandb on the command line is added to the other trackers", "[wandb][tracker]") {
  CleanEnvironment environment;
  const Workspace w;
  environment.set("WANDB_DIR", w.path().string());
  const auto plan = w.plan({"tracker=wandb", "tracker.project=mine", "tracker.reports=false", "trackers=[console]"});
  CHECK(tracker_specs(plan.experiment).size() == 2);
  CHECK(tracker_specs(w.plan({"tracker=wandb", "trackers=[console,wandb]"}).experiment).size() == 2);
  CHECK(tracker_specs(w.plan().experiment).size() == 0);
  CHECK(plan.hash == w.plan().hash);  // trackers do not affect a run's results
  CHECK(plan.protocol_overrides.empty());
  REQUIRE(w.run({"tracker=wandb", "tracker.project=mine", "tracker.reports=false"}).exit_code == 0);
  const auto logs = logs_in(w.path() / "wandb");
  CHECK(logs.size() == 4);
  CHECK(field(records_of(logs.at("linear seed=0"), 17).front(), 3) == "mine");
  CHECK(holds(w.error({"tracker=wandb", "tracker.projct=mine"}), "project"));
}

TEST_CASE("an interrupted job resumes its W&B run without lost or repeated rows", "[wandb][tracker][resume]") {
  CleanEnvironment environment;
  const Workspace w(experiment(true));
  environment.set("WANDB_DIR", w.path().string());
  request_stop(SIGTERM);
  CHECK(w.run().exit_code == 143);  // no job starts, and an empty report is not logged
  request_stop(0);
  CHECK(w.run({"trackers=[]", "trainer.epochs=2"}).exit_code == 0);  // finished without a tracker
  const auto outcome = w.run();
  CHECK(outcome.exit_code == 0);
  CHECK_THROWS(wandb::find_logs({w.path() / "wandb/none"}));

  // A log without its end, as after kill -9, is completed from the job's own history.
  fs::remove_all(w.path() / "wandb");  // the first run's logs have the same names
  RunOptions fresh;
  fresh.fresh = true;
  const auto second = w.run({}, fresh);
  const auto log = logs_in(w.path() / "wandb").at("yat seed=0");
  const auto whole = steps(log);
  REQUIRE(whole.size() > 3);
  fs::resize_file(log, fs::file_size(log) / 2);
  CHECK(w.run().directory == second.directory);
  CHECK(steps(log) == whole);
  CHECK(records_of(log, 18).size() == 1);
  CHECK(records_of(log, 17).size() == 1);
}

TEST_CASE("live: everything is uploaded and no file contains the key", "[wandb][tracker][live][security]") {
  CleanEnvironment environment;
  WandbServer server;
  const Workspace w(experiment());
  environment.set("WANDB_DIR", w.path().string());
  environment.set("WANDB_BASE_URL", server.url());
  environment.set("WANDB_API_KEY", kKey);
  const auto run = w.run();
  REQUIRE(run.exit_code == 0);
  const auto state = server.state();
  const auto asked = [&](const char* operation) { return std::count(state.operations.begin(), state.operations.end(), operation); };
  CHECK(asked("CommitArtifact") == 4 + 1 + 1 + 1);  // each job's model, the report and its table, the data set that all used
  CHECK(asked("UseArtifact") == 4);
  for (const auto& [name, log] : logs_in(w.path() / "wandb")) {
    INFO(name);
    CHECK(fs::exists(log.string() + ".synced"));
  }
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(w.path())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    INFO(entry.path());
    CHECK_FALSE(holds(read_file(entry.path()), kKey));
  }
  CHECK(files > 40);
  CHECK(std::getenv("WANDB_API_KEY") == nullptr);
}

TEST_CASE("live: WANDB_RESUME=must and never are checked before training", "[wandb][tracker][live][resume]") {
  CleanEnvironment environment;
  WandbServer server;
  const Workspace w(experiment(true));
  const auto run = [&](const std::string& resume) {
    environment.set("WANDB_DIR", w.path().string());
    environment.set("WANDB_BASE_URL", server.url());
    environment.set("WANDB_API_KEY", kKey);
    environment.set("WANDB_RUN_ID", "wanted1");
    environment.set("WANDB_RESUME", resume);
    return testing::error_of([&] { w.run({"~arms.linear"}); });
  };
  const auto missing = run("must");
  CHECK(holds(missing, "WANDB_RESUME=must, but the server has no run 'wanted1'"));
  CHECK_FALSE(fs::exists(w.path() / "results/tiny/latest/jobs/yat/seed=0/status.json"));
  CHECK(run("never") == "no error");
  CHECK(fs::exists(w.path() / "results/tiny/latest/jobs/yat/seed=0/summary.json"));
}

TEST_CASE("live: a failing server does not affect the run", "[wandb][tracker][live][faults]") {
  CleanEnvironment environment;
  WandbServer server;
  WandbServer::Faults faults;
  faults.graphql_status = 401;
  server.set(faults);
  const Workspace w(experiment()), plain;
  environment.set("WANDB_DIR", w.path().string());
  environment.set("WANDB_BASE_URL", server.url());
  environment.set("WANDB_API_KEY", kKey);
  const auto run = w.run();
  CHECK(run.exit_code == 0);
  CHECK_FALSE(holds(read_file(run.directory / "log.txt"), "switched off"));
  const auto logs = logs_in(w.path() / "wandb");
  CHECK(logs.size() == 5);
  for (const auto& [name, log] : logs) CHECK_FALSE(fs::exists(log.string() + ".synced"));
  // The jobs' files equal those of a run without a tracker.
  const auto alone = plain.run();
  for (const char* job : {"linear/seed=0", "yat/seed=1"}) {
    for (const char* file : {"metrics.jsonl", "summary.json"}) {
      CHECK(read_file(run.directory / "jobs" / job / file) == read_file(alone.directory / "jobs" / job / file));
    }
  }
}

TEST_CASE("live: Stop in the web interface interrupts the job which can be resumed", "[wandb][tracker][live]") {
  CleanEnvironment environment;
  WandbServer server;
  WandbServer::Faults faults;
  faults.stop = true;
  server.set(faults);
  const Workspace w(experiment(true));
  environment.set("WANDB_DIR", w.path().string());
  environment.set("WANDB_BASE_URL", server.url());
  environment.set("WANDB_API_KEY", kKey);
  const auto stopped = w.run({"trainer.epochs=20000", "~arms.linear"});
  CHECK(stopped.exit_code == 130);
  CHECK(holds(read_file(stopped.directory / "jobs/yat/seed=0/status.json"), "interrupted"));
  CHECK(holds(read_file(stopped.directory / "log.txt"), "1 job was stopped by the user"));
}

}  // namespace yatlab
