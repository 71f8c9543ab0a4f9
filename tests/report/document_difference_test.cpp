#include "core/verdict/document_difference.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "core/report/recorded_report.h"
#include "core/report/summary.h"
#include "core/table/table.h"
#include "core/table/table_parts.h"
#include "report/fake_run.h"

using namespace yatlab;
using Losses = std::vector<std::vector<double>>;

TEST_CASE("document differences over documents and seeds agree with a calculation by hand", "[document_difference]") {
  const std::vector<double> tokens = {1, 1, 2};
  const Losses zero = {{0, 0, 0}, {0, 0, 0}};
  // Equal seeds: sums 1, 3, 4 on 4 tokens are 2 per token; residuals -1, 1, 0.
  const auto documents = document_difference({{1, 3, 4}, {1, 3, 4}}, zero, tokens);
  REQUIRE(documents);
  CHECK(documents->difference == Approx(2));
  CHECK(documents->seeds == 2);
  CHECK(documents->documents == 3);
  CHECK(documents->ci95.high == Approx(2 + t_quantile(0.975, 2) * std::sqrt(1.5 * 2 / 16)));
  CHECK(documents->ci95.low == Approx(2 - t_quantile(0.975, 2) * std::sqrt(1.5 * 2 / 16)));
  // The same loss for each token: 1 with one seed, 3 with the other.
  const auto seeds = document_difference({{1, 1, 2}, {3, 3, 6}}, zero, tokens);
  CHECK(seeds->difference == Approx(2));
  CHECK(seeds->ci95.high == Approx(2 + t_quantile(0.975, 1) * 1));
  // Both: variances 1 and 3/16. Satterthwaite's 1.4 degrees of freedom would make it narrower than the seeds alone.
  const auto both = document_difference({{0, 2, 2}, {2, 4, 6}}, zero, tokens);
  double variance = 1 + 3.0 / 16, dof = variance * variance / (1 + 9.0 / 256 / 2);
  CHECK(t_quantile(0.975, dof) * std::sqrt(variance) < t_quantile(0.975, 1));
  CHECK(both->ci95.low == Approx(2 - t_quantile(0.975, 1)));
  CHECK(both->ci95.high == Approx(2 + t_quantile(0.975, 1)));
  // Variances 1/100 and 3/16.
  const auto documents_more = document_difference({{0.9, 2.9, 3.8}, {1.1, 3.1, 4.2}}, zero, tokens);
  variance = 0.01 + 3.0 / 16, dof = variance * variance / (1e-4 + 9.0 / 256 / 2);
  CHECK(documents_more->ci95.high == Approx(2 + t_quantile(0.975, dof) * std::sqrt(variance)));
  // a - b; effects that both share cancel.
  const auto swapped = document_difference({{5, 5, 10}, {7, 7, 14}}, {{6, 8, 14}, {8, 10, 18}}, tokens);
  CHECK(swapped->difference == Approx(-2));
  CHECK(swapped->ci95.width() == Approx(documents->ci95.width()));
}

TEST_CASE("too few seeds or documents give no interval and mismatched losses are an error", "[document_difference]") {
  CHECK_FALSE(document_difference({{1, 2}}, {{0, 0}}, {1, 1}));
  CHECK_FALSE(document_difference({{1}, {2}}, {{0}, {0}}, {1}));
  CHECK_THROWS(document_difference({{1, 2}, {1}}, {{0, 0}, {0, 0}}, {1, 1}));
  CHECK_THROWS(document_difference({{1, 2}, {1, 2}}, {{0, 0}}, {1, 1}));
}

TEST_CASE("the interval over seeds and documents has a coverage of about 95 %", "[document_difference]") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const double of_both : {0.0, 0.1}) {
    int held = 0;
    constexpr int kTrials = 1000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> tokens(25), document(25);
      for (auto& t : tokens) t = std::exp(5 + normal(random));
      for (auto& d : document) d = 0.05 * normal(random);
      Losses a(5, std::vector<double>(25)), b = a;
      for (auto& of_seed : a) {
        const double seed = 0.02 * normal(random);
        for (std::size_t d = 0; d < 25; ++d) of_seed[d] = tokens[d] * (0.3 + seed + document[d] + of_both * normal(random));
      }
      held += document_difference(a, b, tokens)->ci95.contains(0.3);
    }
    INFO(of_both);
    CHECK(held > 0.90 * kTrials);
    CHECK(held < 0.99 * kTrials);
  }
}

