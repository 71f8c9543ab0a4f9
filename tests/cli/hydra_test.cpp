// What a Hydra user types on the first day.

#include <algorithm>
#include <sstream>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
using testing::kTinyExperiment;
using Strings = std::vector<std::string>;

/// One row of `yatlab help hydra`.
struct Row {
  std::string name, text, instead;
};

std::vector<Row> rows(const std::string& help, const std::string& section) {
  std::vector<Row> out;
  const auto begin = help.find("\n" + section + ":\n");
  REQUIRE(begin != std::string::npos);
  std::istringstream lines(help.substr(begin + section.size() + 3));
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    Row row;
    row.name = line.substr(2, line.find("  ", 2) - 2);
    row.text = line.substr(line.find_first_not_of(' ', 2 + row.name.size()));
    if (const auto at = row.text.find("; write "); at != std::string::npos) {
      row.instead = row.text.substr(at + 8);
      row.text.resize(at);
    }
    out.push_back(row);
  }
  return out;
}

std::string replaced(std::string text, const std::string& mark, const std::string& value) {
  if (const auto at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), value);
  return text;
}

std::string hint_in(const std::string& output) {
  const auto at = output.find("\n  try: ");
  return at == std::string::npos ? "" : output.substr(at + 8, output.size() - at - 9);
}

}  // namespace

TEST_CASE("every Hydra key is explained and its replacement works", "[cli][hydra]") {
  const Desk desk(kTinyExperiment);
  fs::create_directory(desk.path() / "more");
  const std::map<std::string, std::string> values = {
      {"hydra.run.dir", "out"},     {"hydra.sweep.dir", "out"}, {"hydra.launcher.n_jobs", "2"},
      {"hydra.job.name", "other"},  {"hydra.mode", "MULTIRUN"}, {"hydra.searchpath", "[file://more]"},
      {"hydra/launcher", "joblib"},
  };
  const auto all = rows(desk.ask({"help", "hydra"}).output, "keys");
  CHECK(all.size() > 20);
  Strings lines, outputs, proposals;
  for (const auto& row : all) {
    const auto value = values.count(row.name) ? values.at(row.name) : std::string("X");
    const std::string given = (row.name == "hydra" ? "++" : row.name == "hydra/sweeper" ? "+" : "") + row.name + "=" + value;
    const auto proposal = row.instead.empty() ? "" : replaced(row.instead, "X", row.name == "hydra.searchpath" ? "more" : value);
    lines.push_back("yatlab plan tiny.yaml '" + given + "'");
    outputs.push_back("error: '" + given + "' has no effect here\n  at: command line\n  why: " + row.text +
                      "\n  try: " + (proposal.empty() ? "leave it out" : "write " + proposal) + "\n");
    if (!proposal.empty()) proposals.push_back("yatlab plan tiny.yaml " + proposal);
  }
  const auto answers = desk.ask_shells(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i]);
    CHECK(answers[i].status == 2);
    CHECK(answers[i].output == outputs[i]);
  }
  std::sort(proposals.begin(), proposals.end());
  proposals.erase(std::unique(proposals.begin(), proposals.end()), proposals.end());
  CHECK(proposals.size() > 8);
  for (const auto& again : desk.ask_shells(proposals)) {
    INFO(again.output);
    CHECK(again.status == 0);
  }
  // Below a key, and in the place of an arm.
  CHECK(holds(desk.ask({"plan", "tiny.yaml", "hydra.job.config.override_dirname.kv_sep=x"}).output, "jobs are named by arm"));
  CHECK(holds(desk.ask({"plan", "tiny.yaml", "hydra/launcher@x=joblib"}).output, "yatlab list launcher"));
  CHECK(holds(desk.ask({"plan", "tiny.yaml", "~hydra.run.dir"}).output, "try: leave it out"));
  CHECK(holds(desk.ask({"plan", "tiny.yaml", "hydra.mode=RUN"}).output, "try: leave it out"));
  CHECK(holds(desk.ask({"hydra.run.dir=out", "tiny.yaml"}).output, "write results=out"));
  // Only Hydra's.
  CHECK(holds(desk.ask({"plan", "tiny.yaml", "hydrant=1"}).output, "there is no key 'hydrant'"));
}

