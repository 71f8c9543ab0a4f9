// Contrasts: weighted sums of arms, for each seed.
#include "core/table/comparisons.h"

#include <cmath>
#include <set>

#include "catch.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/report/recorded_report.h"
#include "core/report/report_parts.h"
#include "core/report/summary.h"
#include "core/table/table.h"
#include "core/table/table_parts.h"
#include "fake_run.h"
#include "helpers.h"
#include "holds.h"
#include "written_run.h"

namespace yatlab::testing {
namespace {

constexpr int kSeedsOfAll = 6, kDocuments = 5;
const char* const kEffects =
    "contrasts: {first: {a: 0.5, ab: 0.5, none: -0.5, b: -0.5}, 'ⵟ second': {b: 0.5, ab: 0.5, none: -0.5, a: -0.5}, "
    "together: {none: 1, ab: 1, a: -1, b: -1}}";

/// Two factors that interact; every arm and seed with its own random effect, and documents that respond to both.
double document_loss(const std::string& arm, int seed, int document) {
  const bool a = arm == "a" || arm == "ab", b = arm == "b" || arm == "ab";
  const double chance = 0.01 * std::sin(7.0 * seed + 3.0 * static_cast<double>(arm.size()) + (a ? 1 : 0));
  return 2 + 0.1 * a - 0.4 * b + 0.4 * (a && b) + 0.05 * seed + chance + 0.02 * document * (a ? 2 : 1) * (b ? -1 : 1);
}

FakeRun factorial(const std::string& compare) {
  FakeRun run;
  run.experiment = "factorial";
  run.arms = {"none", "a", "b", "ab"};
  run.config =
      "name: factorial\narms: {none: [], a: [], b: [], ab: []}\nmetrics: {documents/loss: {title: loss, better: lower}}\n"
      "tables: {t: {columns: [documents/loss], compare: {metric: documents/loss, " +
      compare + "}}}\n";
  for (const auto& arm : run.arms) {
    for (int seed = 0; seed < kSeedsOfAll; ++seed) {
      std::vector<double> tokens, losses;
      for (int d = 0; d < kDocuments; ++d) {
        tokens.push_back(100 + 10 * d);
        losses.push_back(tokens.back() * document_loss(arm, seed, d));
      }
      run.add_documents(arm, seed, tokens, losses);
    }
  }
  return run;
}

struct Compared : WrittenRun {
  using WrittenRun::WrittenRun;
  Table table() const { return build_table(run, config, config.tables.at(0)); }
  std::vector<ComparisonLine> lines() const { return table().comparisons; }
};

double value(const FakeRun& run, const std::string& arm, int seed) {
  for (const auto& job : run.jobs) {
    if (job.arm == arm && job.seed == seed) return job.metrics.at("documents/loss").get<double>();
  }
  return NAN;
}

}  // namespace

TEST_CASE("an added arm does not change comparisons of the other arms") {
  const auto alone = Compared(factorial("baseline: none")).lines();
  auto fake = factorial("baseline: none");
  fake.arms.push_back("more");
  fake.added_arms = {"more"};
  fake.config.replace(fake.config.find("ab: []}"), 7, "ab: [], more: []}");
  for (int seed = 0; seed < kSeedsOfAll; ++seed) {
    std::vector<double> tokens, losses;
    for (int d = 0; d < kDocuments; ++d) {
      tokens.push_back(100 + 10 * d);
      losses.push_back(tokens.back() * (document_loss("none", seed, d) + 0.001 * ((seed + d) % 3)));
    }
    fake.add_documents("more", seed, tokens, losses);
  }
  const auto lines = Compared(fake).lines();
  REQUIRE(alone.size() == 3);
  REQUIRE(lines.size() == 4);
  std::vector<double> p;
  for (const auto& line : lines) p.push_back(*line.test.p);
  const auto all = holm(p);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(lines[i].p_adjusted == alone[i].p_adjusted);
    CHECK_FALSE(lines[i].added);
  }
  CHECK(lines[3].added);
  CHECK(lines[3].p_adjusted == all[3]);
  // An arm in the file counts as one of all arms.
  fake.added_arms.clear();
  const auto own = Compared(fake).lines();
  for (std::size_t i = 0; i < 4; ++i) CHECK(own[i].p_adjusted == all[i]);
}

