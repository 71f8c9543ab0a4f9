// A paper's report written where some runs are missing.

#include <algorithm>

#include "catch.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/report/report.h"
#include "core/verdict/evidence.h"
#include "holds.h"
#include "report/fake_figures.h"

namespace yatlab::testing {
namespace {

std::string without(std::string text, const std::string& what) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at)) text.erase(at, what.size());
  return text;
}

std::map<std::string, std::string> all_files(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) out[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
  }
  return out;
}

FakeRun checked_statement() {
  FakeRun run;
  run.experiment = "claims";
  run.title = "Statements";
  run.config = "name: claims\ntitle: Statements\n";
  run.arms = {"yat"};
  CheckedClaim claim{"thm:one", "One", "1 = 1", "by hand", "yat", {}};
  claim.evidence.at_most(Role::kCore, "largest ratio", 1.5, 1, 0, "x = 2");
  claim.words.counterexample = "w = 1";
  FakeRun::Job job;
  job.arm = "yat";
  job.artifacts["claim"] = claim_to_json(claim);
  job.metrics = {{"claim/holds", 0.0}};
  run.jobs.push_back(job);
  return run;
}

/// A paper with a table, a sweep with a diverged job, statements, and a number without a run.
struct Paper {
  TemporaryFolder folder;
  std::vector<PaperExperiment> experiments;
  fs::path results() const { return folder.path() / "results"; }
  fs::path out() const { return results() / "paper"; }
  Paper() {
    auto sweep = sweep_run();
    sweep.jobs[2].state = "diverged";
    sweep.jobs[2].performance = {{"diverged", 1.0}};
    sweep.jobs[2].metrics = Json::object();
    for (const auto& fake : {mnist_run_with_artifacts(), sweep, checked_statement()}) {
      fake.write(results() / fake.experiment / fake.run_id);
      experiments.push_back({fake.experiment, parse_yaml(fake.config, fake.experiment)});
    }
    experiments.push_back(
        {"xor", parse_yaml("{name: xor, arms: {yat: []}, paper: {yat: {share: 1.0}, tolerance: {share: 0.01}}}", "xor.yaml")});
  }
  Report write() const {
    ReportOptions options;
    options.formats = {"svg"};
    return write_paper_report(results(), out(), experiments, options);
  }
};

const std::string kInIndex = ", recorded earlier: it is not in the results that this was written from";

TEST_CASE("recorded results replace missing runs and are marked as recorded") {
  const Paper paper;
  CHECK(paper.write().problems.empty());
  const auto before = all_files(paper.out());
  CHECK_FALSE(holds(before.at("SCORECARD.md"), "(recorded)"));
  for (const char* experiment : {"mnist_inversion", "mnist_epsilon_alpha", "claims"}) fs::remove_all(paper.results() / experiment);
  const auto report = paper.write();
  CHECK(report.problems.empty());
  auto after = all_files(paper.out());
  REQUIRE(after.size() == before.size());
  CHECK(holds(after.at("SCORECARD.md"), "2026-11-21\\_14-02-11-3fa9c1 (recorded)"));
  CHECK(holds(after.at("README.md"), kInIndex));
  CHECK(holds(after.at("report.html"), "Recorded earlier"));
  for (const auto& [name, bytes] : before) {
    INFO(name);
    if (name == "report.html") continue;  // checked below: it also shows contents that are in no other file
    CHECK(without(without(after.at(name), kInIndex), " (recorded)") == bytes);
  }
  const auto& page = after.at("report.html");
  CHECK(holds(page, "data-id=\"tab:mnist_results/yat/test/accuracy\""));
  CHECK(holds(page, "92.30 ± 0.07 %"));
  CHECK(holds(page, "thm:one"));
  CHECK(holds(page, "data:image/svg+xml"));
  // Written again: files do not accumulate.
  paper.write();
  CHECK(all_files(paper.out()) == after);
  for (const auto& file : report.files) CHECK(fs::exists(file));
}

