// The report on a sweep: arms without the swept parameter, the best of many points, default figures.
#include <regex>

#include "core/base/error.h"
#include "core/figure/gnuplot.h"
#include "core/figure/layout.h"
#include "core/figure/pgf.h"
#include "core/report/default_figures.h"
#include "core/report/html_parts.h"
#include "core/report/report_parts.h"
#include "core/report/summary.h"
#include "core/table/best_points.h"
#include "core/table/table.h"
#include "plugins/figures/sweep_importance.cpp"
#include "plugins/figures/sweep_parallel.cpp"

#include "catch.h"
#include "drawn.h"
#include "fake_run.h"
#include "helpers.h"
#include "holds.h"

namespace yatlab::testing {
namespace {

constexpr int kSeeds = 6;

FakeRun::Job job_at(const std::string& arm, int seed, const Json& params, double loss) {
  FakeRun::Job job;
  job.arm = arm;
  job.seed = seed;
  job.params = params;
  job.metrics = {{"test/loss", loss}};
  return job;
}

/// Arms without jobs, a loss, and a table with the given lines.
FakeRun sweep_of(const std::vector<std::string>& arms, const std::vector<std::string>& swept, const std::string& table,
                 const std::string& more = "") {
  FakeRun run;
  run.arms = arms;
  run.swept = swept;
  run.config = "name: sweep\narms: {" + join(arms, ": [], ") +
               ": []}\nmetrics: {test/loss: {title: loss, better: lower}, validation/loss: {better: lower}}\n" + "tables:\n  tab:sweep: {" +
               table + "}\n" + more;
  return run;
}

/// A sweep over yat's epsilon, beside a dot product without one, which is constant. `yat`: its loss at each epsilon.
FakeRun epsilons(double dot, const std::vector<double>& yat, const std::string& table = "rows: arms") {
  auto run = sweep_of({"dot", "yat"}, {"operator.epsilon"}, table + ", columns: [test/loss], compare: {metric: test/loss, baseline: dot}");
  for (int seed = 0; seed < kSeeds; ++seed) {
    const double chance = 0.001 * seed;
    run.jobs.push_back(job_at("dot", seed, Json::object(), dot + chance));
    for (std::size_t i = 0; i < yat.size(); ++i) {
      run.jobs.push_back(job_at("yat", seed, {{"operator.epsilon", std::pow(10.0, -static_cast<double>(i))}}, yat[i] + 1.1 * chance));
    }
  }
  return run;
}

struct Loaded {
  RunView run;
  ReportConfig config;
  Table table() const { return build_table(run, config, config.tables.at(0)); }
  std::string notes() const { return join(table().notes, " "); }
  std::vector<FigureSpec> default_specs() const { return default_figures(run, config); }
  /// The first figure that a spec draws.
  Figure figure(const FigureSpec& spec) const { return draw_figures(run, config, spec).at(0); }
  Figure figure() const { return figure(config.figures.at(0)); }
};

Loaded loaded(const FakeRun& fake) {
  const TemporaryFolder scratch;
  fake.write(scratch.path());
  Loaded out;
  out.run = RunView::load(scratch.path());
  out.config = ReportConfig::read(out.run.config, true);
  return out;
}

/// "dot", "yat 0.1": the rows whose loss is bold.
std::vector<std::string> bold_rows(const Table& table) {
  std::vector<std::string> out;
  for (const auto& row : table.rows) {
    if (row.cells[0].bold) out.push_back(row.arm + (row.point.empty() ? "" : " " + format_parameter(row.point[0].second)));
  }
  return out;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("an unswept arm has one row and is in every group of the table") {
  const auto rows = loaded(epsilons(1.4, {1.7, 1.6, 1.5})).table().rows;
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].arm == "dot");  // before the groups, as it belongs to none
  CHECK(rows[0].point.empty());
  const auto by_points = loaded(epsilons(1.4, {1.7, 1.6, 1.5}, "rows: points")).table().rows;
  REQUIRE(by_points.size() == 4);

