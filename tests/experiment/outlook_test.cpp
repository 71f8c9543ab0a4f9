#include "core/run/run_estimate.h"

#include <algorithm>

#include "catch.h"
#include "core/system/disk_usage.h"
#include "experiment/support.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("a plan reports finished jobs and estimates the remaining time from earlier runs", "[plan][outlook]") {
  const Workspace w;
  const auto nothing = w.plan();
  const auto unknown = estimate_of(nothing);
  CHECK(unknown.left == nothing.jobs.size());
  CHECK_FALSE(unknown.seconds);
  CHECK(estimate_text(nothing, unknown).empty());

  w.run();
  const auto same = w.plan();
  CHECK(estimate_text(same, estimate_of(same)) == "all jobs are done");

  const auto more = w.plan({"seeds=[0,1,2,3,4]"});
  const auto outlook = estimate_of(more);
  CHECK(outlook.left == 6);
  for (std::size_t i = 0; i < more.jobs.size(); ++i) CHECK(outlook.done[i] == (more.jobs[i].seed < 2));
  REQUIRE(outlook.seconds);
  // Three more jobs of each arm, estimated by the mean of its two finished ones.
  double seconds = 0, bytes = 0;
  for (const auto& job : same.jobs) {
    const auto folder = w.path() / "results/tiny/latest" / job.directory;
    seconds += 1.5 * read_json(folder / "status.json").at("wall_s").get<double>();
    for (const auto& [name, text] : contents_below(folder, true)) bytes += 1.5 * static_cast<double>(text.size());
  }
  CHECK(*outlook.seconds == Approx(seconds));
  CHECK(*outlook.bytes == Approx(bytes));
  CHECK(outlook.measured == 4);
  CHECK(holds(estimate_text(more, outlook), "4 of 10 jobs are done; the others take about 0:0"));
  CHECK(holds(estimate_text(more, outlook), ", and " + bytes_text(static_cast<std::uintmax_t>(*outlook.bytes)) + ", as 4 like them did"));

  // Another batch size takes another, unknown time.
  const auto other = w.plan({"trainer.batch_size=30"});
  CHECK_FALSE(estimate_of(other).seconds);
  CHECK(estimate_text(other, estimate_of(other)).empty());
}

TEST_CASE("a job with a missing analysis is not finished", "[plan][outlook]") {
  const Workspace w;
  w.run();
  const auto plan = w.plan({"+analyses=[prototype_norms]"});
  const auto outlook = estimate_of(plan);
  CHECK(outlook.left == plan.jobs.size());
  CHECK(outlook.seconds);  // its training equals that of finished jobs
}
