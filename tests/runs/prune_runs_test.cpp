#include "core/library/prune_runs.h"

#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/record/run_notes.h"
#include "core/system/file_lock.h"
#include "cost.h"
#include "failing_files.h"
#include "holds.h"
#include "runs/support.h"

namespace yatlab::testing {
namespace {

const std::string kFirst = "2026-11-20_10-00-00-000000", kSecond = "2026-11-21_10-00-00-111111", kThird = "2026-11-22_10-00-00-222222";

/// Three runs, each with more seeds than the one before: later runs contain the jobs of earlier ones.
struct Growing {
  TemporaryFolder folder;
  explicit Growing(std::size_t most = 12) {
    for (const auto& [id, jobs] : {std::pair<std::string, std::size_t>{kFirst, 3}, {kSecond, 6}, {kThird, 12}}) {
      auto fake = swept_run(id);
      fake.jobs.resize(std::min(jobs, most));
      place_run(folder.path(), fake);
      for (const auto& job : fake.jobs) add_checkpoints(folder.path() / "sweep" / id / FakeRun::directory(job));
    }
  }
  /// Two checkpoints, listed in the manifest.
  static void add_checkpoints(const fs::path& job) {
    for (const char* step : {"9", "10"}) {
      FakeRun::put(job / "checkpoints" / (std::string("step=") + step) / "model.safetensors", std::string(1000, step[0]));
      FakeRun::put(job / "checkpoints" / (std::string("step=") + step) / "manifest.json", "{}");
    }
    auto names = files_below(job);
    names.erase(std::remove_if(names.begin(), names.end(), [](const std::string& n) { return n == "status.json" || n == "manifest.json"; }),
                names.end());
    FakeRun::put(job / "manifest.json", Json{{"schema", 1}, {"files", manifest_of(job, names)}}.dump(2));
  }
  fs::path run(const std::string& id) const { return folder.path() / "sweep" / id; }
  PruneRequest request() const {
    PruneRequest out;
    out.results = folder.path();
    out.runs = run_folders(folder.path());
    return out;
  }
  std::vector<std::string> would_go(const PruneRequest& request) const {
    std::vector<std::string> out;
    for (const auto& item : plan_prune(request).items) out.push_back((item.whole ? "" : "checkpoints of ") + item.run.id);
    return out;
  }
  std::vector<std::string> would_go() const { return would_go(request()); }
};

using Names = std::vector<std::string>;

/// "" when the job's files match its manifest.
std::string damage_of_finished(const fs::path& job) {
  return damage_of(job, nlohmann::json::parse(read_file(job / "manifest.json")).at("files"));
}

TEST_CASE("superseded runs are planned for removal but not removed yet") {
  const Growing all;
  CHECK(all.would_go() == Names{kSecond, kFirst});
  CHECK(fs::exists(all.run(kFirst) / "plan.json"));
  const auto plan = plan_prune(all.request());
  CHECK(holds(plan.items[0].why, "6 finished jobs also exist in " + kThird));
  CHECK(plan.bytes() > 9 * 2000);
  CHECK(carry_out(all.request(), plan).empty());
  CHECK_FALSE(fs::exists(all.run(kFirst)));
  CHECK_FALSE(fs::exists(all.run(kSecond)));
  CHECK(fs::exists(all.run(kThird) / "plan.json"));
  CHECK(std::distance(fs::directory_iterator(all.folder.path() / "sweep"), fs::directory_iterator()) == 2);  // and `latest`
  CHECK(all.would_go().empty());
}

/// An older run with an analysis, and a newer one of the same jobs.
struct Analysed {
  TemporaryFolder folder;
  Analysed(const std::map<std::string, Json>& older, const std::map<std::string, Json>& newer) {
    for (const auto& [id, analyses] : {std::pair(kFirst, older), std::pair(kSecond, newer)}) {
      auto fake = swept_run(id);
      fake.jobs.resize(1);
      fake.jobs.front().analyses = analyses;
      place_run(folder.path(), fake);
    }
  }
  fs::path job(const std::string& id) const { return folder.path() / "sweep" / id / "jobs/linear/seed=0,operator.epsilon=1e-05"; }
  Names would_go(bool interrupted = false) const {
    PruneRequest request;
    request.results = folder.path();
    request.runs = run_folders(folder.path());
    request.interrupted = interrupted;
    Names out;
    for (const auto& item : plan_prune(request).items) out.push_back(item.run.id);
    return out;
  }
};

TEST_CASE("an analysis missing in newer runs counts as a result") {
  const std::map<std::string, Json> norms = {{"norms", {{"norm", 1}}}}, both = {{"norms", {{"norm", 1}}}, {"images", {{"pixels", 2}}}};
  CHECK(Analysed(norms, norms).would_go() == Names{kFirst});
  CHECK(Analysed({}, norms).would_go() == Names{kFirst});
  CHECK(Analysed(norms, both).would_go() == Names{kFirst});
  CHECK(Analysed(both, norms).would_go().empty());
  CHECK(Analysed(norms, {}).would_go().empty());
}

TEST_CASE("a finished training is kept whatever the state of its analyses") {
  const Analysed all({{"norms", {{"norm", 1}}}, {"images", {{"pixels", 2}}}}, {});
  for (const auto state : {JobState::kFailed, JobState::kInterrupted, JobState::kPlanned}) {
    JobStatus status;
    status.state = state;
    write_job_status(all.job(kFirst) / "analyses/norms", status);
    INFO(to_string(state));
    CHECK(all.would_go(true).empty());
  }
}

TEST_CASE("tagged, latest and active runs are kept") {
  const Growing all;
  SECTION("tagged") {
    change_notes(all.run(kFirst), [](RunNotes& n) { n.tags = {"best"}; });
    const auto plan = plan_prune(all.request());
    CHECK(all.would_go() == Names{kSecond});
    CHECK(plan.kept == Names{"sweep/" + kFirst + ": tagged best"});
  }
  SECTION("latest") {
    replace_symlink(kFirst, all.folder.path() / "sweep/latest");
    CHECK(all.would_go() == Names{kSecond});
  }
  SECTION("locked") {
    OutputFile lock(all.run(kFirst) / ".lock", OutputFile::Mode::kKeep);
    REQUIRE(try_lock(lock.descriptor()));
    CHECK(all.would_go() == Names{kSecond});
  }
  SECTION("a job runs elsewhere") {
    const auto job = all.run(kFirst) / "jobs/linear/seed=1,operator.epsilon=1e-05";
    JobStatus status;
    status.state = JobState::kRunning;
    status.host = "elsewhere";
    write_job_status(job, status);
    write_heartbeat(job, {std::time(nullptr), 1, 2, 1, ""});
    CHECK(all.would_go() == Names{kSecond});
  }
  SECTION("a job is queued") {
    JobStatus status;
    status.state = JobState::kSubmitted;
    write_job_status(all.run(kFirst) / "jobs/linear/seed=1,operator.epsilon=1e-05", status);
    CHECK(all.would_go() == Names{kSecond});
  }
  SECTION("the plan points outside its folder") {
    FakeRun::put(all.folder.path() / "else/checkpoints/step=1/manifest.json", "{}");
    JobStatus status;
    status.state = JobState::kCompleted;
    write_job_status(all.folder.path() / "else", status);
    FakeRun::put(all.folder.path() / "else/manifest.json", "{\"files\": {}}");
    change_file(all.run(kFirst) / "plan.json", "jobs/linear/seed=1,operator.epsilon=1e-05", "../../else");
    auto request = all.request();
    request.checkpoints = CheckpointRule::kNone;
    const auto plan = plan_prune(request);
    CHECK(plan.notes.size() == 1);
    carry_out(request, plan);
    CHECK(fs::exists(all.folder.path() / "else/checkpoints/step=1/manifest.json"));
    CHECK(fs::exists(all.run(kFirst)));
  }
  SECTION("unreadable notes might contain a tag") {
    FakeRun::put(all.run(kFirst) / "notes.yaml", "tags: [");
    CHECK(all.would_go() == Names{kSecond});
    CHECK(plan_prune(all.request()).notes.size() == 1);
  }
}

TEST_CASE("a job is removable only if an identical intact copy is kept") {
  const Growing all;
  const fs::path job = "jobs/linear/seed=1,operator.epsilon=1e-05";
  SECTION("the newest copy's summary is altered") {
    change_file(all.run(kThird) / job / "summary.json", "0.9", "0.8");
    CHECK(all.would_go() == Names{kFirst});  // the second run still holds its jobs
  }
  SECTION("the newest copy's artifacts are damaged") {
    change_file(all.run(kThird) / job / "artifacts/norms.json", "0.5", "0.6");
    CHECK(all.would_go() == Names{kFirst});
  }
  SECTION("the newest copy is unfinished") {
    fs::remove(all.run(kThird) / job / "summary.json");
    CHECK(all.would_go() == Names{kFirst});
  }
  SECTION("the hash differs") {
    change_file(all.run(kThird) / "plan.json", "linear-1e-05-1", "linear-1e-05-X");
    CHECK(all.would_go() == Names{kFirst});
  }
  SECTION("no newer run contains the job") {
    change_file(all.run(kFirst) / "plan.json", "linear-1e-05-1", "linear-1e-05-X");
    CHECK(all.would_go() == Names{kSecond});
  }
  SECTION("an older run does not count") {
    change_file(all.run(kThird) / "plan.json", "linear-1e-05-1", "linear-1e-05-X");
    change_file(all.run(kSecond) / "plan.json", "linear-1e-05-1", "linear-1e-05-X");
    CHECK(all.would_go() == Names{kSecond});
  }
}

TEST_CASE("runs without finished jobs are removed unless they could resume") {
  const TemporaryFolder results;
  auto fake = swept_run(kFirst);
  for (auto& job : fake.jobs) {
    job.state = "failed";
    job.with_manifest = false;
  }
  const auto run = place_run(results.path(), fake, false);
  place_run(results.path(), swept_run(kThird));
  PruneRequest request;
  request.results = results.path();
  request.runs = run_folders(results.path());
  CHECK(plan_prune(request).items.size() == 1);
  JobStatus status;
  status.state = JobState::kInterrupted;
  // For a job that no newer run has finished.
  auto plan = read_file(run / "plan.json");
  change_file(run / "plan.json", "linear-1e-05-0", "linear-1e-05-X");
  const auto job = run / FakeRun::directory(fake.jobs[0]);
  write_job_status(job, status);
  FakeRun::put(job / "checkpoints/step=5/manifest.json", "{}");
  CHECK(plan_prune(request).items.empty());
  CHECK(holds(plan_prune(request).kept.at(0), "--interrupted"));
  request.interrupted = true;
  CHECK(plan_prune(request).items.size() == 1);
  // If a newer run has finished it, there is nothing to resume.
  request.interrupted = false;
  FakeRun::put(run / "plan.json", plan);
  CHECK(plan_prune(request).items.size() == 1);
}

TEST_CASE("checkpoints of finished jobs are removed by rule and the jobs stay valid") {
  const Growing all;
  auto request = all.request();
  request.runs = {request.runs[0]};
  const auto job = all.run(kThird) / "jobs/yat/seed=1,operator.epsilon=0.1";
  SECTION("the latest run is kept unless it is named") {
    request.checkpoints = CheckpointRule::kNone;
    CHECK(all.would_go(request).empty());
    CHECK(plan_prune(request).kept.size() == 1);
    request.named = request.runs;
    CHECK(all.would_go(request) == Names{"checkpoints of " + kThird});
    change_notes(all.run(kThird), [](RunNotes& n) { n.tags = {"best"}; });
    CHECK(all.would_go(request).empty());
  }
  SECTION("the last checkpoint is kept") {
    request.named = request.runs;
    request.checkpoints = CheckpointRule::kKeepLast;
    const auto plan = plan_prune(request);
    REQUIRE(plan.items.size() == 1);
    CHECK(plan.items[0].checkpoints == 12);
    CHECK(plan.items[0].bytes == 12 * 1002);
    CHECK(carry_out(request, plan).empty());
    CHECK(fs::exists(job / "checkpoints/step=10/model.safetensors"));  // ordered by number, not by name
    CHECK_FALSE(fs::exists(job / "checkpoints/step=9"));
    CHECK(damage_of_finished(job) == "");
    // The remaining files are still covered by the manifest.
    change_file(job / "checkpoints/step=10/model.safetensors", "1", "2");
    CHECK(damage_of_finished(job) != "");
    CHECK(plan_prune(request).items.empty());
  }
  SECTION("no checkpoint is kept and nothing else is lost") {
    request.named = request.runs;
    request.checkpoints = CheckpointRule::kNone;
    const auto summary = read_file(job / "summary.json");
    CHECK(carry_out(request, plan_prune(request)).empty());
    CHECK_FALSE(fs::exists(job / "checkpoints"));
    CHECK(damage_of_finished(job) == "");
    CHECK(read_file(job / "summary.json") == summary);
    change_file(job / "summary.json", "0.93", "0.94");
    CHECK(damage_of_finished(job) != "");
  }
  SECTION("unfinished jobs keep their checkpoints") {
    JobStatus status;
    status.state = JobState::kInterrupted;
    write_job_status(job, status);
    request.named = request.runs;
    request.checkpoints = CheckpointRule::kNone;
    CHECK(carry_out(request, plan_prune(request)).empty());
    CHECK(fs::exists(job / "checkpoints/step=10"));
    CHECK_FALSE(fs::exists(all.run(kThird) / "jobs/yat/seed=2,operator.epsilon=0.1/checkpoints"));
  }
  SECTION("a job redone since the plan is kept") {
    request.named = request.runs;
    request.checkpoints = CheckpointRule::kNone;
    const auto plan = plan_prune(request);
    OutputFile lock(all.run(kThird) / ".lock", OutputFile::Mode::kKeep);
    REQUIRE(try_lock(lock.descriptor()));
    CHECK(carry_out(request, plan).size() == 1);
    CHECK(fs::exists(job / "checkpoints/step=10"));
  }
  SECTION("a job with an unreadable manifest keeps everything") {
    FakeRun::put(job / "manifest.json", "{");
    request.named = request.runs;
    request.checkpoints = CheckpointRule::kNone;
    CHECK(carry_out(request, plan_prune(request)).size() == 1);
    CHECK(fs::exists(job / "checkpoints/step=10"));
  }
}

TEST_CASE("after any failed system call jobs stay intact and the same command finishes pruning") {
  using Call = FailingFiles::Call;
  for (const auto call : {Call::kOpen, Call::kWrite, Call::kRename, Call::kRemove, Call::kMakeFolder}) {
    const long step = (call == Call::kOpen ? 7 : 1) * (cost_is_distorted() ? 5 : 1);  // minutes, under sanitizers
    for (long n = 0;; n += step) {
      const Growing all(2);
      auto request = all.request();
      request.named = {request.runs[0]};
      request.checkpoints = CheckpointRule::kNone;
      const auto plan = plan_prune(request);
      REQUIRE(plan.items.size() == 3);
      INFO(FailingFiles::name_of(call) << " " << n);
      FailingFiles failing(call, n, ENOSPC, true);
      {
        const FileCallsReplaced replaced(failing);
        carry_out(request, plan);
      }
      if (failing.calls() <= n) break;
      REQUIRE(fs::exists(all.run(kThird)));
      for (const auto& run : run_folders(all.folder.path())) {
        for (const auto& job : RunView::planned(run.path).jobs) CHECK(damage_of_finished(run.path / job.directory) == "");
      }
      carry_out(request, plan_prune(request));
      CHECK(plan_prune(request).items.empty());
      CHECK(run_folders(all.folder.path()).size() == 1);
      for (const auto& job : RunView::planned(all.run(kThird)).jobs) {
        CHECK(damage_of_finished(all.run(kThird) / job.directory) == "");
        std::error_code none;
        CHECK((!fs::exists(all.run(kThird) / job.directory / "checkpoints") ||
               fs::is_empty(all.run(kThird) / job.directory / "checkpoints", none)));
      }
    }
  }
}

}  // namespace
}  // namespace yatlab::testing