  // It wins everywhere: no other arm leads at any epsilon.
  for (const char* order : {"rows: arms", "rows: points"}) {
    CHECK(bold_rows(loaded(epsilons(1.4, {1.7, 1.6, 1.5}, order)).table()) == Rows{"dot"});
    // It loses everywhere.
    CHECK(bold_rows(loaded(epsilons(1.8, {1.7, 1.6, 1.5}, order)).table()) == Rows{"yat 1", "yat 0.1", "yat 0.01"});
    // It wins at one epsilon and loses at the others: it has not won.
    CHECK(bold_rows(loaded(epsilons(1.65, {1.7, 1.6, 1.5}, order)).table()) == Rows{"yat 0.1", "yat 0.01"});
    // A tie at one epsilon.
    auto tied = epsilons(1.4, {1.7, 1.6, 1.5}, order);
    for (auto& job : tied.jobs) job.metrics["test/loss"] = job.params.empty() || job.params["operator.epsilon"] == 1.0 ? 1.4 : 1.5;
    CHECK(bold_rows(loaded(tied).table()).empty());
  }
}

TEST_CASE("an unswept arm is compared at each point and two such arms once") {
  auto fake = epsilons(1.4, {1.7, 1.6, 1.5});
  fake.arms.push_back("cosine");
  for (int seed = 0; seed < kSeeds; ++seed) fake.jobs.push_back(job_at("cosine", seed, Json::object(), 2.0 + 0.002 * seed));
  const auto lines = loaded(fake).table().comparisons;
  REQUIRE(lines.size() == 4);
  std::vector<double> of_yat;
  for (const auto& line : lines) {
    CHECK(line.test.n == kSeeds);
    if (line.arm == "yat") of_yat.push_back(line.test.difference);
    if (line.arm == "cosine") CHECK(line.test.difference == Approx(0.6025));
  }
  REQUIRE(of_yat.size() == 3);
  CHECK(of_yat[0] == Approx(0.3).margin(1e-3));
  CHECK(of_yat[2] == Approx(0.1).margin(1e-3));

  // As the baseline it is also compared at every point, and the text names where.
  auto other = epsilons(1.4, {1.7, 1.6, 1.5});
  other.config.replace(other.config.find("baseline: dot"), 13, "baseline: yat");
  const auto table = loaded(other).table();
  REQUIRE(table.comparisons.size() == 3);
  CHECK(table.comparisons[0].arm == "dot");
  CHECK(table.comparisons[0].test.difference == Approx(-0.3).margin(1e-3));
  CHECK(holds(to_text(table), "ε = 0.01"));
}

TEST_CASE("the summary lists an unswept arm once") {
  const auto fake = loaded(epsilons(1.4, {1.7, 1.6}));
  const auto summary = build_summary(fake.run, fake.config);
  CHECK(summary.at("arms").at("dot").at("points").size() == 1);
  CHECK(summary.at("arms").at("dot").at("n") == kSeeds);
  CHECK(summary.at("arms").at("yat").at("points").size() == 2);
}

TEST_CASE("points without a parameter belong to the other points of a sweep") {
  const auto run = loaded(epsilons(1.4, {1.7, 1.6})).run;
  REQUIRE(run.points().size() == 2);
  CHECK(run.points()[0].size() == 1);
  CHECK(run.points_of("dot").size() == 1);
  CHECK(run.points_of("dot")[0].empty());
  CHECK(run.jobs_of("dot", run.points()[1]).size() == kSeeds);
  CHECK(run.jobs_of("yat", run.points()[1]).size() == kSeeds);
  CHECK(run.jobs_of("yat", {}).empty());  // it was not run at any epsilon
  CHECK_FALSE(run.point_of("yat", {}));
}

TEST_CASE("in line plots no line joins two values") {
  const auto stroke = [](std::vector<double> losses) {
    auto fake = epsilons(1.4, std::move(losses));
    fake.config += "figures:\n  fig:s: {plot: sweep_lines, x: operator.epsilon, metrics: [test/loss]}\n";
    const auto figure = loaded(fake).figure();
    const Line& yat = figure.panels.at(0).lines.at(1);
    CHECK(yat.markers);
    CHECK(yat.x.front() < yat.x.back());
    if (!yat.stroke) CHECK(figure_csv(figure).find(",0.1\r\n") != std::string::npos);  // what its place stands for
    CHECK(figure.panels[0].lines[0].stroke);                                           // an arm without the parameter
    return yat.stroke;
  };
  CHECK_FALSE(stroke({1.7, 1.5}));
  CHECK(stroke({1.7, 1.6, 1.5}));
}

TEST_CASE("in line plots an arm without the parameter is a horizontal line") {
  auto fake = epsilons(1.4, {1.7, 1.6, 1.5});
  fake.config += "figures:\n  fig:s: {plot: sweep_lines, x: operator.epsilon, metrics: [test/loss]}\n";
  const auto figure = loaded(fake).figure();
  const Panel& panel = figure.panels.at(0);
  CHECK(panel.x.log);
  REQUIRE(panel.x.ticks.size() == 3);
  for (const auto& [place, name] : panel.x.ticks) CHECK_FALSE(holds(name, "null"));
  REQUIRE(panel.lines.size() == 2);
  const Line& dot = panel.lines[0];
  CHECK(dot.label == "dot");
  CHECK_FALSE(dot.markers);
  CHECK_FALSE(dot.error_bars);
  REQUIRE(dot.x.size() == 3);
  CHECK(dot.x.front() == 0.01);
  CHECK(dot.x.back() == 1);
  CHECK(dot.y.front() == dot.y.back());
  CHECK(dot.low[0] < dot.y[0]);
  CHECK(panel.lines[1].markers);
  CHECK(panel.lines[1].y.front() == Approx(1.5).margin(0.01));
}

namespace {

/// Two arms with `points` equivalent learning rates each, with unit noise: arm b is better by `lead`.
FakeRun noise(std::size_t points, int seeds, double lead, Random& random) {
  auto run = sweep_of({"a", "b"}, {"optimizer.lr"}, "rows: best, columns: [test/loss], compare: {metric: test/loss, baseline: a}");
  for (const char* arm : {"a", "b"}) {
    for (std::size_t p = 0; p < (*arm == 'a' ? 1 : points); ++p) {
      for (int seed = 0; seed < seeds; ++seed) {
        run.jobs.push_back(
            job_at(arm, seed, {{"optimizer.lr", 0.1 * static_cast<double>(p + 1)}}, random.normal() - (*arm == 'b' ? lead : 0)));
      }
    }
  }
  return run;
}

/// A run in memory, equal to reading noise() from disk.
RunView view_of(const FakeRun& fake) {
  RunView out;
  out.arms = fake.arms;
  out.swept = fake.swept;
  for (const auto& job : fake.jobs) {
    JobView view;
    view.arm = job.arm;
    view.seed = job.seed;
    view.state = JobState::kCompleted;
    for (const auto& [key, value] : job.params.items()) view.params.emplace_back(key, Node(value.get<double>()));
    for (const auto& [key, value] : job.metrics.items()) view.metrics[key] = value.get<double>();
    out.jobs.push_back(std::move(view));
  }
  return out;
}

}  // namespace

TEST_CASE("the best of many points is biased and choosing by other seeds is not") {
  Random random(3);
  double shown = 0, tested = 0;
  std::size_t false_leads = 0, naive_leads = 0;
  constexpr int kTimes = 1000;
  const auto config = ReportConfig::read(parse_yaml(noise(8, 5, 0, random).config, "x"));
  const auto& spec = config.tables.at(0);
  for (int t = 0; t < kTimes; ++t) {
    const auto run = view_of(noise(8, 5, 0, random));
    const BestPoints best(run, config, spec);
    REQUIRE(best.candidates("b") == 8);
    REQUIRE(best.flatters("b"));
    REQUIRE_FALSE(best.flatters("a"));
    const auto at = best.of("b");
    REQUIRE(at);
    const auto own = best.sample("b", "test/loss"), plain = run.sample("b", *at, "test/loss");
    REQUIRE(own.values.size() == 5);
    shown += mean(plain.values) / kTimes;
    tested += mean(own.values) / kTimes;
    const auto a = run.sample("a", {{"optimizer.lr", Node(0.1)}}, "test/loss").values;
    const auto lead = [&](const Sample& b) {
      const auto test = paired_test(b.values, a);
      return test.difference < 0 && *test.p < 0.05;
    };
    false_leads += lead(own);
    naive_leads += lead(plain);
  }
  // The mean of five, minimum over eight of them: 1.42 standard deviations of 1/sqrt(5) below the truth.
  CHECK(shown == Approx(-0.64).margin(0.06));
  CHECK(std::abs(tested) < 0.1);
  // Tests at 5 %, half of whose errors are on this side: close to the nominal rate.
  CHECK(static_cast<double>(false_leads) / kTimes < 0.055);
  INFO(false_leads << " and " << naive_leads);
  CHECK(static_cast<double>(naive_leads) / kTimes > 0.075);  // so that the test can fail
}

TEST_CASE("a table of best points reports their number and how they were chosen") {
  Random random(4);
  const auto table = loaded(noise(8, 5, 0, random)).table();
  const auto note = join(table.notes, " ");
  INFO(note);
  CHECK(holds(note, "best of 1 to 8 points by loss, chosen by the very runs"));
  CHECK(holds(note, "Tests and comparisons take each seed at the point that the other seeds choose: loss b "));
  CHECK_FALSE(holds(note, ", a "));  // there was no choice for a
  CHECK(table.comparisons.at(0).test.difference != Approx(table.rows[1].cells[0].mean - table.rows[0].cells[0].mean));
  const auto one = loaded(noise(8, 1, 0, random)).notes();
  CHECK(holds(one, "one seed cannot tell by how much"));
  CHECK_FALSE(holds(loaded(noise(1, 5, 0, random)).notes(), "best of"));
}

TEST_CASE("the best point is among the points of the table") {
  const std::string only = ", columns: [test/loss], compare: {metric: test/loss, baseline: a}";
  auto fake = sweep_of({"a", "b"}, {"optimizer.lr", "operator.epsilon"}, "rows: best, at: {operator.epsilon: 0.1}" + only);
  for (int seed = 0; seed < kSeeds; ++seed) {
    const double chance = 0.001 * seed;
    for (const double lr : {0.1, 0.2}) {
      // The first arm has no epsilon: it is compared at each of them.
      fake.jobs.push_back(job_at("a", seed, {{"optimizer.lr", lr}}, (lr == 0.1 ? 1.3 : 1.25) + chance));
      for (const double epsilon : {1.0, 0.1}) {
        const double loss = epsilon == 1 ? 0.5 : lr == 0.1 ? 1.2 : 1.1;
        fake.jobs.push_back(job_at("b", seed, {{"optimizer.lr", lr}, {"operator.epsilon", epsilon}}, loss + 1.1 * chance));
      }
    }
  }
  const auto table = loaded(fake).table();
  REQUIRE(table.rows.size() == 2);
  CHECK(point_label(table.rows[0].point) == "optimizer.lr=0.2");
  CHECK(point_label(table.rows[1].point) == "optimizer.lr=0.2, operator.epsilon=0.1");
  CHECK(table.rows[1].cells[0].mean == Approx(1.10275));
  CHECK(mean(table.rows[1].cells[0].tested.values) == Approx(1.10275));  // the other seeds choose among the same
  REQUIRE(table.comparisons.size() == 1);
  CHECK(table.comparisons[0].test.difference == Approx(-0.14975));
  const auto note = join(table.notes, " ");
  INFO(note);
  CHECK(holds(note, "best of 2 points"));

  // Without `at` the best is at another point.
  fake.config.replace(fake.config.find(", at: {operator.epsilon: 0.1}"), 29, "");
  CHECK(loaded(fake).table().rows[1].cells[0].mean == Approx(0.50275));
  CHECK(holds(loaded(fake).notes(), "best of 2 to 4 points"));
}

TEST_CASE("validation metrics choose the best point and test metrics are reported") {
  auto fake = sweep_of({"a", "b"}, {"optimizer.lr"}, "rows: best, columns: [test/loss]");
  for (const char* arm : {"a", "b"}) {
    for (int seed = 0; seed < 3; ++seed) {
      for (const double lr : {0.1, 0.2}) {
        auto job = job_at(arm, seed, {{"optimizer.lr", lr}}, lr == 0.1 ? 1.0 : 2.0);
        job.metrics["validation/loss"] = lr == 0.1 ? 1.5 : 1.4;
        fake.jobs.push_back(job);
      }
    }
  }
  const auto table = loaded(fake).table();
  CHECK(table.rows[0].point[0].second.as_double() == 0.2);
  CHECK(table.rows[0].cells[0].mean == 2.0);
  CHECK(holds(join(table.notes, " "), "samples held back choose"));

  fake.config.replace(fake.config.find("rows: best"), 10, "rows: best, best_by: test/loss");
  CHECK(loaded(fake).table().rows[0].point[0].second.as_double() == 0.1);
}

namespace {

/// A full grid of `parameters` with two values each; the loss is linear in them, with weights 1, 2, 4, ...
FakeRun grid_run(const std::vector<std::string>& parameters, const std::string& more = "") {
  auto run = sweep_of({"a"}, parameters, "columns: [test/loss]", more);
  for (std::size_t i = 0; i < (std::size_t{1} << parameters.size()); ++i) {
    Json params = Json::object();
    double loss = 1;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const bool high = i >> p & 1;
      params[parameters[p]] = high ? 0.2 : 0.1;
      loss += high ? static_cast<double>(std::size_t{1} << p) : 0;
    }
    run.jobs.push_back(job_at("a", 0, params, loss));
  }
  return run;
}

std::vector<std::string> plots_of(const FakeRun& fake) {
  const auto l = loaded(fake);
  std::vector<std::string> out;
  for (const auto& spec : l.default_specs()) {
    out.push_back(spec.plot);
    CHECK_FALSE(draw_figures(l.run, l.config, spec).empty());
  }
  return out;
}

}  // namespace

