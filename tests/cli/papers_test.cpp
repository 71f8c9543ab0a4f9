// Papers as data: `new paper`, `list papers`, `verdict PAPER`, `report PAPER`.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab::testing {
namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

/// A tiny experiment with a number from a paper.
std::string tiny_of(const std::string& name) {
  auto text = kTinyArm;
  text.replace(text.find("name: tiny"), 10, "name: " + name);
  return text + "paper: {yat: {test/accuracy: 0.5}, tolerance: {test/accuracy: 0.1}}\n";
}

std::string claims_on(const std::string& experiment) {
  return "claims:\n  - id: all\n    says: something\n    where: Table 1\n    data: paper\n    rows: [{kind: numbers, experiment: " +
         experiment + ", ids: [" + experiment + "]}]\n";
}

}  // namespace

TEST_CASE("a new paper can be run, recorded, judged and repeated unchanged", "[cli][papers]") {
  const Desk desk;
  const auto written = desk.ask({"plugin", "new", "paper", "mine"});
  INFO(written.output);
  REQUIRE(written.status == 0);
  CHECK(holds(written.output, "wrote experiments/mine/paper.yaml\nwrote experiments/mine/mine_table1.yaml\n"));
  CHECK(holds(written.output, "experiments/mine/mine_table1.yaml\n  "));
  const auto before = desk.ask({"verdict", "mine"});
  CHECK(before.status == 0);
  CHECK(before.output.rfind("The paper's title\n", 0) == 0);
  CHECK(holds(before.output, "accuracies: not recorded yet"));

  const auto run = desk.ask({"mine_table1", "--quiet", "latest=true"});
  INFO(run.output);
  REQUIRE(run.status == 0);
  const auto report = desk.ask({"report", "mine", "--no-figures"});
  INFO(report.output);
  REQUIRE(report.status == 0);
  const auto folder = desk.path() / "results/mine";
  const auto page = desk.ask({"verdict", "mine"});
  CHECK(page.status == 0);
  for (const auto& text : {page.output, read_file(folder / "VERDICT.md")}) CHECK(holds(text, "of 2 accuracies: 2 consistent"));
  CHECK(desk.ask({"verdict"}).output == page.output);  // the first paper
  CHECK(holds(read_file(folder / "SCORECARD.md"), "linear/test/accuracy | 52 ± 4 % (n = 3) |"));
  const auto summary = nlohmann::json::parse(read_file(folder / "mine_table1/summary.json"));
  CHECK(summary["paper"][0]["paper_n"] == 3);
  CHECK(summary["paper"][0]["why"].get<std::string>().find("Welch's t-test") != std::string::npos);
  CHECK(summary["paper"][1]["why"].get<std::string>().find("equality takes 5 seeds, here are 3") != std::string::npos);
  CHECK(holds(read_file(folder / "mine_table1/tables/tab_mine_table1.csv"), "paper_std,paper_n"));
  CHECK(holds(read_file(folder / "mine_table1/tables/tab_mine_table1.md"), "52 ± 4 %"));  // as printed
  CHECK(holds(read_file(folder / "mine_table1/tables/tab_mine_table1.md"), "59 ± 3 %"));  // of the run's values

  const auto repeated = desk.ask({"repeat", "mine_table1", "--quiet"});  // found through its paper's records
  INFO(repeated.output);
  CHECK(repeated.status == 0);
  CHECK(holds(repeated.output, "mine_table1: 1 of 10 recorded jobs; "));
  const auto again = desk.ask({"new", "paper", "mine"});
  CHECK(again.status == 2);
  CHECK(holds(again.output, "there is already a paper 'mine'"));
}

TEST_CASE("what 'new paper --project' says to type works as typed", "[cli][papers]") {
  const Desk desk;
  const auto written = desk.ask({"new", "paper", "mine", "--project", "my own"});
  INFO(written.output);
  REQUIRE(written.status == 0);
  const auto next = written.output.find("then\n  cd 'my own'\n");
  REQUIRE(next != std::string::npos);
  CHECK(holds(written.output, " experiments/mine/mine_table1.yaml\n"));
  const auto typed = desk.ask_shell("set -e\n" + written.output.substr(next + 5));
  INFO(typed.output);
  CHECK(typed.status == 0);
  CHECK(fs::exists(desk.path() / "my own/results/mine/VERDICT.md"));
  // Here, nothing has to be entered.
  CHECK_FALSE(holds(desk.ask({"new", "paper", "here"}).output, "  cd "));
}

TEST_CASE("new files name a schema that is there, written once per project", "[cli][papers][schema]") {
  const Desk desk;
  const auto schema_of = [&](const fs::path& file) {
    const auto line = read_file(file).substr(0, read_file(file).find('\n'));
    const std::string begin = "# yaml-language-server: $schema=";
    INFO(line);
    REQUIRE(line.rfind(begin, 0) == 0);
    return file.parent_path() / line.substr(begin.size());
  };
  const auto first = desk.ask({"new", "paper", "mine", "--project", "own"});
  CHECK(holds(first.output, "wrote own/schemas/experiment.schema.json\nwrote own/schemas/paper.schema.json\n"));
  const auto project = desk.path() / "own";
  CHECK(read_file(schema_of(project / "experiments/mine/paper.yaml")) == desk.ask({"describe", "paper", "--schema"}).output);
  CHECK(read_file(schema_of(project / "experiments/mine/mine_table1.yaml")) == desk.ask({"describe", "--schema"}).output);
  const auto second = desk.ask({"new", "operator", "kernel", "--project", "own"});
  INFO(second.output);
  CHECK_FALSE(holds(second.output, ".schema.json"));
  CHECK(fs::equivalent(schema_of(project / "experiments/kernel.yaml"), project / "schemas/experiment.schema.json"));
  // Another version of the program wrote it.
  std::ofstream(project / "schemas/paper.schema.json") << "{}";
  const auto third = desk.ask({"new", "paper", "yours", "--project", "own"});
  CHECK(holds(third.output, "wrote own/schemas/paper.schema.json\n"));
  CHECK_FALSE(holds(third.output, "wrote own/schemas/experiment"));
}

