#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/report/summary.h"
#include "fake_figures.h"
#include "helpers.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

std::string config_error_of(const std::string& yaml) {
  return error_of([&] { ReportConfig::read(parse_yaml(yaml, "x.yaml"), true); });
}

}  // namespace

TEST_CASE("numbers of the paper have its place, and a tolerance that may grow with them") {
  const auto config = ReportConfig::read(parse_yaml("arms: {yat: [], dot: []}\npaper:\n  where: Table 2\n  yat: {error: 0.5, rate: 1}\n"
                                                    "  dot: {error: -2000, rate: {mean: 3, std: 1, n: 3, where: p. 7}}\n"
                                                    "  tolerance: {error: {at_least: 0.02, share: 0.01}, rate: 0.1}\n",
                                                    "x.yaml"),
                                         true);
  std::vector<std::string> found;
  for (const auto& n : config.paper) found.push_back(fmt::format("{} {} {:g} {}", n.arm, n.metric, n.tolerance, n.where));
  CHECK(found == std::vector<std::string>{"yat error 0.02 Table 2", "yat rate 0.1 Table 2", "dot error 20 Table 2", "dot rate 0.1 p. 7"});
}

TEST_CASE("report configs are checked") {
  CHECK(config_error_of("tables: {t: {colums: [a]}}") ==
        "unknown key 'tables.t.colums'\n  at: x.yaml:1:22\n  try: did you mean 'columns'?");
  CHECK(config_error_of("tables: {t: {title: x}}") ==
        "'tables.t' has no columns\n  at: x.yaml:1:13\n  try: list the metrics to show, for example columns: "
        "[test/accuracy]");
  CHECK(config_error_of("tables: {t: {columns: [{metric: a, format: precent}]}}") ==
        "'tables.t.columns.0.format' cannot be 'precent'\n  at: x.yaml:1:44\n  try: did you mean 'percent'?");
  CHECK(config_error_of("{arms: {yat: []}, tables: {t: {columns: [a], compare: {metric: a, baseline: yet}}}}")
            .find("'tables.t.compare.baseline' refers to an unknown arm: 'yet'") == 0);
  CHECK(config_error_of("{arms: {yat: []}, paper: {yat: {a: 1}}}") ==
        "'paper.yat.a' has no tolerance\n  at: x.yaml:1:36\n  why: a verdict needs to know how large a difference still counts as equal\n  "
        "try: add 'a' to paper.tolerance");
  CHECK(config_error_of("{arms: {yat: []}, paper: {yta: {a: 1}, tolerance: {a: 1}}}").find("did you mean 'yat'?") != std::string::npos);
  CHECK(config_error_of("paper: {yat: {a: 1}, tolerance: {a: 1, b: 2}}").find("'paper.tolerance.b' does not belong to any number") == 0);
  CHECK(config_error_of("paper: {yat: {a: 1}, tolerance: {a: -1}}").find("must be a number >= 0, found -1") != std::string::npos);
  CHECK(config_error_of("paper: {yat: {a: 1}, tolerance: {a: {at_least: 1}}}")
            .find("try: write a number, or {at_least: number, share: number}") != std::string::npos);
  CHECK(config_error_of("paper: {yat: {a: x}, tolerance: {a: 1}}").find("'paper.yat.a' must be a number or a range, found x") == 0);
  CHECK(config_error_of("metrics: {a: {better: up}}").find("'metrics.a.better' cannot be 'up'") == 0);
  CHECK(config_error_of("figures: {f: {seed: 0}}").find("'figures.f' has no 'plot'") == 0);
  CHECK(config_error_of("figures: {f: {plot: prototype}}").find("did you mean 'prototypes'?") != std::string::npos);
  CHECK(config_error_of("figures: {f: {plot: prototypes, sed: 0}}").find("unknown key 'figures.f.sed'") == 0);
  CHECK(config_error_of("figures: {f: {plot: sweep_lines, metrics: [a]}}").find("'figures.f.x' is required") == 0);
  CHECK(config_error_of("tables: 3").find("'tables' must be a map, found 3") == 0);
}