TEST_CASE("a sweep gets a default figure") {
  CHECK(plots_of(grid_run({"optimizer.lr"})) == Rows{"sweep_lines"});
  CHECK(plots_of(grid_run({"optimizer.lr", "operator.epsilon"})) == Rows{"sweep_heatmap"});
  CHECK(plots_of(grid_run({"optimizer.lr", "operator.epsilon", "architecture.alpha_init"})) == Rows{"sweep_parallel", "sweep_importance"});
  // The experiment's own figure replaces the default one.
  CHECK(plots_of(grid_run({"optimizer.lr"}, "figures: {fig:x: {plot: sweep_lines, x: optimizer.lr, metrics: [test/loss]}}\n")).empty());
  CHECK(plots_of(grid_run({"optimizer.lr"}, "figures: {fig:x: {plot: learning_curves, metrics: [test/loss]}}\n")) == Rows{"sweep_lines"});
  // One value is not a sweep; data sets are not plotted beside the experiment's own figures.
  auto one = grid_run({"optimizer.lr"});
  one.jobs.resize(1);
  CHECK(plots_of(one).empty());
  auto names = grid_run({"dataset"}, "figures: {fig:x: {plot: learning_curves, metrics: [test/loss]}}\n");
  for (auto& job : names.jobs) job.params["dataset"] = job.params["dataset"] == 0.1 ? "moons" : "rings";
  CHECK(plots_of(names).empty());
}