TEST_CASE("the paper's claims are a separate family and a comparison is in one family", "[families]") {
  auto fake = factorial("baseline: none, paper: {a: {documents/loss: higher}}");
  // The mirror image of a claim in the first table, and a claim that no other table makes.
  fake.config.replace(fake.config.rfind("}}}"), 3,
                      "}}, again: {columns: [documents/loss], compare: {metric: documents/loss, baseline: a}}}");
  const WrittenRun written(fake);
  const auto first = compare_arms(written.run, written.config, written.config.tables.at(0));
  const auto again = compare_arms(written.run, written.config, written.config.tables.at(1));
  REQUIRE(first.size() == 3);
  REQUIRE(again.size() == 3);
  CHECK(first[0].family == 'A');
  CHECK(*first[0].p_adjusted == *first[0].test.p);  // the only claim
  const auto others = holm({*first[1].test.p, *first[2].test.p});
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(first[i].family == 'B');
    CHECK(*first[i].p_adjusted == others[i - 1]);
  }
  REQUIRE(again[0].arm == "none");
  CHECK(again[0].family == 'A');
  CHECK(again[0].family_table == "t");
  CHECK(*again[0].p_adjusted == *first[0].p_adjusted);
  CHECK(again[1].family == 'B');
  CHECK(again[1].family_table == "again");
  const auto summary = build_summary(written.run, written.config);
  CHECK(summary["comparisons"][0]["family"] == "A");
  CHECK(summary["comparisons"][1]["family"] == "B");
  CHECK(summary["comparisons"][1]["family_table"] == "t");
}

TEST_CASE("an adjusted interval excludes 0 exactly where its p is below 0.05", "[families]") {
  const auto test = paired_test({1.1, 0.9, 1.4, 0.2, 0.9}, {0, 0, 0, 0, 0});
  const auto plain = adjusted_interval(test, test.p);
  CHECK(plain->low == Approx(test.ci95->low));
  CHECK(plain->high == Approx(test.ci95->high));
  for (const double factor : {1.5, 3.0, 0.049 / *test.p, 0.051 / *test.p}) {
    const double p = factor * *test.p;
    CHECK(adjusted_interval(test, p)->contains(0) == (p >= kSignificant));
  }
  CHECK_FALSE(adjusted_interval(test, std::nullopt));
}

TEST_CASE("a contrast is the weighted sum of its arms for each seed against 0") {
  const auto fake = factorial(std::string("baseline: none, ") + kEffects);
  const auto lines = Compared(fake).lines();
  REQUIRE(lines.size() == 6);  // three arms against the baseline, then the contrasts
  for (std::size_t i = 0; i < 3; ++i) CHECK(lines[i].contrast.name.empty());
  const double weights[][4] = {{-0.5, 0.5, -0.5, 0.5}, {-0.5, -0.5, 0.5, 0.5}, {1, -1, -1, 1}};  // of none, a, b, ab
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& line = lines[3 + i];
    INFO(line.contrast.name);
    CHECK(line.arm.empty());
    std::vector<double> sums, zeros(kSeedsOfAll, 0.0);
    for (int seed = 0; seed < kSeedsOfAll; ++seed) {
      double sum = 0;
      for (std::size_t arm = 0; arm < 4; ++arm) sum += weights[i][arm] * value(fake, fake.arms[arm], seed);
      sums.push_back(sum);
    }
    const auto expected = paired_test(sums, zeros);
    CHECK(line.test.n == kSeedsOfAll);
    CHECK(line.test.difference == Approx(expected.difference));
    CHECK(line.test.ci95->low == Approx(expected.ci95->low));
    CHECK(line.test.ci95->high == Approx(expected.ci95->high));
    CHECK(*line.test.p == Approx(*expected.p));
    CHECK(line.p_adjusted.has_value());
  }
  CHECK(lines[3].test.difference > 0.2);
  CHECK(lines[4].test.difference < -0.2);
  // All six are one family.
  std::vector<double> p;
  for (const auto& line : lines) p.push_back(*line.test.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < 6; ++i) CHECK(*lines[i].p_adjusted == Approx(adjusted[i]));
  CHECK(holds(join(Compared(fake).table().notes, " "), "adjusted for several comparisons: what the paper claims, and all others"));
}

