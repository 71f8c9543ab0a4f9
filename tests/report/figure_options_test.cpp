// Overlaid metrics, levels, zoom, ticks at run values, marks of diverged seeds.
#include "catch.h"
#include "core/figure/gnuplot.h"
#include "core/figure/layout.h"
#include "core/figure/pgf.h"
#include "core/report/report_parts.h"
#include "fake_run.h"
#include "helpers.h"
#include "holds.h"

namespace yatlab::testing {
namespace {

/// Two arms at three learning rates, one of which diverges at the largest; losses near 2, n-grams at 2.1 and far above.
FakeRun rates() {
  FakeRun run;
  run.arms = {"a", "b"};
  run.swept = {"optimizer.lr"};
  run.config = R"yaml(name: x
arms: {a: [], b: []}
metrics: {train/loss: {title: training loss}, test/loss: {title: validation loss}}
figures:
  fig:curves:
    plot: learning_curves
    metrics: [train/loss, test/loss]
    overlay: true
    at: {optimizer.lr: 0.001}
    reference: [{metric: ngrams/loss_4, label: 4-gram}, {metric: ngrams/loss_1, label: 1-gram}]
  fig:rates: {plot: sweep_lines, x: optimizer.lr, metrics: [test/loss], reference: {metric: ngrams/loss_4, label: 4-gram}}
)yaml";
  for (const char* arm : {"a", "b"}) {
    for (const double lr : {3e-4, 1e-3, 3e-3}) {
      for (int seed = 0; seed < 3; ++seed) {
        FakeRun::Job job;
        job.arm = arm;
        job.seed = seed;
        job.params = {{"optimizer.lr", lr}};
        const bool lost = *arm == 'b' && lr == 3e-3;
        job.state = lost ? "diverged" : "completed";
        if (!lost) job.metrics = {{"test/loss", 2.0 + 0.01 * seed + 100 * lr}, {"ngrams/loss_4", 2.1}, {"ngrams/loss_1", 9.0}};
        for (int step = 0; step <= 100; step += 10)
          job.curve.push_back({{"step", step}, {"train/loss", 2.5 - 0.004 * step + 0.01 * seed}, {"test/loss", 2.6 - 0.004 * step}});
        run.jobs.push_back(std::move(job));
      }
    }
  }
  return run;
}

Figure drawn(const FakeRun& fake, const std::string& id) {
  const TemporaryFolder scratch;
  fake.write(scratch.path());
  const RunView run = RunView::load(scratch.path());
  const auto config = ReportConfig::read(run.config, true);
  for (const auto& spec : config.figures) {
    if (spec.id == id) return draw_figures(run, config, spec).at(0);
  }
  return {};
}

}  // namespace

TEST_CASE("overlaid curves share a panel with the second metric dashed and arms named once") {
  const Figure figure = drawn(rates(), "fig:curves");
  REQUIRE(figure.panels.size() == 1);
  const Panel& panel = figure.panels[0];
  CHECK(panel.y.label == "loss");
  std::vector<std::string> named;
  int dashed = 0;
  for (const Line& line : panel.lines) {
    if (!line.label.empty() && !line.level) named.push_back(line.label);
    dashed += line.dash == 2 && !line.x.empty();
  }
  CHECK(named == std::vector<std::string>{"a", "b", "training loss", "validation loss"});
  CHECK(dashed == 2);
  CHECK(holds(figure.note(), "n = 3 seeds (0 to 2)"));
}

TEST_CASE("levels span the axis with a label and distant ones are noted") {
  const Figure figure = drawn(rates(), "fig:curves");
  std::vector<std::string> levels;
  for (const Line& line : figure.panels[0].lines) {
    if (line.level) levels.push_back(line.label);
  }
  CHECK(levels == std::vector<std::string>{"4-gram"});
  CHECK(holds(figure.note(), "Beyond the axis of loss: 1-gram at 9."));
  const auto names = layout_of(figure).panels[0].levels;
  REQUIRE(names.size() == 1);
  CHECK(holds(gnuplot_script(figure, "f"), "2.1 with lines lc rgb '#777777'"));
  CHECK(holds(gnuplot_script(figure, "f"), "set label '4-gram' at screen"));
  CHECK(holds(pgf_picture(figure), "{\\strut 4-gram}"));
  CHECK(holds(figure_csv(figure), ",reference,4-gram,,2.1,"));
  auto without = rates();
  for (auto& job : without.jobs) job.metrics.erase("ngrams/loss_4");
  CHECK(holds(error_of([&] { drawn(without, "fig:curves"); }), "no job has the metric 'ngrams/loss_4' of its reference"));
}

TEST_CASE("learning rate sweeps have a log axis and crosses for diverged seeds") {
  const Figure figure = drawn(rates(), "fig:rates");
  const Panel& panel = figure.panels.at(0);
  CHECK(panel.x.log);
  CHECK(panel.x.ticks.size() == 3);
  CHECK(panel.x.ticks[1].first == 1e-3);
  int crosses = 0;
  for (const Line& line : panel.lines) {
    if (!line.at_top) continue;
    ++crosses;
    REQUIRE(line.y.size() == 1);
    CHECK(line.x[0] == 3e-3);
    CHECK(line.y[0] < axis_range(panel, false).high);
    CHECK(line.y[0] > 2.12);  // above the values that the axis includes
  }
  CHECK(crosses == 1);
  CHECK(holds(figure_csv(figure), ",diverged,,0.003,,"));
}

}  // namespace yatlab::testing
