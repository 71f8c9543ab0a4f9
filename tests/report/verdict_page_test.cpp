// The verdict on the paper: marks, rows, and the file that the page is built from.
#include "core/report/verdict_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/table/protocol_directions.h"
#include "holds.h"
#include "report/written_run.h"

namespace yatlab::testing {
namespace {

/// An experiment of two arms whose accuracies differ by about `lead`, and two statements.
struct Recorded {
  TemporaryFolder folder;
  explicit Recorded(double lead, const char* better = nullptr) {
    Json summary = {{"experiment", "one"}, {"swept", Json::array()}, {"comparisons", Json::array()}, {"paper", Json::array()}};
    const double noise[] = {0.001, -0.001, 0.002, -0.002, 0.0};
    for (const char* arm : {"yat", "linear"}) {
      Json values = Json::array(), seeds = Json::array();
      for (int seed = 0; seed < 5; ++seed) {
        values.push_back(arm[0] == 'y' ? 0.9 + lead + noise[seed] : 0.9 + 0.1 * noise[seed]);
        seeds.push_back(seed);
      }
      summary["arms"][arm] = {{"n", 5}, {"diverged", 0}, {"metrics", {{"accuracy", {{"values", values}, {"seeds", seeds}}}}}};
      if (arm[0] == 'y') {
        for (auto& value : values) value = value.get<double>() - 0.1;
        summary["arms"][arm]["metrics"]["other"] = {{"values", values}, {"seeds", seeds}};
      }
    }
    summary["arms"]["lost"] = {{"n", 0}, {"diverged", 5}, {"metrics", Json::object()}};
    if (better) summary["metrics"] = {{{"name", "accuracy"}, {"better", better}}};
    summary["claims"] = {{{"label", "thm:right"}, {"status", "holds"}, {"numbered", true}},
                         {{"label", "thm:wrong"}, {"status", "refuted"}, {"numbered", true}}};
    fs::create_directories(folder.path() / "one");
    write_file_atomic(folder.path() / "one/summary.json", summary.dump());
  }
  PaperClaim judge(const std::string& rows, const std::string& data = "paper") const {
    const auto claims = parse_yaml("claims:\n  - {id: a, says: b, where: c, data: " + data + ", rows: [" + rows + "]}\n", "paper.yaml");
    return judge_claims(claims, folder.path()).at(0);
  }
};

std::string direction(const std::string& says) {
  return "{kind: direction, experiment: one, metric: accuracy, arm: yat, baseline: linear, says: " + says + "}";
}

}  // namespace

TEST_CASE("marks of claims follow from their rows and data", "[verdict_page]") {
  constexpr auto yes = RowAnswer::kAgrees, no = RowAnswer::kContradicts, partly = RowAnswer::kPartly, open = RowAnswer::kOpen;
  struct Case {
    std::vector<RowAnswer> rows;
    const char *paper, *substitute, *general;
  };
  const Case cases[] = {
      {{yes, yes}, "✓", "◐", "◐"},   {{no, no}, "✗", "?", "✗"},     {{no, open}, "✗", "?", "✗"},
      {{yes, no}, "◐", "◐", "◐"},    {{yes, open}, "◐", "◐", "◐"},  {{partly}, "◐", "◐", "◐"},
      {{partly, no}, "◐", "◐", "◐"}, {{open, open}, "?", "?", "?"}, {{}, "?", "?", "?"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.rows.size(), c.paper);
    CHECK(claim_mark(c.rows, ClaimData::kPaper, false) == c.paper);
    CHECK(claim_mark(c.rows, ClaimData::kMathematics, false) == c.paper);
    CHECK(claim_mark(c.rows, ClaimData::kSubstitute, false) == c.substitute);
    CHECK(claim_mark(c.rows, ClaimData::kSubstitute, true) == c.general);
  }
  CHECK(claim_mark({yes, no}, ClaimData::kPaper, false, true) == "✗");  // claimed of each
  CHECK(claim_mark({yes, no}, ClaimData::kSubstitute, false, true) == "?");
  CHECK(claim_mark({yes, open}, ClaimData::kPaper, false, true) == "◐");
}

TEST_CASE("a planted wrong sign changes the mark", "[verdict_page]") {
  CHECK(Recorded(0.01).judge(direction("higher")).mark == "✓");
  CHECK(Recorded(-0.01).judge(direction("higher")).mark == "✗");
  CHECK(Recorded(0.01).judge(direction("lower")).mark == "✗");
  CHECK(Recorded(0.0001).judge(direction("higher")).mark == "?");
  CHECK(Recorded(-0.01).judge(direction("higher"), "substitute").mark == "?");
}

TEST_CASE("rows marked as also shown decide nothing and missing runs are open", "[verdict_page]") {
  const Recorded recorded(0.01);
  CHECK(recorded.judge(direction("higher") + ", {kind: missing, note: not run}").mark == "◐");
  auto shown = direction("lower");
  shown.insert(shown.size() - 1, ", also: true");
  const auto claim = recorded.judge(direction("higher") + ", " + shown);
  CHECK(claim.mark == "✓");
  CHECK(claim.rows.size() == 2);
}

TEST_CASE("margins, divergence and statements are judged by their rules", "[verdict_page]") {
  const Recorded recorded(-0.01);
  const auto margin = [&](const std::string& kind, double width) {
    return recorded
        .judge(fmt::format("{{kind: {}, experiment: one, metric: accuracy, arm: yat, baseline: linear, says: higher, margin: {}}}", kind,
                           width))
        .mark;
  };
  CHECK(margin("no_worse", 0.02) == "✓");
  CHECK(margin("no_worse", 0.005) == "✗");
  CHECK(margin("no_worse", 0.01) == "?");
  CHECK(margin("equal", 0.02) == "✓");
  CHECK(margin("equal", 0.005) == "✗");
  // Of a sweep, or a single protocol.
  const auto protocols = [&](const std::string& margin) {
    return recorded.judge(
        "{kind: protocols, experiment: one, metric: accuracy, arms: [yat], baseline: linear, says: higher, format: percent" + margin + "}");
  };
  CHECK(protocols("").mark == "✗");
  CHECK(protocols(", margin: 0.02").mark == "✓");
  CHECK(holds(protocols(", margin: 0.02").rows.at(0).text, "accuracy at most 2 points lower in 1 of 1 protocols"));
  CHECK(protocols(", margin: 0.005").mark == "✗");
  CHECK(recorded.judge("{kind: diverges, experiment: one, arm: lost}").mark == "✓");
  CHECK(recorded.judge("{kind: diverges, experiment: one, arm: yat}").mark == "✗");
  CHECK(recorded.judge("{kind: statements, experiment: one, labels: ['thm:right']}").mark == "✓");
  CHECK(recorded.judge("{kind: statements, experiment: one, labels: ['thm:wrong']}").mark == "✗");
  CHECK(recorded.judge("{kind: statements, experiment: one, numbered: true}").mark == "◐");
}

TEST_CASE("a claim that only substitute data contradict is open, and says so", "[verdict_page]") {
  const auto contradicted = Recorded(-0.01).judge(direction("higher"), "substitute");
  CHECK(contradicted.mark == "?");
  CHECK(found_lines(contradicted).back() == "contradicted, but on substitute data or a small model");
  CHECK(claim_counts_text({contradicted}) ==
        "Of 1 claim of the paper 0 hold (✓), 0 hold in part or under a condition (◐), 0 do not hold (✗), and 1 is open (?): 1 "
        "contradicted, but "
        "on substitute data or a small model.");
  const auto undecided = Recorded(0.0001).judge(direction("higher"), "substitute");
  CHECK(found_lines(undecided).size() == 1);
  CHECK(holds(claim_counts_text({undecided, contradicted}), "and 2 are open (?): 1 contradicted"));
  CHECK(holds(claim_counts_text({undecided}), "1 is open (?)."));
}

TEST_CASE("answers are rows without a claim, and a direction needs no side", "[verdict_page]") {
  const auto answers = [](double lead) {
    const auto paper = parse_yaml(
        "claims: []\nanswers:\n  - {kind: direction, experiment: one, metric: accuracy, arm: yat, baseline: linear, format: percent}\n"
        "  - {kind: direction, experiment: two, metric: accuracy, arm: yat, baseline: linear}\n",
        "paper.yaml");
    return found_answers(paper, Recorded(lead).folder.path(), {"one", "two"});
  };
  for (const double lead : {0.01, -0.01}) {
    const auto found = answers(lead);
    REQUIRE(found.size() == 2);
    CHECK(found[0].experiment == "one");
    CHECK(holds(found[0].text, lead > 0 ? "accuracy 91.00 ± 0.16 : 90.00 ± 0.02 % (n = 5; +1.00"
                                        : "accuracy 89.00 ± 0.16 : 90.00 ± 0.02 % (n = 5; −1.00"));
    CHECK_FALSE(holds(found[0].text, "not decided"));
    CHECK(found[1].text == "two: not recorded yet");
  }
  CHECK(holds(answers(0).at(0).text, ", not decided"));
  CHECK_THROWS_WITH(judge_claims(parse_yaml("claims: []\nanswers: [{kind: direction, arms: 3, exp: one}]\n", "paper.yaml"), {}),
                    Catch::Matchers::ContainsSubstring("answers.0"));
}

TEST_CASE("a contrast is shown as recorded", "[verdict_page]") {
  const Recorded recorded(0.01);
  const auto path = recorded.folder.path() / "one/summary.json";
  auto summary = Json::parse(read_file(path));
  summary["comparisons"].push_back({{"metric", "loss"},
                                    {"contrast", "a for b"},
                                    {"n", 6},
                                    {"difference", 0.0526},
                                    {"std", 0.0171},
                                    {"ci95", {0.0347, 0.0705}},
                                    {"p", 0.0007},
                                    {"p_holm", 0.009},
                                    {"ci95_adjusted", {0.0166, 0.0886}}});
  write_file_atomic(path, summary.dump());
  const auto row = [&](const std::string& more) {
    return recorded.judge("{kind: contrast, experiment: one, metric: loss, contrast: a for b" + more + "}");
  };
  CHECK(row("").rows.at(0).text == "a for b +0.053 [0.017, 0.089] (n = 6, p = 0.009)");
  CHECK(row("").mark == "?");
  CHECK(row(", says: higher").mark == "✓");
  CHECK(row(", says: lower").mark == "✗");
  CHECK_THROWS_WITH(recorded.judge("{kind: contrast, experiment: one, metric: loss, contrast: b for a}"),
                    Catch::Matchers::ContainsSubstring("'b for a' is not a recorded contrast of 'loss'"));
  summary["comparisons"].back()["p_holm"] = 0.3;
  summary["comparisons"].back()["ci95_adjusted"] = {-0.01, 0.115};
  write_file_atomic(path, summary.dump());
  CHECK(row(", says: higher").rows.at(0).text == "a for b +0.053 [−0.010, 0.115] (n = 6, p = 0.30), not decided");
  CHECK(row(", says: higher").mark == "?");
}

TEST_CASE("over a sweep a row counts points with the paper's lead, and names what differs", "[verdict_page]") {
  const auto judged = [](const char* paper) {
    return Recorded(0.01).judge(
        fmt::format("{{kind: protocols, experiment: one, metric: accuracy, arms: [yat], baseline: linear, paper: {}, tolerance: 0.002, "
                    "format: percent, name: lead of, over: data sets}}",
                    paper));
  };
  CHECK(judged("0.011").mark == "✓");
  CHECK(judged("0.011").rows[0].text == "lead of 1.1 points in 1 of 1 data sets (5 seeds each; +1.00 to +1.00, median +1.00 points)");
  CHECK(judged("0.013").mark == "✗");
  CHECK(judged("-0.01").mark == "✗");
}

TEST_CASE("divergence over a sweep names its points", "[verdict_page]") {
  const Recorded recorded(0.01);
  const auto path = recorded.folder.path() / "one/summary.json";
  auto summary = nlohmann::ordered_json::parse(read_file(path));
  for (const double rate : {0.0003, 0.01})
    summary["arms"]["swept"]["points"].push_back(
        {{"params", {{"optimizer.lr", rate}}}, {"n", rate < 0.001 ? 3 : 0}, {"diverged", rate < 0.001 ? 0 : 3}});
  write_file_atomic(path, summary.dump());
  const auto claim = recorded.judge("{kind: diverges, experiment: one, arm: swept}");
  CHECK(claim.mark == "◐");
  CHECK(claim.rows[0].text == "swept diverges at 1 of 2 learning rates (0.0003: 0 of 3, 0.01: 3 of 3 seeds)");
}

TEST_CASE("both means of a pair, their difference and its interval have the same decimals", "[verdict_page]") {
  CHECK(Recorded(0.01).judge(direction("higher")).rows[0].text ==
        "accuracy 0.9100 ± 0.0016 : 0.9000 ± 0.0002 (n = 5; +0.0100 [0.0082, 0.0118], p < 0.001)");
}

TEST_CASE("a relative change is in the paper's range or not, and the row says why this range", "[verdict_page]") {
  const auto judged = [](const std::string& range) {  // +1.11 %
    return Recorded(0.01).judge("{kind: within, experiment: one, metric: accuracy, arm: yat, baseline: linear, name: change, range: " +
                                range + ", because: a guess}");
  };
  CHECK(judged("[0, 0.02]").mark == "✓");
  CHECK(judged("[0, 0.02]").rows[0].text == "change +1.1 [+0.9, +1.3] % (n = 5), in 0 to +2 % (a guess)");
  CHECK(judged("[-0.25, -0.15]").mark == "✗");
  CHECK(judged("[-0.25, -0.15]").rows[0].text == "change +1.1 [+0.9, +1.3] % (n = 5), not in −25 to −15 % (a guess)");
  CHECK(judged("[0, 0.011]").mark == "?");
  CHECK(judged("[0, 0.011]").rows[0].text == "change +1.1 [+0.9, +1.3] % (n = 5), in 0 to +1.1 % (a guess): not decided");
}

TEST_CASE("tests against a margin are adjusted, and their text has the interval that decides", "[verdict_page]") {
  // The difference is 0.01 and its standard error about 0.00064 (n = 5): 2p is 0.021 that it is beyond a margin of 0.0077.
  const Recorded recorded(0.01);
  const std::string row = "{kind: equal, experiment: one, metric: accuracy, arm: yat, baseline: linear, margin: 0.0077}";
  const auto alone = recorded.judge(row);
  CHECK(alone.rows[0].answer == RowAnswer::kContradicts);
  CHECK(alone.rows[0].text ==
        "accuracy 0.9100 ± 0.0016 : 0.9000 ± 0.0002 (n = 5; +0.0100, 90 % [0.0086, 0.0114]), at most 0.0077 apart: no");
  const auto three = recorded.judge(row + ", " + row + ", " + row);
  for (const auto& each : three.rows) CHECK(each.answer == RowAnswer::kOpen);
}

TEST_CASE("a direction with a margin must be larger than it", "[verdict_page]") {
  const auto judged = [](double lead, const std::string& says, const std::string& margin) {
    auto row = direction(says);
    row.insert(row.size() - 1, ", margin: " + margin);
    return Recorded(lead).judge(row);
  };
  CHECK(judged(0.01, "higher", "0.005").mark == "✓");
  CHECK(judged(0.01, "higher", "0.02").mark == "✗");  // higher, but by less
  CHECK(holds(judged(0.01, "higher", "0.02").rows[0].text, "), higher by less than 0.02"));
  CHECK(judged(0.0001, "higher", "0.02").mark == "✗");  // equal
  CHECK(judged(0.0001, "lower", "0.02").mark == "✗");
  CHECK(judged(-0.01, "lower", "0.005").mark == "✓");
  CHECK(judged(0.0001, "higher", "0.0001").mark == "?");
}

TEST_CASE("a number in each training, and a comparison of two metrics", "[verdict_page]") {
  const Recorded recorded(0.01);  // 0.911, 0.909, 0.912, 0.908, 0.91
  const auto seeds = [&](const std::string& tolerance) {
    return recorded.judge("{kind: seeds, experiment: one, metric: accuracy, arm: yat, paper: 0.91, tolerance: " + tolerance + "}");
  };
  CHECK(seeds("0.0025").mark == "✓");
  CHECK(seeds("0.0015").mark == "◐");
  CHECK(seeds("0.0015").rows[0].text == "accuracy 0.91 in 3 of 5 seeds (0.9080 to 0.9120)");
  CHECK(recorded.judge("{kind: seeds, experiment: one, metric: accuracy, arm: yat, paper: 0.5, tolerance: 0.1}").mark == "✗");
  CHECK(
      recorded.judge("{kind: direction, experiment: one, metric: accuracy, arm: yat, baseline: yat, baseline_metric: other, says: higher}")
          .mark == "✓");
}

TEST_CASE("no_worse follows the metric's direction where the row names none", "[verdict_page]") {
  const std::string row = "{kind: no_worse, experiment: one, metric: accuracy, arm: yat, baseline: linear, margin: 0.005}";
  CHECK(Recorded(0.01, "higher").judge(row).mark == "✓");
  CHECK(Recorded(0.01, "lower").judge(row).mark == "✗");
  CHECK_THROWS_WITH(Recorded(0.01).judge(row), Catch::Matchers::ContainsSubstring("write says: higher, or lower"));
  CHECK_THROWS_AS(Recorded(0.01, "none").judge(row), Error);
}

TEST_CASE("a row that is not only shown decides, and many rows are counted in their cell", "[verdict_page]") {
  const Recorded recorded(0.01);
  const auto row = [](const std::string& says, const std::string& more) {
    auto out = direction(says);
    return out.insert(out.size() - 1, more);
  };
  CHECK(recorded.judge(direction("higher") + ", " + row("lower", ", also: false")).mark == "◐");
  std::string rows;
  for (int i = 0; i < 8; ++i) rows += row("higher", fmt::format(", name: n{}", i)) + ", ";
  const auto few = recorded.judge(rows + row("lower", ", name: shown, also: true"));
  CHECK(found_lines(few.rows).size() == 9);
  CHECK(found_lines(few.rows)[7] == few.rows[7].text);
  const auto many = recorded.judge(rows + row("lower", ", name: last") + ", " + row("lower", ", name: shown, also: true"));
  CHECK(many.mark == "◐");
  CHECK(found_lines(many.rows) ==
        std::vector<std::string>{"8 of 9 agree (n0; n1; n2; n3; n4; n5; n6; n7)", "1 of 9 contradict it (last)", many.rows[9].text});
}

TEST_CASE("a row with lists stands for one row a value, or for the mean over the points", "[verdict_page]") {
  TemporaryFolder folder;
  Json summary = {{"experiment", "one"}, {"swept", {"task"}}, {"comparisons", Json::array()}, {"paper", Json::array()}};
  const double noise[] = {0.001, -0.001, 0.002, -0.002, 0.0};
  // yat leads by 0.1 on sort and is behind by 0.06 on copy: its mean leads by 0.02. Its seed 4 is missing on copy.
  const auto add = [&](const char* arm, const char* task, double value, int seeds) {
    Json values = Json::array(), which = Json::array();
    for (int seed = 0; seed < seeds; ++seed) {
      values.push_back(value + noise[seed] * (arm[0] == 'y' ? 1 : -0.5));
      which.push_back(seed);
    }
    summary["arms"][arm]["points"].push_back(
        {{"params", {{"task", task}}}, {"n", seeds}, {"diverged", 0}, {"metrics", {{"accuracy", {{"values", values}, {"seeds", which}}}}}});
  };
  for (const char* arm : {"linear", "dot"}) add(arm, "sort", 0.5, 5), add(arm, "copy", 0.9, 5), add(arm, "other", 0.1, 5);
  add("yat", "sort", 0.6, 5), add("yat", "copy", 0.84, 4), add("yat", "other", 0.9, 5);
  fs::create_directories(folder.path() / "one");
  write_file_atomic(folder.path() / "one/summary.json", summary.dump());
  const auto judge = [&](const std::string& more) {
    const auto claims = parse_yaml(
        "claims:\n  - {id: a, says: b, where: c, data: paper, rows: [{kind: direction, experiment: one, "
        "metric: accuracy, arm: yat, says: higher, " +
            more + "}]}\n",
        "paper.yaml");
    return judge_claims(claims, folder.path()).at(0);
  };

  const auto each = judge("baselines: [linear, dot], at: {task: [sort, copy]}");
  std::vector<std::string> names;
  std::vector<RowAnswer> answers;
  for (const auto& row : each.rows) names.push_back(row.name), answers.push_back(row.answer);
  CHECK(names == std::vector<std::string>{"sort, against linear", "sort, against dot", "copy, against linear", "copy, against dot"});
  constexpr auto yes = RowAnswer::kAgrees, no = RowAnswer::kContradicts;
  CHECK(answers == std::vector<RowAnswer>{yes, yes, no, no});
  CHECK(each.mark == "◐");

  const auto mean = judge("baseline: linear, at: {task: [sort, copy]}, average: true, name: both");
  REQUIRE(mean.rows.size() == 1);
  CHECK(mean.mark == "✓");
  CHECK(holds(mean.rows[0].text, "both 0.720"));
  CHECK(holds(mean.rows[0].text, "(n = 4; +0.02"));

  CHECK_THROWS_WITH(judge("baseline: linear, at: {task: []}"), Catch::Matchers::ContainsSubstring("is empty"));
  CHECK_THROWS_WITH(judge("baselines: []"), Catch::Matchers::ContainsSubstring("is empty"));
  CHECK_THROWS_AS(judge("baseline: linear, at: {task: [sort, unknown]}"), Error);
}

TEST_CASE("in a terminal the claims are lines of its width without Markdown", "[verdict_page]") {
  const Recorded recorded(0.01);
  const auto claims = parse_yaml(
      "question: Q?\nafter: [{head: More., text: 'of {a}'}]\nclaims:\n  - {id: a, says: a_b, where: c, data: substitute, "
      "rows: [" +
          direction("higher") + ", " + direction("lower") + "]}\n",
      "paper.yaml");
  const auto judged = judge_claims(claims, recorded.folder.path());
  const auto text = verdict_text(claims, judged, recorded.folder.path(), 60);
  CHECK(text.rfind("Q?\n\nOf 1 claim of the paper", 0) == 0);
  CHECK(holds(text, "\n  1 ◐ S  a_b (c)\n      accuracy 0.9100 ± 0.0016 : 0.9"));
  CHECK(holds(text, "\nMore. of 1\n"));
  for (const char* markup : {"|", "**", "\\_", "\\["}) CHECK_FALSE(holds(text, markup));
  for (const auto& line : split(text, '\n')) {
    if (!holds(line, "SCORECARD")) CHECK(display_width(line) <= 60);
  }
  CHECK(holds(verdict_page(claims, judged, recorded.folder.path()), judged[0].rows[0].text.substr(0, 20)));
  CHECK(holds(found_cell(judged[0]), "<br>accuracy "));
}

TEST_CASE("rows that name unrecorded results are rejected", "[verdict_page]") {
  const Recorded recorded(0.01);
  for (const char* row : {"{kind: direction, experiment: two, metric: accuracy, arm: yat, baseline: linear, says: higher}",
                          "{kind: direction, experiment: one, metric: loss, arm: yat, baseline: linear, says: higher}",
                          "{kind: direction, experiment: one, metric: accuracy, arm: cosine, baseline: linear, says: higher}",
                          "{kind: direction, experiment: one, metric: accuracy, arm: yat, baseline: linear, says: more}",
                          "{kind: statements, experiment: one, labels: ['thm:none']}", "{kind: numbers, experiment: one, ids: [tab]}",
                          "{kind: guess, experiment: one}", "{kind: missing, nota: x}"}) {
    CAPTURE(row);
    CHECK_THROWS_AS(recorded.judge(row), Error);
  }
}

TEST_CASE("rows of an experiment without records are open", "[verdict_page]") {
  const Recorded recorded(0.01);
  const auto claims = parse_yaml("title: T\nclaims:\n  - {id: a, says: b, where: c, data: paper, rows: [" + direction("higher") +
                                     ", {kind: direction, experiment: two, metric: accuracy, arm: yat, baseline: linear, says: higher}]}\n",
                                 "paper.yaml");
  const auto claim = judge_claims(claims, recorded.folder.path(), {"two"}).at(0);
  CHECK(claim.mark == "◐");
  CHECK(claim.rows.at(1).text == "two: not recorded yet");
  CHECK_THROWS_AS(judge_claims(claims, recorded.folder.path(), {"three"}), Error);
  const auto page = verdict_page(claims, judge_claims(claims, recorded.folder.path(), {"two"}), recorded.folder.path());
  CHECK(page.rfind("# T\n\nOf 1 claim of the paper 0 hold (✓), 1 holds in part", 0) == 0);
  CHECK_FALSE(holds(page, "How much of the paper this covers"));  // no number was compared
}

TEST_CASE("a direction of document losses holds for other documents too", "[verdict_page]") {
  const auto judged = [](const std::string& interval) {
    const Recorded recorded(0.01);
    const auto path = recorded.folder.path() / "one/summary.json";
    auto summary = nlohmann::ordered_json::parse(read_file(path));
    summary["comparisons"].push_back(nlohmann::ordered_json::parse(
        R"({"metric": "accuracy", "arms": ["yat", "linear"], "p_holm": 0.001, "ci95_documents": [)" + interval + "]}"));
    write_file_atomic(path, summary.dump());
    return recorded.judge(direction("higher"));
  };
  CHECK(judged("0.006, 0.014").mark == "✓");
  CHECK(judged("-0.0005, 0.0205").mark == "?");
  CHECK(holds(judged("-0.0005, 0.0205").rows.at(0).text, ", not decided"));
  // It excludes 0, but no longer when it is adjusted like p.
  CHECK(judged("0.004, 0.016").mark == "?");
  // Narrower than the seeds' own, as older programs wrote it, it changes nothing.
  CHECK(judged("0.0099, 0.0101").rows.at(0).text == judged("0.009, 0.011").rows.at(0).text);
}

TEST_CASE("the page begins with sentences whose claims have their marks", "[verdict_page]") {
  const Recorded recorded(0.01);
  const auto page = [&](const std::string& sentences, const std::string& after = "") {
    const auto claims =
        parse_yaml("title: T\nshort: [" + sentences + "]\nafter: [{head: H., text: 'T" + after +
                       "'}]\nclaims:\n"
                       "  - {id: low, says: b, where: c, data: paper, rows: [" +
                       direction("lower") + "]}\n  - {id: high, says: b, where: c, data: paper, rows: [" + direction("higher") + "]}\n",
                   "paper.yaml");
    return verdict_page(claims, judge_claims(claims, recorded.folder.path()), recorded.folder.path());
  };
  const std::string first = "{says: 'It is higher (row {high}).', if: {high: ✓, low: ✗}}", second = "{says: 'And lower.', if: {low: ✓}}";
  CHECK(holds(page(first, ", see row {low}"), "# T\n\n**Short answer.** It is higher (row 2).\n\nOf 2 claims"));
  CHECK(holds(page(first, ", see row {low}"), "**H.** T, see row 1\n"));
  CHECK(holds(page(first + ", " + second), "**Short answer.** It is higher (row 2).\n\n"));
  CHECK_FALSE(holds(page(second), "Short answer"));
  CHECK_FALSE(holds(page(""), "Short answer"));
  CHECK_THROWS_WITH(page("{says: a, if: {none: ✓}}"), Catch::Matchers::ContainsSubstring("'none' is not a claim"));
  CHECK_THROWS_WITH(page("{says: 'a {none}', if: {}}"), Catch::Matchers::ContainsSubstring("'none' is not a claim"));
  CHECK_THROWS_WITH(page("", " {low"), Catch::Matchers::ContainsSubstring("'{low' has no closing brace"));
}

TEST_CASE("the page covers the measurements that the scorecard counts", "[verdict_page]") {
  const Recorded recorded(0.01);
  const auto path = recorded.folder.path() / "one/summary.json";
  auto summary = nlohmann::ordered_json::parse(read_file(path));
  const auto number = [&](const char* id, const char* arm, const char* metric, const char* verdict, bool fitted = false) {
    nlohmann::ordered_json entry = {{"id", id}, {"arm", arm}, {"metric", metric}, {"std", 0.0}, {"verdict", verdict}};
    if (fitted) entry["fitted"] = true;
    summary["paper"].push_back(entry);
  };
  // The same accuracy in two tables; one without spread; a closed form; two points of a sweep.
  number("a/yat/accuracy", "yat", "accuracy", "reproduced", true);
  number("b/yat/accuracy", "yat", "accuracy", "consistent", true);
  number("a/lost/run/diverged", "lost", "run/diverged", "not comparable");
  number("a/linear/accuracy", "linear", "accuracy", "differs");
  number("a/linear/parameters", "linear", "parameters", "reproduced");
  summary["paper"].back()["formula"] = "parameters";
  number("c/linear/accuracy", "linear", "accuracy", "differs");
  number("c/linear/accuracy", "linear", "accuracy", "consistent");
  write_file_atomic(path, summary.dump());
  const auto claims =
      parse_yaml("title: T\nclaims:\n  - {id: a, says: b, where: c, data: paper, rows: [" + direction("higher") + "]}\n", "paper.yaml");
  const auto page = verdict_page(claims, judge_claims(claims, recorded.folder.path()), recorded.folder.path());
  CAPTURE(page);
  CHECK(holds(page,
              "Of the 3 measurements (4 numbers) in its tables, 2 could be compared with the paper's; for the other 1 "
              "there was "
              "substitute data or a smaller model. Those 2: 1 consistent, fitted; 1 differs. Fitted: 1 agree under"));
}

namespace {

/// Names of the experiments in a paper's folder.
std::vector<std::string> names_beside(const fs::path& paper) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(paper.parent_path())) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "paper.yaml") continue;
    const auto experiment = load_yaml(entry.path());
    out.push_back(experiment.has("name") ? experiment.at("name").as_string() : entry.path().stem().string());
  }
  return out;
}

}  // namespace

