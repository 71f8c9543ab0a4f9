#include "core/run/run.h"

#include <torch/cuda.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "catch.h"
#include "core/compose/identity.h"
#include "core/compose/job_type.h"
#include "core/config/yaml.h"
#include "core/job/job.h"
#include "core/job/run_job_folder.h"
#include "core/record/checkpoint_folders.h"
#include "core/record/job_file.h"
#include "core/record/run_view.h"
#include "core/run/run_directory.h"
#include "core/run/run_estimate.h"
#include "core/system/file_lock.h"
#include "core/system/stop.h"
#include "experiment/components.h"
#include "experiment/support.h"
#include "helpers.h"

namespace yatlab {
namespace {

using testing::Breaking;
using testing::contents_below;
using testing::differences;
using testing::kTiny;
using testing::read_json;
using testing::with;
using testing::Witness;
using testing::Workspace;
using Strings = std::vector<std::string>;

/// The state of a job including its analyses.
JobState state_of(const RunOutcome& outcome, const std::string& job) {
  const auto run = RunView::load(outcome.directory);
  for (const auto& seen : run.jobs) {
    if (seen.directory == "jobs/" + job) return seen.state;
  }
  FAIL("no job " + job);
  return JobState::kPlanned;
}

std::size_t runs_in(const Workspace& w) {
  std::size_t n = 0;
  for (const auto& entry : fs::directory_iterator(w.path() / "results/tiny")) n += !entry.is_symlink();
  return n;
}

/// Resets switches at the end of a test.
struct Switches {
  ~Switches() {
    Breaking::seeds().clear();
    Witness::clear();
    Witness::on_progress() = {};
    testing::throwing_call().clear();
    testing::throwing_calls() = 0;
    testing::moving_data_version() = 0;
    request_stop(0);
  }
};

}  // namespace

TEST_CASE("a run says where its jobs ran, also when it is repeated elsewhere", "[run]") {
  const Workspace w(with("analyses: [prototype_norms]\n"));
  const auto environment_of = [](const fs::path& run) { return read_json(run / "environment.json"); };
  const auto first = w.run();
  auto elsewhere = environment_of(first.directory);
  elsewhere["cpu"] = "another machine";
  write_file_atomic(first.directory / "environment.json", elsewhere.dump());
  CHECK(w.run().directory == first.directory);  // nothing to do
  CHECK(environment_of(first.directory) == elsewhere);
  const auto fewer = w.run({"seeds=[0]"});  // all from the first run
  CHECK(fewer.directory != first.directory);
  CHECK(environment_of(fewer.directory) == elsewhere);
  const auto more = w.run({"seeds=[0,5]"});
  CHECK(environment_of(more.directory).at("cpu") != "another machine");
}

TEST_CASE("jobs that are finished need no device", "[run]") {
  const Workspace w(with(""));
  const auto cuda = [&](const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"trainer.device=cuda", "seeds=[0]"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  if (torch::cuda::is_available()) return;
  CHECK_THROWS_WITH(w.run(cuda()), Catch::Contains("trainer.device=cuda cannot be used on this machine"));
  // Another machine's run: a plan whose job is finished. Its files are those of a CPU's job, so that it is trained again after the check.
  const auto here = w.run({"seeds=[0]"}).directory;
  const auto plan = w.plan(cuda());
  const fs::path there = here.parent_path() / "2026-01-01_00-00-00-device=cuda-000000";
  fs::copy(here, there, fs::copy_options::recursive);
  write_file_atomic(there / "plan.json", plan.to_json(there.filename().string()));
  CHECK_THROWS_WITH(w.run({"trainer.device=cuda", "seeds=[0,1]"}), Catch::Contains("cannot be used on this machine"));
  CHECK_THROWS_WITH(w.run(cuda({"analyses=[prototype_norms]"})), Catch::Contains("cannot be used on this machine"));
  RunOptions fresh;
  fresh.fresh = true;
  CHECK_THROWS_WITH(w.run(cuda(), fresh), Catch::Contains("cannot be used on this machine"));
  CHECK_NOTHROW(w.run(cuda()));
}

TEST_CASE("a run writes all documented files", "[run]") {
  const Workspace w(with("analyses: [prototype_norms, prototype_images]\n"));
  RunOptions options;
  options.command = "yatlab run tiny.yaml";
  const auto outcome = w.run({"optimizer.lr=0.01"}, options);
  CHECK(outcome.exit_code == 0);
  const fs::path run = outcome.directory;
  const auto plan = w.plan({"optimizer.lr=0.01"});

  // <date>_<time>-<overrides>-<hash6>, and `latest` points at it, as there is no other run.
  const std::string name = run.filename().string();
  REQUIRE(name.size() > 19);
  CHECK(name.substr(19) == "-lr=0.01-" + plan.hash.substr(0, 6));
  CHECK(fs::read_symlink(w.path() / "results/tiny/latest") == run.filename());
  for (const char* file : {"config.yaml", "overrides.yaml", "plan.json", "environment.json", "log.txt", "summary.json"}) {
    INFO(file);
    CHECK(fs::is_regular_file(run / file));
  }
  CHECK(read_file(run / "plan.json") == plan.to_json(name));
  CHECK(read_file(run / "overrides.yaml") == "- optimizer.lr=0.01\n");
  CHECK(read_json(run / "sources.json")["optimizer.lr"] == "command line (optimizer.lr=0.01)");
  CHECK(read_json(run / "environment.json").at("command") == "yatlab run tiny.yaml");
  CHECK(read_json(run / "environment.json").at("code") == code_hash());
  CHECK(read_json(run / "summary.json").at("status") == "complete");

  for (const auto& job : plan.jobs) {
    INFO(job.label());
    const fs::path directory = run / job.directory;
    for (const char* file :
         {"job.yaml", "metrics.jsonl", "summary.json", "status.json", "manifest.json", "analyses/prototype_norms/job.yaml",
          "analyses/prototype_norms/status.json", "analyses/prototype_images/artifacts/prototypes.json"}) {
      INFO(file);
      CHECK(fs::is_regular_file(directory / file));
    }
    const auto file = read_job_file(directory);
    CHECK(file.arm == job.arm);
    CHECK(file.seed == job.seed);
    CHECK(file.hash == job.hash);
    CHECK(file.config.to_flow() == job.config.to_flow());
    CHECK(file.uses.count("operator/" + job.config.at("operator").at("name").as_string()) == 1);
    const auto summary = read_json(directory / "summary.json");
    CHECK(summary.at("hash") == job.hash);
    CHECK(summary.at("status") == "completed");
    CHECK(summary.at("steps") == 12);
    CHECK(summary.at("dataset").at("name") == "synthetic_digits");
    CHECK(summary.at("dataset").at("substituted_for").is_null());
    for (const char* metric : {"test/accuracy", "test/loss", "train/loss"}) CHECK(summary.at("metrics").contains(metric));
    CHECK(read_json(directory / "analyses/prototype_norms/summary.json").at("metrics").contains("prototypes/norm_change"));
    CHECK(fs::exists(directory / "checkpoints/step=000000012/model.safetensors"));
    // metrics.jsonl: step 0, every third step, two epochs.
    std::istringstream lines(read_file(directory / "metrics.jsonl"));
    std::vector<std::int64_t> steps;
    for (std::string line; std::getline(lines, line);) steps.push_back(nlohmann::json::parse(line).at("step"));
    CHECK(steps == std::vector<std::int64_t>{0, 3, 6, 6, 9, 12, 12});
    const auto status = read_json(directory / "status.json");
    CHECK(status.at("state") == "completed");
    CHECK(status.at("wall_s") >= 0.0);
    CHECK(status.at("finished").get<std::string>().size() == 20);
  }
  CHECK_FALSE(fs::exists(run / "jobs/yat/seed=2"));
}

TEST_CASE("repeating the same plan keeps its folder and job files", "[run][resume]") {
  const Switches switches;
  const Workspace w(with("title: first\n"));
  const auto first = w.run({"trackers=[witness]"});
  const auto before = contents_below(first.directory / "jobs", true);
  Witness::clear();
  // Keys that do not affect results may change: the folder stays, its plan is updated.
  const auto again = w.run({"trackers=[witness]", "title=second", "launcher.workers=2"});
  CHECK(again.exit_code == 0);
  CHECK(again.directory == first.directory);
  CHECK(differences(before, contents_below(first.directory / "jobs", true)).empty());
  CHECK(Witness::events() == Strings{"start 4 jobs, 1 workers", "kept linear seed=0", "completed linear seed=0", "kept linear seed=1",
                                     "completed linear seed=1", "kept yat seed=0", "completed yat seed=0", "kept yat seed=1",
                                     "completed yat seed=1", "finish"});
  CHECK(read_json(first.directory / "plan.json").at("title") == "second");
  CHECK(runs_in(w) == 1);

  RunOptions fresh;
  fresh.fresh = true;
  const auto anew = w.run({}, fresh);
  CHECK(anew.directory != first.directory);
  CHECK(runs_in(w) == 2);
  CHECK(fs::read_symlink(w.path() / "results/tiny/latest") == anew.directory.filename());
  CHECK(differences(contents_below(first.directory / "jobs"), contents_below(anew.directory / "jobs")).empty());
  // The newest run of the plan is resumed.
  CHECK(w.run().directory == anew.directory);
}

TEST_CASE("another plan gets another folder and takes over finished jobs", "[run][adopt]") {
  const Switches switches;
  const Workspace w;
  const auto first = w.run();
  Witness::clear();
  const auto more = w.run({"seeds=[0,1,2]", "trackers=[witness]"});
  CHECK(more.directory != first.directory);
  CHECK(Witness::events() == Strings{"start 6 jobs, 1 workers", "kept linear seed=0", "completed linear seed=0", "kept linear seed=1",
                                     "completed linear seed=1", "kept yat seed=0", "completed yat seed=0", "kept yat seed=1",
                                     "completed yat seed=1", "begin linear seed=2", "completed linear seed=2", "begin yat seed=2",
                                     "completed yat seed=2", "finish"});
  for (const char* job : {"linear/seed=0", "linear/seed=1", "yat/seed=0", "yat/seed=1"}) {
    INFO(job);
    CHECK(differences(contents_below(first.directory / "jobs" / job, true), contents_below(more.directory / "jobs" / job, true)).empty());
  }
  // A change of one arm repeats only that arm.
  Witness::clear();
  w.run({"operator.epsilon=0.5", "trackers=[witness]"});
  CHECK(Witness::events() == Strings{"start 4 jobs, 1 workers", "kept linear seed=0", "completed linear seed=0", "kept linear seed=1",
                                     "completed linear seed=1", "begin yat seed=0", "completed yat seed=0", "begin yat seed=1",
                                     "completed yat seed=1", "finish"});
  // --fresh takes over nothing.
  Witness::clear();
  RunOptions fresh;
  fresh.fresh = true;
  w.run({"seeds=[0]", "trackers=[witness]"}, fresh);
  CHECK(Witness::events() == Strings{"start 2 jobs, 1 workers", "begin linear seed=0", "completed linear seed=0", "begin yat seed=0",
                                     "completed yat seed=0", "finish"});
}

TEST_CASE("a finished job is taken over from an older run when the newer one never finished it", "[run][adopt]") {
  const Switches switches;
  const Workspace w;
  const auto first = w.run();
  RunOptions fresh;
  fresh.fresh = true;
  request_stop(SIGTERM);
  const auto stopped = w.run({}, fresh);
  request_stop(0);
  CHECK(stopped.exit_code == 143);
  CHECK_FALSE(fs::exists(stopped.directory / "jobs/yat/seed=0/summary.json"));
  const auto plan = w.plan({"seeds=[0,1,2]"});
  const auto opened = open_run_directory(plan, false);
  CHECK_FALSE(opened.resumed);
  const auto silent = [](const std::string& text) { FAIL(text); };
  CHECK(EarlierRuns(opened.path, silent).adopt(plan, 0).size() == 4);
  CHECK(EarlierRuns(opened.path, silent).adopt(plan, 0).empty());  // they exist now
  for (const auto& job : w.plan().jobs) {
    CHECK(differences(contents_below(first.directory / job.directory), contents_below(opened.path / job.directory)).empty());
  }
}

/// Counts the training steps of jobs.
class Trained {
 public:
  Trained() {
    Witness::on_progress() = [this](const JobSpec&, const Progress&) { ++steps_; };
  }
  ~Trained() { Witness::on_progress() = nullptr; }
  int steps() { return steps_.exchange(0); }

 private:
  std::atomic<int> steps_{0};
};

TEST_CASE("finished jobs of another experiment are reused", "[run][adopt]") {
  const Switches switches;
  Workspace w(with("analyses: [prototype_norms]\n"));
  const auto first = w.run({"seeds=[0]"});
  std::string text = with("analyses: [prototype_norms]\n");
  text.replace(text.find("name: tiny"), 10, "name: other");
  w.rewrite(text);
  CHECK(estimate_of(w.plan()).left == 2);
  const auto unreadable = first.directory.parent_path() / "2020-01-01_00-00-00-unreadable";
  make_folders(unreadable);
  write_file_atomic(unreadable / "plan.json", "{");
  Trained trained;
  const auto other = w.run({"seeds=[0]", "trackers=[witness]"});
  CHECK(trained.steps() == 0);
  CHECK(other.exit_code == 0);
  CHECK(other.directory.parent_path().filename() == "other");
  for (const char* file : {"metrics.jsonl", "summary.json", "analyses/prototype_norms/summary.json"}) {
    CHECK(read_file(other.directory / "jobs/yat/seed=0" / file) == read_file(first.directory / "jobs/yat/seed=0" / file));
  }
  const auto more = w.run({"trackers=[witness]"});
  CHECK(trained.steps() > 0);
  CHECK(read_json(more.directory / "summary.json").at("status") == "complete");
  CHECK_FALSE(holds(read_file(more.directory / "log.txt"), "cannot be read"));
}

TEST_CASE("a renamed arm is not trained again", "[run][adopt]") {
  const Switches switches;
  Workspace w(with("analyses: [prototype_norms]\n"));
  const auto first = w.run();
  std::string text = with("analyses: [prototype_norms]\n");
  text.replace(text.find("  linear:"), 9, "  line:");
  w.rewrite(text);
  Trained trained;
  const auto renamed = w.run({"trackers=[witness]"});
  CHECK(trained.steps() == 0);
  CHECK(renamed.exit_code == 0);
  CHECK(renamed.directory != first.directory);
  CHECK_FALSE(fs::exists(renamed.directory / "jobs/linear"));
  CHECK(read_job_file(renamed.directory / "jobs/line/seed=0").arm == "line");
  for (const char* file : {"metrics.jsonl", "summary.json", "analyses/prototype_norms/summary.json"}) {
    CHECK(read_file(renamed.directory / "jobs/line/seed=0" / file) == read_file(first.directory / "jobs/linear/seed=0" / file));
  }
  CHECK(read_json(renamed.directory / "summary.json").at("status") == "complete");
}

TEST_CASE("adding, changing or removing an analysis never trains again", "[run][adopt][analyses]") {
  const Switches switches;
  const Workspace w;
  const auto bare = w.run();
  Trained trained;
  const auto added = w.run({"analyses=[prototype_norms]", "trackers=[witness]"});
  CHECK(trained.steps() == 0);
  CHECK(fs::exists(added.directory / "jobs/yat/seed=1/analyses/prototype_norms/summary.json"));
  const auto changed = w.run({"analyses=[prototype_norms,{name: prototype_inversion, split: train}]", "trackers=[witness]"});
  const auto other = w.run({"analyses=[{name: prototype_inversion, split: test}]", "trackers=[witness]"});
  CHECK(trained.steps() == 0);
  for (const auto& run : {bare, added, changed, other}) CHECK(read_json(run.directory / "summary.json").at("status") == "complete");
  // The same as if it had existed from the start.
  RunOptions fresh;
  fresh.fresh = true;
  const auto whole = w.run({"analyses=[prototype_norms,{name: prototype_inversion, split: train}]"}, fresh);
  CHECK(differences(contents_below(whole.directory / "jobs"), contents_below(changed.directory / "jobs")).empty());
}

TEST_CASE("analyses also run on a diverged training", "[run][analyses][diverged]") {
  const Switches switches;
  const Workspace w(with("analyses: [prototype_norms]\n"));
  const auto outcome = w.run({"optimizer=sgd", "optimizer.lr=1e30", "~arms.yat"});
  CHECK(outcome.exit_code == 0);
  CHECK(state_of(outcome, "linear/seed=0") == JobState::kDiverged);
  CHECK(read_json(outcome.directory / "jobs/linear/seed=0/analyses/prototype_norms/summary.json").at("status") == "completed");
}

TEST_CASE("one process at a time works in a run directory", "[run][lock]") {
  const Workspace w;
  const auto outcome = w.run();
  {
    const auto lock = RunLock::take(outcome.directory);
    try {
      w.run();
      FAIL("no error");
    } catch (const Error& e) {
      CHECK(e.exit_code() == 2);
      CHECK(w.shortened(e.what()) == "this run is already in progress\n  at: ~/results/tiny/" + outcome.directory.filename().string() +
                                         "\n  why: another process holds its lock\n"
                                         "  try: wait for it, or start a second run with --fresh");
    }
    RunOptions fresh;
    fresh.fresh = true;
    CHECK(w.run({}, fresh).exit_code == 0);
  }
  CHECK(w.run().exit_code == 0);  // the lock was released
}

TEST_CASE("two runs that start in the same second have folders of their own", "[run]") {
  const Workspace w;
  const auto plan = w.plan();
  std::set<std::string> names;
  for (int i = 0; i < 4; ++i) names.insert(open_run_directory(plan, true).path.filename().string());
  CHECK(names.size() == 4);
}

TEST_CASE("a folder without plan.json is not a run", "[run]") {
  const Workspace w;
  const auto first = w.run();
  fs::remove(first.directory / "plan.json");
  CHECK(w.run().directory != first.directory);
}

TEST_CASE("changed data start a new run and keep finished results", "[run][data]") {
  const Switches switches;
  const Workspace w(
      "name: tiny\ndefaults:\n  - /dataset: moving\n  - /architecture: single_unit\n  - _self_\n"
      "trainer: {epochs: 2, batch_size: 4}\nseeds: [0, 1]\ntrackers: [witness]\nlauncher: {workers: 1}\n"
      "arms: {yat: [operator=yat]}\n");
  testing::moving_data_loads() = 0;
  const auto first = w.run();
  CHECK(testing::moving_data_loads() == 1);  // once for all jobs
  const auto substitute = read_json(first.directory / "jobs/yat/seed=0/summary.json");
  CHECK(substitute.at("dataset").at("substituted_for") == "moving");
  CHECK(substitute.at("dataset").at("tier") == "embedded");
  Witness::clear();
  w.run();
  CHECK(Witness::events()[1] == "kept yat seed=0");

  testing::moving_data_version() = 1;
  Witness::clear();
  const auto second = w.run();
  CHECK(second.directory != first.directory);
  CHECK(Witness::events() == Strings{"start 2 jobs, 1 workers", "begin yat seed=0", "completed yat seed=0", "begin yat seed=1",
                                     "completed yat seed=1", "finish"});
  CHECK(read_json(first.directory / "jobs/yat/seed=0/summary.json") == substitute);
  const auto real = read_json(second.directory / "jobs/yat/seed=0/summary.json");
  CHECK(real.at("dataset").at("substituted_for").is_null());
  CHECK(real.at("dataset").at("tier") == "local");
  CHECK(real.at("metrics") != substitute.at("metrics"));

  // The data disappear (an unmounted disk) and come back: either run is found again, and nothing is retrained.
  const auto before = contents_below(second.directory / "jobs", true);
  for (const int version : {0, 1}) {
    testing::moving_data_version() = version;
    Witness::clear();
    CHECK(w.run().directory == (version == 0 ? first : second).directory);
    CHECK(Witness::events() == Strings{"start 2 jobs, 1 workers", "kept yat seed=0", "completed yat seed=0", "kept yat seed=1",
                                       "completed yat seed=1", "finish"});
  }
  CHECK(differences(before, contents_below(second.directory / "jobs", true)).empty());

  // More seeds: of two earlier runs, jobs are taken over from the one with the same data.
  Witness::clear();
  const auto more = w.run({"seeds=[0,1,2]"});
  const auto events = Witness::events();
  CHECK(std::count(events.begin(), events.end(), "begin yat seed=2") == 1);
  CHECK(std::count(events.begin(), events.end(), "kept yat seed=1") == 1);
  CHECK(read_json(more.directory / "jobs/yat/seed=1/summary.json").at("dataset").at("substituted_for").is_null());
}

TEST_CASE("a job given by its folder loses nothing if its data are missing", "[run][data]") {
  const Switches switches;
  const Workspace w(
      "name: tiny\ndefaults:\n  - /dataset: moving\n  - /architecture: single_unit\n  - _self_\n"
      "trainer: {epochs: 2, batch_size: 4}\nseeds: [0]\ntrackers: []\narms: {yat: [operator=yat]}\n");
  testing::moving_data_version() = 1;
  const auto job = w.run().directory / "jobs/yat/seed=0";
  const auto before = contents_below(job, true);
  testing::moving_data_version() = 0;
  try {
    JobObserver observer;
    run_job_folder(job, observer);
    FAIL("the job continued with other data");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kData);
    CHECK(e.why().find("started with moving (sha256 ") != std::string::npos);
    CHECK(e.why().find("is standin (sha256 ") != std::string::npos);
    CHECK(e.why().find(", a substitute") != std::string::npos);
  }
  CHECK(differences(before, contents_below(job, true)).empty());
}

TEST_CASE("changed data during an interrupted job start a new run from scratch", "[run][data]") {
  const Switches switches;
  const std::string text =
      "name: tiny\ndefaults:\n  - /dataset: moving\n  - /architecture: single_unit\n  - _self_\n"
      "trainer: {epochs: 40, batch_size: 4}\nseeds: [0]\ntrackers: [witness]\n"
      "arms: {yat: [operator=yat]}\n";
  testing::moving_data_version() = 1;
  const Workspace unbroken(text), w(text);
  const auto expected = unbroken.run();

  testing::moving_data_version() = 0;
  Witness::on_progress() = [](const JobSpec&, const Progress& p) {
    if (p.step == 20) request_stop(SIGTERM);
  };
  REQUIRE(w.run().exit_code == 143);
  request_stop(0);
  Witness::on_progress() = {};
  const auto interrupted = w.path() / "results/tiny/latest";
  const auto before = contents_below(interrupted / "jobs", true);
  const auto first = fs::canonical(interrupted);
  CHECK_FALSE(entries_of(first / "jobs/yat/seed=0/checkpoints").empty());
  testing::moving_data_version() = 1;
  const auto outcome = w.run();
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.directory != first);
  CHECK(differences(contents_below(expected.directory / "jobs"), contents_below(outcome.directory / "jobs")).empty());
  CHECK(differences(before, contents_below(first / "jobs", true)).empty());
}