TEST_CASE("importance: the main effects of a sum are its weights squared") {
  auto fake = grid_run({"optimizer.lr", "operator.epsilon", "architecture.alpha_init"});
  const auto l = loaded(fake);
  const auto bars = l.figure(l.default_specs().at(1)).panels.at(0).bars;
  REQUIRE(bars.size() == 3);
  CHECK(bars[0].label == "alpha init");
  CHECK(holds(l.figure(l.default_specs().at(1)).note(), "One seed (0)."));
  CHECK(bars[0].value == Approx(16.0 / 21));
  CHECK(bars[1].value == Approx(4.0 / 21));
  CHECK(bars[2].value == Approx(1.0 / 21));
}

TEST_CASE("parallel coordinates: each point is a line with the best drawn last") {
  auto fake = grid_run({"optimizer.lr", "operator.epsilon", "architecture.alpha_init"});
  fake.jobs.back().state = "diverged";
  const auto l = loaded(fake);
  const auto figure = l.figure(l.default_specs().at(0));
  const auto& lines = figure.panels.at(0).lines;
  REQUIRE(lines.size() == 4 + 7);  // three parameters and the loss; eight points but the one that diverged
  const Line& best = lines.back();
  CHECK(best.y == std::vector<double>{0, 0, 0, 0});
  CHECK(best.width > lines[5].width);
  CHECK(holds(figure.note(), "Without 1 that diverged"));
  CHECK(holds(figure.note(), "One seed (0)."));
  CHECK(figure.panels[0].x.ticks.back().second == "loss");

  // Even long values do not overlap.
  auto wordy = grid_run({"optimizer.lr", "operator.epsilon", "architecture.alpha_init"});
  for (auto& job : wordy.jobs) {
    for (const char* key : {"operator.epsilon", "architecture.alpha_init"})
      job.params[key] = "a value that takes many more words, " + job.params[key].dump();
  }
  const auto w = loaded(wordy);
  const auto wide = w.figure(w.default_specs().at(0));
  const Panel& panel = wide.panels.at(0);
  const double inches = wide.width / (*panel.x.max - *panel.x.min);
  std::vector<std::array<double, 3>> spans;  // left, right, height
  for (const auto& text : panel.texts) {
    const double anchor = (text.x - *panel.x.min) * inches, width = text_width(text.text);
    const bool right = text.align == Annotation::Align::kRight;
    CHECK(text.backed);  // lines pass behind names
    spans.push_back({right ? anchor - width : anchor, right ? anchor : anchor + width, text.y});
  }
  REQUIRE(spans.size() == 8);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    CHECK(spans[i][0] >= 0);
    CHECK(spans[i][1] <= wide.width);
    for (std::size_t j = 0; j < i; ++j) {
      INFO(panel.texts[i].text << " and " << panel.texts[j].text);
      if (std::abs(spans[i][2] - spans[j][2]) < 0.1) CHECK((spans[i][1] <= spans[j][0] || spans[j][1] <= spans[i][0]));
    }
  }

  const auto unswept = loaded(grid_run({}, "figures: {fig:x: {plot: sweep_parallel, metric: test/loss}}\n"));
  CHECK_THROWS_WITH(unswept.figure(), Catch::Matchers::ContainsSubstring("the run is not a sweep"));
}