TEST_CASE("a table of one point does not take recorded comparisons of other points") {
  Paper paper;
  auto sweep = sweep_run();
  sweep.experiment = "two_arms";
  sweep.arms.push_back("linear");
  const auto jobs = sweep.jobs;
  for (auto job : jobs) {
    job.arm = "linear";
    if (job.state == "completed") job.metrics["test/accuracy"] = job.metrics["test/accuracy"].get<double>() - 0.01 - 0.001 * job.seed;
    sweep.jobs.push_back(job);
  }
  const auto config_of = [](const std::string& at) {
    return "name: two_arms\narms: {yat: [operator=yat], linear: [operator=dot]}\ntables:\n  tab:two: {rows: points, columns: "
           "[test/accuracy], " +
           at + "compare: {metric: test/accuracy, baseline: linear}}\n";
  };
  sweep.config = config_of("");
  sweep.write(paper.results() / sweep.experiment / sweep.run_id);
  paper.experiments = {{"two_arms", parse_yaml(sweep.config, "x")}};
  paper.write();
  const auto comparisons = [&] { return parse_ordered_json(read_file(paper.out() / "two_arms/summary.json")).at("comparisons"); };
  const auto before = comparisons();
  REQUIRE(before.size() > 10);
  fs::remove_all(paper.results() / "two_arms");
  paper.experiments[0].config = parse_yaml(config_of("at: {operator.epsilon: 0.1, architecture.alpha: 1.0}, "), "x");
  paper.write();
  const auto after = comparisons();
  CHECK(after.size() == before.size());
  for (const auto& entry : before) {
    const auto same = [&](const Json& other) { return other.at("params") == entry.at("params"); };
    CHECK(std::count_if(after.begin(), after.end(), same) == 1);
  }
}

TEST_CASE("a present run takes precedence over recorded results") {
  const Paper paper;
  paper.write();
  fs::remove_all(paper.results() / "mnist_inversion");
  paper.write();
  auto fresh = mnist_run_with_artifacts();
  fresh.run_id = "2026-11-22_00-00-00-abcdef";
  fresh.jobs[5].metrics["test/accuracy"] = 0.95;
  fresh.write(paper.results() / "mnist_inversion" / fresh.run_id);
  paper.write();
  const auto card = read_file(paper.out() / "SCORECARD.md");
  CHECK(holds(card, "mnist\\_inversion/2026-11-22\\_00-00-00-abcdef"));
  CHECK_FALSE(holds(card, "(recorded)"));
  CHECK_FALSE(holds(card, "92.30 ± 0.07 %"));
}

TEST_CASE("an unreadable recorded summary loses only its own numbers") {
  const Paper paper;
  paper.write();
  fs::remove_all(paper.results() / "mnist_inversion");
  const auto summary = paper.out() / "mnist_inversion/summary.json";
  const auto table = read_file(paper.out() / "mnist_inversion/tables/tab_mnist_results.md");
  for (const std::string broken : {"", "{", "[]", "{}", "{\"experiment\": 1}"}) {
    INFO(broken);
    write_file_unsynced(summary, broken);
    const auto report = paper.write();
    REQUIRE(report.problems.size() == 1);
    CHECK(holds(report.problems[0], "summary.json"));
    CHECK(read_file(summary) == broken);
    CHECK(read_file(paper.out() / "mnist_inversion/tables/tab_mnist_results.md") == table);
    const auto card = read_file(paper.out() / "SCORECARD.md");
    CHECK(holds(card, "not run"));
    CHECK(holds(card, "thm:one"));
  }
}

