// Allowed positions of options, commands and experiments.

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
using testing::kTinyExperiment;

const fs::path kProject = YATLAB_SOURCE_DIR;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The first line of the program's answer to a shell line, in the desk's folder.
std::string said(const Desk& desk, const std::string& line) { return first_line(desk.ask_shell(line).output); }

}  // namespace

TEST_CASE("options may stand before the command, before the experiment or at the end", "[cli][line]") {
  const Desk desk(kTinyExperiment);
  const std::string swept = "tiny: 2 arms x 2 points x 1 seed = 4 jobs";
  for (const char* line :
       {"yatlab -m plan tiny.yaml trainer.batch_size=10,20", "yatlab plan -m tiny.yaml trainer.batch_size=10,20",
        "yatlab plan tiny.yaml -m trainer.batch_size=10,20", "yatlab plan tiny.yaml trainer.batch_size=10,20 --multirun"}) {
    INFO(line);
    CHECK(said(desk, line) == swept);
  }
  for (const char* line : {"yatlab --quiet tiny.yaml", "yatlab -q run tiny.yaml", "yatlab tiny.yaml -q", "yatlab run tiny.yaml --quiet"}) {
    INFO(line);
    const auto answer = desk.ask_shell(line);
    CHECK(answer.status == 0);
    CHECK(answer.output == "");
  }
  // An option's value is not taken for the command.
  CHECK(said(desk, "yatlab --arm yat config tiny.yaml -p operator.name") == "yat");
  CHECK(said(desk, "yatlab --package=trainer.epochs config tiny.yaml") == "1");
  CHECK(holds(desk.ask_shell("yatlab --help").output, "usage: yatlab EXPERIMENT"));
  CHECK(desk.ask_shell("yatlab help run").output == desk.ask_shell("yatlab run --help").output);
  CHECK(desk.ask_shell("yatlab --help plan").output == desk.ask_shell("yatlab help plan").output);
  CHECK(holds(desk.ask_shell("yatlab tiny.yaml --help").output, "usage: yatlab run "));
  // Behind "--" nothing is an option.
  CHECK(said(desk, "yatlab plan tiny.yaml -- -m") == "error: cannot read the override '-m'");
}

TEST_CASE("an experiment is given by file, by file without .yaml or by name", "[cli][line]") {
  const Desk desk(kTinyExperiment);
  for (const char* line : {"plan tiny.yaml", "plan tiny", "plan ./tiny"}) {
    INFO(line);
    CHECK(said(desk, std::string("yatlab ") + line) == "tiny: 2 arms x 1 seed = 2 jobs");
  }
  CHECK(desk.ask_shell("yatlab tiny -q").status == 0);
  // The project's experiments, from a folder without any.
  for (const char* name : {"xor", "experiments/xor", "experiments/xor.yaml", "xor.yaml"}) {
    INFO(name);
    CHECK(said(desk, std::string("yatlab plan ") + name) == "xor: 7 arms x 50 seeds = 350 jobs");
  }
  for (const char* name : {"sweeps/mnist_protocol", "mnist_protocol", "experiments/sweeps/mnist_protocol.yaml"}) {
    INFO(name);
    CHECK(said(desk, std::string("yatlab plan ") + name) == "mnist_protocol_sweep: 4 arms x 16 points x 5 seeds = 320 jobs");
  }
  CHECK(said(desk, "yatlab plan claims operator=yat effort=0.1") == "claims: 1 arm x 72 claims x 1 seed = 72 jobs");
  // A relative path is relative to the caller.
  CHECK(first_line(desk.ask_in(kProject, {"plan", "experiments/xor.yaml"}).output) == "xor: 7 arms x 50 seeds = 350 jobs");
}

TEST_CASE("experiments in the current folder come first and an ambiguous name is an error", "[cli][line]") {
  const Desk desk(kTinyExperiment);
  fs::create_directories(desk.path() / "experiments/a");
  fs::create_directories(desk.path() / "experiments/b");
  const std::string mine = std::string(kTinyExperiment).replace(6, 4, "mine");
  std::ofstream(desk.path() / "experiments/xor.yaml") << mine;
  CHECK(said(desk, "yatlab plan xor") == "mine: 2 arms x 1 seed = 2 jobs");
  std::ofstream(desk.path() / "experiments/a/twice.yaml") << mine;
  CHECK(said(desk, "yatlab plan twice") == "mine: 2 arms x 1 seed = 2 jobs");
  std::ofstream(desk.path() / "experiments/b/twice.yaml") << mine;
  const auto twice = desk.ask_shell("yatlab plan twice");
  CHECK(twice.status == 2);
  CHECK(twice.output ==
        "error: 'twice' matches 2 experiments\n  at: command line\n  try: give the path: experiments/a/twice.yaml or "
        "experiments/b/twice.yaml\n");
  CHECK(said(desk, "yatlab plan b/twice") == "mine: 2 arms x 1 seed = 2 jobs");
  std::ofstream(desk.path() / "experiments/tiny.yaml") << mine;
  CHECK(said(desk, "yatlab plan tiny") == "error: 'tiny' matches 2 experiments");
  CHECK(said(desk, "yatlab plan tiny.yaml") == "tiny: 2 arms x 1 seed = 2 jobs");
  // Commands take precedence.
  std::ofstream(desk.path() / "experiments/list.yaml") << mine;
  CHECK(holds(desk.ask_shell("yatlab list").output, "optimizer"));
  CHECK(said(desk, "yatlab plan list") == "mine: 2 arms x 1 seed = 2 jobs");
}