namespace {

/// Arms a0, a1, ... over tasks: the loss is 10 for each task, 1 for each arm and 0.1 for each seed.
FakeRun tasks(std::size_t arms, const std::vector<std::string>& names, const std::string& table, const std::string& more = "") {
  std::vector<std::string> all;
  for (std::size_t a = 0; a < arms; ++a) all.push_back("a" + std::to_string(a));
  auto run = sweep_of(all, {"dataset.task"}, table + (table.empty() ? "" : ", ") + "columns: [test/loss]", more);
  for (std::size_t a = 0; a < arms; ++a) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (int seed = 0; seed < 3; ++seed) {
        const double loss = 10 * static_cast<double>(i) + static_cast<double>(a) + 0.1 * seed;
        run.jobs.push_back(job_at(all[a], seed, {{"dataset.task", names[i]}}, loss));
      }
    }
  }
  return run;
}

std::vector<std::string> task_names(std::size_t n, const std::string& of = "sequence_task_") {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(of + std::to_string(i));
  return out;
}

/// The cells of the Markdown row that begins with `key`, and `below` rows further down.
std::vector<std::string> markdown_cells(const Table& table, const std::string& key, std::size_t below = 0) {
  const auto lines = split(to_markdown(table), '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].rfind("| " + key + " |", 0) != 0) continue;
    std::vector<std::string> out;
    for (const auto& cell : split(lines.at(i + below), '|')) out.push_back(trim(cell));
    return {out.begin() + 1, out.end() - 1};
  }
  return {};
}

}  // namespace

