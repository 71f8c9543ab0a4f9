// Seeds without a finite value: counted and named wherever a mean is shown; the remaining seeds decide nothing.
#include <fmt/format.h>

#include <set>

#include "catch.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/report/html_parts.h"
#include "core/report/recorded_report.h"
#include "core/report/report.h"
#include "core/report/report_parts.h"
#include "core/report/summary.h"
#include "core/table/best_points.h"
#include "core/table/table.h"
#include "core/verdict/seeds_left.h"
#include "fake_run.h"
#include "holds.h"
#include "written_run.h"

namespace yatlab::testing {
namespace {

constexpr int kSeeds = 12;

/// Two arms of twelve seeds. The accuracy of the first `lost` seeds of yat is not a number: NaN, or infinite where `infinite`.
FakeRun lossy_run(int lost, bool infinite = false) {
  FakeRun run;
  run.experiment = "lossy";
  run.arms = {"linear", "yat"};
  run.config = R"yaml(name: lossy
title: Lossy
arms: {linear: [], yat: []}
labels: {yat: ⵟ}
tables:
  tab:lossy:
    columns: [{metric: test/accuracy, header: Acc.}, test/loss]
    compare: {metrics: [test/accuracy, test/loss], baseline: linear, paper: {yat: {test/accuracy: higher}}}
paper:
  yat: {test/accuracy: 0.95}
  linear: {test/accuracy: 0.90}
  tolerance: {test/accuracy: 0.01}
)yaml";
  for (const auto& arm : run.arms) {
    const bool yat = arm == "yat";
    for (int seed = 0; seed < kSeeds; ++seed) {
      const double chance = 0.0004 * (seed % 5);
      FakeRun::Job job{arm,
                       seed,
                       Json::object(),
                       {{"test/accuracy", (yat ? 0.95 : 0.90) + chance}, {"test/loss", (yat ? 0.2 : 0.4) - chance}},
                       "completed",
                       {},
                       {}};
      if (yat && seed < lost) job.metrics["test/accuracy"] = infinite ? Json("inf") : Json(nullptr);
      run.jobs.push_back(std::move(job));
    }
  }
  return run;
}

Table lossy_table(const RunView& run, const ReportConfig& config) { return build_table(run, config, config.tables.at(0)); }

Json page_data(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const auto first = page.find(open) + open.size();
  return Json::parse(page.substr(first, page.find("</script>", first) - first));
}

std::string page_of(const fs::path& folder) {
  ReportOptions options;
  options.figures = false;
  write_report(folder, options);
  return read_file(folder / "report.html");
}

}  // namespace