TEST_CASE("every paper's claims name recorded rows and the page is short", "[verdict_page]") {
  const fs::path source = YATLAB_SOURCE_DIR;
  std::size_t papers = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source / "experiments")) {
    if (entry.path().filename() != "paper.yaml") continue;
    CAPTURE(entry.path().string());
    ++papers;
    const auto claims = load_yaml(entry.path());
    const fs::path recorded =
        source / (claims.has("results") ? claims.at("results").as_string() : "results/" + claims.at("id").as_string());
    CHECK_FALSE(claims.at("title").as_string().empty());
    const auto names = names_beside(entry.path());
    const auto judged = judge_claims(claims, recorded, names);
    CHECK_FALSE(judged.empty());
    for (const auto& row : found_answers(claims, recorded, names)) CHECK(std::count(names.begin(), names.end(), row.experiment) == 1);
    std::set<std::string> ids;
    for (const auto& claim : judged) {
      CAPTURE(claim.id);
      CHECK(ids.insert(claim.id).second);
      CHECK_FALSE(claim.says.empty());
      CHECK_FALSE(claim.where.empty());
      CHECK(std::any_of(claim.rows.begin(), claim.rows.end(), [](const FoundRow& row) { return row.decides; }));
    }
    const auto page = verdict_page(claims, judged, recorded);
    CHECK(std::count(page.begin(), page.end(), '\n') < 60);
    // Each sentence of the short answer still follows from the marks.
    for (const auto& sentence : claims.has("short") ? claims.at("short").as_list() : std::vector<Node>{}) {
      for (const auto& [id, mark] : sentence.at("if").as_map()) {
        CAPTURE(id);
        CHECK(std::any_of(judged.begin(), judged.end(), [&, wanted = id, sign = mark.as_string()](const PaperClaim& claim) {
          return claim.id == wanted && claim.mark == sign;
        }));
      }
    }
    if (fs::exists(recorded / "VERDICT.md")) CHECK(read_file(recorded / "VERDICT.md") == page);
  }
  CHECK(papers >= 1);
  CHECK(fs::exists(source / "results/paper/VERDICT.md"));
}

