// The ML Reproducibility Challenge's first page, made from a paper's record.
#include "core/report/reproducibility.h"

#include "catch.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/config/yaml.h"
#include "core/report/report.h"
#include "holds.h"
#include "report/fake_run.h"

namespace yatlab::testing {
namespace {

const std::string kClaims = R"(title: 'A 100 % <better> & "kernel" ⵟ_x'
link: https://example.org/a_b
claims:
  - {id: higher, says: 'ⵟ is more accurate, w → −w, ‖w‖ ± 1', where: Table 1, data: paper,
     rows: [{kind: direction, experiment: mnist_inversion, metric: test/accuracy, arm: yat, baseline: linear, says: higher}]}
  - {id: device, says: '[faster] on $5 devices', where: Table 2, data: paper, rows: [{kind: missing, note: no device}]}
)";

struct RecordedPaper {
  TemporaryFolder folder;
  std::vector<PaperExperiment> experiments;
  fs::path out() const { return folder.path() / "paper"; }
  RecordedPaper() {
    auto fake = mnist_run();
    for (auto& job : fake.jobs) job.wall_s = 60;
    fake.environment = {{"cpu", "A CPU"}, {"cores", 8}, {"libtorch", "1.13.0"}, {"git", {{"revision", "abc"}, {"dirty", false}}}};
    fake.write(folder.path() / "results" / fake.experiment / fake.run_id);
    experiments = {{fake.experiment, parse_yaml(fake.config, "x")}, {"later", Node()}};
  }
  void write(const std::string& claims) const {
    ReportOptions options;
    options.figures = false;
    options.claims = parse_yaml(claims, "paper.yaml");
    write_paper_report(folder.path() / "results", out(), experiments, options);
  }
  std::string page(const char* ending = "md") const { return read_file(out() / (std::string("REPRODUCIBILITY.") + ending)); }
};

}  // namespace

TEST_CASE("the reproducibility summary has its six parts, from claims, runs and verdicts", "[reproducibility]") {
  const RecordedPaper paper;
  paper.write(kClaims + "reproducibility: {easy: It runs *at once*., communication: None.}\n");
  const auto page = paper.page();
  INFO(page);
  std::size_t at = 0;
  for (const char* head : {"# Reproducibility Summary", "## Scope of Reproducibility", "## Methodology", "## Results", "## What was easy",
                           "## What was difficult", "## Communication with original authors"}) {
    const auto found = page.find(std::string(head) + "\n", at);
    INFO(head);
    REQUIRE(found != std::string::npos);
    at = found;
  }
  CHECK(holds(page, "2 claims of \"A 100 % \\<better\\> & \"kernel\""));
  CHECK(holds(page, "1. ⵟ is more accurate, w → −w, ‖w‖ ± 1 (Table 1)\n"));
  CHECK(holds(page, "1 experiment of Yatlab (C++17 on LibTorch) with 10 jobs"));
  CHECK(holds(page, "- Seeds: 5 for each arm.\n"));
  CHECK(holds(page, "- Data: mnist.\n"));
  CHECK(holds(page, "- Machines: A CPU, 8 cores, LibTorch 1.13.0.\n"));
  CHECK(holds(page, "- Compute: 10 min of job time.\n"));
  CHECK(holds(page, "- Not run yet: later.\n"));
  CHECK(holds(page, "Of 2 claims 1 holds, 0 hold in part or under a condition, 0 do not hold, 1 is open."));
  // Quotes open and close.
  CHECK(holds(paper.page("tex"), "claims of ``A 100"));
  CHECK(holds(paper.page("tex"), "``kernel''"));
  CHECK_FALSE(holds(paper.page("tex"), "textquotedblright"));
  CHECK(holds(page, "- Holds: 1.\n"));
  CHECK(holds(page, "- Open: 2.\n"));
  CHECK(holds(page, "5 measurements"));
  CHECK(holds(page, "## What was easy\n\nIt runs \\*at once\\*.\n"));
  CHECK(holds(page, "## What was difficult\n\nNot written yet: add reproducibility: {difficult: ...} to the paper's paper.yaml"));

  // From the record alone it is the same page.
  fs::remove_all(paper.folder.path() / "results");
  paper.write(kClaims + "reproducibility: {easy: It runs *at once*., communication: None.}\n");
  CHECK(paper.page() == page);
}

TEST_CASE("the reproducibility summary compiles, whatever the claims hold", "[reproducibility][latex]") {
  const RecordedPaper paper;
  paper.write(kClaims + "reproducibility: {easy: 'a_b 100 % & #1 {x} ~ ^ \\input{x} √ ≤'}\n");
  INFO(paper.page("tex"));
  CHECK(holds(paper.page("tex"), "{\\small Communication with original authors}"));
  if (run_process({"bash", "-c", "command -v pdflatex"}, paper.out()).status != 0) {
    WARN("skipped: pdflatex is not here (package texlive-latex-base)");
    return;
  }
  const auto result = run_process({"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "REPRODUCIBILITY.tex"}, paper.out());
  INFO(result.output);
  CHECK(result.status == 0);
  CHECK(fs::exists(paper.out() / "REPRODUCIBILITY.pdf"));
}

TEST_CASE("texts under keys that are not read are refused", "[reproducibility][errors]") {
  const RecordedPaper paper;
  for (const std::string wrong : {"{hard: x}", "{easy: [a]}", "easy"}) {
    INFO(wrong);
    CHECK_THROWS_AS(paper.write(kClaims + "reproducibility: " + wrong + "\n"), Error);
  }
}

TEST_CASE("machines that differ in their cores alone are one, and GPUs are named", "[reproducibility]") {
  std::vector<ReproducedExperiment> experiments(4, {"a", true});
  experiments[0].made = MadeWith{"r", false, "1.13.0", "A CPU"};  // an older record, without cores
  experiments[1].made = MadeWith{"r", false, "1.13.0", "A CPU", {}, 4};
  experiments[2].made = MadeWith{"r", false, "1.13.0", "A CPU", {}, 2};
  experiments[3].made = MadeWith{"r", false, "2.11.0", "A CPU", "A GPU", 1};
  const auto page = reproducibility_summary(parse_yaml("{claims: []}", "x"), {}, "", experiments).markdown;
  INFO(page);
  CHECK(holds(page, "- Machines: A CPU, 2 or 4 cores, LibTorch 1.13.0; A CPU, 1 core, A GPU, LibTorch 2.11.0.\n"));
}

TEST_CASE("the only data of a run, if they are not the paper's, stand in for the paper's", "[reproducibility]") {
  const TemporaryFolder folder;
  mnist_run().write(folder.path());
  const auto run = RunView::load(folder.path());
  const auto replaced = [&](const std::vector<std::string>& papers) {
    ReportConfig config;
    for (const auto& name : papers) {
      PaperNumber number;
      number.dataset = name;
      config.paper.push_back(number);
    }
    return reproduced_experiment(run, config, {}).datasets.at(0).substituted_for;
  };
  CHECK(replaced({"", "fineweb"}) == "fineweb");
  CHECK(replaced({"b", "a", "b"}) == "a and b");
  CHECK(replaced({"a", "mnist"}).empty());
  CHECK(replaced({""}).empty());
}

TEST_CASE("a paper without results has a summary that says so", "[reproducibility]") {
  const auto summary = reproducibility_summary(parse_yaml("{claims: []}", "x"), {}, "", {{"xor"}});
  CHECK(holds(summary.markdown, "0 claims of the paper are checked:"));
  CHECK(holds(summary.markdown, "No results are recorded yet.\n\n- Not run yet: xor.\n"));
}

}  // namespace yatlab::testing