TEST_CASE("non-finite seeds are reported in every format and prevent verdicts and bold", "[not_finite]") {
  const bool infinite = GENERATE(false, true);
  const WrittenRun whole(lossy_run(0)), lossy(lossy_run(5, infinite));
  const Table before = lossy_table(whole.run, whole.config), table = lossy_table(lossy.run, lossy.config);
  // The table without such seeds.
  CHECK(before.rows[1].cells[0].bold);
  CHECK(before.rows[1].cells[0].paper->judgement.verdict == Verdict::kReproduced);
  CHECK(before.comparisons[0].verdict == "same direction");
  CHECK_FALSE(holds(to_text(before) + to_markdown(before) + to_latex(before) + to_csv(before), "finite"));

  const auto& cell = table.rows[1].cells[0];
  CHECK(cell.sample.values.size() == 7);
  CHECK(cell.sample.not_finite == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(cell.own_n == std::size_t{7});
  CHECK_FALSE(table.rows[1].cells[1].own_n);
  CHECK(cell.paper->judgement.verdict == Verdict::kInconclusive);
  CHECK(cell.paper->judgement.why == "the mean is that of the 7 of 12 seeds which are left; not finite for 5 of 12 seeds");
  CHECK_FALSE(cell.bold);
  CHECK_FALSE(table.rows[0].cells[0].bold);
  CHECK(table.rows[1].cells[1].bold);  // every loss is finite

  const std::string note = "ⵟ: Acc. not finite for 5 of 12 seeds.";
  TextStyle wide;
  wide.width = 1000;
  const auto text = to_text(table, wide), markdown = to_markdown(table), tex = to_latex(table);
  CHECK(holds(text, "(n = 7)"));
  CHECK(holds(text, note));
  CHECK(holds(text, "inconclusive"));
  CHECK(holds(text, "over n = 7 to 12 seeds"));
  CHECK(holds(markdown, "(n = 7) | "));
  CHECK(holds(markdown, note));
  CHECK(holds(tex, "(n = 7)"));
  CHECK(holds(tex, "Acc. not finite for 5 of 12 seeds."));
  CHECK(holds(tex, "inconclusive"));
  const auto csv = split(to_csv(table), '\n');
  CHECK(holds(csv[0], ",run,not_finite"));
  CHECK(holds(csv[3], "yat,test/accuracy,7,"));
  CHECK(holds(csv[3], "0;1;2;3;4"));
  // Pairs use the seeds that both arms have, and decide no direction.
  const auto& line = table.comparisons[0];
  CHECK(line.test.n == 7);
  CHECK(line.verdict == "direction not decided");
  CHECK(holds(text, "(paired over 7 seeds, "));
  CHECK(holds(text, "; ⵟ not finite for 5 of 12 seeds; the paper says higher: direction not decided"));
  CHECK(table.comparisons[1].not_finite.empty());

  const auto summary = build_summary(lossy.run, lossy.config);
  const auto& metrics = summary["arms"]["yat"]["metrics"];
  CHECK(metrics["test/accuracy"]["not_finite"] == Json({0, 1, 2, 3, 4}));
  CHECK(metrics["test/accuracy"]["values"].size() == 7);
  CHECK_FALSE(metrics["test/loss"].contains("not_finite"));
  CHECK(summary["comparisons"][0]["not_finite"]["yat"].size() == 5);
  CHECK(summary["paper"][0]["verdict"] == "inconclusive");
  CHECK(summary["paper"][0]["n"] == 7);
  CHECK_FALSE(build_summary(whole.run, whole.config).dump().find("not_finite") != std::string::npos);

  const auto page = page_of(lossy.scratch.path());
  CHECK(holds(page, html::text(note)));
  CHECK(holds(page, "(n = 7)"));
  CHECK(holds(page, "n = 7, not finite for 5 of 12 seeds"));
  CHECK(holds(page, "is inconclusive"));
}

TEST_CASE("an arm without finite seeds is reported as such", "[not_finite]") {
  const WrittenRun lossy(lossy_run(kSeeds));
  const Table table = lossy_table(lossy.run, lossy.config);
  const auto& cell = table.rows[1].cells[0];
  CHECK(cell.paper->judgement.verdict == Verdict::kInconclusive);
  CHECK(cell.paper->judgement.why == "no value was measured; not finite for 12 of 12 seeds");
  TextStyle wide;
  wide.width = 1000;
  for (const auto& shown : {to_text(table, wide), to_markdown(table), to_latex(table), page_of(lossy.scratch.path())}) {
    CHECK(holds(shown, "Acc. not finite for 12 of 12 seeds."));
    CHECK(holds(shown, "no seed has both"));
    const auto named = shown.find("not finite");
    CHECK(named < shown.find("not finite for 12"));  // in the cell, too
  }
  CHECK(table.comparisons[0].verdict == "direction not decided");
  for (const auto& row : table.rows) CHECK_FALSE(row.cells[0].bold);
  CHECK(measured_text(cell.sample, NumberFormat::kPercent) == "not finite");
}

TEST_CASE("an arm that lost seeds or beats one that did is not bold", "[not_finite]") {
  // The leader has lost a seed, whatever its mean is.
  auto fake = lossy_run(0);
  for (auto& job : fake.jobs) {
    if (job.arm == "yat" && job.seed == 3) {
      job.state = "diverged";
      job.metrics = Json::object();
    }
  }
  const WrittenRun diverged(fake);
  Table table = lossy_table(diverged.run, diverged.config);
  for (const auto& row : table.rows) {
    for (const auto& cell : row.cells) CHECK_FALSE(cell.bold);
  }
  CHECK(table.rows[1].cells[0].paper->judgement.verdict == Verdict::kInconclusive);
  CHECK(table.rows[1].cells[0].paper->judgement.why == "the mean is that of the 11 of 12 seeds which are left; 1 seed diverged");
  // The other arm's result is unknown.
  auto other = lossy_run(0);
  other.jobs[2].metrics["test/accuracy"] = "nan";
  const WrittenRun second(other);
  table = lossy_table(second.run, second.config);
  CHECK_FALSE(table.rows[1].cells[0].bold);
  CHECK(table.rows[1].cells[1].bold);
  CHECK(table.rows[1].cells[0].paper->judgement.verdict == Verdict::kReproduced);  // its own seeds are complete
}

TEST_CASE("a recorded summary keeps which seeds are not finite", "[not_finite]") {
  for (const int lost : {5, kSeeds}) {
    const WrittenRun lossy(lossy_run(lost));
    const TemporaryFolder paper;
    FakeRun::put(paper.path() / "summary.json", summary_text(lossy.run, lossy.config));
    const auto recorded = read_recorded(paper.path(), lossy.run.config);
    REQUIRE(recorded);
    CHECK(to_latex(recorded->contents.tables.at(0)) == to_latex(lossy_table(lossy.run, lossy.config)));
    CHECK(to_csv(recorded->contents.tables.at(0)) == to_csv(lossy_table(lossy.run, lossy.config)));
  }
}

TEST_CASE("a condition on a metric with a non-finite seed does not hold", "[not_finite]") {
  auto fake = lossy_run(0);
  fake.config += "metrics: {test/accuracy: {requires: {ngrams/passed: {at_least: 3, else: undertrained}}}}\n";
  for (auto& job : fake.jobs) job.metrics["ngrams/passed"] = job.arm == "yat" && job.seed == 0 ? Json("nan") : Json(4);
  const WrittenRun lossy(fake);
  const auto judgement = lossy_table(lossy.run, lossy.config).rows[1].cells[0].paper->judgement;
  CHECK(judgement.verdict == Verdict::kInconclusive);
  CHECK(judgement.why == "ngrams/passed of ⵟ is not finite for 1 of 12 seeds");
}

TEST_CASE("a non-finite relative change decides nothing but counts as divergence", "[not_finite]") {
  auto fake = lossy_run(0);
  const std::string said = "paper: {yat: {test/accuracy: higher}}";
  fake.config.replace(fake.config.find(said), said.size(), "paper: {yat: {test/accuracy: {low: 0.05, high: 0.06}, test/loss: diverges}}");
  for (auto& job : fake.jobs) {
    if (job.arm == "linear" && job.seed == 0) job.metrics["test/accuracy"] = 0.0;  // divided by
    if (job.arm == "yat") job.metrics["test/loss"] = "nan";
  }
  const WrittenRun lossy(fake);
  const auto table = lossy_table(lossy.run, lossy.config);
  CHECK(table.comparisons[0].verdict == "inconclusive");
  CHECK(holds(table.comparisons[0].why, "not finite for 1 of 12 seeds"));
  CHECK_FALSE(holds(to_text(table), "inf"));
  CHECK(table.comparisons[1].verdict == "diverges");
  CHECK_FALSE(holds(to_text(table), "nan"));
}

namespace {

/// A sweep of two parameters in which yat's accuracy is not finite for some seeds at one point, and for all at another.
FakeRun lossy_sweep() {
  FakeRun run;
  run.experiment = "lossy_sweep";
  run.arms = {"yat"};
  run.swept = {"operator.epsilon", "optimizer.lr"};
  run.config = R"yaml(name: lossy_sweep
title: Lossy
arms: {yat: []}
tables:
  tab:best: {rows: best, columns: [test/accuracy]}
figures:
  fig:map: {plot: sweep_heatmap, x: operator.epsilon, y: optimizer.lr, metrics: [test/accuracy]}
  fig:lines: {plot: sweep_lines, x: operator.epsilon, metrics: [test/accuracy], at: {optimizer.lr: 0.1}}
  fig:parallel: {plot: sweep_parallel, metric: test/accuracy}
  fig:importance: {plot: sweep_importance, metric: test/accuracy}
)yaml";
  for (const double epsilon : {0.1, 1.0}) {
    for (const double lr : {0.1, 0.2, 0.3}) {
      for (int seed = 0; seed < 3; ++seed) {
        FakeRun::Job job{"yat",
                         seed,
                         {{"operator.epsilon", epsilon}, {"optimizer.lr", lr}},
                         {{"test/accuracy", 0.5 + epsilon * lr + 0.01 * seed}},
                         "completed",
                         {},
                         {}};
        if (epsilon == 1 && lr == 0.1 && seed > 0) job.metrics["test/accuracy"] = "nan";
        if (epsilon == 1 && lr == 0.3) job.metrics["test/accuracy"] = "-inf";
        run.jobs.push_back(std::move(job));
      }
    }
  }
  return run;
}

Figure lossy_figure(const WrittenRun& run, const std::string& id) {
  for (const auto& spec : run.config.figures) {
    if (spec.id == id) return draw_figures(run.run, run.config, spec).at(0);
  }
  return {};
}

}  // namespace

