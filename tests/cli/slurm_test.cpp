// Jobs of a real Slurm: two nodes, on this machine (tests/slurm_cluster.sh).
#include <csignal>
#include <cstdlib>
#include <thread>

#include "catch.h"
#include "cli/support.h"
#include "cli/undisturbed.h"
#include "core/record/job_status.h"
#include "core/system/slurm_queue.h"
#include "slurm_cluster.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::differences;
using testing::holds;
using testing::job_files;
using testing::Process;
using testing::SlurmCluster;

/// Some seconds of training for each of three jobs.
const char* const kLongEnough = R"(name: tiny
defaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, _self_]
dataset: {train_size: 1500, test_size: 200}
trainer: {epochs: 200, batch_size: 20, log_every: 50, checkpoint_steps: 400, threads: 1}
seeds: [0]
arms:
  linear: [operator=dot]
  cosine: [operator=cosine]
  yat: [operator=yat]
analyses: [prototype_norms]
)";

const std::map<std::string, std::string>& undisturbed() {
  static const auto files = testing::undisturbed_files(kLongEnough);
  return files;
}

std::vector<std::string> on_slurm(std::vector<std::string> more = {}) {
  std::vector<std::string> out = {"tiny.yaml", "--quiet", "launcher=slurm", "launcher.poll_s=0.5"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

template <class Condition>
bool becomes_true(const Condition& condition, int seconds = 60) {
  for (int i = 0; i < seconds * 20; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

fs::path folder_of(const Desk& desk, const std::string& arm) { return desk.run() / "jobs" / arm / "seed=0"; }

bool runs_with_checkpoint(const Desk& desk, const std::string& arm) {
  return testing::has_checkpoint(folder_of(desk, arm)) && read_job_status(folder_of(desk, arm)).state == JobState::kRunning;
}

std::string slurm(std::vector<std::string> words) {
  const auto answer = run_process(words);
  INFO(answer.output);
  CHECK(answer.status == 0);
  return answer.output;
}

std::string state_in_status(const Desk& desk, const std::string& job) {
  const auto answer = desk.ask({"status", "tiny", "--json"});
  INFO(answer.output);
  const auto json = nlohmann::json::parse(answer.output);
  for (const auto& one : json.at("jobs")) {
    if (one.at("job") == "jobs/" + job) return one.at("state");
  }
  return {};
}

#define NEEDS_CLUSTER()                                                     \
  const auto* cluster = SlurmCluster::get();                                \
  if (!cluster) {                                                           \
    WARN("skipped: Slurm is not installed (packages slurm-wlm and munge)"); \
    return;                                                                 \
  }

}  // namespace

TEST_CASE("slurm: jobs are submitted, shown while running and reported by the same command", "[cli][slurm][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  const Desk desk(kLongEnough);
  const auto left = desk.ask({"tiny.yaml", "launcher=slurm", "launcher.workers=1"});
  INFO(left.output);
  REQUIRE(left.status == 0);
  CHECK(holds(left.output, "3 jobs left to Slurm array"));
  CHECK(holds(left.output, "yatlab status results/tiny/"));
  const auto arrays = slurm_arrays(desk.run());
  REQUIRE(arrays.size() == 1);
  CHECK(arrays[0].jobs == std::vector<std::string>{"jobs/linear/seed=0", "jobs/cosine/seed=0", "jobs/yat/seed=0"});
  CHECK(holds(slurm({"scontrol", "-o", "show", "job", arrays[0].id + "_2"}), "ArrayTaskThrottle=1"));
  REQUIRE(becomes_true([&] { return runs_with_checkpoint(desk, "linear"); }));
  CHECK(read_job_status(folder_of(desk, "linear")).batch_job == arrays[0].id + "_0");
  // One at a time: the others wait.
  CHECK(state_in_status(desk, "yat/seed=0") == "submitted");
  CHECK(recorded_state(folder_of(desk, "yat")) == JobState::kSubmitted);
  // Repeated while jobs are in the queue, the command submits nothing.
  const auto again = desk.ask({"tiny.yaml", "launcher=slurm", "launcher.workers=1"});
  INFO(again.output);
  CHECK(again.status == 0);
  CHECK(slurm_arrays(desk.run()).size() == 1);
  const auto followed = desk.ask({"status", "tiny", "--follow", "--every", "0.2"});
  INFO(followed.output);
  CHECK(followed.status == 0);
  CHECK(holds(followed.output, "3 done"));
  const auto last = desk.ask({"tiny.yaml", "launcher=slurm", "launcher.workers=1"});
  INFO(last.output);
  CHECK(last.status == 0);
  CHECK(holds(last.output, "test accuracy"));
  CHECK(differences(undisturbed(), job_files(desk.run())).empty());
}

TEST_CASE("slurm: jobs are submitted once whatever the names of the run and its folder", "[cli][slurm][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  auto text = std::string(kLongEnough);
  text.replace(text.find("epochs: 200"), 11, "epochs: 20");
  const Desk desk(text);
  const auto home = desk.path() / "50% a%j,b \"q\" it's \\ $HOME `x` \u00fc;#\nline";
  fs::create_directories(home);
  fs::copy(desk.path() / "tiny.yaml", home / "tiny.yaml");
  fs::create_directory_symlink(fs::path(YATLAB_SOURCE_DIR) / "configs", home / "configs");
  // The run's name has commas.
  const std::vector<std::string> words = {"tiny.yaml",   "launcher=slurm", "launcher.poll_s=0.5",  "launcher.workers=1",
                                          "seeds=[0,1]", "~arms.cosine",   "trainer.batch_size=10"};
  const auto left = desk.ask_in(home, words);
  INFO(left.output);
  REQUIRE(left.status == 0);
  const auto run = fs::canonical(home / "results/tiny/latest");
  REQUIRE(holds(run.filename().string(), ","));
  const auto tasks = slurm_tasks(slurm_arrays(run));
  REQUIRE(tasks);
  CHECK(tasks->size() == 4);
  CHECK(desk.ask_in(home, words).status == 0);
  CHECK(slurm_arrays(run).size() == 1);
  const auto status = desk.ask_in(home, {"status", "tiny", "--json"});
  INFO(status.output);
  CHECK_FALSE(holds(status.output, "interrupted"));
  auto waiting = words;
  waiting.push_back("--wait");
  const auto done = desk.ask_in(home, waiting);
  INFO(done.output);
  CHECK(done.status == 0);
  CHECK(slurm_arrays(run).size() == 1);
  CHECK(read_job_status(run / "jobs/yat/seed=1").attempt == 1);
}

TEST_CASE("slurm: jobs with other resources go into separate arrays", "[cli][slurm]") {
  NEEDS_CLUSTER()
  (void)cluster;
  auto text = std::string(kLongEnough);
  text.replace(text.find("yat: [operator=yat]"), 19, "yat: [operator=yat, resources.memory=500M, resources.cpus=2]");
  text.replace(text.find("epochs: 200"), 11, "epochs: 1");
  const Desk desk(text);
  REQUIRE(desk.ask(on_slurm({"--wait", "resources.time=5"})).status == 0);
  const auto arrays = slurm_arrays(desk.run());
  REQUIRE(arrays.size() == 2);
  for (const auto& array : arrays) {
    const bool yat = array.jobs == std::vector<std::string>{"jobs/yat/seed=0"};
    const auto task = slurm({"scontrol", "-o", "show", "job", array.id + "_0"});
    CHECK(holds(task, "TimeLimit=00:05:00"));
    CHECK(holds(task, yat ? "MinMemoryNode=500M" : "MinMemoryNode=0"));
    CHECK(holds(task, yat ? "CPUs/Task=2" : "CPUs/Task=1"));
  }
}

TEST_CASE("slurm: jobs get the GPUs they request and ranks get one each", "[cli][slurm]") {
  NEEDS_CLUSTER()
  (void)cluster;
  auto text = std::string(kLongEnough);
  text.replace(text.find("epochs: 200"), 11, "epochs: 1");
  const Desk desk(text);
  const auto given = [](const fs::path& output) {
    const auto said = read_file(output);
    const auto at = said.find("GPUs: ");
    return at == std::string::npos ? "nothing" : said.substr(at + 6, said.find('\n', at) - at - 6);
  };
  REQUIRE(
      desk.ask(on_slurm({"--wait", "resources.gpus=2", "~arms.cosine", "launcher.setup=['echo GPUs: $CUDA_VISIBLE_DEVICES']"})).status ==
      0);
  const auto array = slurm_arrays(desk.run()).at(0);
  CHECK(holds(slurm({"scontrol", "-o", "show", "job", array.id + "_0"}), "TresPerNode=gres:gpu:2"));
  for (const char* task : {"0.txt", "1.txt"}) CHECK(given(array.folder / task) == "0,1");

  const Desk ranks(text);
  REQUIRE(ranks.ask(on_slurm({"--wait", "resources.gpus=1", "~arms.cosine", "~arms.yat", "launcher.ranks=2"})).status == 0);
  const auto pair = slurm_arrays(ranks.run()).at(0);
  CHECK(holds(slurm({"scontrol", "-o", "show", "job", pair.id + "_0"}), "TresPerTask=gres:gpu:1"));

  const auto too_many = Desk(text).ask(on_slurm({"resources.gpus=3"}));
  CHECK(too_many.status == 2);
  CHECK(holds(too_many.output, "sbatch refuses the jobs"));
}

TEST_CASE("slurm: --wait shows the progress and reports at the end", "[cli][slurm][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  const Desk desk(kLongEnough);
  const auto answer = desk.ask({"tiny.yaml", "launcher=slurm", "launcher.poll_s=0.5", "--wait", "tracker=tensorboard"});
  INFO(answer.output);
  CHECK(answer.status == 0);
  CHECK(holds(answer.output, "[3/3]"));
  CHECK(holds(answer.output, "test/accuracy"));
  CHECK(fs::exists(desk.path() / "results/tensorboard/tiny" / fs::canonical(desk.run()).filename() / "yat/seed=0"));
  CHECK(differences(undisturbed(), job_files(desk.run())).empty());
}

TEST_CASE("slurm: preemption costs time but no results", "[cli][slurm][slow]") {
  NEEDS_CLUSTER()
  const Desk desk(kLongEnough);
  Process run(on_slurm({"--wait"}), desk.path(), desk.path() / "output.txt", desk.environment());
  REQUIRE(becomes_true([&] { return runs_with_checkpoint(desk, "linear"); }));
  const auto task = read_job_status(folder_of(desk, "linear")).batch_job;
  REQUIRE(!task.empty());
  SECTION("the time limit is near") {
    slurm({"scancel", "--batch", "--signal=USR1", task});
    REQUIRE(becomes_true([&] { return recorded_state(folder_of(desk, "linear")) == JobState::kPreempted; }));
    CHECK(state_in_status(desk, "linear/seed=0") == "preempted");
  }
  SECTION("jobs of another partition have priority") {
    slurm({"sbatch", "--partition=high", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=sleep 4"});
    REQUIRE(becomes_true([&] { return state_in_status(desk, "linear/seed=0") == "preempted"; }));
  }
  SECTION("its node fails") {
    const auto node = slurm({"squeue", "--noheader", "--jobs=" + task, "--format=%N"});
    cluster->node_down(node.substr(0, 2).c_str());
    cluster->node_up(node.substr(0, 2).c_str());
  }
  const auto status = run.wait();
  INFO(read_file(desk.path() / "output.txt"));
  REQUIRE(status == 0);
  CHECK(read_job_status(folder_of(desk, "linear")).attempt == 2);
  CHECK(differences(undisturbed(), job_files(desk.run())).empty());
}

TEST_CASE("slurm: a cancelled or killed job is interrupted rather than failed", "[cli][slurm][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  struct End {
    const char *how, *state, *says;
  };
  for (const auto& end : {End{"cancel", "interrupted", "interrupted: linear seed=0: it was cancelled (Slurm job "},
                          End{"9", "interrupted", "interrupted: linear seed=0: its process was killed by signal 9 (Killed)"},
                          End{"11", "failed", "failed: linear seed=0: its process was killed by signal 11 (Segmentation fault)"}}) {
    INFO(end.how);
    const Desk desk(kLongEnough);
    Process run(on_slurm({"--wait"}), desk.path(), desk.path() / "output.txt", desk.environment());
    REQUIRE(becomes_true([&] { return runs_with_checkpoint(desk, "linear"); }));
    const auto status = read_job_status(folder_of(desk, "linear"));
    if (end.how == std::string("cancel")) {
      slurm({"scancel", status.batch_job});
    } else {
      REQUIRE(::kill(static_cast<pid_t>(status.pid), std::atoi(end.how)) == 0);
    }
    CHECK(run.wait() == 1);
    const auto output = read_file(desk.path() / "output.txt");
    INFO(output);
    CHECK(holds(output, end.says));
    CHECK(to_string(recorded_state(folder_of(desk, "linear"))) == std::string(end.state));
    for (const char* other : {"cosine", "yat"}) CHECK(recorded_state(folder_of(desk, other)) == JobState::kCompleted);
    const auto again = desk.ask(on_slurm({"--wait", "--retry-failed"}));
    INFO(again.output);
    CHECK(again.status == 0);
    CHECK(differences(undisturbed(), job_files(desk.run())).empty());
  }
}

TEST_CASE("slurm: jobs continue without the submitting command and are not submitted twice", "[cli][slurm][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  for (const int signal : {SIGKILL, SIGINT}) {
    INFO(signal);
    const Desk desk(kLongEnough);
    Process run(on_slurm({"--wait"}), desk.path(), desk.path() / "output.txt", desk.environment());
    REQUIRE(becomes_true([&] { return runs_with_checkpoint(desk, "linear"); }));
    run.signal(signal);
    CHECK(run.wait() == 128 + signal);
    CHECK(recorded_state(folder_of(desk, "linear")) == JobState::kRunning);
    // Submitted jobs can also be found by name.
    fs::remove(slurm_arrays(desk.run()).front().folder / "id");
    const auto again = desk.ask(on_slurm({"--wait"}));
    INFO(again.output);
    CHECK(again.status == 0);
    CHECK(slurm_arrays(desk.run()).size() == 1);
    CHECK(read_job_status(folder_of(desk, "linear")).attempt == 1);
    CHECK(differences(undisturbed(), job_files(desk.run())).empty());
  }
}

TEST_CASE("slurm: a search proposes the same trials as a local one and resumes", "[cli][slurm][search][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  const char* const kSearch = R"(name: tiny
defaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, _self_]
dataset: {train_size: 300, test_size: 100}
trainer: {epochs: 20, batch_size: 20, threads: 1}
seeds: [0, 1]
arms: {yat: [operator=yat]}
sweep: {optimizer.lr: 'tag(log, interval(1e-4, 1))'}
sweeper: {name: tpe, trials: 14, batch: 2, metric: test/loss, seed: 1}
)";
  const auto log = [](const Desk& desk) { return read_file(desk.run() / "trials.jsonl"); };
  const Desk here(kSearch), disturbed(kSearch);
  REQUIRE(here.ask({"tiny.yaml", "--quiet"}).status == 0);
  Process run(on_slurm({"--wait"}), disturbed.path(), disturbed.path() / "output.txt", disturbed.environment());
  // The tenth trial is the first that depends on results: now every earlier one has some.
  const auto lines = [&] {
    const auto text = fs::exists(disturbed.run() / "trials.jsonl") ? log(disturbed) : std::string();
    return std::count(text.begin(), text.end(), '\n');
  };
  REQUIRE(becomes_true([&] { return lines() > 10; }, 120));
  run.signal(SIGKILL);
  CHECK(run.wait() == 128 + SIGKILL);
  const auto again = disturbed.ask(on_slurm({"--wait"}));
  INFO(again.output);
  CHECK(again.status == 0);
  CHECK(log(disturbed) == log(here));
  CHECK(differences(job_files(here.run()), job_files(disturbed.run())).empty());
  std::size_t handed_over = 0;
  for (const auto& array : slurm_arrays(disturbed.run())) handed_over += array.jobs.size();
  CHECK(handed_over == 28);  // each once
}

TEST_CASE("slurm: a job saves before its time limit", "[cli][slurm][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  // Slurm checks limits twice a minute, and sends the signal up to a minute early.
  const Desk desk(kLongEnough);
  const auto answer = desk.ask(on_slurm({"resources.time=1", "launcher.save_s=58", "trainer.epochs=100000", "~arms.cosine", "~arms.yat"}));
  INFO(answer.output);
  REQUIRE(answer.status == 0);
  CHECK(becomes_true([&] { return recorded_state(folder_of(desk, "linear")) == JobState::kPreempted; }, 90));
  slurm({"scancel", "--name=" + slurm_arrays(desk.run()).front().name});
}

TEST_CASE("slurm: a job without requeues left saves and is not resubmitted", "[cli][slurm][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  const Desk desk(kLongEnough);
  Process run(on_slurm({"--wait", "launcher.requeues=0", "~arms.cosine", "~arms.yat"}), desk.path(), desk.path() / "output.txt",
              desk.environment());
  REQUIRE(becomes_true([&] { return runs_with_checkpoint(desk, "linear"); }));
  slurm({"scancel", "--batch", "--signal=USR1", read_job_status(folder_of(desk, "linear")).batch_job});
  const auto status = run.wait();
  const auto output = read_file(desk.path() / "output.txt");
  INFO(output);
  CHECK(status == 1);
  CHECK(holds(output, "interrupted: linear seed=0"));
  CHECK(recorded_state(folder_of(desk, "linear")) == JobState::kInterrupted);
  CHECK(read_job_status(folder_of(desk, "linear")).attempt == 1);
  // The same command resumes.
  REQUIRE(desk.ask(on_slurm({"--wait", "launcher.requeues=0", "~arms.cosine", "~arms.yat"})).status == 0);
  CHECK(read_job_status(folder_of(desk, "linear")).attempt == 2);
}

TEST_CASE("slurm: ranks are tasks of one step, save together and resume bitwise identically", "[cli][slurm][ranks][slow]") {
  NEEDS_CLUSTER()
  (void)cluster;
  const std::vector<std::string> both = {"tiny.yaml", "--quiet", "launcher.ranks=2", "~arms.cosine", "trainer.epochs=30"};
  const Desk alone(kLongEnough);
  auto words = both;
  words.push_back("launcher=processes");
  REQUIRE(alone.ask(words).status == 0);
  const Desk desk(kLongEnough);
  words = both;
  words.insert(words.end(), {"launcher=slurm", "launcher.poll_s=0.5", "--wait"});
  Process run(words, desk.path(), desk.path() / "output.txt", desk.environment());
  REQUIRE(becomes_true([&] { return runs_with_checkpoint(desk, "linear"); }));
  slurm({"scancel", "--batch", "--signal=USR1", read_job_status(folder_of(desk, "linear")).batch_job});
  CHECK(becomes_true([&] { return recorded_state(folder_of(desk, "linear")) == JobState::kPreempted; }));
  const auto status = run.wait();
  INFO(read_file(desk.path() / "output.txt"));
  REQUIRE(status == 0);
  CHECK(read_job_status(folder_of(desk, "linear")).attempt == 2);
  CHECK(read_job_status(folder_of(desk, "linear")).performance.at("ranks") == 2);
  CHECK(differences(job_files(alone.run()), job_files(desk.run())).empty());
}

TEST_CASE("slurm: rejected and missing resources are reported", "[cli][slurm][errors]") {
  NEEDS_CLUSTER()
  (void)cluster;
  const Desk desk(kLongEnough);
  const auto refused = desk.ask(on_slurm({"launcher.partition=nowhere"}));
  CHECK(refused.status == 2);
  CHECK(holds(refused.output, "sbatch refuses the jobs"));
  CHECK(holds(refused.output, "invalid partition"));
  CHECK(recorded_state(folder_of(desk, "linear")) == JobState::kPlanned);
  CHECK(slurm_arrays(desk.run()).empty());
  const auto blank = desk.ask(on_slurm({"resources.memory='1G #'"}));
  CHECK(blank.status == 2);
  CHECK(holds(blank.output, "resources.mem"));
  const auto unknown = run_process(
      {"/usr/bin/env", "PATH=/nowhere", testing::program(), (desk.path() / "tiny.yaml").string(), "launcher=slurm"}, desk.path());
  CHECK(unknown.status == 2);
  CHECK(holds(unknown.output, "launcher=slurm needs Slurm"));
}

TEST_CASE("slurm: config values cannot add lines to the batch script", "[cli][slurm][errors]") {
  const Desk desk(kLongEnough);
  for (const char* word : {"launcher.partition='a b'", "launcher.options=['--x=1\\n#SBATCH --y']", "launcher.options=[x]"}) {
    const auto answer = desk.ask({"tiny.yaml", "launcher=slurm", word});
    INFO(answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, "error: launcher."));
  }
  const Desk lines(std::string(kLongEnough) + "launcher: {name: slurm, setup: [\"a\\nb\"]}\n");
  CHECK(holds(lines.ask({"tiny.yaml"}).output, "error: launcher.setup: a line contains a line break"));
}

}  // namespace yatlab