TEST_CASE("an arm added on the command line is in the run's tables", "[run][arms]") {
  const Workspace w(with("tables: {tab:one: {arms: [linear, yat], columns: [test/accuracy]}}\n"));
  const auto run = w.run({"seeds=[0]", "+arms.lap=[operator=yat, operator.epsilon=0.5]"}).directory;
  const auto config = load_yaml(run / "config.yaml");
  CHECK(config.find_path("tables.tab:one.arms")->to_flow() == "[linear, yat, lap]");
  const auto table = read_file(run / "tables/tab_one.md");
  for (const char* arm : {"| linear |", "| yat |", "| lap |"}) CHECK(table.find(arm) != std::string::npos);
}

TEST_CASE("a failed job stays failed until a retry is requested", "[run][failed]") {
  const Switches switches;
  const Workspace w(with("analyses: [breaking]\n"));
  Breaking::seeds() = {1};
  const auto first = w.run({"trackers=[witness]"});
  CHECK(first.exit_code == 1);
  CHECK(state_of(first, "linear/seed=0") == JobState::kCompleted);
  CHECK(state_of(first, "linear/seed=1") == JobState::kFailed);
  CHECK(state_of(first, "yat/seed=1") == JobState::kFailed);
  CHECK(read_json(first.directory / "jobs/yat/seed=1/analyses/breaking/status.json").at("error") == "broken on purpose\n  at: the test");
  CHECK_FALSE(fs::exists(first.directory / "jobs/yat/seed=1/analyses/breaking/summary.json"));
  const auto summary = read_json(first.directory / "summary.json");
  CHECK(summary.at("status") == "failed");
  CHECK(summary.at("arms").at("yat").at("failed") == 1);
  CHECK(summary.at("arms").at("yat").at("n") == 1);

  Breaking::seeds().clear();
  Witness::clear();
  CHECK(w.run({"trackers=[witness]"}).exit_code == 1);  // still failed: no retry was requested
  CHECK(Witness::events()[3] == "kept linear seed=1");
  CHECK(Witness::events()[4] == "failed linear seed=1");
  RunOptions retry;
  retry.retry_failed = true;
  Witness::clear();
  const auto second = w.run({"trackers=[witness]"}, retry);
  CHECK(second.exit_code == 0);
  CHECK(second.directory == first.directory);
  CHECK(state_of(second, "yat/seed=1") == JobState::kCompleted);
  CHECK(Witness::events() == Strings{"start 4 jobs, 1 workers", "kept linear seed=0", "completed linear seed=0", "kept yat seed=0",
                                     "completed yat seed=0", "begin linear seed=1", "completed linear seed=1", "begin yat seed=1",
                                     "completed yat seed=1", "finish"});
  CHECK(read_json(second.directory / "summary.json").at("status") == "complete");
}

