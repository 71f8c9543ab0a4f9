#include "core/report/verdict_counts.h"

#include "catch.h"
#include "core/base/error.h"
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
  CHECK(card.find("5 measurements (6 numbers): 3 reproduced, fitted; 2 consistent, fitted.") != std::string::npos);
  CHECK(card.find("✓ reproduced, fitted") != std::string::npos);
  CHECK(card.find("reproduced under a fitted protocol: best of 4; 3 of 4 protocols give it") != std::string::npos);
  CHECK(card.find("1 comparison: 1 ? one fitted protocol.") != std::string::npos);
  CHECK(card.find("| improvement 1.45 % | from 4.6417 to 4.5747 is 1.443 % | ✗ does not agree |") != std::string::npos);
  CHECK(card.find("| bold 1.2117 | 1.2117 beside 1.1542, higher is better | ✓ agrees |") != std::string::npos);
  CHECK(read_file(out / "README.md").find("5 measurements (6 numbers)") != std::string::npos);
  CHECK(read_file(out / "report.html").find("✗ does not agree") != std::string::npos);
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
  const auto values = number("{values: [1, 2, 6], seeds: [4, 0, 2]}");
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
