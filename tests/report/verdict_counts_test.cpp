#include "core/report/verdict_counts.h"

#include "catch.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/yaml.h"
#include "core/report/report.h"
#include "fake_figures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

Score score(const char* measurement, const char* verdict, bool formula = false, std::size_t points = 1) {
  Score out;
  out.measurement = measurement;
  out.verdict = verdict;
  out.formula = formula;
  out.points = points;
  return out;
}

}  // namespace

TEST_CASE("verdicts are counted in grammatical words", "[verdict]") {
  CHECK(counted_verdict(1, "differs") == "1 differs");
  CHECK(counted_verdict(2, "differs") == "2 differ");
  CHECK(counted_verdict(2, "differs, fitted") == "2 differ, fitted");
  CHECK(counted_verdict(3, "reproduced") == "3 reproduced");
}

TEST_CASE("a measurement counts once with its least favourable verdict") {
  CHECK(verdict_counts_text(count_verdicts({score("a", "reproduced"), score("a", "consistent, fitted"), score("b", "reproduced")})) ==
        "2 measurements (3 numbers): 1 reproduced; 1 consistent, fitted.");
  CHECK(verdict_counts_text(count_verdicts({score("a", "differs"), score("a", "inconclusive"), score("b", "not run")})) ==
        "2 measurements (3 numbers): 1 differs; 1 not run.");
  // Closed forms are counted separately; points of a sweep do not count.
  CHECK(verdict_counts_text(count_verdicts({score("xor", "reproduced", true), score("xor", "reproduced", true), score("a", "worse"),
                                            score("b", "reproduced", false, 16)})) ==
        "1 measurement (1 number): 1 worse. 1 closed form or count (2 numbers): 1 reproduced.");
}

TEST_CASE("the scorecard counts each measurement once with directions and fitted protocols") {
  const TemporaryFolder scratch;
  const auto results = scratch.path() / "results", out = results / "paper";
  auto fake = mnist_run();
  fake.config.replace(fake.config.find("baseline: linear}"), 17, "baseline: linear, paper: {yat: {test/accuracy: lower}}}");
  fake.config.replace(fake.config.find("figures:"), 0,
                      "  tab:again:\n    columns: [test/accuracy]\n    paper:\n      linear: {test/accuracy: 0.9184}\n"
                      "      tolerance: {test/accuracy: 0.005}\n      itself:\n"
                      "        - {says: 'improvement 1.45 %', printed: 0.0145, change: [4.6417, 4.5747], tolerance: 0.00005}\n"
                      "        - {says: 'bold 1.2117', best: 1.2117, beside: [1.1542]}\n");
  fake.config += "  fitted: {text: 'best of 4', sweep: protocols, arms: {linear: [one, two]}}\n";
  fake.write(results / fake.experiment / fake.run_id);
  FakeRun sweep;
  sweep.experiment = "protocols";
  sweep.arms = {"one", "two"};
  sweep.swept = {"architecture.bias"};
  sweep.config = "name: protocols\narms: {one: [], two: []}\n";
  for (const char* arm : {"one", "two"}) {
    for (const bool bias : {false, true}) {
      FakeRun::Job job;
      job.arm = arm;
      job.params = {{"architecture.bias", bias}};
      job.metrics = {{"test/accuracy", bias && arm[0] == 'o' ? 0.95 : 0.92}};
      sweep.jobs.push_back(job);
    }
  }
  sweep.write(results / "protocols" / sweep.run_id);
  ReportOptions options;
  options.figures = false;
  write_paper_report(results, out, {{"mnist_inversion", {}}, {"protocols", {}}}, options);
  const std::string card = read_file(out / "SCORECARD.md");
  CAPTURE(card);
  // Six rows; the linear accuracy is in two of them.
  CHECK(card.find("5 measurements (6 numbers): 3 reproduced, fitted; 1 consistent, fitted; 1 inconclusive.") != std::string::npos);
  CHECK(card.find("reproduced, fitted") != std::string::npos);
  CHECK(card.find("reproduced under a fitted protocol: best of 4; the means of 3 of 4 protocols are within the tolerance") !=
        std::string::npos);
  CHECK(card.find("| lower | one fitted protocol | paper's own |") != std::string::npos);
  CHECK(card.find("| improvement 1.45 % | from 4.6417 to 4.5747 is 1.443 % | does not agree |") != std::string::npos);
  CHECK(card.find("| bold 1.2117 | 1.2117 beside 1.1542, higher is better | agrees |") != std::string::npos);
  CHECK(read_file(out / "report.html").find("does not agree") != std::string::npos);
}