TEST_CASE("paper numbers are read with ids, tables and sweep points") {
  const auto config = ReportConfig::read(parse_yaml(R"yaml(
name: demo
arms: {a: [], b: []}
tables:
  tab:one: {columns: [m]}
  tab:two:
    columns: [m, k]
    paper: {a: {m: 5}, tolerance: {m: 1}}
paper:
  a: {m: 1, k: 2}
  "b@lr=1e-3": {m: 3}
  "b@lr=0.1": {m: 4}
  b: {z: 9}
  tolerance: {m: 0.1, k: 0.1, z: 1}
)yaml",
                                                    "x.yaml"));
  std::vector<std::string> ids;
  for (const auto& n : config.paper) ids.push_back(n.id);
  CHECK(ids ==
        std::vector<std::string>{"tab:two/a/m", "tab:one/a/m", "tab:two/a/k", "tab:one/b/m@lr=0.001", "tab:one/b/m@lr=0.1", "demo/b/z"});
  CHECK(config.paper_number("tab:one", "a", "m", {})->value.low == 1);
  CHECK(config.paper_number("tab:two", "a", "m", {})->value.low == 5);
  CHECK(config.paper_number("tab:one", "b", "m", {{"lr", 0.001}})->value.low == 3);
  CHECK(config.paper_number("tab:one", "b", "m", {{"lr", 0.1}})->value.low == 4);
  CHECK(config.paper_number("tab:one", "b", "m", {{"lr", 1}}) == nullptr);
}

TEST_CASE("a metric's direction follows from its name or is set") {
  CHECK(default_metric_info("inverted/accuracy").better == Direction::kHigher);
  CHECK(default_metric_info("inverted/accuracy").format == NumberFormat::kPercent);
  CHECK(default_metric_info("test/loss").better == Direction::kLower);
  CHECK(default_metric_info("test/P@5").better == Direction::kHigher);
  CHECK(default_metric_info("model/alpha").better == Direction::kNone);
  CHECK(default_metric_info("prototypes/norm_change").format == NumberFormat::kSignedPercent);
  const auto config = ReportConfig::read(parse_yaml("metrics: {test/accuracy: {title: acc}, a: {better: lower}}", "x"));
  CHECK(config.metric("test/accuracy").better == Direction::kHigher);  // unspecified fields stay
  CHECK(config.metric("test/accuracy").title == "acc");
  CHECK(config.metric("a").better == Direction::kLower);
}

TEST_CASE("summary.json has its documented format") {
  TemporaryFolder scratch;
  auto fake = mnist_run();
  fake.jobs[9].state = "failed";
  fake.write(scratch.path());
  const RunView run = RunView::load(scratch.path());
  const auto config = ReportConfig::read(run.config);
  const auto json = build_summary(run, config);
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"schema", "experiment", "run_id", "title", "status", "scale", "protocol_overrides", "dataset",
                                         "swept", "arms", "comparisons", "paper"});
  CHECK(json["schema"] == 1);
  CHECK(json["experiment"] == "mnist_inversion");
  CHECK(json["status"] == "failed");
  CHECK(json["scale"].is_null());
  CHECK(json["dataset"].dump() == R"({"name":"mnist","sha256":"ab12","tier":"local","substituted_for":null})");
  const auto& yat = json["arms"]["yat"];
  CHECK(yat["n"] == 4);
  CHECK(yat["failed"] == 1);
  CHECK(yat["diverged"] == 0);
  const auto& accuracy = yat["metrics"]["test/accuracy"];
  CHECK(accuracy["values"].dump() == "[0.9221,0.923,0.9239,0.9228]");
  CHECK(accuracy["seeds"].dump() == "[0,1,2,3]");
  CHECK(accuracy["mean"].get<double>() == Approx(0.92295));
  CHECK(accuracy["ci95"].size() == 2);
  const auto& comparison = json["comparisons"][0];
  CHECK(comparison["arms"].dump() == R"(["yat","linear"])");
  CHECK(comparison["n"] == 4);
  CHECK(comparison["difference"].get<double>() == Approx(0.0047));
  CHECK(comparison["p_sign_flip"].is_null());  // four pairs decide nothing
  CHECK(comparison["p_holm"] == comparison["p"]);
  CHECK(json["paper"].size() == 5);
  CHECK(json["paper"][0]["id"] == "tab:mnist_results/linear/test/accuracy");
  CHECK(json["paper"][0]["verdict"] == "reproduced");
  CHECK(json["paper"][0]["measured"].get<double>() == Approx(0.9184));
  CHECK_FALSE(json["paper"][0]["why"].get<std::string>().empty());
  CHECK(summary_text(run, config) == summary_text(RunView::load(scratch.path()), config));
}

