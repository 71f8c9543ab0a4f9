#include "core/record/job_summary.h"

#include <cmath>
#include <limits>

#include "catch.h"
#include "core/base/files.h"
#include "core/record/job_history.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

TEST_CASE("a job's summary is read back unchanged", "[record]") {
  const TemporaryFolder folder;
  JobSummary out{"abc", JobState::kDiverged, {{"test/loss", std::nan("")}, {"x", -std::numeric_limits<double>::infinity()}, {"y", 0.1}}};
  out.steps = 12;
  out.why = "the loss is NaN";
  out.dataset = DatasetUse{"mnist", "1234", "real", ""};
  write_job_summary(folder.path(), out);
  const auto in = read_job_summary(folder.path());
  REQUIRE(in);
  CHECK(in->hash == "abc");
  CHECK(in->state == JobState::kDiverged);
  CHECK(std::isnan(in->metrics.at("test/loss")));
  CHECK(in->metrics.at("x") == -std::numeric_limits<double>::infinity());
  CHECK(in->metrics.at("y") == 0.1);
  CHECK(in->steps == 12);
  CHECK(in->why == "the loss is NaN");
  REQUIRE(in->dataset);
  CHECK(*in->dataset == *out.dataset);
  CHECK(holds(read_file(folder.path() / "summary.json"), "\"substituted_for\": null"));
}

TEST_CASE("a missing or invalid summary gives none with a reason", "[record]") {
  const TemporaryFolder folder;
  std::string problem;
  CHECK_FALSE(read_job_summary(folder.path(), &problem));
  CHECK(problem.empty());
  for (const char* text : {"{", "[1]", ""}) {
    INFO(text);
    write_file_atomic(folder.path() / "summary.json", text);
    CHECK_FALSE(read_job_summary(folder.path(), &problem));
    CHECK(holds(problem, "summary.json"));
  }
}

TEST_CASE("damaged lines of a history are skipped and counted", "[record]") {
  const TemporaryFolder folder;
  write_file_atomic(
      history_file(folder.path()),
      "{\"step\": 1, \"epoch\": 0.5, \"a\": 2}\n\n{\"step\": 2, \"ep\n{\"step\": 3, \"a\": \"inf\"}\n{\"no\": 1}\n{\"step\": 4");
  std::vector<MetricRow> rows;
  const auto take = [&](const MetricRow& row) {
    rows.push_back(row);
    return true;
  };
  CHECK(each_row(folder.path(), take) == 3);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].epoch == 0.5);
  CHECK(rows[1].step == 3);
  CHECK(std::isinf(rows[1].metrics.at("a")));
  rows.clear();
  each_row(folder.path(), [&](const MetricRow& row) {
    rows.push_back(row);
    return false;
  });
  CHECK(rows.size() == 1);
  for_each_row(folder.path(), [&](const MetricRow& row) { rows.push_back(row); });  // not finished: no checksum covers its rows
  CHECK(rows.size() == 3);
}

TEST_CASE("an impossible process id counts as none", "[record]") {
  const TemporaryFolder folder;
  JobStatus status;
  status.state = JobState::kRunning;
  for (const std::int64_t pid : {std::int64_t{4294967295}, std::int64_t{2147483648}}) {
    status.pid = pid;
    write_job_status(folder.path(), status);
    CHECK(read_job_status(folder.path()).pid == 0);
  }
  status.pid = 2147483647;
  write_job_status(folder.path(), status);
  CHECK(read_job_status(folder.path()).pid == 2147483647);
}

}  // namespace
}  // namespace yatlab::testing