TEST_CASE("tables, pages and the scorecard judge a direction over the recorded protocols, also from the record alone") {
  const TemporaryFolder scratch;
  const auto results = scratch.path() / "results", out = results / "paper";
  auto fake = mnist_run();
  fake.config.replace(fake.config.find("baseline: linear}"), 17, "baseline: linear, paper: {yat: {test/accuracy: lower}}}");
  fake.config += "  fitted: {text: 'best of 2', sweep: protocols, arms: {linear: [one], yat: [two]}}\n";
  fake.write(results / fake.experiment / fake.run_id);
  FakeRun sweep;
  sweep.experiment = "protocols";
  sweep.arms = {"one", "two"};
  sweep.swept = {"architecture.bias"};
  sweep.config = "name: protocols\narms: {one: [], two: []}\n";
  for (const char* arm : {"one", "two"}) {
    for (const bool bias : {false, true}) {
      FakeRun::Job job;
      job.arm = arm;
      job.params = {{"architecture.bias", bias}};
      job.metrics = {{"test/accuracy", arm[0] == 'o' ? 0.95 : 0.92}};
      sweep.jobs.push_back(job);
    }
  }
  sweep.write(results / "protocols" / sweep.run_id);
  ReportOptions options;
  options.figures = false;
  const std::vector<PaperExperiment> experiments = {{"mnist_inversion", parse_yaml(fake.config, "mnist_inversion.yaml")},
                                                    {"protocols", parse_yaml(sweep.config, "protocols.yaml")}};
  const std::string found = "lower in 2 of 2 protocols; under the fitted one the other way round";
  for (const bool recorded : {false, true}) {
    CAPTURE(recorded);
    if (recorded) {
      for (const char* name : {"mnist_inversion", "protocols"}) fs::remove_all(results / name);
    }
    write_paper_report(results, out, experiments, options);
    std::size_t tables = 0;
    for (const auto& entry : fs::directory_iterator(out / "mnist_inversion/tables")) {
      if (entry.path().extension() == ".csv") continue;
      CAPTURE(entry.path().string());
      const auto text = read_file(entry.path());
      CHECK(text.find("same direction (" + found + ")") != std::string::npos);
      CHECK(text.find("opposite direction") == std::string::npos);
      ++tables;
    }
    CHECK(tables == 2);
    CHECK(read_file(out / "SCORECARD.md").find("| lower | same direction | paper's own | " + found + " |") != std::string::npos);
    CHECK(read_file(out / "report.html").find("same direction (" + found + ")") != std::string::npos);
    const auto summary = parse_json(read_file(out / "mnist_inversion/summary.json"), false);
    CHECK(summary["comparisons"][0]["direction"] == "same direction");
    CHECK(summary["comparisons"][0]["data"] == "paper's own");
  }
  // A run's own report has no other protocols.
  fake.write(results / fake.experiment / fake.run_id);
  options.text.width = 400;
  const auto report = write_report(results / fake.experiment / fake.run_id, options);
  CHECK(report.text.find("the paper says lower: one fitted protocol") != std::string::npos);
  CHECK(report.brief.find("its directions: one fitted protocol (1)") != std::string::npos);
  CHECK(report.brief.find("Holm p") == std::string::npos);  // the terminal shows no comparisons
}