TEST_CASE("summary.json of a sweep lists points") {
  TemporaryFolder scratch;
  sweep_run().write(scratch.path());
  const RunView run = RunView::load(scratch.path());
  const auto json = build_summary(run, ReportConfig::read(run.config));
  CHECK(json["status"] == "complete");  // a diverged job is a result
  const auto& yat = json["arms"]["yat"];
  CHECK(yat["n"] == 42);
  CHECK(yat["diverged"] == 3);
  CHECK(yat["points"].size() == 15);
  CHECK(yat["points"][2]["params"].dump() == R"({"operator.epsilon":1e-05,"architecture.alpha":2.0})");
  CHECK(yat["points"][2]["metrics"].empty());
  CHECK(json["paper"].size() == 30);
  CHECK(json["paper"][0]["params"]["architecture.alpha"] == 0.5);
}

TEST_CASE("damaged run directories are handled") {
  TemporaryFolder scratch;
  const auto load = [&] { return RunView::load(scratch.path()); };
  CHECK(error_of(load).find("it has no config.yaml") != std::string::npos);
  const auto fake = mnist_run();
  fake.write(scratch.path());
  const fs::path plan = scratch.path() / "plan.json", job = scratch.path() / "jobs/yat/seed=2";

  SECTION("missing plan") {
    fs::remove(plan);
    CHECK(error_of(load).find("it has no plan.json") != std::string::npos);
  }
  SECTION("truncated plan") {
    write_file_atomic(plan, read_file(plan).substr(0, 200));
    CHECK(error_of(load).find("cannot read the plan of a run") == 0);
  }
  SECTION("plan of a newer version") {
    write_file_atomic(plan, R"({"schema": 2, "jobs": []})");
    CHECK(error_of(load).find("its schema is 2, but this version reads 1") != std::string::npos);
  }
  SECTION("missing job folder") {
    fs::remove_all(job);
    const auto run = load();
    CHECK(run.jobs[7].state == JobState::kPlanned);
    CHECK(run.status() == "partial");
    CHECK(run.sample("yat", {}, "test/accuracy").values.size() == 4);
    CHECK(run.sample("yat", {}, "test/accuracy").unfinished == 1);
  }
  SECTION("a cut-off job summary is a warning, the job counts as unfinished") {
    write_file_atomic(job / "summary.json", R"({"schema": 1, "metr)");
    const auto run = load();
    REQUIRE(run.warnings.size() == 1);
    CHECK(run.warnings[0].find("summary.json cannot be read") != std::string::npos);
    CHECK(run.jobs[7].state == JobState::kInterrupted);
    CHECK(write_report(scratch.path(), without_figures()).text.find("not reported: ") != std::string::npos);
  }
  SECTION("metrics that are not numbers are left out") {
    write_file_atomic(job / "summary.json", R"({"status": "completed", "metrics": {"test/accuracy": "nan", "x": [1]}})");
    CHECK(load().sample("yat", {}, "test/accuracy").values.size() == 4);
  }
  SECTION("the end of metrics.jsonl is truncated") {
    write_file_atomic(job / "metrics.jsonl", "{\"step\":1,\"epoch\":0,\"a\":2}\n\n{\"step\":2,\"ep");
    const auto run = load();
    const auto curve = run.curve(run.jobs[7]);
    REQUIRE(curve.size() == 1);
    CHECK(curve[0].metrics.at("a") == 2);
  }
  SECTION("an artifact that is not JSON") {
    write_file_atomic(job / "artifacts/prototypes.json", "{");
    const auto run = load();
    CHECK(error_of([&] { run.artifact(run.jobs[7], "prototypes"); }).find("cannot read artifact 'prototypes'") == 0);
    CHECK_FALSE(run.artifact(run.jobs[0], "prototypes"));
  }
  SECTION("no job has run yet") {
    fs::remove_all(scratch.path() / "jobs");
    const auto report = write_report(scratch.path(), without_figures());
    CHECK(report.text.find("No job has finished.") != std::string::npos);
  }
}

TEST_CASE("write_report leaves tables and summary even when figures cannot be drawn") {
  TemporaryFolder scratch;
  mnist_run().write(scratch.path());  // it has no artifacts
  const auto report = write_report(scratch.path());
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0] ==
        "figure fig:mnist_prototypes: cannot draw figure 'fig:mnist_prototypes': jobs/linear/seed=0 has no artifact "
        "'prototypes'; try: add the analysis that writes it to the experiment's analyses");
  for (const char* name : {"summary.json", "tables/tab_mnist_results.tex", "tables/tab_mnist_results.md", "tables/tab_mnist_results.csv"}) {
    CHECK(fs::exists(scratch.path() / name));
  }
}