namespace {

/// Two arms on three seeds; the arms' losses differ by `gap` per token, and by `of_documents` more in every second document.
yatlab::testing::FakeRun two_arms(double gap, double of_documents, bool same_text = true) {
  yatlab::testing::FakeRun run;
  run.experiment = "text";
  run.arms = {"gpt2", "aether"};
  run.config =
      "name: text\nmetrics: {documents/loss: {title: loss, better: lower}}\n"
      "tables: {t: {columns: [documents/loss], compare: {metric: documents/loss, baseline: gpt2, paper: {aether: {documents/loss: "
      "higher}}}}}\n";
  for (int seed = 0; seed < 3; ++seed) {
    for (const auto& arm : run.arms) {
      std::vector<double> tokens, losses;
      for (int d = 0; d < 10; ++d) {
        tokens.push_back(100 + 10 * d + (same_text || arm == "gpt2" ? 0 : 1));
        const double more = arm == "aether" ? gap + (d % 2 == 0 ? of_documents : -of_documents) : 0;
        losses.push_back(tokens.back() * (2 + 0.001 * (seed + (arm == "aether" && seed == 1)) + more));
      }
      run.add_documents(arm, seed, tokens, losses);
    }
  }
  return run;
}

/// The table of a run that has one comparison.
Table compared(const RunView& run) {
  const auto config = ReportConfig::read(run.config);
  auto table = build_table(run, config, config.tables.front());
  REQUIRE(table.comparisons.size() == 1);
  return table;
}

/// The run as read from its summary alone.
RunView recorded_of(const RunView& run) {
  const TemporaryFolder elsewhere;
  yatlab::testing::FakeRun::put(elsewhere.path() / "summary.json", summary_text(run, ReportConfig::read(run.config)));
  auto recorded = read_recorded(elsewhere.path(), run.config);
  REQUIRE(recorded);
  return std::move(recorded->run);
}

std::string comparison(const yatlab::testing::FakeRun& run) {
  const TemporaryFolder folder;
  run.write(folder.path());
  const auto view = RunView::load(folder.path());
  const auto table = compared(view);
  const auto text = comparison_text(table, table.comparisons.front());
  // The summary alone gives the same.
  const auto recorded = compared(recorded_of(view));
  CHECK(comparison_text(recorded, recorded.comparisons.front()) == text);
  return text;
}

}  // namespace

TEST_CASE("a comparison of document losses tells whether it holds for other documents", "[document_difference][table]") {
  const auto clear = comparison(two_arms(0.5, 0.1));
  INFO(clear);
  CHECK_THAT(clear, Catch::Matchers::ContainsSubstring("over seeds and 10 documents [0.4"));
  CHECK_THAT(clear, Catch::Matchers::ContainsSubstring("same direction"));
  // The seeds alone decide, as they hardly differ. Ten other documents might show the opposite.
  const auto unclear = comparison(two_arms(0.05, 0.5));
  INFO(unclear);
  CHECK_THAT(unclear, Catch::Matchers::ContainsSubstring("direction not decided (other documents might say otherwise)"));
  // Losses of different texts are not compared document by document.
  CHECK_THAT(comparison(two_arms(0.5, 0.1, false)), !Catch::Matchers::ContainsSubstring("documents ["));
}

TEST_CASE("a recorded document interval is at least as wide as that over seeds", "[document_difference][table]") {
  const TemporaryFolder folder;
  const auto fake = two_arms(0.5, 0.1);
  fake.write(folder.path());
  const auto run = RunView::load(folder.path());
  auto summary = nlohmann::ordered_json::parse(summary_text(run, ReportConfig::read(run.config)));
  auto& entry = summary.at("comparisons").at(0);
  const auto seeds = entry.at("ci95");
  // As programs before 2026-11-30 wrote it.
  entry["ci95_documents"] = {seeds[0].get<double>() + 1e-4, seeds[1].get<double>() - 1e-4};
  yatlab::testing::FakeRun::put(folder.path() / "old/summary.json", summary.dump());
  const auto recorded = read_recorded(folder.path() / "old", run.config);
  REQUIRE(recorded);
  const auto line = compared(recorded->run).comparisons.front();
  REQUIRE(line.documents);
  CHECK(line.documents->ci95.low == Approx(line.test.ci95->low).epsilon(1e-9));
  CHECK(line.documents->ci95.high == Approx(line.test.ci95->high).epsilon(1e-9));
}

TEST_CASE("the document interval is adjusted like the p beside it", "[document_difference][table]") {
  const auto test = paired_test({1.0, 1.1, 1.3}, {0, 0, 0});
  const auto own = *test.ci95;
  const double p = *test.p, middle = test.difference;
  const auto seeds = *adjusted_interval(test, 2 * p);
  // Twice as wide over documents: twice as wide after the adjustment. Never narrower than over seeds.
  const auto wide = *adjusted_interval(test, 2 * p, Interval{middle - own.width(), middle + own.width()});
  CHECK(wide.width() == Approx(2 * seeds.width()));
  CHECK(wide.low + wide.high == Approx(2 * middle));
  CHECK(adjusted_interval(test, 2 * p, Interval{middle - 1e-3, middle + 1e-3})->width() == Approx(seeds.width()));
  // Without spread over seeds only documents vary.
  CHECK(adjusted_interval(paired_test({1, 1, 1}, {0, 0, 0}), 0.0, Interval{0.5, 1.5})->width() == Approx(1));
}

TEST_CASE("a recorded document interval is used only for its own seeds and arms", "[document_difference][table]") {
  const TemporaryFolder folder;
  two_arms(0.5, 0.1).write(folder.path());
  auto run = recorded_of(RunView::load(folder.path()));
  REQUIRE(run.differences.size() == 1);
  REQUIRE(compared(run).comparisons[0].documents);
  // Of an arm against another at one point: other keys do not match.
  for (auto member : {&RecordedDifference::metric, &RecordedDifference::arm, &RecordedDifference::baseline}) {
    auto other = run;
    other.differences[0].*member = "another";
    CHECK_FALSE(compared(other).comparisons[0].documents);
  }
  for (auto member : {&RecordedDifference::point, &RecordedDifference::baseline_point}) {
    auto other = run;
    (other.differences[0].*member).emplace_back("optimizer.lr", Node(0.1));
    CHECK_FALSE(compared(other).comparisons[0].documents);
  }
  // One seed fewer, which changes the difference a little.
  run.jobs.erase(std::remove_if(run.jobs.begin(), run.jobs.end(), [](const JobView& job) { return job.seed == 1; }), run.jobs.end());
  const auto table = compared(run);
  CHECK(table.comparisons[0].test.n == 2);
  CHECK_FALSE(table.comparisons[0].documents);
}