TEST_CASE("a retry resumes from the checkpoint if only the analysis failed", "[run][failed]") {
  const Switches switches;
  const Workspace w(with("analyses: [breaking]\n"));
  Breaking::seeds() = {0, 1};
  const auto failed = w.run();
  REQUIRE(failed.exit_code == 1);
  const fs::path job = failed.directory / "jobs/yat/seed=0";
  const auto history = read_file(job / "metrics.jsonl");
  Breaking::seeds().clear();
  RunOptions retry;
  retry.retry_failed = true;
  std::int64_t steps = 0;
  Witness::on_progress() = [&](const JobSpec&, const Progress&) { ++steps; };
  CHECK(w.run({"trackers=[witness]"}, retry).exit_code == 0);
  Witness::on_progress() = {};
  CHECK(steps == 0);  // nothing was trained again
  CHECK(read_file(job / "metrics.jsonl") == history);
  CHECK(read_json(job / "summary.json").at("metrics").contains("test/accuracy"));
}

TEST_CASE("a failed analysis does not affect the others", "[run][failed][analyses]") {
  const Switches switches;
  const Workspace w(with("analyses: [breaking, prototype_norms]\n"));
  Breaking::seeds() = {0, 1};
  const auto first = w.run();
  CHECK(first.exit_code == 1);
  CHECK(recorded_state(first.directory / "jobs/yat/seed=0/analyses/prototype_norms") == JobState::kCompleted);
  // Beside a failed analysis that is not retried, missing ones are still done.
  fs::remove(first.directory / "jobs/yat/seed=0/analyses/prototype_norms/status.json");
  CHECK(w.run().exit_code == 1);
  CHECK(recorded_state(first.directory / "jobs/yat/seed=0/analyses/prototype_norms") == JobState::kCompleted);
  CHECK(state_of(first, "yat/seed=0") == JobState::kFailed);
}