TEST_CASE("with arms across a table has a column for each arm and a row for each point") {
  const std::string more =
      "paper: {'a1@dataset.task=sort': {test/loss: 11.2}, tolerance: {test/loss: 0.1}}, compare: {metric: test/loss, baseline: a0}";
  const auto named = [&](const std::string& across) {
    auto fake = tasks(2, {"copy", "sort", "reverse"}, across + more, "labels: {a1: 'ⵟ'}\n");
    fake.jobs.erase(fake.jobs.end() - 3, fake.jobs.end());  // a1 lacks reverse
    fake.jobs.erase(fake.jobs.begin() + 2);                 // one seed less of a0 at copy
    return loaded(fake);
  };
  const auto wide = named("across: arms, ").table(), tall = named("").table();
  CHECK(markdown_cells(wide, "task") == Rows{"task", "a0", "ⵟ"});
  CHECK(markdown_cells(wide, "copy") == Rows{"copy", "0.05 ± 0.07 (n = 2)", "1.10 ± 0.10"});
  CHECK(markdown_cells(wide, "sort") == Rows{"sort", "**10.10 ± 0.10**", "11.10 ± 0.10"});
  const auto paper = markdown_cells(wide, "sort", 1);
  REQUIRE(paper.size() == 3);
  CHECK(paper[1].empty());
  CHECK(holds(paper[2], "11.2 (−0.10) consistent"));
  CHECK(markdown_cells(wide, "reverse") == Rows{"reverse", "20.10 ± 0.10", "–"});
  CHECK(to_csv(wide) == to_csv(tall));
  REQUIRE(wide.comparisons.size() == tall.comparisons.size());
  CHECK(holds(join(wide.notes, " "), "One column for each arm: loss."));
  CHECK(std::regex_search(to_text(wide), std::regex("task +a0 +ⵟ\n")));
  CHECK(std::regex_search(to_latex(wide), std::regex(R"(task & a0 & \\yat\{\} \\\\)")));
  const auto page = html::table(wide, "", "");
  CHECK(holds(page, "<th scope=\"col\" class=\"num\" title=\"test/loss\">ⵟ</th>"));
  CHECK(std::regex_search(page, std::regex("data-arm=\"a1\" data-metric=\"test/loss\" data-n=\"3\" data-mean=\"11.1")));
  CHECK_FALSE(holds(page, "data-arm=\"\""));
}

TEST_CASE("the terminal counts the rows that it shows") {
  const TemporaryFolder scratch;
  const auto fake = tasks(6, task_names(22), "across: arms", "report: {default_figures: false}\n");
  fake.write(scratch.path());
  const auto run = RunView::load(scratch.path());
  ReportContents contents;
  const auto text = report_run(run, ReportConfig::read(run.config), scratch.path(), {}, contents).text;
  CHECK(holds(text, "sequence_task_21"));
  CHECK_FALSE(holds(text, "more rows"));
}

