#include "core/library/compare_runs.h"

#include <nlohmann/json.hpp>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "holds.h"
#include "runs/support.h"

namespace yatlab::testing {
namespace {

const ComparedValue* find_value(const std::vector<ComparedValue>& values, const std::string& name) {
  for (const auto& v : values) {
    if (v.name == name) return &v;
  }
  return nullptr;
}

TEST_CASE("compare shows differences in settings, code, data and results") {
  const TemporaryFolder a, b;
  auto first = swept_run("2026-11-20_10-00-00-000000");
  first.write(a.path());
  auto second = swept_run("2026-11-21_10-00-00-111111");
  second.overrides = {"trainer.epochs=4", "seeds=range(0,3)"};
  second.config =
      "name: sweep\ntitle: Another title\nseeds: [0, 1, 2]\nworkers: 2\noperator: {name: dot}\ntrainer: {epochs: 4}\nextra: {name: thing, "
      "one: 1, two: 2}\n";
  second.code = "c0de9999";
  second.environment["host"] = "node2";
  second.dataset["sha256"] = "cd34";
  const double shifts[] = {0.01, 0.02, 0.06};
  for (auto& job : second.jobs) {
    job.hash += "x";
    if (job.arm == "yat") {
      job.config += "decay: 0.1\n";
      job.metrics["test/accuracy"] = job.metrics["test/accuracy"].get<double>() + shifts[job.seed];
    }
  }
  second.jobs[11].seed = 7;  // two seeds of the last point are shared
  second.write(b.path());
  const auto c = compare_runs(a.path(), b.path(), false);
  CHECK(c.notes.empty());
  REQUIRE(find_value(c.config, "trainer.epochs"));
  CHECK(find_value(c.config, "trainer.epochs")->a == "3");
  CHECK(find_value(c.config, "trainer.epochs")->b == "4");
  CHECK(find_value(c.config, "workers")->equal());
  REQUIRE(find_value(c.config, "decay"));
  CHECK(find_value(c.config, "decay")->where == "yat");
  CHECK_FALSE(find_value(c.config, "decay")->a);
  REQUIRE(find_value(c.config, "extra"));  // in the folded section
  CHECK(find_value(c.config, "extra")->b == "thing (3 keys)");
  CHECK_FALSE(find_value(c.config, "extra.one"));
  CHECK(find_value(c.overrides, "seeds=range(0,3)")->equal());
  CHECK_FALSE(find_value(c.overrides, "trainer.epochs=4")->a);
  CHECK_FALSE(find_value(c.code, "code")->equal());
  CHECK(find_value(c.code, "git.revision")->equal());
  CHECK_FALSE(find_value(c.environment, "host")->equal());
  CHECK(holds(*c.data[0].b, "cd34"));
  REQUIRE(c.results.size() == 8);  // two metrics (no tables: those of tests), two arms, two points
  const ComparedMetric* yat = nullptr;
  const ComparedMetric* shared = nullptr;
  for (const auto& r : c.results) {
    if (r.arm == "linear" || r.metric == "test/loss") continue;
    (point_label(r.point) == "operator.epsilon=1e-5" ? yat : shared) = &r;
  }
  REQUIRE(yat);
  REQUIRE(shared);
  CHECK(yat->paired.n == 3);
  CHECK(yat->paired.difference == Approx(0.03));
  // By hand: s = 0.0264575, t(0.975, 2) = 4.302653, half width 4.302653 * s / sqrt(3).
  CHECK(yat->paired.ci95->low == Approx(0.03 - 0.0657240).margin(1e-6));
  CHECK(shared->paired.n == 2);
  CHECK(shared->paired.difference == Approx(0.015));
  const auto text = comparison_report(c, false);
  CHECK(holds(text, "trainer.epochs  3"));
  CHECK(holds(text, "decay [yat]"));
  CHECK_FALSE(holds(text, "workers"));
  CHECK_FALSE(holds(text, "Another title"));
  CHECK(holds(text, "and 1 of tables, figures and titles"));
  CHECK(holds(text, "over 3 seeds"));
  CHECK(holds(text, "more that are the same, number for number"));
  const auto all = comparison_report(c, true);
  CHECK(holds(all, "workers"));
  CHECK(holds(all, "Another title"));
  const auto json = comparison_json(c, false);
  CHECK(json["results"].size() < 8);
  CHECK(comparison_json(c, true)["results"].size() == 8);
  CHECK(json["results"][0]["paired"]["ci95"].is_array());
}

TEST_CASE("a comparison fits the terminal without splitting values") {
  const TemporaryFolder a, b;
  auto first = swept_run("2026-11-20_10-00-00-a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-000000");
  auto second = swept_run("2026-11-21_10-00-00-111111", 0.05);
  second.overrides = {
      "+arms.a_rather_long_name_of_an_arm_that_says_everything_about_itself=[operator=yat,operator.epsilon=0.5,architecture.scale="
      "multiply]"};
  first.write(a.path());
  second.write(b.path());
  const auto c = compare_runs(a.path(), b.path(), false);
  const auto whole = comparison_report(c, false);
  CHECK(holds(whole, "A  sweep/2026-11-20_10-00-00-a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-000000  "));
  for (const std::size_t width : {80, 100, 120}) {
    INFO(width);
    const auto text = comparison_report(c, false, width);
    for (const auto& line : split(text, '\n')) CHECK(display_width(line) <= width);
    CHECK(holds(text, "-000000  "));
    CHECK(holds(text, "\n    A  -\n    B  given\n"));
    std::size_t differences = 0;
    for (auto at = text.find(" over "); at != std::string::npos; at = text.find(" over ", at + 1)) ++differences;
    std::size_t all = 0;
    for (auto at = whole.find(" over "); at != std::string::npos; at = whole.find(" over ", at + 1)) ++all;
    CHECK(differences == all);
  }
}

TEST_CASE("a run compared with itself shows no difference") {
  const TemporaryFolder a;
  swept_run("2026-11-20_10-00-00-000000").write(a.path());
  const auto text = comparison_report(compare_runs(a.path(), a.path(), false), false);
  CHECK(holds(text, "config: the same"));
  CHECK(holds(text, "code: the same"));
  CHECK(holds(text, "results: the same, number for number"));
}

TEST_CASE("compare uses the metrics of tables or on request every metric") {
  const TemporaryFolder a;
  mnist_run().write(a.path());
  const auto metrics = [&](bool every) {
    std::set<std::string> out;
    for (const auto& r : compare_runs(a.path(), a.path(), every).results) out.insert(r.metric);
    return out;
  };
  CHECK(metrics(false) == std::set<std::string>{"test/accuracy", "prototypes/norm_change", "model/alpha"});
  auto more = mnist_run();
  for (auto& job : more.jobs) job.metrics["train/loss"] = 1.0;
  more.write(a.path());
  CHECK(metrics(false).count("train/loss") == 0);
  CHECK(metrics(true).count("train/loss") == 1);
}

TEST_CASE("damaged parts of a run are omitted from a comparison with a note") {
  const TemporaryFolder a, b;
  const auto fake = swept_run("2026-11-20_10-00-00-000000");
  fake.write(a.path());
  fake.write(b.path());
  change_file(b.path() / FakeRun::directory(fake.jobs[7]) / "summary.json", "0.92", "0.99");
  FakeRun::put(b.path() / "environment.json", "{");
  const auto c = compare_runs(a.path(), b.path(), false);
  CHECK(c.notes.size() == 2);
  for (const auto& r : c.results) {
    for (const double value : r.b.values) CHECK(value < 0.95);
  }
  FakeRun::put(b.path() / "config.yaml", "a: [");
  CHECK_NOTHROW(compare_runs(a.path(), b.path(), false));
  FakeRun::put(b.path() / "plan.json", "{");
  CHECK_THROWS_AS(compare_runs(a.path(), b.path(), false), Error);
}

}  // namespace
}  // namespace yatlab::testing