TEST_CASE("unneeded checkpoints are deleted and an added analysis then trains again", "[run][checkpoints]") {
  const Switches switches;
  const auto text = with("analyses: [prototype_norms]\n");
  const Workspace all(text), last(text), none(text);
  const std::string rule = "trainer.keep_checkpoints=";
  const auto steps_in = [](const RunOutcome& outcome) {
    return saved_checkpoints(outcome.directory / "jobs/yat/seed=0/checkpoints").size();
  };
  const auto whole = all.run({"trainer.checkpoint_steps=1"});
  CHECK(steps_in(whole) == 2);
  const auto metrics = read_json(whole.directory / "jobs/yat/seed=0/summary.json").at("metrics");
  CHECK(steps_in(last.run({"trainer.checkpoint_steps=1", rule + "last"})) == 1);
  const auto bare = none.run({"trainer.checkpoint_steps=1", rule + "none"});
  CHECK(steps_in(bare) == 0);
  CHECK(bare.exit_code == 0);
  const auto job = bare.directory / "jobs/yat/seed=0";
  CHECK(damage_of_job(job).empty());
  CHECK(read_json(job / "summary.json").at("metrics") == metrics);
  // Completed work stays completed.
  const auto before = read_file(job / "status.json");
  CHECK(none.run({"trainer.checkpoint_steps=1", rule + "none"}).exit_code == 0);
  CHECK(read_file(job / "status.json") == before);
  const auto more = none.run({"trainer.checkpoint_steps=1", rule + "none", "analyses=[prototype_norms,prototype_images]"});
  CHECK(more.exit_code == 0);
  CHECK(recorded_state(more.directory / "jobs/yat/seed=0/analyses/prototype_images") == JobState::kCompleted);
  CHECK(read_json(more.directory / "jobs/yat/seed=0/summary.json").at("metrics") == metrics);
  CHECK(steps_in(more) == 0);
}

