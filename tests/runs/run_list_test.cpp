#include "core/library/run_list.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/record/run_notes.h"
#include "core/table/text_grid.h"
#include "holds.h"
#include "runs/support.h"

namespace yatlab::testing {
namespace {

const std::string kOld = "2026-11-20_10-00-00-000000", kNew = "2026-11-21_10-00-00-111111", kOther = "2026-11-21_12-00-00-222222";

/// Two sweeps, the second one 0.05 better, with a failed job; and an experiment of another name.
struct Several {
  TemporaryFolder folder;
  Several() {
    place_run(folder.path(), swept_run(kOld));
    auto better = swept_run(kNew, 0.05);
    better.jobs[0].state = "failed";
    better.jobs[0].error = "no such thing\nmore";
    better.overrides.push_back("optimizer=adam");
    for (auto& job : better.jobs) job.config += "trainer: {epochs: 7}\n";
    place_run(folder.path(), better);
    auto other = mnist_run();
    other.run_id = kOther;
    other.scale = "smoke";
    place_run(folder.path(), other);
    change_notes(folder.path() / "sweep" / kOld, [](RunNotes& n) { n.tags = {"best", "old"}; });
  }
  std::vector<std::string> ids(const std::vector<std::string>& words) const {
    const auto index = RunIndex::open(folder.path());
    std::vector<std::string> out;
    for (const auto& found : find_runs(index, words)) out.push_back(found.run->id);
    return out;
  }
  std::string error(const std::vector<std::string>& words) const {
    try {
      ids(words);
    } catch (const Error& e) {
      CHECK(e.exit_code() == 2);
      return e.what();
    }
    return "no error";
  }
};

using Ids = std::vector<std::string>;

TEST_CASE("the list of runs fits the terminal and cut names keep both ends") {
  const TemporaryFolder folder;
  auto long_one = swept_run(kOld + "-epsilon=0.1-and-a-name-that-goes-on-and-on-for-more-than-a-hundred-characters-ⵟⵟⵟⵟⵟⵟⵟⵟ-3fa9c1");
  long_one.overrides = {"operator.epsilon=0.1", "title='" + std::string(250, 'x') + "'"};
  place_run(folder.path(), long_one);
  const auto index = RunIndex::open(folder.path());
  const auto list = [&](std::size_t width, const std::vector<std::string>& words = {}) {
    return runs_text(index, find_runs(index, words), 0, width);
  };
  const auto widest = [&](const std::string& text) {
    std::size_t out = 0;
    for (const auto& line : split(text, '\n')) out = std::max(out, display_width(line));
    return out;
  };
  CHECK(holds(list(0), long_one.overrides.back()));  // complete, when written to a file
  for (const std::size_t width : {80, 120, 160, 200}) {
    INFO(width);
    CHECK(widest(list(width)) <= width);
    CHECK(widest(list(width, {"test/accuracy>0.1", "test/loss<99"})) <= width);
    CHECK(holds(list(width), "sweep/2026-11-20_10-00"));
    CHECK(holds(list(width), "-3fa9c1"));
  }
  CHECK(holds(list(80), kEllipsis));
  CHECK_FALSE(holds(list(80), "overrides"));  // the name contains them
  CHECK(holds(list(200), "overrides"));
}

TEST_CASE("runs are found by experiment, state, arm, tag, scale and code, the newest first") {
  const Several all;
  CHECK(all.ids({}) == Ids{kOther, kNew, kOld});
  CHECK(all.ids({"sweep"}) == Ids{kNew, kOld});
  CHECK(all.ids({"sweep", "mnist_inversion"}) == Ids{kOther, kNew, kOld});
  CHECK(all.ids({"state=failed"}) == Ids{kNew});
  CHECK(all.ids({"state=failed", "arm=yat"}) == Ids{});  // it is the other arm's job that failed
  CHECK(all.ids({"state=failed", "arm=linear"}) == Ids{kNew});
  CHECK(all.ids({"tag=best"}) == Ids{kOld});
  CHECK(all.ids({"tag:best"}) == Ids{kOld});
  CHECK(all.ids({"tag!=best"}) == Ids{kOther, kNew});
  CHECK(all.ids({"scale=smoke"}) == Ids{kOther});
  CHECK(all.ids({"scale=full"}) == Ids{kNew, kOld});
  CHECK(all.ids({"code=c0de"}) == Ids{kNew, kOld});
  CHECK(all.ids({"code=abcdef"}) == Ids{kNew, kOld});  // git's revision
  CHECK(all.ids({"code=0de"}) == Ids{});
}

TEST_CASE("keys of configs, sweeps and overrides find runs, numbers by value") {
  const Several all;
  CHECK(all.ids({"operator.epsilon=0.00001"}) == Ids{kNew, kOld});
  CHECK(all.ids({"operator.epsilon=1e-4"}) == Ids{});
  CHECK(all.ids({"optimizer.lr<0.01", "sweep"}) == Ids{kNew, kOld});
  CHECK(all.ids({"optimizer.lr>0.01"}) == Ids{});
  CHECK(all.ids({"trainer.epochs=3"}) == Ids{kNew, kOld});  // overridden to 3, although the newer run's jobs differ
  CHECK(all.ids({"trainer.epochs=7"}) == Ids{kNew});
  CHECK(all.ids({"trainer.epochs>=7"}) == Ids{kNew});
  CHECK(all.ids({"optimizer=adam"}) == Ids{kNew, kOld});
  CHECK(all.ids({"seeds=range(0,3)"}) == Ids{kNew, kOld});
  CHECK(all.ids({"hidden=[64,32]"}) == Ids{kNew, kOld});
  CHECK(all.ids({"operator=yat", "arm=linear"}) == Ids{});
  CHECK(all.ids({"operator!=yat", "arm=yat"}) == Ids{});
}

TEST_CASE("a condition on a metric finds arm and point by the mean over seeds") {
  const Several all;
  const auto index = RunIndex::open(all.folder.path());
  const auto found = find_runs(index, {"sweep", "test/accuracy>0.93"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].run->id == kNew);
  REQUIRE(found[1].groups.size() == 1);
  const auto& group = found[1].groups[0];
  CHECK(group.arm == "yat");
  CHECK(point_label(group.point) == "operator.epsilon=0.1");
  REQUIRE(group.means.size() == 1);
  CHECK(group.means[0].mean == Approx(0.931));
  CHECK(*group.means[0].std == Approx(0.001));
  CHECK(group.means[0].n == 3);
  // 0.931 is a mean: one seed has 0.932, which does not match on its own.
  CHECK(find_runs(index, {"sweep", "test/accuracy>0.9315"}).size() == 1);
  CHECK(find_runs(index, {"sweep", "test/accuracy>93.05%"}).size() == 2);
  // Both conditions hold for one arm at one point.
  CHECK(find_runs(index, {"sweep", "test/accuracy>0.93", "operator.epsilon=1e-5"}).size() == 1);
  CHECK(find_runs(index, {"sweep", "test/accuracy<0.92", "arm=yat"}).empty());
  // A failed seed is left out of its mean.
  const auto linear = find_runs(index, {"sweep", "test/loss<1", "arm=linear", "operator.epsilon=1e-5"});
  REQUIRE(linear.size() == 2);
  CHECK(linear[0].groups[0].means[0].n == 2);
  const auto text = runs_text(index, found, *begun_at(kNew) + 3600);
  CHECK(holds(text, "yat operator.epsilon=0.1  test/accuracy 0.9310 ± 0.0010 (n=3)"));
  CHECK(holds(text, "60 min"));
  CHECK(holds(text, "* sweep/" + kNew));
  CHECK_FALSE(holds(text, "* sweep/" + kOld));
  CHECK(holds(text, "1 failed"));
  const auto json = runs_json(found);
  CHECK(json[1]["found"][0]["metrics"]["test/accuracy"]["n"] == 3);
  CHECK(json[1]["tags"] == nlohmann::ordered_json{"best", "old"});
}

TEST_CASE("diverged and non-finite seeds are excluded from means and counted") {
  const TemporaryFolder folder;
  auto run = swept_run(kOld);
  run.jobs[0].state = "diverged";  // three seeds of linear at 1e-5 come first
  run.jobs[1].metrics["test/accuracy"] = std::nan("");
  place_run(folder.path(), run);
  const auto index = RunIndex::open(folder.path());
  const auto found = find_runs(index, {"test/accuracy>0", "arm=linear", "operator.epsilon=1e-5"});
  REQUIRE(found.size() == 1);
  const auto& mean = found[0].groups[0].means.at(0);
  CHECK(mean.n == 1);
  CHECK(mean.missing == 2);
  CHECK(holds(runs_text(index, found, *begun_at(kOld)), "(n=1 of 3: the others have no finite value)"));
  CHECK(runs_json(found)[0]["found"][0]["metrics"]["test/accuracy"]["missing"] == 2);
}

TEST_CASE("unknown names are errors with the nearest name") {
  const Several all;
  CHECK(holds(all.error({"sweeep"}), "'sweep'"));
  CHECK(holds(all.error({"test/acuracy>0.9"}), "'test/accuracy'"));
  CHECK(holds(all.error({"operator.epsilom=1"}), "'operator.epsilon'"));
  CHECK(holds(all.error({"state=faild"}), "'failed'"));
  CHECK(holds(all.error({"test/accuracy=0.9"}), "test/accuracy>0.9"));
  CHECK(holds(all.error({"test/accuracy>high"}), "does not compare with a number"));
  CHECK(holds(all.error({"arm>yat"}), "arm=yat"));
  CHECK(holds(all.error({"x' OR 1=1 --=2"}), "no run has a metric"));
  CHECK(holds(all.error({"arm=' OR 1=1 --"}), "choices: linear, yat"));
  CHECK(holds(all.error({"arm=yta"}), "'yat'"));
  CHECK(holds(all.error({"tag=bets"}), "'best'"));
}

TEST_CASE("an empty results folder is not an error") {
  const TemporaryFolder folder;
  const auto index = RunIndex::open(folder.path());
  CHECK(find_runs(index, {"state=failed"}).empty());
  CHECK(find_runs(index, {"what.ever=1"}).empty());
  CHECK(holds(runs_text(index, {}, 0), "no runs in"));
  CHECK(runs_json({}) == nlohmann::ordered_json::array());
}

TEST_CASE("user text is escaped for the terminal") {
  TemporaryFolder folder;
  auto fake = swept_run(kOld);
  fake.overrides = {"a=\x1b[31m\nred"};
  place_run(folder.path(), fake);
  change_notes(folder.path() / "sweep" / kOld, [](RunNotes& n) { n.note = "two\nlines \x1b[0m"; });
  const auto index = RunIndex::open(folder.path());
  const auto text = runs_text(index, find_runs(index, {}), 0);
  CHECK_FALSE(holds(text, "\x1b"));
  CHECK(holds(text, "\\nred"));
}

TEST_CASE("means are rounded according to their spread") {
  CHECK(mean_text(0.92143, 0.00123) == "0.9214 ± 0.0012");
  CHECK(mean_text(123.456, 12.3) == "123 ± 12");
  CHECK(mean_text(0.5, std::nullopt) == "0.5");
  CHECK(mean_text(0.5, 0.0) == "0.5");
  CHECK(mean_text(2.7e8, 1.3e7) == "2.7e+08 ± 1.3e+07");
  CHECK(mean_text(1e-9, 1e-10) == "1e-09 ± 1e-10");
}

TEST_CASE("tags must be names and invalid notes are reported and kept") {
  const TemporaryFolder folder;
  for (const char* good : {"best", "for-paper", "v1.2", "ⵟ"}) CHECK_NOTHROW(require_tag(good));
  for (const char* bad : {"", "-x", ".x", "a b", "a,b", "a\nb", "a=b", "a/b"}) CHECK_THROWS_AS(require_tag(bad), Error);
  CHECK_THROWS_AS(require_tag(std::string(61, 'x')), Error);
  CHECK(read_notes(folder.path()) == RunNotes{});
  change_notes(folder.path(), [](RunNotes& n) { n = {{"b", "a", "b"}, "it's: \"quoted\"\n- twice"}; });
  CHECK(read_notes(folder.path()).tags == std::vector<std::string>{"a", "b"});
  CHECK(read_notes(folder.path()).note == "it's: \"quoted\"\n- twice");
  change_notes(folder.path(), [](RunNotes& n) { n = {{"007", "true", "1e3"}, "null"}; });  // texts that YAML would read as other types
  CHECK(read_notes(folder.path()).tags == std::vector<std::string>{"007", "1e3", "true"});
  CHECK(read_notes(folder.path()).note == "null");
  CHECK_THROWS_AS(change_notes(folder.path(), [](RunNotes& n) { n.note = "\xff"; }), Error);
  change_notes(folder.path(), [](RunNotes& n) { n = {}; });
  CHECK_FALSE(fs::exists(folder.path() / "notes.yaml"));
  for (const char* broken : {"tags: [", "[]", "tags: best", "tags: ['a b']", "\xff"}) {
    write_file_unsynced(folder.path() / "notes.yaml", broken);
    INFO(broken);
    CHECK_THROWS_AS(read_notes(folder.path()), Error);
    CHECK_THROWS_AS(change_notes(folder.path(), [](RunNotes& n) { n.tags = {"x"}; }), Error);
    CHECK(read_file(folder.path() / "notes.yaml") == broken);
  }
}

}  // namespace
}  // namespace yatlab::testing
