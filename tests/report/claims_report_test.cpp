#include "core/report/claims_report.h"

#include <cstdlib>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/base/process.h"
#include "core/report/report.h"
#include "holds.h"
#include "report/fake_run.h"

namespace yatlab {
namespace {

using testing::FakeRun;
using testing::holds;
using testing::Json;

CheckedClaim claim(const std::string& label, const std::string& title) {
  return {label, title, "0 ≤ E(w,x) ≤ ‖w‖⁴/ε for all x", "gradient ascent from 64 starts", "yat", {}};
}

/// One statement that holds, one that is refuted, one with a caveat.
FakeRun run_of_three() {
  FakeRun run;
  run.experiment = "claims";
  run.config = "name: claims\ntitle: \"The paper's statements\"\nclaims: all\n";
  run.arms = {"main"};
  run.swept = {"claim"};
  run.dataset = nullptr;
  auto mercer = claim("thm:mercer", "Mercer Property");
  mercer.evidence.at_least(Role::kCore, "smallest eigenvalue / rounding", -0.3, -1, 0, "n = 200, d = 2");
  auto bounded = claim("prop:bounded-activation", "Bounded | Activation");
  bounded.evidence.at_most(Role::kCore, "max E / (‖w‖⁴/ε)", 2, 1, 1e-9, "d = 1..8");
  bounded.evidence.equals(Role::kCorrected, "max E / (‖w‖⁴/ε + ‖w‖²)", 1, 1, 1e-9);
  bounded.words.counterexample = "w = (1, 0), x = (2, 0), ε = 1: E = 4/2 = 2 > 1";
  bounded.words.corrected = "E ≤ ‖w‖⁴/ε + ‖w‖², at x = (1 + ε/‖w‖²) w";
  auto topology = claim("thm:activation-topology", "Topology");
  topology.evidence.is_true(Role::kCore, "ReLU is not injective", true);
  topology.words.reading = "of layers";
  topology.evidence.is_true(Role::kReading, "one ⵟ unit is injective", false, "x and its mirror image");
  topology.words.out_of_reach = "all W & b";
  for (const auto& c : {mercer, bounded, topology}) {
    FakeRun::Job job;
    job.arm = "main";
    job.params = Json{{"claim", c.label}};
    job.metrics = Json{{"checks", c.evidence.checks().size()}};
    job.artifacts["claim"] = claim_to_json(c);
    run.jobs.push_back(job);
  }
  return run;
}

}  // namespace

TEST_CASE("checked claims are read back in the plan's order and counted") {
  const TemporaryFolder scratch;
  run_of_three().write(scratch.path());
  const auto run = RunView::load(scratch.path());
  const auto rows = checked_claims(run);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].claim.label == "thm:mercer");
  CHECK(rows[1].claim.evidence.status() == ClaimStatus::kRefuted);
  CHECK(count_claims(rows) == "3 numbered statements: 1 holds, 1 holds with a caveat, 1 refuted");
}

TEST_CASE("numbered statements are counted apart from equations, tables and claims") {
  const auto rows_of = [](const std::vector<std::string>& labels) {
    std::vector<ClaimRow> rows;
    for (const auto& label : labels) {
      rows.push_back({claim(label, "x"), "main", 0, "job"});
      rows.back().claim.evidence.is_true(Role::kCore, "x", true);
    }
    return rows;
  };
  CHECK(count_claims(rows_of({"thm:a", "rem:b", "lem:c", "prop:d", "cor:e", "eq:f", "claim:g"})) ==
        "5 numbered statements: 5 hold. 2 others: 2 hold");
  CHECK(count_claims(rows_of({"thm:a", "def:b"})) == "1 numbered statement: 1 holds. 1 other: 1 holds");
  CHECK(count_claims(rows_of({"thm:a", "thm:a"})) == "1 numbered statement, 2 checks of them: 2 hold");
  CHECK(count_claims(rows_of({"tab:a", "sec:b"})) == "2 statements without a number: 2 hold");
  auto mixed = rows_of({"thm:a", "thm:b", "claim:c"});
  mixed[0].claim.evidence.is_true(Role::kCore, "y", false);
  CHECK(count_claims(mixed) == "2 numbered statements: 1 holds, 1 partly false. 1 other: 1 holds");
}

TEST_CASE("the terminal shows verdicts with corrections of wrong statements") {
  const TemporaryFolder scratch;
  run_of_three().write(scratch.path());
  const auto run = RunView::load(scratch.path());
  const auto text = claims_text(run, checked_claims(run), {});
  CHECK(holds(text, "✓ thm:mercer               holds"));
  CHECK(holds(text, "✗ prop:bounded-activation  refuted"));
  CHECK(holds(text, "max E / (‖w‖⁴/ε): 2 > 1 (tolerance 1e-09)"));
  CHECK(holds(text, "By hand: w = (1, 0), x = (2, 0), ε = 1: E = 4/2 = 2 > 1"));
  CHECK(holds(text, "Right: E ≤ ‖w‖⁴/ε + ‖w‖²"));
  CHECK(holds(text, "Note: of layers"));
  CHECK(holds(text, "Not settled by numbers: all W & b"));
  CHECK_FALSE(holds(text, "smallest eigenvalue"));  // statements that hold need no further line
}