TEST_CASE("directions on substitute data or at a smaller scale say so, apart from the others") {
  const auto card_of = [](const std::function<void(FakeRun&)>& change) {
    const TemporaryFolder scratch;
    auto fake = mnist_run();
    fake.config.replace(fake.config.find("baseline: linear}"), 17, "baseline: linear, paper: {yat: {test/accuracy: higher}}}");
    change(fake);
    const auto results = scratch.path() / "results", run = results / fake.experiment / fake.run_id;
    fake.write(run);
    ReportOptions options;
    options.figures = false;
    options.text.width = 400;
    const auto text = write_report(run, options).text;
    write_paper_report(results, results / "paper", {{"mnist_inversion", {}}}, options);
    return text + read_file(results / "paper/SCORECARD.md");
  };
  const auto holds = [](const std::string& text, const char* what) { return text.find(what) != std::string::npos; };
  const auto own = card_of([](FakeRun&) {});
  CHECK(holds(own, "### On the paper's own data"));
  CHECK_FALSE(holds(own, "on substitute data"));
  CHECK_FALSE(holds(own, "### On substitute data or at a smaller size"));
  const auto substitute = card_of([](FakeRun& fake) { fake.dataset["substituted_for"] = "real"; });
  CHECK(holds(substitute, "the paper says higher: same direction, on substitute data"));
  CHECK(holds(substitute, "### On substitute data or at a smaller size"));
  CHECK(holds(substitute, "| higher | same direction | substitute |"));
  CHECK_FALSE(holds(substitute, "### On the paper's own data"));
  // Another real data set than the paper's is a substitute, too.
  CHECK(holds(card_of([](FakeRun& fake) { fake.config += "  dataset: cifar10\n"; }), "| higher | same direction | substitute |"));
  CHECK(holds(card_of([](FakeRun& fake) { fake.scale = "smoke"; }), "same direction, at a smaller scale"));
}

TEST_CASE("the scorecard has one row for an arm that diverges at some learning rates") {
  const TemporaryFolder scratch;
  FakeRun fake;
  fake.experiment = "rates";
  fake.arms = {"a", "b"};
  fake.swept = {"optimizer.lr"};
  fake.config =
      "name: rates\narms: {a: [], b: []}\nmetrics: {test/loss: {better: lower}}\ntables:\n  tab:rates:\n    columns: [test/loss]\n"
      "    compare: {metric: test/loss, baseline: a, paper: {b: {test/loss: diverges}}}\n"
      "  tab:one_rate:\n    columns: [test/loss]\n    at: {optimizer.lr: 0.001}\n"
      "    compare: {metric: test/loss, baseline: a, paper: {b: {test/loss: diverges}}}\n";
  for (const char* arm : {"a", "b"}) {
    for (const double rate : {0.001, 0.01}) {
      for (int seed = 0; seed < 5; ++seed) {
        FakeRun::Job job;
        job.arm = arm;
        job.seed = seed;
        job.params = {{"optimizer.lr", rate}};
        job.state = arm[0] == 'b' && rate > 0.005 ? "diverged" : "completed";
        if (job.state == "completed") job.metrics = {{"test/loss", 2.0 + 0.01 * seed * seed + (arm[0] == 'b' ? 0.1 * seed : 0)}};
        fake.jobs.push_back(job);
      }
    }
  }
  const auto results = scratch.path() / "results";
  fake.write(results / fake.experiment / fake.run_id);
  ReportOptions options;
  options.figures = false;
  write_paper_report(results, results / "paper", {{"rates", {}}}, options);
  const auto card = read_file(results / "paper/SCORECARD.md");
  CAPTURE(card);
  CHECK(card.find("| tab:rates: b | it diverges | diverges at 1 of 2 learning rates | paper's own | 0 of 5, 5 of 5 seeds diverged |") !=
        std::string::npos);
  CHECK(card.find("does not diverge") == std::string::npos);
  CHECK(card.find("one\\_rate") == std::string::npos);
  CHECK(card.find("<summary>Runs</summary>\n\n- rates/") != std::string::npos);
}