TEST_CASE("the best sweep point has every seed and figures mark non-finite values", "[not_finite]") {
  const WrittenRun lossy(lossy_sweep());
  const auto table = build_table(lossy.run, lossy.config, lossy.config.tables.at(0));
  CHECK(point_label(table.rows.at(0).point) == "operator.epsilon=1, optimizer.lr=0.2");
  const auto map = lossy_figure(lossy, "fig:map");
  std::set<std::string> cells(map.panels[0].heats[0].text.begin(), map.panels[0].heats[0].text.end());
  CHECK(cells.count("NaN") == 1);
  CHECK(cells.count("60.00 %\nn = 1") + cells.count("60\nn = 1") + cells.count("60.0\nn = 1") == 1);
  for (const char* id : {"fig:map", "fig:parallel", "fig:importance"}) {
    INFO(id);
    CHECK(holds(lossy_figure(lossy, id).note(),
                "Not finite: yat, ε = 1, learning rate 0.1 (2 of 3 seeds); yat, ε = 1, learning rate 0.3 (3 of 3 seeds)."));
  }
  const auto lines = lossy_figure(lossy, "fig:lines");
  CHECK(holds(lines.note(), "(2 of 3 seeds)."));
  std::size_t crosses = 0;
  for (const auto& line : lines.panels[0].lines) crosses += line.at_top;
  CHECK(crosses == 1);
  CHECK(lines.panels[0].lines.back().label == "not finite");
}