TEST_CASE("a contrast uses the seeds that all its arms have") {
  auto fake = factorial(std::string("baseline: none, ") + kEffects);
  fake.jobs[static_cast<std::size_t>(2 * kSeedsOfAll + 4)].state = "failed";  // seed 4 of b
  const auto lines = Compared(fake).lines();
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].test.n == kSeedsOfAll);  // a needs no b
  double sum = 0;
  for (const int seed : {0, 1, 2, 3, 5})
    sum += (value(fake, "none", seed) - value(fake, "a", seed) - value(fake, "b", seed) + value(fake, "ab", seed)) / 5;
  CHECK(lines[5].test.n == kSeedsOfAll - 1);
  CHECK(lines[5].test.difference == Approx(sum));
  REQUIRE(lines[5].documents);
  CHECK(lines[5].documents->seeds == kSeedsOfAll - 1);
}

TEST_CASE("a contrast of document losses is also taken over documents or from a summary") {
  const auto fake = factorial(kEffects);  // without a baseline: contrasts alone
  const Compared loaded(fake);
  const auto lines = loaded.lines();
  REQUIRE(lines.size() == 3);
  std::vector<std::vector<double>> more, less;
  std::vector<double> tokens;
  for (int d = 0; d < kDocuments; ++d) tokens.push_back(100 + 10 * d);
  for (int seed = 0; seed < kSeedsOfAll; ++seed) {
    more.emplace_back();
    less.emplace_back();
    for (int d = 0; d < kDocuments; ++d) {
      more.back().push_back(tokens[static_cast<std::size_t>(d)] * (document_loss("a", seed, d) + document_loss("ab", seed, d)) / 2);
      less.back().push_back(tokens[static_cast<std::size_t>(d)] * (document_loss("none", seed, d) + document_loss("b", seed, d)) / 2);
    }
  }
  const auto expected = document_difference(more, less, tokens);
  REQUIRE(lines[0].documents);
  CHECK(lines[0].documents->documents == kDocuments);
  CHECK(lines[0].documents->difference == Approx(lines[0].test.difference));
  CHECK(lines[0].documents->ci95.low == Approx(expected->ci95.low));
  CHECK(lines[0].documents->ci95.high == Approx(expected->ci95.high));

  const auto summary = build_summary(loaded.run, loaded.config);
  REQUIRE(summary.at("comparisons").size() == 3);
  const auto& entry = summary.at("comparisons").at(1);
  CHECK(entry.at("contrast") == "ⵟ second");
  CHECK(entry.at("weights").dump() == R"({"b":0.5,"ab":0.5,"none":-0.5,"a":-0.5})");
  CHECK_FALSE(entry.contains("arms"));

  const TemporaryFolder elsewhere;
  FakeRun::put(elsewhere.path() / "summary.json", summary_text(loaded.run, loaded.config));
  const auto recorded = read_recorded(elsewhere.path(), loaded.run.config);
  REQUIRE(recorded);
  const auto config = ReportConfig::read(recorded->run.config, true);
  const auto again = build_table(recorded->run, config, config.tables.at(0));
  const auto table = loaded.table();
  REQUIRE(again.comparisons.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(comparison_text(again, again.comparisons[i]) == comparison_text(table, lines[i]));
  CHECK(comparison_text(table, lines[1]).rfind("ⵟ second, loss: −0.", 0) == 0);
  CHECK(holds(to_markdown(table), "- ⵟ second, loss: "));
  CHECK(holds(to_latex(table), "\\yat{} second"));
  CHECK(holds(plain_text(to_text(table)), "together, loss: "));
}

TEST_CASE("contrasts in a sweep are per point, single or at each arm's best point") {
  const auto swept = [](const std::string& rows) {
    FakeRun run;
    run.experiment = "sweep";
    run.arms = {"x", "y", "z"};
    run.swept = {"optimizer.lr"};
    run.config = "name: sweep\narms: {x: [], y: [], z: []}\nmetrics: {m: {better: lower}}\ntables: {t: {rows: " + rows +
                 ", columns: [m], compare: {metric: m, contrasts: {moved: {x: 1, y: -1}, still: {y: 1, z: -1}}}}}\n";
    for (int seed = 0; seed < 4; ++seed) {
      for (const double lr : {0.1, 0.2, 0.3}) {
        FakeRun::Job job;
        job.arm = "x";
        job.seed = seed;
        job.params = {{"optimizer.lr", lr}};
        job.metrics = {{"m", 1 + lr + 0.01 * seed * seed}};
        run.jobs.push_back(job);
      }
      for (const char* arm : {"y", "z"}) {
        FakeRun::Job job;
        job.arm = arm;
        job.seed = seed;
        job.metrics = {{"m", (*arm == 'y' ? 0.5 : 0.25) + 0.02 * seed}};
        run.jobs.push_back(job);
      }
    }
    return run;
  };
  const Compared at_points(swept("points"));
  std::vector<std::string> told;
  for (const auto& line : at_points.lines()) told.push_back(comparison_text(at_points.table(), line));
  REQUIRE(told.size() == 4);
  CHECK(holds(told[0], "moved at"));
  CHECK(holds(told[0], "0.1"));
  CHECK(std::count_if(told.begin(), told.end(), [](const auto& text) { return holds(text, "still, "); }) == 1);
  const auto best = Compared(swept("best")).lines();
  REQUIRE(best.size() == 2);
  CHECK(best[0].test.difference == Approx(1.1 - 0.5 + 0.01 * 3.5 - 0.02 * 1.5));
}

TEST_CASE("a contrast of arms swept in different parameters names each arm's parameters only") {
  FakeRun run;
  run.experiment = "sweep";
  run.arms = {"x", "y", "all"};
  run.swept = {"optimizer.lr", "operator.epsilon", "trainer.steps"};
  run.config =
      "name: sweep\narms: {x: [], y: [], all: []}\nmetrics: {m: {better: lower}}\n"
      "tables: {t: {columns: [m], compare: {metric: m, contrasts: {moved: {x: 1, y: -1}}}}}\n";
  const auto add = [&](const char* arm, int seed, const Json& params, double value) {
    FakeRun::Job job;
    job.arm = arm;
    job.seed = seed;
    job.params = params;
    job.metrics = {{"m", value + 0.01 * seed * seed}};
    run.jobs.push_back(job);
  };
  for (int seed = 0; seed < 3; ++seed) {
    for (const double lr : {0.1, 0.2}) add("x", seed, {{"optimizer.lr", lr}}, lr);
    for (const double epsilon : {0.5, 0.75}) add("y", seed, {{"operator.epsilon", epsilon}}, 2 * epsilon);
    for (const double lr : {0.1, 0.2}) {
      for (const double epsilon : {0.5, 0.75}) {
        for (const int steps : {3, 4})
          add("all", seed, {{"optimizer.lr", lr}, {"operator.epsilon", epsilon}, {"trainer.steps", steps}}, 1.0);
      }
    }
  }
  const auto lines = Compared(run).lines();
  REQUIRE(lines.size() == 4);
  std::set<std::string> points;
  for (const auto& line : lines) {
    REQUIRE(line.point.size() == 2);
    double lr = 0, epsilon = 0;
    for (const auto& [name, value] : line.point) (name == "optimizer.lr" ? lr : epsilon) = value.as_double();
    CHECK(line.test.difference == Approx(lr - 2 * epsilon));
    points.insert(point_label(line.point));
  }
  CHECK(points.size() == 4);
}

TEST_CASE("invalid contrasts are rejected with a reason") {
  const auto error = [](const std::string& compare) { return error_of([&] { Compared{factorial(compare)}; }); };
  CHECK(holds(error("contrasts: {c: {a: 1, zzz: -1}}"), "'tables.t.compare.contrasts.c' refers to an unknown arm: 'zzz'"));
  CHECK(holds(error("contrasts: {c: {a: 1, b: -0.5}}"), "the weights of 'tables.t.compare.contrasts.c' sum to 0.5, not to 0"));
  CHECK(holds(error("contrasts: {c: {a: 1}}"), "must be a map of at least two arms"));
  CHECK(holds(error("contrasts: {c: [a, b]}"), "must be a map of at least two arms"));
  CHECK(holds(error("contrasts: {c: {a: more, b: -1}}"), "'tables.t.compare.contrasts.c.a' must be a number that is not 0, found more"));
  CHECK(holds(error("contrasts: {c: {a: 0, b: 0}}"), "must be a number that is not 0"));
  CHECK(holds(error("paper: {}"), "'tables.t.compare' has nothing to compare"));
  // One third each: no sum of doubles is exactly 0.
  CHECK(Compared(factorial("contrasts: {c: {a: 0.3333333333, b: 0.3333333333, ab: 0.3333333334, none: -1}}")).lines().size() == 1);
}

}  // namespace yatlab::testing