TEST_CASE("every Hydra flag works or is explained", "[cli][hydra]") {
  const Desk desk(kTinyExperiment);
  const auto all = rows(desk.ask({"help", "hydra"}).output, "flags");
  std::size_t refused = 0;
  for (const auto& row : all) {
    if (row.instead.empty()) continue;
    ++refused;
    std::istringstream spellings(row.name);
    for (std::string flag; std::getline(spellings, flag, ',');) {
      flag = flag.substr(flag.find('-'));
      const bool valued = holds(row.instead, "X") || flag == "--experimental-rerun";
      const std::string line = "yatlab tiny.yaml " + flag + (valued ? " trainer" : "");
      INFO(line);
      const auto answer = desk.ask_shell(line);
      CHECK(answer.status == 2);
      CHECK(holds(answer.output, "\n  why: " + row.text + "\n"));
      const auto proposal = replaced(replaced(row.instead, "EXPERIMENT", "tiny.yaml"), "X", "trainer");
      CHECK(hint_in(answer.output) == proposal);
      if (proposal.find("completion install") == std::string::npos) {
        CHECK(desk.ask_shell(proposal).status == 0);
      } else {
        CHECK(desk.ask_shell("HOME=$PWD/home SHELL=/bin/bash " + proposal).status == 0);
      }
    }
  }
  CHECK(refused == 5);
  CHECK(all.size() == 12);
}

TEST_CASE("config options such as --cfg and --config-name work as in Hydra", "[cli][hydra]") {
  const Desk desk(kTinyExperiment);
  const auto whole = desk.ask({"config", "tiny.yaml"}).output;
  for (const auto& answer :
       desk.ask_shells({"yatlab --cfg job tiny.yaml", "yatlab tiny.yaml --cfg=job", "yatlab -c job tiny.yaml", "yatlab -c all tiny.yaml",
                        "yatlab tiny.yaml -c job", "yatlab run tiny.yaml -c job", "yatlab -cn tiny -c job", "yatlab -cp . -cn tiny -c job",
                        "yatlab --config-name=tiny --config-path=$PWD --cfg=job"})) {
    CHECK(answer.status == 0);
    CHECK(answer.output == whole);
  }
  CHECK(desk.ask_shell("yatlab tiny.yaml -c job -p trainer.epochs trainer.epochs=7").output == "7\n");
  CHECK(desk.ask_shell("yatlab trainer.epochs=7 -c job --package trainer.epochs -cn tiny").output == "7\n");
  CHECK(holds(desk.ask_shell("yatlab tiny.yaml -c hydra").output, "error: there is no 'hydra' config here\n"));
  CHECK(holds(desk.ask_shell("yatlab tiny.yaml --cfg jbo").output, "error: --cfg cannot be 'jbo'\n"));
  CHECK(holds(desk.ask_shell("yatlab tiny.yaml --cfg").output, "error: '--cfg' needs a value\n"));
  CHECK(desk.ask_shell("yatlab --run tiny.yaml -q").status == 0);
  CHECK(holds(desk.ask_shell("yatlab plan -cp nowhere -cn tiny").output, "there is no experiment file 'nowhere/tiny.yaml'"));

  const auto info = desk.ask_shell("yatlab -i tiny.yaml").output;
  CHECK(holds(info, "searched for configs, in this order:\n  .\n  configs\n"));
  CHECK(holds(info, "plugin libraries: none\n"));
  CHECK(holds(info, "chosen:\n  dataset: synthetic_digits\n  architecture: prototype_classifier\n"));
  CHECK(holds(info, "\n  configs/dataset/synthetic_digits.yaml\n"));
  CHECK(holds(info, "\nname: tiny\n"));
  CHECK(desk.ask_shell("yatlab --info searchpath tiny.yaml").output == "searched for configs, in this order:\n  .\n  configs\n");
  CHECK(holds(desk.ask_shell("yatlab tiny.yaml --info defaults-tree").output, "dataset: synthetic_digits"));
  CHECK(holds(desk.ask_shell("yatlab tiny.yaml --info=nothing").output, "error: --info cannot be 'nothing'\n"));

  fs::create_directories(desk.path() / "more/optimizer");
  std::ofstream(desk.path() / "more/optimizer/fast.yaml") << "name: adam\nlr: 0.25\n";
  for (const char* line : {"yatlab config tiny.yaml optimizer=fast -p optimizer.lr --config-dir more",
                           "yatlab -cd more -c job tiny.yaml optimizer=fast -p optimizer.lr",
                           "yatlab --config-dir=more config tiny.yaml optimizer=fast -p optimizer.lr"}) {
    INFO(line);
    CHECK(desk.ask_shell(line).output == "0.25\n");
  }
  CHECK(desk.ask_shell("yatlab plan tiny.yaml optimizer=fast").status == 2);
  CHECK(holds(desk.ask_shell("yatlab plan tiny.yaml -cd mroe").output, "error: 'mroe' is not a folder\n"));
}

}  // namespace yatlab