TEST_CASE("missing seeds in a curve are counted where they end or pause", "[not_finite]") {
  SeedsLeft left;
  for (std::size_t seed = 0; seed < 4; ++seed) {
    for (int step = 0; step <= 100; step += 10) {
      if (seed == 1 && step > 50) break;
      left.add(seed, step, !(seed == 2 && step >= 70) && !(seed == 3 && step == 20));
    }
  }
  CHECK(left.text("step") == "3 of 4 seeds from step 20, 4 from step 30, 3 after step 50, 2 from step 70");
  SeedsLeft none;
  for (std::size_t seed = 0; seed < 3; ++seed) none.add(seed, 5, true);
  CHECK(none.text("step").empty());
  SeedsLeft single;
  single.add(0, 0, true);
  single.add(0, 1, false);
  CHECK(single.text("step").empty());  // no value is a mean
}

TEST_CASE("figures and the page show from which step a seed is missing", "[not_finite]") {
  FakeRun run;
  run.arms = {"a", "b"};
  run.config = R"yaml(name: curves
title: Curves
arms: {a: [], b: []}
figures: {fig:curves: {plot: learning_curves, metrics: [train/loss]}}
)yaml";
  for (const auto& arm : run.arms) {
    for (int seed = 0; seed < 3; ++seed) {
      FakeRun::Job job{arm, seed, Json::object(), {{"test/loss", 1.0}}, "completed", {}, {}};
      for (int step = 0; step <= 200; step += 10) {
        const bool lost = arm == "b" && seed == 1 && step >= 130;
        job.curve.push_back({{"step", step}, {"train/loss", lost ? Json("nan") : Json(1.0 + seed)}});
      }
      run.jobs.push_back(std::move(job));
    }
  }
  const WrittenRun written(run);
  CHECK(holds(lossy_figure(written, "fig:curves").note(), "Mean over b: 2 of 3 seeds from step 130."));
  const auto series = page_data(page_of(written.scratch.path()))["curves"]["metrics"][0]["series"];
  CHECK_FALSE(series[0].contains("left"));
  CHECK(series[1]["left"] == "2 of 3 seeds from step 130");
}