TEST_CASE("test metrics are shown if the experiment has no tables") {
  TemporaryFolder scratch;
  auto fake = mnist_run();
  fake.config = "name: quick\ntitle: Quick look\n";
  fake.write(scratch.path());
  const auto report = write_report(scratch.path(), without_figures());
  CHECK(report.text.find("Quick look\n          test/accuracy\n  linear  91.84 ± 0.07 %") == 0);
}

TEST_CASE("the paper report uses the newest complete full-scale run") {
  TemporaryFolder scratch;
  const fs::path results = scratch.path() / "results", out = results / "paper";
  auto fake = mnist_run_with_artifacts();
  const auto write = [&](const std::string& id, const std::function<void(FakeRun&)>& change) {
    auto copy = fake;
    copy.run_id = id;
    change(copy);
    copy.write(results / "mnist_inversion" / id);
  };
  write("2026-01-01_00-00-00-aaaaaa", [](FakeRun&) {});
  write("2026-01-02_00-00-00-bbbbbb", [](FakeRun&) {});
  write("2026-01-03_00-00-00-cccccc", [](FakeRun& r) { r.scale = "smoke"; });
  write("2026-01-04_00-00-00-dddddd", [](FakeRun& r) { r.protocol_overrides = {"trainer.epochs=1"}; });
  write("2026-01-05_00-00-00-eeeeee", [](FakeRun& r) { r.jobs[3].state = "running"; });
  fs::create_directories(results / "mnist_inversion" / "2026-01-06_00-00-00-ffffff");
  write_file_atomic(results / "mnist_inversion" / "2026-01-07_00-00-00-999999" / "plan.json", "{");
  fs::create_directory_symlink("2026-01-05_00-00-00-eeeeee", results / "mnist_inversion" / "latest");
  CHECK(latest_full_run(results, "mnist_inversion").filename() == "2026-01-02_00-00-00-bbbbbb");
  CHECK(latest_full_run(results, "nothing").empty());

  auto sweep = sweep_run();
  sweep.write(results / "mnist_epsilon_alpha" / sweep.run_id);
  const Node unrun = parse_yaml("{name: xor, arms: {yat: []}, paper: {yat: {share: 1.0}, tolerance: {share: 0.01}}}", "xor.yaml");
  ReportOptions options;
  options.formats = {"svg"};
  const auto report = write_paper_report(results, out, {{"mnist_inversion", {}}, {"mnist_epsilon_alpha", {}}, {"xor", unrun}}, options);
  CHECK(report.problems.empty());
  const std::string card = read_file(out / "SCORECARD.md");
  CAPTURE(card);
  CHECK(card.find("6 measurements (6 numbers): 3 reproduced; 1 consistent; 1 inconclusive; 1 not run.") != std::string::npos);
  CHECK(card.find("| tab:mnist\\_results/yat/test/accuracy | 92.38 % | 92.30 ± 0.07 % | 5 | mnist | reproduced | the mean "
                  "92.30 % is 0.08 points below 92.38 %, and its 90 % interval \\[92.24, 92.36\\] % within 92.38 % ± 0.5 points |") !=
        std::string::npos);
  CHECK(card.find("\n- mnist\\_inversion/2026-01-02\\_00-00-00-bbbbbb\n") != std::string::npos);
  // the nearest of a sweep's points is shown, but is not a verdict
  const auto sweeps = card.find("## Sweeps");
  REQUIRE(sweeps != std::string::npos);
  CHECK(card.find(" of 15 give it |", sweeps) != std::string::npos);
  CHECK(card.substr(0, sweeps).find(" of 15 ") == std::string::npos);
  CHECK(card.find("| xor/yat/share | 100 % | – |  |  | not run | no complete run at full scale |") != std::string::npos);
  const std::string index = read_file(out / "README.md");
  CHECK(index.find("![fig\\_mnist\\_prototypes](mnist_inversion/figures/fig_mnist_prototypes.svg)") != std::string::npos);
  for (const auto& file : report.files) CHECK(fs::exists(file));
  // The report does not depend on when or where it was written.
  write_paper_report(results, out, {{"mnist_inversion", {}}, {"mnist_epsilon_alpha", {}}, {"xor", unrun}}, without_figures());
  CHECK(read_file(out / "SCORECARD.md") == card);
}