TEST_CASE("a direction under a fitted protocol is judged over the recorded protocols", "[verdict_page]") {
  FakeRun sweep;
  sweep.experiment = "protocols";
  sweep.arms = {"linear", "yat"};
  sweep.swept = {"rate"};
  sweep.config = "name: protocols\narms: {linear: [], yat: []}\n";
  const auto judged = [&](int higher, const char* metric) {
    sweep.jobs.clear();
    for (int i = 0; i < 10; ++i) {
      for (const char* arm : {"linear", "yat"}) {
        FakeRun::Job job;
        job.arm = arm;
        job.params = {{"rate", i}};
        job.metrics = {{"accuracy", arm[0] == 'l' ? 0.9 : i < higher ? 0.91 : 0.89}};
        sweep.jobs.push_back(job);
      }
    }
    const WrittenRun written(sweep);
    ComparisonLine line;
    line.metric = metric;
    line.arm = "yat";
    line.baseline = "linear";
    line.paper.kind = PaperExpectation::Kind::kHigher;
    line.verdict = "opposite direction";
    Fitted fitted;
    fitted.sweep = "protocols";
    judge_over_protocols(line, fitted, &written.run);
    return line;
  };
  CHECK(judged(10, "accuracy").verdict == "same direction");
  CHECK(judged(9, "accuracy").verdict == "same direction");
  CHECK(judged(9, "accuracy").why == "higher in 9 of 10 protocols; under the fitted one the other way round");
  CHECK(judged(8, "accuracy").verdict == "depends on the protocol");
  CHECK(judged(1, "accuracy").verdict == "opposite direction");
  CHECK(judged(9, "strokes").verdict == "one fitted protocol");
}

TEST_CASE("a direction under one fitted protocol alone is not decided", "[verdict_page]") {
  ComparisonLine line;
  line.metric = "accuracy";
  line.arm = "yat";
  line.baseline = "linear";
  line.paper.kind = PaperExpectation::Kind::kHigher;
  line.verdict = direction::kOpposite;
  const auto judged = [&](const std::string& sweep, const std::vector<std::string>& except) {
    Fitted fitted;
    fitted.sweep = sweep;
    fitted.except = except;
    auto out = line;
    judge_over_protocols(out, fitted, nullptr);
    return out;
  };
  CHECK(judged("", {}).verdict == "one fitted protocol");
  CHECK(judged("", {}).why == "this one gives: opposite direction");
  CHECK(judged("protocols", {}).verdict == "one fitted protocol");
  CHECK(judged("protocols", {}).why == "the paper's report judges it over all protocols of protocols; this one gives: opposite direction");
  // Both arms must have another protocol.
  CHECK(judged("", {"yat"}).verdict == "one fitted protocol");
  CHECK(judged("", {"yat", "linear"}).verdict == "opposite direction");
  line.verdict = direction::kUndertrained;
  CHECK(judged("", {}).verdict == "undertrained");
}

}  // namespace yatlab::testing
