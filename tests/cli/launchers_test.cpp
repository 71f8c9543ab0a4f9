// Jobs that run in other processes than the one that was started.
#include "catch.h"
#include "cli/support.h"
#include "cli/undisturbed.h"
#include "core/base/output_file.h"
#include "core/record/job_file.h"
#include "core/record/job_status.h"
#include "core/system/file_lock.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::differences;
using testing::holds;
using testing::job_files;
using testing::Process;

/// Some seconds of training for each of three jobs.
const char* const kLongEnough = R"(name: tiny
defaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, _self_]
dataset: {train_size: 1500, test_size: 200}
trainer: {epochs: 60, batch_size: 20, log_every: 50, checkpoint_steps: 400}
seeds: [0]
launcher: {workers: 2}
arms:
  linear: [operator=dot]
  cosine: [operator=cosine]
  yat: [operator=yat]
analyses: [prototype_norms, prototype_images]
)";

/// The files of a run on threads alone.
const std::map<std::string, std::string>& undisturbed() {
  static const auto files = testing::undisturbed_files(kLongEnough);
  return files;
}

/// The process of a running job that has a checkpoint; 0 if that never happens.
pid_t worker_of(const Desk& desk, const std::string& job, Process& run) {
  const auto folder = desk.run() / "jobs" / job;
  while (run.running()) {
    if (testing::has_checkpoint(folder)) {
      const auto status = read_job_status(folder);
      if (status.state == JobState::kRunning) return static_cast<pid_t>(status.pid);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return 0;
}

const std::vector<std::string> kByProcesses = {"tiny.yaml", "--quiet", "launcher=processes"};

}  // namespace

TEST_CASE("one process per job gives the same results as threads", "[cli][launcher][slow]") {
  const Desk desk(kLongEnough);
  const auto answer = desk.ask({"tiny.yaml", "launcher=processes"});
  INFO(answer.output);
  REQUIRE(answer.status == 0);
  CHECK(holds(answer.output, "[3/3]"));
  CHECK(holds(answer.output, "test/accuracy"));
  CHECK(differences(undisturbed(), job_files(desk.run())).empty());
}

TEST_CASE("a killed job process affects only its own job which then resumes bitwise identically", "[cli][launcher][slow]") {
  struct Kill {
    int signal;
    const char* state;
    const char* says;
  };
  for (const auto& kill : {Kill{SIGKILL, "interrupted", "interrupted: linear seed=0: its process was killed by signal 9 (Killed)"},
                           Kill{SIGTERM, "interrupted", "interrupted: linear seed=0: its process was asked to stop"},
                           Kill{SIGSEGV, "failed", "failed: linear seed=0: its process was killed by signal 11 (Segmentation fault)"}}) {
    INFO(kill.state);
    const Desk desk(kLongEnough);
    Process run(kByProcesses, desk.path(), desk.path() / "output.txt", desk.environment());
    const auto worker = worker_of(desk, "linear/seed=0", run);
    REQUIRE(worker > 0);
    REQUIRE(::kill(worker, kill.signal) == 0);
    CHECK(run.wait() == 1);
    const auto output = read_file(desk.path() / "output.txt");
    INFO(output);
    CHECK(holds(output, kill.says));
    const auto status = read_job_status(desk.run() / "jobs/linear/seed=0");
    CHECK(to_string(status.state) == std::string(kill.state));
    if (kill.signal != SIGTERM) CHECK(holds(status.error, "killed by signal"));
    for (const char* other : {"cosine", "yat"}) CHECK(recorded_state(desk.run() / "jobs" / other / "seed=0") == JobState::kCompleted);
    const auto again = desk.ask({"tiny.yaml", "--quiet", "launcher=processes", "--retry-failed"});
    INFO(again.output);
    CHECK(again.status == 0);
    CHECK(differences(undisturbed(), job_files(desk.run())).empty());
    CHECK(read_job_status(desk.run() / "jobs/linear/seed=0").attempt == 2);
  }
}

TEST_CASE("job processes save when the run is stopped or killed", "[cli][launcher][slow]") {
  for (const int signal : {SIGTERM, SIGKILL}) {
    INFO(signal);
    const Desk desk(kLongEnough);
    Process run(kByProcesses, desk.path(), desk.path() / "output.txt", desk.environment());
    const auto worker = worker_of(desk, "linear/seed=0", run);
    REQUIRE(worker > 0);
    run.signal(signal);
    CHECK(run.wait() == 128 + signal);
    for (int waited = 0; ::kill(worker, 0) == 0 && waited < 1000; ++waited) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(::kill(worker, 0) != 0);
    CHECK(recorded_state(desk.run() / "jobs/linear/seed=0") == JobState::kInterrupted);
    const auto again = desk.ask(kByProcesses);
    INFO(again.output);
    CHECK(again.status == 0);
    CHECK(differences(undisturbed(), job_files(desk.run())).empty());
  }
}

TEST_CASE("yatlab job does what is left of a single job", "[cli][launcher]") {
  const Desk desk(kLongEnough);
  REQUIRE(desk.ask({"tiny.yaml", "--quiet", "trainer.epochs=1"}).status == 0);
  const auto before = job_files(desk.run());
  const auto job = fs::canonical(desk.run()) / "jobs/yat/seed=0";
  SECTION("nothing is left") {
    CHECK(desk.ask({"job", job.string()}).output == "completed: " + job.string() + "\n");
    CHECK(desk.ask({"job", (job / "analyses/prototype_norms").string()}).status == 0);
  }
  SECTION("only the plan exists") {
    for (const auto& entry : entries_of(job)) {
      if (entry.filename() != "job.yaml" && entry.filename() != "analyses") fs::remove_all(entry);
    }
    CHECK(desk.ask({"job", job.string()}).status == 0);
  }
  SECTION("an analysis is missing") {
    for (const auto& entry : entries_of(job / "analyses/prototype_images")) {
      if (entry.filename() != "job.yaml") fs::remove_all(entry);
    }
    CHECK(desk.ask({"job", (job / "analyses/prototype_images").string()}).status == 0);
  }
  CHECK(differences(before, job_files(desk.run())).empty());
}

TEST_CASE("a job locked by another process is left alone", "[cli][launcher][slow]") {
  const Desk desk(kLongEnough);
  const std::vector<std::string> run = {"tiny.yaml", "--quiet", "trainer.epochs=1"};
  REQUIRE(desk.ask(run).status == 0);
  const auto job = fs::canonical(desk.run()) / "jobs/yat/seed=0";
  const auto before = job_files(desk.run());
  for (const auto& entry : entries_of(job)) {
    if (entry.filename() != "job.yaml" && entry.filename() != "analyses") fs::remove_all(entry);
  }
  {
    const OutputFile held(job / "job.yaml", OutputFile::Mode::kUpdate);
    REQUIRE(try_lock(held.descriptor()));
    const auto alone = desk.ask({"job", job.string()});
    CHECK(alone.status == 2);
    CHECK(holds(alone.output, "this job is already running"));
    const auto whole = desk.ask(run);
    CHECK(whole.status == 1);
    CHECK(holds(whole.output, "interrupted: this job is already running"));
    CHECK_FALSE(fs::exists(job / "status.json"));
  }
  CHECK(desk.ask(run).status == 0);
  CHECK(differences(before, job_files(desk.run())).empty());
}

TEST_CASE("yatlab job rejects a job that differs from the planned one", "[cli][launcher][errors]") {
  const Desk desk(kLongEnough);
  REQUIRE(desk.ask({"tiny.yaml", "--quiet", "trainer.epochs=1"}).status == 0);
  const auto job = fs::canonical(desk.run()) / "jobs/yat/seed=0";
  const auto changed = [&](const std::string& from, const std::string& to) {
    auto text = read_file(job / "job.yaml");
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
    write_file_atomic(job / "job.yaml", text);
    return desk.ask({"job", job.string()});
  };
  SECTION("changed config") {
    const auto answer = changed("lr: 0.001", "lr: 0.002");
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, "this program would run a different job from the planned one"));
    CHECK(holds(answer.output, "why: job.yaml was changed after it was planned"));
    CHECK(holds(answer.output, "try: run the experiment's command again"));
  }
  SECTION("changed code") {
    const auto hash = read_job_file(job).uses.at("operator/yat");
    changed("operator/yat: " + hash, "operator/yat: 0123456789abcdef");
    const auto answer = changed("hash: ", "hash: f");
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, "why: changed code: operator/yat"));
  }
  SECTION("unknown schema") { CHECK(holds(changed("schema: 1", "schema: 2").output, "its schema is 2, but this version reads 1")); }
  SECTION("truncated file") {
    write_file_atomic(job / "job.yaml", read_file(job / "job.yaml").substr(0, 100));
    CHECK(desk.ask({"job", job.string()}).status == 3);
  }
  SECTION("not a job") {
    const auto answer = desk.ask({"job", desk.path().string()});
    CHECK(answer.status == 3);
    CHECK(holds(answer.output, "it has no job.yaml"));
  }
  SECTION("no folder") { CHECK(desk.ask({"job"}).status == 2); }
}

}  // namespace yatlab
