// The verdict on the paper: marks, rows, and the file that the page is built from.
#include "core/report/verdict_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/report/protocol_directions.h"
#include "holds.h"
#include "report/written_run.h"

namespace yatlab::testing {
namespace {

/// An experiment of two arms whose accuracies differ by about `lead`, and two statements.
struct Recorded {
  TemporaryFolder folder;
  explicit Recorded(double lead) {
    Json summary = {{"experiment", "one"}, {"swept", Json::array()}, {"comparisons", Json::array()}, {"paper", Json::array()}};
    const double noise[] = {0.001, -0.001, 0.002, -0.002, 0.0};
    for (const char* arm : {"yat", "linear"}) {
      Json values = Json::array(), seeds = Json::array();
      for (int seed = 0; seed < 5; ++seed) {
        values.push_back(arm[0] == 'y' ? 0.9 + lead + noise[seed] : 0.9 + 0.1 * noise[seed]);
        seeds.push_back(seed);
      }
      summary["arms"][arm] = {{"n", 5}, {"diverged", 0}, {"metrics", {{"accuracy", {{"values", values}, {"seeds", seeds}}}}}};
    }
    summary["arms"]["lost"] = {{"n", 0}, {"diverged", 5}, {"metrics", Json::object()}};
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
  CHECK(recorded.judge("{kind: diverges, experiment: one, arm: lost}").mark == "✓");
  CHECK(recorded.judge("{kind: diverges, experiment: one, arm: yat}").mark == "✗");
  CHECK(recorded.judge("{kind: statements, experiment: one, labels: ['thm:right']}").mark == "✓");
  CHECK(recorded.judge("{kind: statements, experiment: one, labels: ['thm:wrong']}").mark == "✗");
  CHECK(recorded.judge("{kind: statements, experiment: one, numbered: true}").mark == "◐");
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
  CHECK(page.rfind("# T\n\nOf 1 claims of the paper 0 hold (✓), 1 hold in part", 0) == 0);
  CHECK_FALSE(holds(page, "How much of the paper this covers"));  // no number was compared
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
    line.verdict = "▼ opposite direction";
    judge_over_protocols(line, {"best of 10", {}, "protocols"}, &written.run);
    return line;
  };
  CHECK(judged(10, "accuracy").verdict == "✓ same direction");
  CHECK(judged(9, "accuracy").verdict == "✓ same direction");
  CHECK(judged(9, "accuracy").why == "higher in 9 of 10 protocols; under the fitted one the other way round");
  CHECK(judged(8, "accuracy").verdict == "? depends on the protocol");
  CHECK(judged(1, "accuracy").verdict == "▼ opposite direction");
  CHECK(judged(9, "strokes").verdict == "? one fitted protocol");
}

}  // namespace yatlab::testing