TEST_CASE("Markdown lists every check and escapes cells") {
  const TemporaryFolder scratch;
  run_of_three().write(scratch.path());
  const auto run = RunView::load(scratch.path());
  const auto text = claims_markdown(run, checked_claims(run));
  CHECK(holds(text, "| prop:bounded-activation: Bounded \\| Activation | 0 ≤ E(w,x) ≤ ‖w‖⁴/ε for all x | ✗ refuted |"));
  CHECK(holds(text, "### thm:mercer: Mercer Property"));
  CHECK(holds(text, "| max E / (‖w‖⁴/ε + ‖w‖²) | right statement | 1 = 1 (tolerance 1e-09) | ✓ |  |"));
}

TEST_CASE("CSV has one line per check") {
  const TemporaryFolder scratch;
  run_of_three().write(scratch.path());
  const auto run = RunView::load(scratch.path());
  const auto text = claims_csv(run, checked_claims(run));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 1 + 2 + 2);
  CHECK(holds(text,
              "prop:bounded-activation,Bounded | Activation,yat,main,0,refuted,statement,max E / (‖w‖⁴/ε),2,<=,1,1e-09,false,d = 1..8,"));
}

TEST_CASE("the report of a claims run has claim tables and no metric table") {
  const TemporaryFolder scratch;
  run_of_three().write(scratch.path());
  const auto report = write_report(scratch.path());
  CHECK(fs::is_regular_file(scratch.path() / "tables/claims.tex"));
  CHECK_FALSE(fs::exists(scratch.path() / "tables/results.md"));
  const auto summary = Json::parse(read_file(scratch.path() / "summary.json"));
  REQUIRE(summary.at("claims").size() == 3);
  CHECK(summary.at("claims")[1].at("status") == "refuted");
  CHECK(summary.at("claims")[1].at("corrected") == "E ≤ ‖w‖⁴/ε + ‖w‖², at x = (1 + ε/‖w‖²) w");
}

TEST_CASE("an unfinished claims run has no metric table either") {
  const TemporaryFolder scratch;
  auto unfinished = run_of_three();
  for (auto& job : unfinished.jobs) job.state = "planned";
  unfinished.write(scratch.path());
  const auto early = write_report(scratch.path());
  CHECK_FALSE(fs::exists(scratch.path() / "tables"));
  CHECK_FALSE(holds(early.text, "not reported"));
  CHECK_FALSE(Json::parse(read_file(scratch.path() / "summary.json")).contains("claims"));
}

TEST_CASE("the paper report has a section of statements") {
  const TemporaryFolder scratch;
  const auto run = run_of_three();
  run.write(scratch.path() / "results/claims" / run.run_id);
  write_paper_report(scratch.path() / "results", scratch.path() / "paper", {{"claims", Node()}});
  const auto card = read_file(scratch.path() / "paper/SCORECARD.md");
  CHECK(holds(card, "## Statements"));
  CHECK(holds(card, "3 numbered statements: 1 holds, 1 holds with a caveat, 1 refuted. Run `claims/" + run.run_id + "`"));
  CHECK(holds(card, "[claims/tables/claims.md](claims/tables/claims.md)"));
  CHECK(holds(card, "| ✗ refuted | prop:bounded-activation |  |"));
  CHECK(holds(card, "[STATEMENTS.md](STATEMENTS.md)"));
}

