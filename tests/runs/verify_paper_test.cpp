// Whether a paper's record is what its numbers give: what was changed in it, and how that is reported.
#include "core/library/verify_paper.h"

#include <algorithm>
#include <functional>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/verdict/evidence.h"
#include "holds.h"
#include "report/fake_figures.h"
#include "runs/support.h"
#include "xml.h"

namespace yatlab::testing {
namespace {

using Result = CheckedCase::Result;

FakeRun two_statements() {
  FakeRun run;
  run.experiment = "claims";
  run.title = "Statements";
  run.config = "name: claims\ntitle: Statements\n";
  run.arms = {"yat"};
  run.dataset = nullptr;
  for (const bool decidable : {true, false}) {
    CheckedClaim claim{decidable ? "thm:one" : "thm:two", "One", "1 = 1", "by hand", "yat", {}};
    if (decidable) claim.evidence.at_most(Role::kCore, "largest ratio", 1.5, 1, 0, "x = 2");
    FakeRun::Job job;
    job.arm = "yat";
    job.params = {{"claim", claim.label}};
    job.artifacts["claim"] = claim_to_json(claim);
    job.metrics = {{"claim/holds", 0.0}};
    run.jobs.push_back(job);
  }
  return run;
}

const std::string kClaims = R"(title: A paper
claims:
  - id: higher
    says: more accurate
    where: Table 1
    data: paper
    rows:
      - {kind: direction, experiment: mnist_inversion, metric: test/accuracy, arm: yat, baseline: linear, says: higher,
         format: percent, name: accuracy}
      - {kind: numbers, experiment: mnist_inversion, ids: ['tab:mnist_results'], name: numbers}
  - id: one
    says: one is one
    where: thm:one
    data: mathematics
    rows: [{kind: statements, labels: ['thm:one']}]
  - id: later
    says: it solves XOR
    where: Table 2
    data: paper
    rows: [{kind: value, experiment: xor, metric: share, arms: [yat]}, {kind: missing, note: the authors' device}]
)";

/// A paper with a table, statements (one of them refuted), an experiment that nobody has run, and its report.
struct Paper {
  TemporaryFolder folder;
  PaperRecord record;
  fs::path mnist() const { return record.folder / "mnist_inversion"; }
  fs::path summary() const { return mnist() / "summary.json"; }
  Paper() {
    record.id = "mine";
    record.claims = parse_yaml(kClaims, "paper.yaml");
    record.runs = folder.path() / "results";
    record.folder = record.runs / "paper";
    auto mnist = mnist_run();
    for (auto& job : mnist.jobs) job.with_manifest = true;
    for (const auto& fake : {mnist, two_statements()}) {
      place_run(record.runs, fake);
      record.experiments.push_back({fake.experiment, parse_yaml(fake.config, fake.experiment)});
    }
    record.experiments.push_back(
        {"xor", parse_yaml("{name: xor, arms: {yat: []}, paper: {yat: {share: 1.0}, tolerance: {share: 0.01}}}", "xor.yaml")});
    record.published = {{"mnist", {"ab12"}}};
    write();
  }
  void write() const {
    ReportOptions options;
    options.figures = false;
    options.claims = record.claims;
    write_paper_report(record.runs, record.folder, record.experiments, options);
  }
  void forget_runs() const {
    for (const char* name : {"mnist_inversion", "claims"}) fs::remove_all(record.runs / name);
  }
  /// "suite: name" of the checks with a result.
  std::vector<std::string> checks(Result result) const {
    std::vector<std::string> out;
    for (const auto& each : verify_paper(record)) {
      if (each.result == result) out.push_back(each.suite + ": " + each.name);
    }
    return out;
  }
  std::string why(const std::string& suite, const std::string& name) const {
    for (const auto& each : verify_paper(record)) {
      if (each.suite == suite && each.name == name) return each.why;
    }
    return "there is no such check";
  }
};

bool has(const std::vector<std::string>& all, const std::string& wanted) { return std::find(all.begin(), all.end(), wanted) != all.end(); }

}  // namespace

TEST_CASE("a record that its runs gave is verified, with the runs and without", "[verify]") {
  const Paper paper;
  for (const bool with_runs : {true, false}) {
    CAPTURE(with_runs);
    if (!with_runs) paper.forget_runs();
    CHECK(paper.checks(Result::kFails) == std::vector<std::string>{});
    const auto good = paper.checks(Result::kHolds);
    for (const char* check :
         {"mnist_inversion: summary.json", "mnist_inversion: values of yat", "mnist_inversion: data mnist",
          "mnist_inversion: number tab:mnist_results/yat/test/accuracy", "mnist_inversion: comparison test/accuracy yat : linear",
          "mnist_inversion: tables/tab_mnist_results.md", "mnist_inversion: files.json", "claims: statement thm:one",
          "mnist_inversion: claim higher, row 1: direction of test/accuracy", "mnist_inversion: claim higher, row 2: numbers",
          "claims: claim one", "pages: VERDICT.md", "pages: SCORECARD.md", "pages: STATEMENTS.md", "pages: README.md"}) {
      INFO(check);
      CHECK(has(good, check));
    }
    CHECK(has(good, "mnist_inversion: run 2026-11-21_14-02-11-3fa9c1") == with_runs);
    const auto open = paper.checks(Result::kOpen);
    CHECK(has(open, "xor: summary.json"));
    CHECK(has(open, "claims: statement thm:two"));
    CHECK(paper.why("claims", "claim later, row 2: missing") == "the authors' device");
  }
  // Nothing was written into the record.
  CHECK_FALSE(holds(read_file(paper.summary()), "not_renewed"));
}

TEST_CASE("whatever is changed in a record is found, and said where", "[verify]") {
  struct Change {
    const char* what;
    std::function<void(const Paper&)> make;
    std::vector<std::string> found;  // among others
  };
  const std::string number = "mnist_inversion: number tab:mnist_results/yat/test/accuracy";
  const auto edit = [](const char* file, const char* from, const char* to) {
    return [=](const Paper& paper) { change_file(paper.record.folder / file, from, to); };
  };
  const auto json = [](const std::function<void(Json&)>& change) {
    return [=](const Paper& paper) {
      auto read = Json::parse(read_file(paper.summary()));
      change(read);
      write_file_unsynced(paper.summary(), read.dump(2));
    };
  };
  const std::vector<Change> changes = {
      {"one seed's value",
       json([](Json& s) { s["arms"]["yat"]["metrics"]["test/accuracy"]["values"][0] = 0.99; }),
       {"mnist_inversion: values of yat", number, "mnist_inversion: comparison test/accuracy yat : linear", "pages: SCORECARD.md",
        "claims: claim higher", "mnist_inversion: tables/tab_mnist_results.md"}},
      {"a mean", json([](Json& s) { s["arms"]["yat"]["metrics"]["model/alpha"]["mean"] = 2.6; }), {"mnist_inversion: values of yat"}},
      {"an interval",
       json([](Json& s) { s["arms"]["linear"]["metrics"]["test/accuracy"]["ci95"][0] = 0.9; }),
       {"mnist_inversion: values of linear"}},
      {"a number of jobs", json([](Json& s) { s["arms"]["linear"]["n"] = 9; }), {"mnist_inversion: values of linear"}},
      {"a verdict", json([](Json& s) { s["paper"][2]["verdict"] = "reproduced, surely"; }), {number}},
      {"a p", json([](Json& s) { s["comparisons"][0]["p_holm"] = 0.5; }), {"mnist_inversion: comparison test/accuracy yat : linear"}},
      {"a number that is missing", json([](Json& s) { s["paper"].erase(2); }), {number}},
      {"the data's hash", json([](Json& s) { s["dataset"]["sha256"] = "cd34"; }), {"mnist_inversion: data mnist"}},
      {"the form of the record", json([](Json& s) { s["schema"] = 2; }), {"mnist_inversion: schema, status, scale, substitutes"}},
      {"a status", json([](Json& s) { s["status"] = "partial"; }), {"mnist_inversion: schema, status, scale, substitutes"}},
      {"a scale", json([](Json& s) { s["scale"] = "huge"; }), {"mnist_inversion: schema, status, scale, substitutes"}},
      {"what the data replace",
       json([](Json& s) { s["dataset"]["substituted_for"] = "imagenet"; }),
       {"mnist_inversion: schema, status, scale, substitutes"}},
      {"a seed of a metric that no table has",
       json([](Json& s) {
         auto& metrics = s["arms"]["yat"]["metrics"];
         metrics["test/other"] = metrics["test/accuracy"];
         metrics["test/other"]["seeds"][0] = 33;
       }),
       {"mnist_inversion: values of yat"}},
      {"the hash of data that only an analysis read",
       json([](Json& s) { s["other_datasets"] = Json::parse(R"([{"name": "mnist", "sha256": "cd34", "tier": "local"}])"); }),
       {"mnist_inversion: data mnist"}},
      {"an unreadable record", edit("mnist_inversion/summary.json", "{", ""), {"mnist_inversion: summary.json", "pages: SCORECARD.md"}},
      {"a statement's status", edit("claims/summary.json", "\"refuted\"", "\"holds\""), {"claims: statement thm:one", "claims: claim one"}},
      {"a statement's check", edit("claims/summary.json", "\"value\": 1.5", "\"value\": 0.5"), {"claims: statement thm:one"}},
      {"a word of the verdict", edit("VERDICT.md", "more accurate", "much more accurate"), {"pages: VERDICT.md"}},
      {"a number on the verdict",
       edit("VERDICT.md", "92.30", "93.30"),
       {"pages: VERDICT.md", "mnist_inversion: claim higher, row 1: direction of test/accuracy"}},
      {"a mark on the verdict", edit("VERDICT.md", " | ✗ | ", " | ✓ | "), {"pages: VERDICT.md", "claims: claim one"}},
      {"the scorecard", edit("SCORECARD.md", "92.30", "93.30"), {"pages: SCORECARD.md"}},
      {"a word of a statement", edit("STATEMENTS.md", "largest ratio", "small ratio"), {"pages: STATEMENTS.md"}},
      {"the page of statements", [](const Paper& p) { fs::remove(p.record.folder / "STATEMENTS.md"); }, {"pages: STATEMENTS.md"}},
      {"a table of statements", edit("claims/tables/claims.md", "largest ratio", "small ratio"), {"claims: tables/claims.md"}},
      {"the index", edit("README.md", "92.30", "93.30"), {"pages: README.md"}},
      {"a table",
       edit("mnist_inversion/tables/tab_mnist_results.tex", "92.30", "93.30"),
       {"mnist_inversion: tables/tab_mnist_results.tex"}},
      {"a page that is gone",
       [](const Paper& p) { fs::remove(p.record.folder / "VERDICT.md"); },
       {"pages: VERDICT.md", "claims: claim one"}},
      {"a table that is gone",
       [](const Paper& p) { fs::remove(p.mnist() / "tables/tab_mnist_results.csv"); },
       {"mnist_inversion: files.json"}},
      {"a summary that is gone", [](const Paper& p) { fs::remove(p.summary()); }, {"mnist_inversion: summary.json", "pages: VERDICT.md"}},
      {"a figure",
       [](const Paper& p) {
         write_file_unsynced(p.mnist() / "figures/fig.svg", "<svg/>");
         write_file_unsynced(p.mnist() / "files.json",
                             Json{{"files", {"figures/fig.svg"}}, {"sha256", {{"figures/fig.svg", sha256("<svg>")}}}}.dump());
       },
       {"mnist_inversion: files.json"}},
      {"a list that names other files",
       edit("mnist_inversion/files.json", "tables/tab_mnist_results.md", "../../../etc/passwd"),
       {"mnist_inversion: files.json"}},
  };
  for (const auto& change : changes) {
    INFO(change.what);
    const Paper paper;
    paper.forget_runs();
    change.make(paper);
    const auto failed = paper.checks(Result::kFails);
    INFO(join(failed, "\n"));
    for (const auto& check : change.found) {
      INFO(check);
      CHECK(has(failed, check));
    }
  }
}

TEST_CASE("the message says what is recorded and what follows", "[verify]") {
  const Paper paper;
  paper.forget_runs();
  change_file(paper.record.folder / "VERDICT.md", "92.30", "93.30");
  CHECK(holds(paper.why("pages", "VERDICT.md"), "93.30"));
  CHECK(holds(paper.why("pages", "VERDICT.md"), "92.30"));
  auto summary = Json::parse(read_file(paper.summary()));
  summary["paper"][2]["measured"] = 0.5;
  write_file_unsynced(paper.summary(), summary.dump());
  CHECK(holds(paper.why("mnist_inversion", "number tab:mnist_results/yat/test/accuracy"), "measured: recorded 0.5, derived 0.923"));
  const auto text = checked_text(verify_paper(paper.record), false);
  CHECK(holds(text, "FAILS  pages: VERDICT.md\n       line "));
  CHECK(holds(text, ", 3 fail\n"));
}

TEST_CASE("the message shows the difference of long lines, and no code of a library", "[verify]") {
  const Paper paper;
  paper.forget_runs();
  const auto csv = paper.mnist() / "tables/tab_mnist_results.csv";
  const auto text = read_file(csv);
  const auto lines = split(trim(text), '\n');
  REQUIRE(lines.back().size() > 100);
  write_file_unsynced(csv, trim(text) + "X\n");
  const auto why = paper.why("mnist_inversion", "tables/tab_mnist_results.csv");
  INFO(why);
  CHECK(holds(why, "X\", the record gives \"..."));
  CHECK(why.size() < 200);  // not the whole line
  write_file_unsynced(paper.record.folder / "VERDICT.md", "");
  CHECK(holds(paper.why("claims", "claim one"), "'yatlab report mine' writes it again"));
  write_file_unsynced(paper.summary(), "{");
  CHECK_FALSE(holds(paper.why("mnist_inversion", "summary.json"), "json.exception"));
  CHECK(holds(paper.why("mnist_inversion", "summary.json"), "parse error"));
}

TEST_CASE("an undecided direction says its interval and p", "[verify]") {
  Paper paper;
  auto mnist = mnist_run();
  const std::string compare = "compare: {metric: test/accuracy, baseline: linear";
  mnist.config.replace(mnist.config.find(compare), compare.size(), compare + ", paper: {yat: {test/accuracy: higher}}");
  for (auto& job : mnist.jobs) job.with_manifest = true;
  for (std::size_t i = 0; i < 5; ++i) mnist.jobs[i].metrics["test/accuracy"] = i % 2 ? 0.90 : 0.94;
  place_run(paper.record.runs, mnist);
  paper.record.experiments[0].config = parse_yaml(mnist.config, "mnist");
  paper.write();
  const auto why = paper.why("mnist_inversion", "comparison test/accuracy yat : linear");
  INFO(why);
  CHECK(holds(why, "direction not decided: "));
  CHECK(holds(why, "95 % interval ["));
  CHECK(holds(why, "p = "));
}

TEST_CASE("a substitute must be one, and must be recorded as one", "[verify]") {
  Paper paper;
  paper.forget_runs();
  paper.record.substitutes = {{"imagenet", "mnist"}, {"imagenet21", "imagenet"}};
  const auto why = [&] { return paper.why("mnist_inversion", "schema, status, scale, substitutes"); };
  CHECK(why().empty());
  auto config = paper.record.experiments[0].config;
  config.set("dataset", parse_yaml("{name: imagenet21}", "x"));
  paper.record.experiments[0].config = config;
  CHECK(holds(why(), "'mnist' replaces 'imagenet21', which is not recorded"));
  auto summary = Json::parse(read_file(paper.summary()));
  summary["dataset"]["substituted_for"] = "imagenet21";
  write_file_unsynced(paper.summary(), summary.dump(2));
  CHECK(why().empty());
}

TEST_CASE("a run that is still there must give what is recorded of it", "[verify]") {
  const Paper paper;
  const auto job = paper.record.runs / "mnist_inversion/2026-11-21_14-02-11-3fa9c1/jobs/yat/seed=0/summary.json";
  change_file(job, "0.9221", "0.9921");
  CHECK(paper.checks(Result::kFails) == std::vector<std::string>{"mnist_inversion: run 2026-11-21_14-02-11-3fa9c1"});
  CHECK(holds(paper.why("mnist_inversion", "run 2026-11-21_14-02-11-3fa9c1"), "summary.json"));
}

TEST_CASE("claims without rows, or with rows that nothing recorded answers, fail", "[verify]") {
  Paper paper;
  paper.forget_runs();
  auto text = kClaims;
  text.replace(text.find("rows: [{kind: statements, labels: ['thm:one']}]"), 47, "rows: []");
  paper.record.claims = parse_yaml(text, "paper.yaml");
  CHECK(holds(paper.why("claims", "claim one"), "no row decides it"));
  text = kClaims;
  text.replace(text.find("thm:one']"), 7, "thm:six");
  paper.record.claims = parse_yaml(text, "paper.yaml");
  CHECK(holds(paper.why("claims", "claim one"), "'thm:six' is not a recorded statement"));
  CHECK(holds(paper.why("pages", "VERDICT.md"), "'thm:six' is not a recorded statement"));
}

TEST_CASE("a folder without any record is refused", "[verify]") {
  Paper paper;
  paper.record.folder = paper.folder.path() / "nowhere";
  CHECK_THROWS_AS(verify_paper(paper.record), Error);
}

TEST_CASE("checks become JUnit XML, whatever their names hold", "[verify]") {
  const std::string hostile = "a <b> & \"c\" 'd' ]]> ../../e \x01 \xff \xEF\xBF\xBE ⵟ";
  const std::vector<CheckedCase> cases = {
      {"one", "good"}, {hostile, hostile, Result::kFails, hostile}, {"one", "undecided", Result::kOpen, "too few seeds"}};
  const auto xml = read_xml(junit_xml("paper", cases));
  CHECK(xml.name == "testsuites");
  CHECK(xml.attributes.at("tests") == "3");
  CHECK(xml.attributes.at("failures") == "1");
  CHECK(xml.attributes.at("skipped") == "1");
  REQUIRE(xml.children.size() == 2);
  CHECK(xml.children[0].attributes.at("name") == "one");
  CHECK(xml.children[0].attributes.at("tests") == "2");
  CHECK(xml.children[0].attributes.at("failures") == "0");
  const auto tests = xml.all("testcase");
  REQUIRE(tests.size() == 3);
  CHECK(tests[0].children.empty());
  REQUIRE(tests[1].children.size() == 1);
  CHECK(tests[1].children[0].name == "skipped");
  CHECK(tests[1].children[0].attributes.at("message") == "too few seeds");
  const std::string shown = "a <b> & \"c\" 'd' ]]> ../../e \xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD ⵟ";
  CHECK(tests[2].attributes.at("name") == shown);
  CHECK(tests[2].attributes.at("classname") == "paper." + shown);
  REQUIRE(tests[2].children.size() == 1);
  CHECK(tests[2].children[0].name == "failure");
  CHECK(tests[2].children[0].text == shown);
  CHECK_THROWS(read_xml("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a b=\"&\"/>"));
}

}  // namespace yatlab::testing