TEST_CASE("fail-fast stops at the first failed job", "[run][failed]") {
  const Switches switches;
  const Workspace w(with("analyses: [breaking]\n"));
  Breaking::seeds() = {0};
  RunOptions options;
  options.fail_fast = true;
  const auto outcome = w.run({}, options);
  CHECK(outcome.exit_code == 1);
  CHECK(state_of(outcome, "linear/seed=0") == JobState::kFailed);
  for (const char* job : {"linear/seed=1", "yat/seed=0", "yat/seed=1"}) CHECK(state_of(outcome, job) == JobState::kPlanned);
  CHECK(read_json(outcome.directory / "summary.json").at("status") == "partial");
}

TEST_CASE("a diverged job is a kept result and not a failure", "[run][diverged]") {
  const Switches switches;
  const Workspace w(with("analyses: [prototype_norms]\n"));
  const Strings overrides = {"trackers=[witness]", "optimizer=sgd", "optimizer.lr=1e9", "trainer.diverged_above=100"};
  const auto outcome = w.run(overrides);
  CHECK(outcome.exit_code == 0);
  const auto summary = read_json(outcome.directory / "jobs/linear/seed=0/summary.json");
  CHECK(summary.at("status") == "diverged");
  CHECK(summary.at("why").get<std::string>().find("training loss ") == 0);
  CHECK(state_of(outcome, "linear/seed=0") == JobState::kDiverged);
  CHECK_FALSE(summary.at("metrics").contains("prototypes/norm_change"));
  CHECK(read_json(outcome.directory / "summary.json").at("arms").at("linear").at("diverged") == 2);
  CHECK(read_json(outcome.directory / "summary.json").at("status") == "complete");
  Witness::clear();
  CHECK(w.run(overrides).exit_code == 0);
  CHECK(Witness::events()[1] == "kept linear seed=0");
  CHECK(Witness::events()[2] == "diverged linear seed=0");
}

