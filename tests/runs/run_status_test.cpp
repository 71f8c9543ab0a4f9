#include "core/library/run_status.h"

#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/base/error.h"
#include "holds.h"
#include "runs/support.h"

namespace yatlab::testing {
namespace {

constexpr std::int64_t kNow = 1795000000;

/// One job of each state.
FakeRun every_state() {
  auto fake = swept_run("2026-11-21_14-02-11-3fa9c1");
  fake.jobs.resize(8);
  const char* states[] = {"completed", "completed", "diverged", "failed", "running", "submitted", "planned", "running"};
  for (int i = 0; i < 8; ++i) {
    fake.jobs[i].state = states[i];
    fake.jobs[i].with_manifest = i < 3;
    fake.jobs[i].wall_s = i < 4 ? 100 : 0;
  }
  fake.jobs[2].error = "the loss is nan";
  fake.jobs[3].error = "out of paper\n  at: somewhere";
  return fake;
}

RunNow read(const TemporaryFolder& folder) { return read_run_now(folder.path(), kNow); }

TEST_CASE("the status of a run gives counts, progress and failures") {
  const TemporaryFolder folder;
  const auto fake = every_state();
  fake.write(folder.path());
  write_heartbeat(folder.path() / FakeRun::directory(fake.jobs[4]), {kNow - 3, 250, 1000, 10, "epoch 2"});
  write_heartbeat(folder.path() / FakeRun::directory(fake.jobs[7]), {kNow - 300, 1, 2, 3, ""});  // silent for minutes
  const auto now = read(folder);
  CHECK(now.states() == std::map<JobState, std::size_t>{{JobState::kCompleted, 2},
                                                        {JobState::kDiverged, 1},
                                                        {JobState::kFailed, 1},
                                                        {JobState::kRunning, 1},
                                                        {JobState::kSubmitted, 1},
                                                        {JobState::kPlanned, 1},
                                                        {JobState::kInterrupted, 1}});
  CHECK(now.moving());
  CHECK_FALSE(now.over());
  CHECK(now.failed() == 1);
  REQUIRE(now.jobs[4].left());
  CHECK(*now.jobs[4].left() == 75);
  const auto text = status_text(now);
  CHECK(holds(text, "250/1000  25 %  epoch 2  10/s  1:15 left"));
  CHECK(holds(text, "out of paper\n"));
  CHECK_FALSE(holds(text, "somewhere"));  // the first line only
  CHECK(holds(text, "the loss is nan"));
  // Three wait, 100 s each like earlier ones, after the running one.
  CHECK(holds(status_line(now), "about 6:15 left"));
  const auto json = status_json(now);
  CHECK(json["states"]["running"] == 1);
  CHECK(json["jobs"][4]["left_s"] == 75.0);
}

TEST_CASE("status works whatever the state of the jobs' files") {
  const TemporaryFolder folder;
  const auto fake = every_state();
  fake.write(folder.path());
  for (const auto& job : fake.jobs) {
    const auto file = folder.path() / FakeRun::directory(job) / "status.json";
    fs::remove(file);
    SECTION("missing") {}
    SECTION("not JSON") { FakeRun::put(file, "{"); }
    SECTION("a folder") { fs::create_directories(file); }
  }
  const auto now = read(folder);
  CHECK(now.jobs.size() == 8);
  CHECK(holds(status_text(now), "8"));
}

TEST_CASE("a folder that is not a run has no status") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read(folder), Error);
}

TEST_CASE("long lists of running and failed jobs are shortened") {
  const TemporaryFolder folder;
  auto fake = every_state();
  const auto failed = fake.jobs[3];
  fake.jobs.clear();
  for (int i = 0; i < 100; ++i) {
    fake.jobs.push_back(failed);
    fake.jobs.back().seed = i;
  }
  fake.write(folder.path());
  const auto text = status_text(read(folder));
  CHECK(holds(text, "and 80 more"));
  CHECK(std::count(text.begin(), text.end(), '\n') < 40);
}

TEST_CASE("the queue distinguishes waiting jobs from lost ones") {
  RunNow now;
  const auto job = [&](const char* name, JobState state, std::int64_t attempt) {
    JobNow one;
    one.directory = name;
    one.state = state;
    one.attempt = attempt;
    now.jobs.push_back(one);
  };
  job("first", JobState::kSubmitted, 0);
  job("again", JobState::kInterrupted, 1);  // interrupted by Slurm, which has requeued it
  job("lost", JobState::kSubmitted, 0);
  job("cancelled", JobState::kPreempted, 2);
  job("runs", JobState::kRunning, 1);
  job("done", JobState::kCompleted, 1);
  job("never", JobState::kPlanned, 0);
  job("starts", JobState::kSubmitted, 0);
  const auto task = [](const char* id, const char* state) { return SlurmTask{id, state, {}, {}}; };
  add_queue(now, {{"first", task("7_0", "PENDING")},
                  {"again", task("7_1", "PENDING")},
                  {"cancelled", task("7_3", "CANCELLED")},
                  {"runs", task("7_4", "PENDING")},
                  {"done", task("7_5", "PENDING")},
                  {"starts", task("7_6", "RUNNING")}});
  std::vector<JobState> states;
  for (const auto& one : now.jobs) states.push_back(one.state);
  CHECK(states == std::vector<JobState>{JobState::kSubmitted, JobState::kPreempted, JobState::kInterrupted, JobState::kInterrupted,
                                        JobState::kRunning, JobState::kCompleted, JobState::kPlanned, JobState::kSubmitted});
  CHECK(now.jobs[2].error == "it is no longer in Slurm's queue");
  CHECK(now.jobs[3].error == "Slurm job 7_3: cancelled");
  CHECK(now.jobs[0].batch_job == "7_0");
}

TEST_CASE("a run whose jobs have all ended is over") {
  const TemporaryFolder folder;
  auto fake = every_state();
  fake.jobs.resize(4);
  fake.write(folder.path());
  const auto now = read(folder);
  CHECK(now.over());
  CHECK_FALSE(now.moving());
}

}  // namespace
}  // namespace yatlab::testing