TEST_CASE("a new paper names its data: on other data nothing is compared", "[cli][papers]") {
  const Desk desk;
  REQUIRE(desk.ask({"new", "paper", "mine"}).status == 0);
  const auto experiment = read_file(desk.path() / "experiments/mine/mine_table1.yaml");
  CHECK(holds(experiment, "\n  dataset: synthetic_digits "));
}

TEST_CASE("a share that is printed in percent is refused with the right form", "[cli][papers][errors]") {
  auto text = tiny_of("first");
  text.replace(text.find("0.5}"), 3, "{mean: 52, std: 3, n: 3}");
  const Desk desk(text);
  const auto answer = desk.ask({"plan", "tiny.yaml"});
  INFO(answer.output);
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "the paper's number 'first/yat/test/accuracy' is 5200 %"));
  CHECK(holds(answer.output, "try: write 0.52 for 52 %"));
}

TEST_CASE("each paper has its own experiments, report and verdict", "[cli][papers]") {
  const Desk desk;
  const auto experiments = desk.path() / "experiments";
  write(experiments / "first.yaml", tiny_of("first"));
  write(experiments / "sweeps/more.yaml", tiny_of("more"));
  write(experiments / "paper.yaml", "title: One\n" + claims_on("first"));
  write(experiments / "other/second.yaml", tiny_of("second"));
  write(experiments / "other/paper.yaml", "id: two\ntitle: Two\n" + claims_on("second"));
  const auto list = desk.ask({"list", "papers"});
  INFO(list.output);
  CHECK(list.status == 0);
  CHECK(holds(list.output, "  paper  One (experiments/paper.yaml, 2 experiments)\n"));
  CHECK(holds(list.output, "  two    Two (experiments/other/paper.yaml, 1 experiment)\n"));
  CHECK(holds(desk.ask({"list", "experiments"}).output, "experiments/other/second.yaml"));
  CHECK_FALSE(holds(desk.ask({"list", "experiments"}).output, "paper.yaml"));
  CHECK_FALSE(holds(desk.ask({"complete", "--", ""}).output, "paper.yaml"));
  CHECK(desk.ask({"complete", "--", "verdict", ""}).output == "paper\tOne\ntwo\tTwo\n");

  for (const char* name : {"first", "second"}) REQUIRE(desk.ask({name, "--quiet"}).status == 0);
  const auto report = desk.ask({"report", "two"});
  INFO(report.output);
  CHECK(report.status == 0);
  CHECK(fs::exists(desk.path() / "results/two/second/summary.json"));
  CHECK_FALSE(fs::exists(desk.path() / "results/two/first"));
  CHECK(desk.ask({"report", "--no-figures"}).status == 0);
  CHECK(fs::exists(desk.path() / "results/paper/first/summary.json"));
  CHECK_FALSE(fs::exists(desk.path() / "results/paper/second"));
  CHECK(holds(desk.ask({"verdict"}).output, "One\n\nOf 1 claim"));
  CHECK(holds(desk.ask({"verdict", "two"}).output, "Two\n\nOf 1 claim"));
  CHECK(desk.ask({"verdict", "other"}).output == desk.ask({"verdict", "two"}).output);  // by its folder
}

TEST_CASE("missing and invalid papers are rejected with a suggestion", "[cli][papers][errors]") {
  const Desk desk;
  const auto experiments = desk.path() / "experiments";
  write(experiments / "first.yaml", tiny_of("first"));
  write(experiments / "paper.yaml", "title: One\n" + claims_on("first"));
  write(experiments / "other/paper.yaml", "id: two\n" + claims_on("first"));
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const auto answer = desk.ask(words);
    INFO(answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, why));
  };
  refused({"verdict", "tow"}, "there is no paper 'tow'\n  at: command line\n  why: papers: paper, two\n  try: did you mean 'two'?");
  refused({"verdict", "zzzzzz"}, "there is no paper 'zzzzzz'\n  at: command line\n  try: choices: paper, two\n");
  refused({"verdict", "two", "paper"}, "verdict takes one paper");
  refused({"verdict", "two"}, "there is no recorded result of 'first', and it is not an experiment of the paper");
  refused({"experiments/paper.yaml"}, "'experiments/paper.yaml' describes a paper; it is not an experiment");
  refused({"plugin", "new", "paper", "My paper"}, "'My paper' cannot name a new paper");
  write(experiments / "third/paper.yaml", "id: two\n" + claims_on("first"));
  refused({"verdict"}, "two papers have the id 'two'");
  write(experiments / "third/paper.yaml", "id: 3\n");
  refused({"list", "papers"}, "'id' of a paper must be a string, found 3");
  fs::remove_all(experiments / "third");
  write(experiments / "paper.yaml", "results: results/first\n" + claims_on("first"));
  refused({"report"}, "the runs of 'first' and the report would share the folder 'results/first'");
}

}  // namespace yatlab::testing