TEST_CASE("arms across need one metric and rows that arms share") {
  const auto message = [](const std::string& table) -> std::string {
    try {
      ReportConfig::read(parse_yaml(sweep_of({"a", "b"}, {"optimizer.lr"}, table).config, "x"));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(message("across: arms, columns: [test/loss]").empty());
  CHECK(holds(message("across: arms, columns: [test/loss, validation/loss]"), "'tables.tab:sweep' has a column for each arm"));
  CHECK(holds(message("across: arms, rows: best, columns: [test/loss]"), "rows: best and across: arms"));
}

TEST_CASE("a search shows each arm at its best point, not arms across") {
  auto run = loaded(tasks(2, {"copy", "sort"}, "across: arms")).run;
  CHECK(report_config(run).tables.at(0).across == TableSpec::Across::kArms);
  run.search.emplace();
  run.search->metric = "test/loss";
  const auto spec = report_config(run).tables.at(0);
  CHECK(spec.across == TableSpec::Across::kMetrics);
  CHECK(spec.rows == TableSpec::Rows::kBest);
}

TEST_CASE("names that would overlap below a sweep stand beside it") {
  const std::string figures =
      "figures:\n  fig:s: {plot: sweep_lines, x: dataset.task, metrics: [test/loss], reference: {metric: test/loss, label: all}}\n";
  for (const bool column : {false, true}) {
    auto fake = tasks(6, task_names(22), "", figures + (column ? "  width: column\n" : ""));
    fake.jobs[4].state = "diverged";
    const auto figure = loaded(fake).figure();
    const Panel& panel = figure.panels.at(0);
    CHECK(figure.width == kSingleColumn);
    REQUIRE(panel.turned);
    const auto at = layout_of(figure);
    const auto& box = at.panels[0].box;
    auto ticks = at.panels[0].y_ticks;
    REQUIRE(ticks.size() == 22);
    CHECK(ticks.front().second == "sequence_task_0");
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const double y = at.panels[0].y_at(panel.y, ticks[i].first);
      CHECK(box.left - kSideGap - text_width(ticks[i].second) > 0);
      if (i > 0) CHECK(at.panels[0].y_at(panel.y, ticks[i - 1].first) - y > kLineHeight - 1e-9);  // the first is on top
    }
    // Marks of a task are nearer to its name than to others, in the order of the arms.
    const Line &first = panel.lines.at(0), &last = panel.lines.at(5);
    CHECK(first.y[3] - last.y[3] > 0.5);
    CHECK(first.y[3] < -2.6);
    CHECK(last.y[3] > -3.4);
    CHECK(last.x[3] == Approx(35.1));
    CHECK(last.low[3] == Approx(35));
    CHECK(first.y.size() == 22);
    CHECK(holds(figure_csv(figure), "35.1"));
    CHECK(std::regex_search(figure_csv(figure), std::regex(",a5,3\\.3[0-9]*,35\\.1[0-9]*,3[45][0-9.]*,35\\.2[0-9]*,sequence_task_3\r\n")));
    const auto cross = std::find_if(panel.lines.begin(), panel.lines.end(), [](const Line& l) { return l.at_top; });
    REQUIRE(cross != panel.lines.end());
    CHECK(cross->x.at(0) > 220);
    const auto entry = [&](const std::string& label) {
      return std::count_if(at.entries.begin(), at.entries.end(), [&](const LegendEntry& e) { return e.line->label == label; });
    };
    for (const char* label : {"a0", "a5", "all", "diverged"}) CHECK(entry(label) == 1);
    CHECK(holds(gnuplot_script(figure, "f"), "using 3:2:($4-$3):(0) with vectors"));
    std::smatch whisker;
    const auto pgf = pgf_picture(figure);
    REQUIRE(std::regex_search(pgf, whisker, std::regex(R"(line width=0\.77pt\] \(([0-9.]+),([0-9.]+)\) -- \(([0-9.]+),([0-9.]+)\))")));
    CHECK(whisker[1] != whisker[3]);
    CHECK(whisker[2] == whisker[4]);
  }
  CHECK_FALSE(loaded(tasks(6, task_names(3, "t"), "", figures)).figure().panels.at(0).turned);
}

TEST_CASE("the note names the task of a curve that leaves a turned panel") {
  auto fake = tasks(2, task_names(22), "", "figures:\n  fig:s: {plot: sweep_lines, x: dataset.task, metrics: [test/loss]}\n");
  for (std::size_t seed = 0; seed < 3; ++seed) fake.jobs[5 * 3 + seed].metrics["test/loss"] = 1e6;
  const auto figure = loaded(fake).figure();
  CHECK(holds(figure.note(), "a0 1e+06 at task sequence_task_5."));
  const auto& panel = figure.panels.at(0);
  REQUIRE(panel.arrows.size() == 1);
  CHECK(panel.arrows[0].dx > 0);
  CHECK(panel.arrows[0].dy == Approx(0).margin(1e-9));
  CHECK(panel.arrows[0].y == Approx(-5).margin(0.3));
}

TEST_CASE("long names beside a sweep are cut in the middle") {
  const auto names = task_names(4, "a_name_that_is_much_longer_than_a_column_of_a_paper_is_wide_");
  const auto figure =
      loaded(tasks(2, names, "", "figures:\n  fig:s: {plot: sweep_lines, x: dataset.task, metrics: [test/loss, test/loss]}\n")).figure();
  REQUIRE(figure.panels.size() == 2);
  const auto at = layout_of(figure);
  for (std::size_t p = 0; p < 2; ++p) {
    REQUIRE(figure.panels[p].turned);
    CHECK(at.panels[p].box.width() > 1.2);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& name = at.panels[p].y_ticks.at(i).second;
      CHECK(name.rfind("a_name", 0) == 0);
      CHECK(holds(name, "…"));
      CHECK(name.substr(name.size() - 2) == "_" + std::to_string(i));
    }
  }
}