TEST_CASE("a job with a non-finite last evaluation has diverged whatever its accuracy", "[run][diverged][finite]") {
  const Switches switches;
  const Workspace w(with("analyses: [prototype_norms]\ntables: {tab:one: {columns: [test/accuracy]}}\n"));
  const Strings overrides = {"optimizer.lr=1e38", "trainer.steps=1", "~arms.linear"};
  const auto outcome = w.run(overrides);
  CHECK(outcome.exit_code == 0);
  const auto summary = read_json(outcome.directory / "jobs/yat/seed=0/summary.json");
  CHECK(summary.at("status") == "diverged");
  CHECK(summary.at("why") == "test/loss is nan at step 1");
  CHECK(summary.at("metrics").at("test/accuracy") == "nan");
  CHECK(read_json(outcome.directory / "summary.json").at("arms").at("yat").at("diverged") == 2);
  const auto view = RunView::load(outcome.directory);
  for (const auto& job : view.jobs) {
    CHECK(job.state == JobState::kDiverged);
    CHECK(job.error == "test/loss is nan at step 1");  // its analyses do not add to the error
  }
  CHECK_FALSE(view.best_point("yat", view.points(), "test/accuracy", true));
  // In a stack with members that diverge and others that do not.
  RunOptions fresh;
  fresh.fresh = true;  // two of the jobs above are repeated
  const auto stacked = w.run({"launcher.stack=4", "trainer.steps=1", "~arms.linear", "+arms.far=[operator=yat,optimizer.lr=1e38]"}, fresh);
  CHECK(stacked.exit_code == 0);
  for (const char* seed : {"seed=0", "seed=1"}) {
    CHECK(read_json(stacked.directory / "jobs/far" / seed / "summary.json").at("why") == "test/loss is nan at step 1");
    CHECK(read_json(stacked.directory / "jobs/yat" / seed / "summary.json").at("status") == "completed");
    CHECK(read_job_status(stacked.directory / "jobs/yat" / seed).performance.at("stack") == 4);
  }
}