TEST_CASE("removed tables and figures of an experiment are deleted from the paper report only") {
  Paper paper;
  paper.write();
  const fs::path folder = paper.out() / "mnist_inversion", run = paper.results() / "mnist_inversion/2026-11-21_14-02-11-3fa9c1";
  const auto before = all_files(folder);
  REQUIRE(before.count("tables/tab_mnist_results.md") == 1);
  REQUIRE(before.count("figures/fig_mnist_prototypes.svg") == 1);
  for (const auto& [name, bytes] : before) {
    INFO(name);
    CHECK(holds(before.at("files.json"), "\"" + name + "\"") == (name != "files.json" && name != "summary.json"));
  }
  // A user's own file beside them.
  write_file_unsynced(folder / "tables/notes.md", "mine");
  write_file_unsynced(folder / "figures/fig_mnist_prototypes_by_hand.svg", "mine");
  const auto rename = [&](const std::string& from, const std::string& to) {
    auto config = read_file(run / "config.yaml");
    REQUIRE(holds(config, from));
    config.replace(config.find(from), from.size(), to);
    write_file_unsynced(run / "config.yaml", config);
  };
  const auto is_here = [&](const std::string& name) { return fs::exists(folder / name); };

  rename("tab:mnist_results", "tab:other");
  const auto text = paper.write().text;
  CHECK(holds(text, "removed, as nothing writes it any more: " + (folder / "tables/tab_mnist_results.tex").string()));
  for (const char* kind : {".tex", ".md", ".csv"}) {
    CHECK_FALSE(is_here(std::string("tables/tab_mnist_results") + kind));
    CHECK(is_here(std::string("tables/tab_other") + kind));
  }
  CHECK(is_here("figures/fig_mnist_prototypes.svg"));
  CHECK_FALSE(holds(paper.write().text, "removed"));

  // It is unknown whether figures that were not drawn are gone; in other formats they are the same.
  rename("fig:mnist_prototypes", "fig:prototypes");
  ReportOptions options;
  options.figures = false;
  write_paper_report(paper.results(), paper.out(), paper.experiments, options);
  CHECK(is_here("figures/fig_mnist_prototypes.svg"));
  rename("plot: prototypes, seed: 0", "plot: prototypes, artifact: none");
  CHECK_FALSE(paper.write().problems.empty());
  CHECK(is_here("figures/fig_mnist_prototypes.svg"));
  rename("artifact: none", "seed: 0");
  paper.write();
  CHECK_FALSE(is_here("figures/fig_mnist_prototypes.svg"));
  CHECK_FALSE(is_here("figures/fig_mnist_prototypes.txt"));
  CHECK(is_here("figures/fig_prototypes.svg"));
  options.figures = true;
  options.formats = {"svg", "pgf"};
  write_paper_report(paper.results(), paper.out(), paper.experiments, options);
  paper.write();
  CHECK(is_here("figures/fig_prototypes.pgf"));

  // A missing run removes nothing, however its experiment has changed.
  const auto recorded = all_files(folder);
  fs::rename(run, paper.folder.path() / "elsewhere");
  paper.experiments[0].config = parse_yaml("{name: mnist_inversion}", "x");
  paper.write();
  CHECK(all_files(folder) == recorded);
  fs::rename(paper.folder.path() / "elsewhere", run);
  CHECK(read_file(folder / "tables/notes.md") == "mine");
  CHECK(read_file(folder / "figures/fig_mnist_prototypes_by_hand.svg") == "mine");

  // A manifest from elsewhere cannot reach outside the folder; an unreadable one removes nothing.
  write_file_unsynced(
      folder / "files.json",
      R"({"files": ["tables/notes.md", "summary.json", "../claims/summary.json", "tables/../summary.json", "tables", "tables/..",
                          "/etc/hostname", "", 7, "figures/none.svg"]})");
  paper.write();
  CHECK_FALSE(is_here("tables/notes.md"));
  CHECK(is_here("summary.json"));
  CHECK(fs::exists(paper.out() / "claims/summary.json"));
  for (const std::string broken : {"", "{", "[]", "{\"files\": 1}", "7"}) {
    write_file_unsynced(folder / "files.json", broken);
    write_file_unsynced(folder / "tables/tab_mnist_results.md", "old");
    CHECK_FALSE(holds(paper.write().text, "removed"));
    CHECK(is_here("tables/tab_mnist_results.md"));
    CHECK(holds(read_file(folder / "files.json"), "tables/tab_other.md"));
  }
}

}  // namespace
}  // namespace yatlab::testing