TEST_CASE("paper values in a config are checked") {
  const auto read = [](const std::string& paper) {
    return ReportConfig::read(parse_yaml("{name: x, arms: {a: []}, paper: {" + paper + "}}", "x.yaml"));
  };
  CHECK(read("a: {m: {low: 1, high: 2}}, tolerance: {m: 0}").paper[0].value.width() == 1);
  CHECK_THROWS_WITH(read("a: {m: {low: 2, high: 1}}, tolerance: {m: 0}"), Catch::Matchers::ContainsSubstring("low is greater than"));
  CHECK_THROWS_WITH(read("a: {m: {low: 2}}, tolerance: {m: 0}"), Catch::Matchers::ContainsSubstring("must be a number or a range"));
  CHECK_THROWS_WITH(read("a: {m: many}, tolerance: {m: 0}"), Catch::Matchers::ContainsSubstring("must be a number or a range"));
  const auto number = [&](const std::string& value) { return read("a: {m: " + value + "}, tolerance: {m: 1}").paper.at(0); };
  const auto printed = number("{mean: 84.27, std: 0.60, n: 3}");
  CHECK(printed.value.low == 84.27);
  CHECK(printed.value.width() == 0);
  CHECK(printed.sample->summary.std == 0.6);
  CHECK(printed.sample->summary.n == 3);
  const auto values = number("{values: [1, 2, 6], seeds: [4, 0, 2], where: p. 5}");
  CHECK(values.where == "p. 5");
  CHECK(number("{mean: 1, std: 0.1, n: 3, where: 7}").where == "7");
  CHECK(values.value.low == 3);
  CHECK(values.sample->seeds == std::vector<std::int64_t>{4, 0, 2});
  CHECK_FALSE(number("3").sample);
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"{mean: 1, std: 0.1}", "it needs either 'mean', 'std' and 'n'"},
      {"{mean: 1, n: 3}", "it needs either 'mean', 'std' and 'n'"},
      {"{mean: 1, std: 0.1, n: 1}", "n"},
      {"{mean: 1, std: -0.1, n: 3}", "std"},
      {"{mean: 1, values: [1, 2]}", "'mean', 'std' and 'n' cannot be combined with 'values'"},
      {"{values: [1]}", "'values' needs at least two values"},
      {"{values: [1, 2], seeds: [0]}", "there are 2 values and 1 seeds"},
      {"{values: [1, 2], seeds: [0, 0]}", "a seed is given twice"},
      {"{seeds: [0, 1]}", "'seeds' needs 'values'"},
      {"{mean: 1, sd: 0.1, n: 3}", "did you mean 'std'?"},
      {"{mean: 1, std: 0.1, n: 3, low: 1}", "must be a number or a range"}};
  for (const auto& [value, why] : bad) {
    CAPTURE(value);
    CHECK_THROWS_WITH(number(value), Catch::Matchers::ContainsSubstring(why) && Catch::Matchers::ContainsSubstring("paper.a.m"));
  }
  CHECK_THROWS_WITH(read("itself: [{says: x}]"), Catch::Matchers::ContainsSubstring("one of 'printed', 'best', 'equal' and 'at_most'"));
  CHECK_THROWS_WITH(read("itself: [{says: x, equal: [1, 2], at_most: 3, beside: [1]}]"), Catch::Matchers::ContainsSubstring("one of"));
  CHECK_THROWS_WITH(read("itself: [{says: x, equal: [1]}]"), Catch::Matchers::ContainsSubstring("two numbers or more"));
  CHECK_THROWS_WITH(read("itself: [{says: x, at_most: 1}]"), Catch::Matchers::ContainsSubstring("'at_most' needs 'beside'"));
  const auto itself = read(
                          "itself: [{says: x, where: text, equal: [0.92, 0.93], tolerance: 0.01}, {says: y, equal: [3, 2]}, "
                          "{says: z, at_most: 0.05, beside: [0.05]}, {says: z, at_most: 0.05, beside: [0.01, 0.07]}]")
                          .itself;
  REQUIRE(itself.size() == 4);
  CHECK(itself[0].table == "text");
  CHECK(itself[0].agrees());
  CHECK_FALSE(itself[1].agrees());
  CHECK(itself[1].found() == "3 and 2");
  CHECK(itself[2].agrees());
  CHECK_FALSE(itself[3].agrees());
  CHECK(itself[3].found() == "0.01, 0.07, at most 0.05");
  CHECK_THROWS_WITH(read("itself: [{says: x, printed: 1, change: [0, 1]}]"), Catch::Matchers::ContainsSubstring("the first not 0"));
  CHECK_THROWS_WITH(read("fitted: {of: 3}"), Catch::Matchers::ContainsSubstring("text"));
  CHECK_FALSE(read("fitted: null").fitted);
  // Half a unit of the last digit: 1.45 to two decimals is any share from 1.445 to 1.455 %.
  PaperCheck check;
  check.printed = 0.0145;
  check.tolerance = 0.00005;
  check.change = {1, 0.98555};
  CHECK(check.agrees());
  check.change = {1, 0.98557};
  CHECK_FALSE(check.agrees());
}