TEST_CASE("the page of statements begins with the false ones") {
  const TemporaryFolder scratch;
  auto run = run_of_three();
  auto parts = claim("thm:parts", "Parts");
  parts.evidence.part("smooth");
  parts.evidence.at_most(Role::kCore, "crossings", 4, 2, 0, "radius 1");
  parts.evidence.part("quartic");
  parts.evidence.is_true(Role::kCore, "order 4", true);
  parts.place = "Section";
  FakeRun::Job job = run.jobs[0];
  job.params = Json{{"claim", "thm:parts"}};
  job.artifacts["claim"] = claim_to_json(parts);
  run.jobs.push_back(job);
  const auto folder = scratch.path() / "results/claims" / run.run_id;
  run.write(folder);
  write_paper_report(scratch.path() / "results", scratch.path() / "paper", {{"claims", Node()}});
  const auto page = read_file(scratch.path() / "paper/STATEMENTS.md");
  CHECK(holds(page, "4 numbered statements: 1 holds, 1 holds with a caveat, 1 partly false, 1 refuted."));
  CHECK(holds(page,
              "**Bounded \\| Activation** (Proposition, `prop:bounded-activation`).\n"
              "The paper says: 0 ≤ E(w,x) ≤ ‖w‖⁴/ε for all x.\n"
              "Found: max E / (‖w‖⁴/ε): 2, where at most 1 is needed.\n"));
  CHECK(holds(page, "By hand: w = (1, 0), x = (2, 0), ε = 1: E = 4/2 = 2 \\> 1.\n"));
  CHECK(holds(page, "Found: crossings: 4, where at most 2 is needed (radius 1).\n"));
  CHECK(holds(page, "**Parts** (Theorem, `thm:parts`, Section): 1 of 2 parts false.\n"));
  const auto at = [&](const std::string& text) { return page.find(text); };
  CHECK(at("## ✗ Refuted") < at("## ◐ Some of several parts false"));
  CHECK(at("## ◐ Some of several parts false") < at("## ◐ Hold under a condition"));
  CHECK(at("## ◐ Hold under a condition") < at("## ✓ Hold"));
  // The same page from the record alone, whose parts the next report keeps.
  const auto statuses = [&] {
    std::string out;
    const auto summary = Json::parse(read_file(scratch.path() / "paper/claims/summary.json"));
    for (const auto& c : summary.at("claims")) out += c.at("status").get<std::string>() + "\n";
    return out;
  };
  const auto before = statuses();
  fs::remove_all(folder);
  write_paper_report(scratch.path() / "results", scratch.path() / "paper", {{"claims", Node()}});
  const auto again = read_file(scratch.path() / "paper/STATEMENTS.md");
  CHECK(again.substr(again.find("\n## ")) == page.substr(page.find("\n## ")));
  CHECK(statuses() == before);
  CHECK(holds(before, "1 of 2 parts false\n"));
}

TEST_CASE("the page of statements says in words what was found") {
  const auto page_of = [](const std::function<void(CheckedClaim&)>& fill) {
    std::vector<ClaimRow> rows{{claim("thm:a", "A"), "main", 0, "job"}};
    fill(rows[0].claim);
    return claims_paragraphs(rows);
  };
  // All checks of the main assertion of a statement that holds, not the one nearest to its bound alone.
  const auto held = page_of([](CheckedClaim& c) {
    c.evidence.at_least(Role::kCore, "smallest eigenvalue", -1e-16, 0, 1e-13);
    c.evidence.at_least(Role::kCore, "power of h", 0.98113, 1, 0.25);
    c.evidence.equals(Role::kCore, "exponent", 0.9974, 1, 0.01);
    c.evidence.at_most(Role::kCore, "ratio", 1 + 1e-12, 1, 1e-9);
    c.evidence.is_true(Role::kCore, "symmetric", true);
    c.evidence.at_least(Role::kCore, "divergence", std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 0);
    c.evidence.note("time", 3);
    c.evidence.at_most(Role::kDetail, "constant", 1, 2, 0);
  });
  CHECK(holds(held,
              "Found: smallest eigenvalue: -1e-16 (allowed: at least -1e-13); power of h: 0.9811 (allowed: at least 0.75); "
              "exponent: 0.9974 (allowed: 1 ± 0.01); ratio: 1 (allowed: at most 1.000000001); symmetric: yes; "
              "divergence: ∞ (allowed: at least ∞).\n"));
  const auto refuted = page_of([](CheckedClaim& c) {
    c.evidence.equals(Role::kCore, "exponent", 0.1816, 1, 0.25);
    c.evidence.is_true(Role::kCore, "lost", false);
    c.evidence.at_most(Role::kCore, "square", 65536, 65504, 0);
    c.evidence.at_most(Role::kDetail, "constant", 3, 2, 0);
    c.evidence.at_most(Role::kReading, "reading", 3, 2, 0);
    c.words.counterexample = "computed: d = 8: 0.3";
  });
  CHECK(holds(refuted,
              "Found: exponent: 0.1816, where 1 is needed; lost: no; square: 65536, where at most 65504 is needed; "
              "constant: 3, where at most 2 is needed.\nExample: d = 8: 0.3.\n"));
  const auto open = page_of([](CheckedClaim& c) {
    c.evidence.at_most(Role::kCorrected, "rise", 0, 0, 0);
    c.evidence.at_most(Role::kCorrected, "other", 0, 0, 0);
  });
  CHECK(holds(open, "Found: rise: 0 (allowed: at most 0).\n"));
}

TEST_CASE("the LaTeX table of claims compiles with pdflatex", "[slow][latex]") {
  const TemporaryFolder scratch;
  run_of_three().write(scratch.path());
  const auto run = RunView::load(scratch.path());
  FakeRun::put(scratch.path() / "claims.tex", claims_latex(run, checked_claims(run)));
  FakeRun::put(scratch.path() / "page.tex",
               "\\documentclass{article}\\usepackage{booktabs,longtable}\\begin{document}\\input{claims}\\end{document}\n");
  const std::string command = "cd '" + scratch.path().string() + "' && pdflatex -halt-on-error -interaction=batchmode page.tex > /dev/null";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(fs::is_regular_file(scratch.path() / "page.pdf"));
}

}  // namespace yatlab