TEST_CASE("the label of a y axis is no longer than the axis") {
  const auto label = [](const std::string& text) {
    auto figure =
        loaded(tasks(2, task_names(2), "", "figures:\n  fig:s: {plot: sweep_lines, x: dataset.task, metrics: [test/loss]}\n")).figure();
    figure.panels.at(0).y.label = text;
    fit_names(figure);
    return figure.panels[0].y.label;
  };
  CHECK(label("time (ms)") == "time (ms)");
  CHECK(label("most memory alive, beside queries, keys and values and all of the rest (bytes)") == "most memory alive (bytes)");
  CHECK(label("most memory alive, beside queries, keys and values and all of the rest") == "most memory alive");
  CHECK(holds(label("a title of one clause that is so long that no axis of a figure has room for it at all"), "…"));
  const auto with_unit = label("a title of one clause that is so long that no axis of a figure has room for it at all (bytes)");
  CHECK(with_unit.rfind("a title of", 0) == 0);
  CHECK(with_unit.substr(with_unit.size() - 8) == " (bytes)");
}

TEST_CASE("a heat map whose names would overlap is turned") {
  const auto drawn = [](std::size_t n, const std::string& of, const std::string& more = "") {
    auto run = sweep_of({"a"}, {"dataset.task", "optimizer.lr"}, "columns: [test/loss]",
                        "figures:\n  fig:s: {plot: sweep_heatmap, x: dataset.task, y: optimizer.lr, metrics: [test/loss" + more + "]}\n");
    for (std::size_t i = 0; i < n; ++i) {
      for (const double lr : {0.1, 0.2}) {
        run.jobs.push_back(job_at("a", 0, {{"dataset.task", of + std::to_string(i)}, {"optimizer.lr", lr}}, static_cast<double>(i) + lr));
      }
    }
    return loaded(run).figure();
  };
  const auto roomy = drawn(3, "t");
  CHECK_FALSE(roomy.panels.at(0).turned);
  CHECK_FALSE(roomy.panels.at(0).x.rotate_ticks);
  for (const char* more : {"", ", test/loss"}) {
    const auto crowded = drawn(22, "sequence_task_", more);
    const Panel& panel = crowded.panels.at(0);
    REQUIRE(panel.turned);
    const Heat& heat = panel.heats.at(0);
    REQUIRE(heat.rows == 22);
    REQUIRE(heat.columns == 2);
    CHECK(heat.values[0] == Approx(0.1));  // the first task on top, the first learning rate on the left
    CHECK(heat.values[1] == Approx(0.2));
    CHECK(heat.values[2 * 21] == Approx(21.1));
    const auto at = layout_of(crowded).panels[0];
    CHECK(panel.y.ticks.at(21).second == "sequence_task_21");
    CHECK(at.y_at(panel.y, panel.y.ticks[21].first) == Approx(at.box.bottom + at.box.height() / 44));
    CHECK(at.x_at(panel.x, panel.x.ticks.at(0).first) == Approx(at.box.left + at.box.width() / 4));
    CHECK(at.box.height() > 22 * kLineHeight);
    CHECK(holds(figure_csv(crowded), "cell,0,21.0,1.0,21.1"));  // as before: column 21, the lower row
  }
  // Cells that print their values would get too narrow.
  const auto wide = drawn(3, "a_name_that_is_longer_than_its_column_");
  CHECK_FALSE(wide.panels.at(0).turned);
  CHECK(wide.panels.at(0).x.rotate_ticks);
  CHECK(layout_of(wide).panels[0].box.height() > layout_of(roomy).panels[0].box.height() - 0.05);
}

}  // namespace yatlab::testing
