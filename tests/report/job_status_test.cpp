#include "core/record/job_status.h"

#include <unistd.h>

#include <cmath>
#include <ctime>

#include "catch.h"
#include "core/base/process.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

TEST_CASE("job states have names and are finished or over as documented") {
  using S = JobState;
  for (const auto state :
       {S::kPlanned, S::kSubmitted, S::kRunning, S::kPreempted, S::kInterrupted, S::kCompleted, S::kDiverged, S::kFailed, S::kPruned}) {
    INFO(to_string(state));
    CHECK(job_state(to_string(state)) == state);
    CHECK(is_finished(state) == (state == S::kCompleted || state == S::kDiverged));
    CHECK(is_over(state) == (state >= S::kCompleted));
  }
}

TEST_CASE("a job's status is read back unchanged") {
  const TemporaryFolder folder;
  JobStatus status;
  status.state = JobState::kDiverged;
  status.attempt = 3;
  status.host = "node17";
  status.pid = 4711;
  status.batch_job = "12_3";
  status.submitted = "2026-11-22T09:00:00Z";
  status.started = "2026-11-22T09:30:00Z";
  status.finished = "2026-11-22T10:30:00Z";
  status.wall_s = 3600.5;
  status.error = "the loss is \"nan\"";
  status.dataset_sha256 = "abc";
  status.performance = {{"samples_per_s", 12.5}, {"mfu", HUGE_VAL}};
  write_job_status(folder.path(), status);
  const auto read = read_job_status(folder.path());
  CHECK(read.readable);
  CHECK(read.intact);
  CHECK(read.state == JobState::kDiverged);
  CHECK(read.attempt == 3);
  CHECK(read.host == "node17");
  CHECK(read.pid == 4711);
  CHECK(read.batch_job == "12_3");
  CHECK(read.submitted == status.submitted);
  CHECK(read.started == status.started);
  CHECK(read.finished == status.finished);
  CHECK(read.wall_s == 3600.5);
  CHECK(read.error == status.error);
  CHECK(read.dataset_sha256 == "abc");
  CHECK(read.performance == status.performance);
}

TEST_CASE("every state has a different name") {
  for (int i = 0; i <= static_cast<int>(JobState::kFailed); ++i) {
    const auto state = static_cast<JobState>(i);
    INFO(to_string(state));
    CHECK(job_state(to_string(state)) == state);
  }
  CHECK(!job_state("unheard-of"));
}

TEST_CASE("an altered or truncated status is reported and counts as planned") {
  const TemporaryFolder folder;
  CHECK(recorded_state(folder.path()) == JobState::kPlanned);  // no file
  JobStatus status;
  status.state = JobState::kCompleted;
  write_job_status(folder.path(), status);
  CHECK(recorded_state(folder.path()) == JobState::kCompleted);
  auto text = read_file(folder.path() / "status.json");
  text.replace(text.find("completed"), 9, "diverged");
  write_file_atomic(folder.path() / "status.json", text);
  CHECK(read_job_status(folder.path()).readable);
  CHECK_FALSE(read_job_status(folder.path()).intact);
  CHECK(recorded_state(folder.path()) == JobState::kPlanned);
  write_file_atomic(folder.path() / "status.json", text.substr(0, 10));
  CHECK_FALSE(read_job_status(folder.path()).readable);
  CHECK(recorded_state(folder.path()) == JobState::kPlanned);
}

TEST_CASE("a job counts as running while its process lives and its heartbeat is recent") {
  const TemporaryFolder folder;
  const std::int64_t now = std::time(nullptr);
  JobStatus status;
  status.state = JobState::kRunning;
  status.host = host_name();
  status.pid = ::getpid();
  CHECK(observed_state(folder.path(), status, now) == JobState::kInterrupted);  // no heartbeat at all
  write_heartbeat(folder.path(), {now - 50, 3, 10, 2.5, "training"});
  CHECK(observed_state(folder.path(), status, now) == JobState::kRunning);
  CHECK(observed_state(folder.path(), status, now + 20) == JobState::kInterrupted);
  status.pid = 0x3fffffff;  // beyond Linux's largest pid
  CHECK(observed_state(folder.path(), status, now) == JobState::kInterrupted);
  status.host += "-other";
  CHECK(observed_state(folder.path(), status, now) == JobState::kRunning);
  status.state = JobState::kCompleted;
  CHECK(observed_state(folder.path(), status, now + 1000) == JobState::kCompleted);
  const auto heartbeat = read_heartbeat(folder.path());
  REQUIRE(heartbeat);
  CHECK(heartbeat->step == 3);
  CHECK(heartbeat->total_steps == 10);
  CHECK(heartbeat->per_second == 2.5);
  CHECK(heartbeat->what == "training");
}

TEST_CASE("times are UTC") { CHECK(utc_text(1763800200) == "2025-11-22T08:30:00Z"); }

}  // namespace
}  // namespace yatlab