TEST_CASE("analyses read training pictures that are kept as bytes, too", "[run][analyses]") {
  const Workspace w(with("analyses: [prototype_strokes]\n"));
  const auto outcome = w.run({"~arms.linear", "dataset=byte_pictures", "trainer.steps=1", "seeds=[0]"});
  REQUIRE(outcome.exit_code == 0);
  const auto found = read_json(outcome.directory / "jobs/yat/seed=0/analyses/prototype_strokes/summary.json")
                         .at("metrics")
                         .at("strokes/unused")
                         .get<double>();
  CHECK(found > 0);
  CHECK(found < 0.2);
}

TEST_CASE("a job has diverged if an analysis finds non-finite scores", "[run][analyses][diverged][finite]") {
  const Switches switches;
  const Workspace w(with("analyses: [prototype_norms, lost, prototype_start]\n"));
  Breaking::seeds() = {1};
  const auto outcome = w.run({"~arms.linear"});
  Breaking::seeds().clear();
  CHECK(outcome.exit_code == 0);
  const std::string why = "lost: scores on 'test' are not finite at step 12";
  const auto folder = outcome.directory / "jobs/yat/seed=1/analyses";
  CHECK(read_json(folder / "lost/summary.json").at("status") == "diverged");
  CHECK(read_json(folder / "lost/summary.json").at("why") == why);
  CHECK(read_json(folder / "lost/summary.json").at("metrics").empty());
  CHECK(read_json(folder / "prototype_start/summary.json").at("status") == "completed");
  const auto view = RunView::load(outcome.directory);
  REQUIRE(view.jobs.size() == 2);
  CHECK(view.jobs[0].state == JobState::kCompleted);
  CHECK(view.jobs[1].state == JobState::kDiverged);
  CHECK(view.jobs[1].error == why);
  CHECK(view.complete());
  std::string said;
  CHECK(observed_state(outcome.directory, view.jobs[1], 0, &said) == JobState::kDiverged);
  CHECK(said == why);
  said = "?";
  CHECK(observed_state(outcome.directory, view.jobs[0], 0, &said) == JobState::kCompleted);
  CHECK(said.empty());
  CHECK(read_json(outcome.directory / "summary.json").at("arms").at("yat").at("diverged") == 1);
  // Divergence is a result, so the job is not repeated.
  const auto before = contents_below(outcome.directory / "jobs", true);
  CHECK(w.run({"~arms.linear"}).exit_code == 0);
  CHECK(contents_below(outcome.directory / "jobs", true) == before);
}

TEST_CASE("a tracker that throws is disabled and the run continues", "[run][trackers]") {
  const Switches switches;
  const std::string text = with("analyses: [prototype_images]\n");
  const Workspace reference(text);
  const auto expected = reference.run();
  for (const char* call : {"constructor", "on_run_start", "on_job_start", "on_metrics", "on_progress", "on_checkpoint", "on_media",
                           "on_job_finish", "on_run_finish", "on_report"}) {
    INFO(call);
    const Workspace w(text);
    testing::throwing_call() = call;
    testing::throwing_calls() = 0;
    Witness::clear();
    const auto outcome = w.run({"trackers=[throwing,witness]"});
    CHECK(outcome.exit_code == 0);
    CHECK(Witness::events().back() == "finish");  // the other tracker received every call
    CHECK(Witness::events().size() == 10);
    const auto log = read_file(outcome.directory / "log.txt");
    const std::string said = "tracker 'throwing' failed and is switched off: no route to host";
    REQUIRE(log.find(said) != std::string::npos);
    CHECK(log.find(said, log.find(said) + 1) == std::string::npos);  // reported once
    CHECK(differences(contents_below(expected.directory / "jobs"), contents_below(outcome.directory / "jobs")).empty());
    // Planning creates a tracker to check it; after an exception the other one receives no further calls.
    if (std::string(call) == "constructor") CHECK(testing::throwing_calls() == 2);
    if (std::string(call) == "on_run_start") CHECK(testing::throwing_calls() == 3);
  }
}

TEST_CASE("a tracker's config error ends the run only before training starts", "[run][trackers]") {
  const Switches switches;
  const Workspace w;
  testing::throwing_config_error() = true;
  testing::throwing_call() = "on_run_start";
  const auto error = testing::error_of([&] { w.run({"trackers=[throwing]"}); });
  CHECK(error.find("this cannot be") != std::string::npos);
  CHECK_FALSE(fs::exists(w.path() / "results/tiny/latest/jobs/yat/seed=0/status.json"));
  testing::throwing_call() = "on_job_start";
  CHECK(w.run({"trackers=[throwing]"}).exit_code == 0);
  testing::throwing_config_error() = false;
}

TEST_CASE("a run continues on a file system without locks", "[run][resume]") {
  const Switches switches;
  const Workspace w;
  struct Restored {
    int (*before)(int, int) = flock_function;
    ~Restored() { flock_function = before; }
  } restored;
  flock_function = [](int, int) {
    errno = ENOSYS;
    return -1;
  };
  CHECK(w.run().exit_code == 0);
}

