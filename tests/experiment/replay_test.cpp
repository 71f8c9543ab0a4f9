#include "core/run/replay.h"

#include <algorithm>

#include "catch.h"
#include "core/plan/recorded_run.h"
#include "experiment/components.h"
#include "experiment/support.h"
#include "helpers.h"

namespace yatlab {
namespace {

using testing::recording;
using testing::Workspace;
using Strings = std::vector<std::string>;

const char* const kAnalysed = "title: some title\nanalyses: [prototype_images, prototype_similarity]\n";

Strings replayed(const fs::path& run) {
  recording().clear();
  Node trackers = Node::list();
  trackers.push_back(Node("recording"));
  replay_run(run, trackers, true);
  return recording();
}

}  // namespace

TEST_CASE("a replay sends a tracker the same events as the run", "[replay]") {
  const Workspace w(testing::with(kAnalysed));
  recording().clear();
  // Only one checkpoint is written, so that none is deleted in the meantime.
  const auto run = w.run({"trackers=[recording]", "trainer.checkpoint_seconds=1000"});
  const Strings live = recording();
  REQUIRE(live.size() > 40);
  const auto has = [&](const std::string& text) {
    return std::any_of(live.begin(), live.end(), [&](const auto& event) { return event.rfind(text, 0) == 0; });
  };
  CHECK(has("media yat seed=1 prototypes 12 0 '"));
  CHECK(has("media yat seed=1 prototype_weights 12 2 ''"));
  CHECK(has("media linear seed=0 similarity/yat 12 0 '"));
  CHECK(has("checkpoint linear seed=0 12 true"));
  CHECK(has("report tables/results"));
  const auto before = testing::contents_below(run.directory / "jobs", true);
  CHECK(replayed(run.directory) == live);
  CHECK(replayed(w.path() / "results/tiny/latest") == live);
  CHECK(testing::differences(before, testing::contents_below(run.directory / "jobs", true)).empty());
}

TEST_CASE("trackers get figures as images whatever formats are requested", "[replay][trackers]") {
  const Workspace w(testing::with("analyses: [prototype_images]\nfigures:\n  format: pgf\n  fig:learned: {plot: prototypes}\n"));
  const auto has_picture = [](const Strings& events) {
    return std::any_of(events.begin(), events.end(),
                       [](const auto& e) { return e.rfind("report", 0) == 0 && e.find(" figures/fig:learned") != std::string::npos; });
  };
  recording().clear();
  const auto run = w.run({"trackers=[recording]"});
  CHECK(has_picture(recording()));
  CHECK(has_picture(replayed(run.directory)));
  const Workspace alone(testing::with("analyses: [prototype_images]\nfigures:\n  format: pgf\n  fig:learned: {plot: prototypes}\n"));
  const auto quiet = alone.run();  // no PNG was requested
  CHECK(fs::exists(quiet.directory / "figures/fig_learned.pgf"));
  CHECK_FALSE(fs::exists(quiet.directory / "figures/fig_learned.png"));
}

TEST_CASE("a replay skips unfinished jobs and reports diverged and failed ones", "[replay]") {
  const Workspace w;
  const auto run = w.run({"trainer.diverged_above=1e-9"});
  fs::remove_all(run.directory / "jobs/yat/seed=1");
  const auto events = replayed(run.directory);
  CHECK(std::count_if(events.begin(), events.end(), [](const auto& e) { return e.rfind("start ", 0) == 0; }) == 3);
  CHECK(std::count_if(events.begin(), events.end(),
                      [](const auto& e) { return e.find(" diverged 'training loss ") != std::string::npos; }) == 3);
}

TEST_CASE("a plan is read back from a run's folder", "[replay]") {
  const Workspace w(testing::with("title: some title\nsweep: {optimizer.lr: [0.1, 0.2]}\n"));
  const auto plan = w.plan({"seeds=[3]"});
  const auto run = w.run({"seeds=[3]"});
  const auto read = recorded_plan(run.directory);
  CHECK(read.name == plan.name);
  CHECK(read.title == plan.title);
  CHECK(read.hash == plan.hash);
  CHECK(read.arms == plan.arms);
  CHECK(read.seeds == plan.seeds);
  CHECK(read.swept == plan.swept);
  CHECK(read.overrides == Strings{"seeds=[3]"});
  REQUIRE(read.jobs.size() == plan.jobs.size());
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    CHECK(read.jobs[i].label() == plan.jobs[i].label());
    CHECK(read.jobs[i].hash == plan.jobs[i].hash);
    CHECK(read.jobs[i].directory == plan.jobs[i].directory);
    CHECK(read.jobs[i].type == plan.jobs[i].type);
    CHECK(read.jobs[i].config.to_flow() == plan.jobs[i].config.to_flow());
  }
  CHECK(testing::error_of([&] { recorded_plan(w.path()); }).find("is not a run directory") != std::string::npos);
}

}  // namespace yatlab