TEST_CASE("a spike in a long log is on the page and in figures, wherever it is", "[not_finite]") {
  // More rows than the page keeps with every seed's values; seeds also log at different steps.
  constexpr int kRows = 20'011;
  FakeRun run;
  run.arms = {"a"};
  run.config = "name: long\ntitle: Long\narms: {a: []}\nfigures: {fig:curves: {plot: learning_curves, metrics: [train/loss]}}\n";
  for (int seed = 0; seed < 2; ++seed) {
    FakeRun::Job job{"a", seed, Json::object(), {{"test/loss", 1.0}}, "completed", {}, {}};
    for (int step = 0; step < kRows; ++step) {
      Json row = {{"step", step}};
      row["train/loss"] = step == 7'777 ? 1000.0 : step == 12'345 ? -50.0 : 1 + 0.25 * ((step * 7 + seed) % 11);
      if (step == 19'000 && seed == 1) row["train/loss"] = "nan";
      if (step == 50 + seed) row["test/loss"] = 3.0;  // rare, and never at the same step
      job.curve.push_back(std::move(row));
    }
    run.jobs.push_back(std::move(job));
  }
  const WrittenRun written(run);
  const auto metrics = page_data(page_of(written.scratch.path()))["curves"]["metrics"];
  REQUIRE(metrics.size() == 2);
  CHECK(metrics[0]["series"][0]["x"] == Json({50, 51}));
  const auto& series = metrics[1]["series"][0];
  CHECK(series["x"].size() <= 240);
  const auto at = [&](int step) {
    const auto x = series["x"].get<std::vector<double>>();
    const auto found = std::find(x.begin(), x.end(), step);
    REQUIRE(found != x.end());
    return static_cast<std::size_t>(found - x.begin());
  };
  CHECK(series["m"][at(7'777)] == 1000);
  CHECK(series["m"][at(12'345)] == -50);
  CHECK(series["seeds"][0][at(7'777)] == 1000);
  CHECK(at(0) == 0);
  CHECK(at(kRows - 1) + 1 == series["x"].size());
  CHECK(series["left"] == "1 of 2 seeds from step 19000, 2 from step 19001");
  const auto figure = lossy_figure(written, "fig:curves");
  const auto& line = figure.panels[0].lines.at(0);
  CHECK(*std::max_element(line.y.begin(), line.y.end()) == 1000);
  CHECK(*std::min_element(line.y.begin(), line.y.end()) == -50);
}

}  // namespace yatlab::testing