TEST_CASE("results do not depend on the number of workers", "[run][workers]") {
  const Switches switches;
  const std::string text = with("analyses: [prototype_norms, prototype_inversion, prototype_similarity]\n");
  const Workspace one(text), two(text), four(text);
  const Strings common = {"trainer.epochs=4", "seeds=range(0,3)", "trackers=[witness]"};
  const auto run = [&](const Workspace& w, const char* workers) {
    auto overrides = common;
    overrides.push_back(workers);
    return w.run(overrides);
  };
  const auto a = run(one, "launcher.workers=1");
  Witness::clear();
  const auto b = run(two, "launcher.workers=2");
  CHECK(Witness::events()[0] == "start 6 jobs, 2 workers");
  const auto c = run(four, "launcher.workers=4");
  const auto expected = contents_below(a.directory / "jobs");
  // metrics, summary, manifest, job.yaml, a checkpoint; of each analysis job.yaml, summary, manifest; an artifact; four pictures and their index
  CHECK(expected.size() == 6 * (4 + 4 + 3 * 3 + 1 + 5));
  CHECK(differences(expected, contents_below(b.directory / "jobs")).empty());
  CHECK(differences(expected, contents_below(c.directory / "jobs")).empty());
}

TEST_CASE("a stopped run saves and sets its exit code and resumes bitwise identically", "[run][resume]") {
  const Switches switches;
  const std::string text = with("analyses: [prototype_norms, prototype_images]\n");
  const Workspace unbroken(text);
  const auto expected = unbroken.run();
  for (const int step : {1, 6, 11}) {
    INFO("stopped at step " << step);
    const Workspace w(text);
    Witness::on_progress() = [&](const JobSpec& job, const Progress& p) {
      if (job.arm == "yat" && job.seed == 0 && p.step == step) request_stop(SIGINT);
    };
    const auto stopped = w.run({"trackers=[witness]"});
    CHECK(stopped.exit_code == 130);
    CHECK(state_of(stopped, "linear/seed=1") == JobState::kCompleted);
    CHECK(state_of(stopped, "yat/seed=0") == JobState::kInterrupted);
    CHECK(state_of(stopped, "yat/seed=1") == JobState::kPlanned);
    CHECK(read_json(stopped.directory / "summary.json").at("status") == "partial");
    Witness::on_progress() = {};
    request_stop(0);
    const auto whole = w.run({"trackers=[witness]"});
    CHECK(whole.exit_code == 0);
    CHECK(whole.directory == stopped.directory);
    CHECK(differences(contents_below(expected.directory / "jobs"), contents_below(whole.directory / "jobs")).empty());
  }
}

TEST_CASE("a partially written status is not a status", "[run]") {
  const Workspace w;
  const auto outcome = w.run();
  const fs::path job = outcome.directory / "jobs/yat/seed=0";
  CHECK(recorded_state(job) == JobState::kCompleted);
  std::ofstream(job / "status.json") << "{\"state\": \"comp";
  CHECK(recorded_state(job) == JobState::kPlanned);
  std::ofstream(job / "status.json") << "{\"state\": \"unheard-of\"}";
  CHECK(recorded_state(job) == JobState::kPlanned);
  CHECK(recorded_state(w.path() / "nowhere") == JobState::kPlanned);
}

TEST_CASE("unavailable data leave no run folder and exit with 3", "[run][data]") {
  const Workspace w(
      "name: tiny\ndefaults:\n  - /dataset: fashion_mnist\n  - /architecture: prototype_classifier\n  - _self_\n"
      "operator: yat\ntrackers: []\ndata: {offline: true, require_real: true}\n"
      "dataset:\n  system_paths: []\n  files:\n    train_images: {file: absent-from-every-disc.gz, sha256: '" +
      std::string(64, '0') + "'}\n");
  try {
    w.run({"data.root=" + (w.path() / "none").string()});
    FAIL("no error");
  } catch (const Error& e) {
    INFO(e.what());
    CHECK(e.exit_code() == 3);
  }
  CHECK_FALSE(fs::exists(w.path() / "results"));
}

TEST_CASE("rows of a slow training are in its file while it runs", "[run]") {
  struct Slow final : JobObserver {
    explicit Slow(fs::path f) : file(std::move(f)) {}
    void on_metrics(const MetricRow&) override {
      if (++rows == 1) std::this_thread::sleep_for(std::chrono::milliseconds(600));
      if (rows == 3) written = read_file(file);
    }
    fs::path file;
    int rows = 0;
    std::string written;
  };
  const Switches switches;
  const Workspace w(
      "name: tiny\ndefaults:\n  - /dataset: moving\n  - /architecture: single_unit\n  - _self_\n"
      "trainer: {epochs: 3, batch_size: 4, log_every: 1}\nseeds: [0]\ntrackers: []\narms: {yat: [operator=yat]}\n");
  const auto job = w.run().directory / "jobs/yat/seed=0";
  const auto whole = read_file(job / "metrics.jsonl");
  for (const auto& entry : entries_of(job)) {
    if (entry.filename() != "job.yaml") remove_tree(entry);
  }
  Slow observer(job / "metrics.jsonl");
  run_job_folder(job, observer);
  CHECK(observer.rows > 3);
  CHECK_FALSE(observer.written.empty());
  CHECK(whole.rfind(observer.written, 0) == 0);
  CHECK(read_file(job / "metrics.jsonl") == whole);
}

}  // namespace yatlab