TEST_CASE("a word that is neither a command nor an experiment is explained", "[cli][line][errors]") {
  const Desk desk(kTinyExperiment);
  fs::create_directories(desk.path() / "results/old");
  std::ofstream(desk.path() / "results/old/plan.json") << "{}";
  fs::create_directories(desk.path() / "results/with-lr=1-ab12cd");
  std::ofstream(desk.path() / "results/with-lr=1-ab12cd/plan.json") << "{}";
  const std::pair<const char*, const char*> cases[] = {
      {"yatlab experiments/mnist.yaml",
       "error: there is no experiment file 'experiments/mnist.yaml'\n  at: command line\n  try: did you mean "
       "'experiments/mnist_classification.yaml' or 'experiments/mnist_inversion.yaml'?\n"},
      {"yatlab mnist_cl",
       "error: unknown command or experiment 'mnist_cl'\n  at: command line\n  try: did you mean 'mnist_classification'?\n"},
      {"yatlab xro", "error: unknown command or experiment 'xro'\n  at: command line\n  try: did you mean 'xor'?\n"},
      {"yatlab lst", "error: unknown command or experiment 'lst'\n  at: command line\n  try: did you mean 'list'?\n"},
      {"yatlab plan xro", "error: there is no experiment 'xro'\n  at: command line\n  try: did you mean 'xor'?\n"},
      {"yatlab plan tny.yaml", "error: there is no experiment file 'tny.yaml'\n  at: command line\n  try: did you mean 'tiny.yaml'?\n"},
      {"yatlab qqqqqqq",
       "error: unknown command or experiment 'qqqqqqq'\n  at: command line\n  try: see 'yatlab list experiments' and 'yatlab help'\n"},
      {"yatlab results/old",
       "error: 'results/old' is a run, not an experiment\n  at: command line\n  try: to write its report again: yatlab report "
       "results/old\n"},
      {"yatlab results/with-lr=1-ab12cd",
       "error: 'results/with-lr=1-ab12cd' is a run, not an experiment\n  at: command line\n  try: to write its report again: yatlab report "
       "results/with-lr=1-ab12cd\n"},
      {"yatlab my/kernels.so",
       "error: 'my/kernels.so' is a library, not an experiment\n  at: command line\n"
       "  try: load it with an option: yatlab --plugin my/kernels.so list operator\n"},
      {"yatlab trainer.epochs=3 tiny.yaml \"+arms.x=['operator=cosine']\"",
       "error: 'trainer.epochs=3' is an override, but no experiment comes before it\n  at: command line\n  why: the experiment comes "
       "first, then its overrides\n  try: write yatlab tiny.yaml trainer.epochs=3 \"+arms.x=['operator=cosine']\"\n"},
      {"yatlab '~arms.yat'",
       "error: '~arms.yat' is an override, but no experiment comes before it\n  at: command line\n  why: the experiment comes first, then "
       "its overrides\n  try: write yatlab EXPERIMENT '~arms.yat'\n"},
      {"yatlab --plugn x.so list", "error: unknown option '--plugn'\n  at: command line\n  try: did you mean '--plugin'?\n"},
      {"yatlab --multirun",
       "error: '--multirun' needs a command or an experiment\n  at: command line\n  why: neither a command nor an experiment is given\n  "
       "try: 'yatlab help' shows the commands\n"},
      {"yatlab help rnu", "error: there is no help on 'rnu'\n  at: command line\n  try: did you mean 'run'?\n"},
  };
  for (const auto& [line, output] : cases) {
    INFO(line);
    const auto answer = desk.ask_shell(line);
    CHECK(answer.status == 2);
    CHECK(answer.output == output);
  }
}

TEST_CASE("an option means the same for every command", "[cli][line]") {
  // Options before the command are parsed before the command is known.
  const Desk desk;
  std::map<std::string, bool> takes_value;
  for (const char* command : {"run", "plan", "config", "list", "describe", "report", "data", "generate", "evaluate", "model", "sync",
                              "plugin", "doctor", "test", "bench", "fuzz", "completion", "help"}) {
    std::istringstream help(desk.ask({command, "--help"}).output);
    for (std::string line; std::getline(help, line);) {
      const auto at = line.find("--");
      if (line.rfind("  -", 0) != 0 || at == std::string::npos) continue;
      const auto name = line.substr(at, line.find_first_of(" \t", at) - at);
      const bool value = holds(line, name + " arg");
      INFO(command << " " << name);
      CHECK(takes_value.emplace(name, value).first->second == value);
    }
  }
  CHECK(takes_value.at("--plugin"));
  CHECK_FALSE(takes_value.at("--multirun"));
}

}  // namespace yatlab
