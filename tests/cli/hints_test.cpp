// Hints are taken from the program's output and typed in.

#include <algorithm>
#include <regex>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "trackers/wandb/environment.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
using testing::kTinyExperiment;

std::string filled(std::string line, const std::string& hint) {
  const auto at = line.find("{}");
  return at == std::string::npos ? line : line.replace(at, 2, hint);
}

}  // namespace

TEST_CASE("suggested commands work when typed", "[cli][hints]") {
  struct Case {
    const char* line;     ///< this line fails
    const char* pattern;  ///< matches the hint, in one group
    const char* again;    ///< with the hint in place of {}: works
    const char* result;   ///< the answer then contains this
  };
  const Case cases[] = {
      // Overrides, as the shell takes them.
      {"plan tiny.yaml operator=cosine", "change the arm \\((.*)\\), or", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml operator=cosine", "add one \\((.*)\\)\n", "plan tiny.yaml {}", "3 arms"},
      {"plan dotted.yaml operator=cosine", "change the arm \\((.*)\\), or", "plan dotted.yaml {}", "2 arms"},
      {"plan dotted.yaml operator=cosine", "add one \\((.*)\\)\n", "plan dotted.yaml {}", "3 arms"},
      {"plan tiny.yaml \"arms.yat=['operator=dot']\"", "e\\.g\\. (.*), or remove", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml \"arms.yat=['operator=dot']\"", "remove it with (.*)\n", "plan tiny.yaml {}", "1 arm "},
      {"plan dotted.yaml \"arms.yat_0.01=['operator=dot']\"", "e\\.g\\. (.*), or remove", "plan dotted.yaml {}", "2 arms"},
      {"plan dotted.yaml \"arms.yat_0.01=['operator=dot']\"", "remove it with (.*)\n", "plan dotted.yaml {}", "1 arm "},
      {"plan dotted.yaml \"+arms.yat_0.05=['operator=yat']\"", "given in a map: (.*)\n", "plan dotted.yaml {}", "3 arms"},
      {"plan tiny.yaml trainer.epoch=2", "did you mean '(.*)'\\?", "plan tiny.yaml {}=2", "2 arms"},
      {"plan tiny.yaml +trainer.epochs=2", "write (.*) to change it", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml +trainer.epochs=2", "or (\\+\\+.*) to add", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml '~trainer.epochs=5'", "write (.*)\n", "config tiny.yaml {}", "name: tiny"},
      {"plan tiny.yaml ++optimizer=sgd", "write (.*)=\\.\\.\\. to change", "plan tiny.yaml {}=sgd", "2 arms"},
      {"plan tiny.yaml optimizer=null", "options: .*(sgd)", "plan tiny.yaml optimizer={}", "2 arms"},
      {"plan tiny.yaml title=a,b", "quote it: (.*); 3\\.", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml trackers=console,tensorboard", "3\\. for a list, write (.*)\n", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml trainer.epochs=1,2", "(--multirun)", "plan tiny.yaml trainer.epochs=1,2 {}", "2 points"},
      {"plan tiny.yaml trainer.epochs", "write (.*)=value, or", "plan tiny.yaml {}=2", "2 arms"},
      {"plan tiny.yaml plugins.path=mine.so", "write (.*)\n", "config tiny.yaml {}", "plugin library not found"},
      {"plan tiny.yaml operator.epsilom=1", "did you mean '(.*)'\\?", "plan tiny.yaml {}=1", "2 arms"},
      // Commands.
      {"describe operator/yta", "\\('yatlab (.*)' shows all\\)", "{}", "yat"},
      {"plan tiny.yaml optimizer=nosuch", "(adam)", "plan tiny.yaml optimizer={}", "2 arms"},
      {"plan bare.yaml", "'yatlab (list architecture)' shows the choices", "{}", "mlp"},
      {"plan bare.yaml", "or (architecture=)\\.\\.\\. to the arm", "plan bare.yaml {}mlp", "1 arm"},
      {"plan claims claims=some operator=yat", "'yatlab (list claims)' shows the choices", "{}", "thm:mercer"},
      {"data fetch mnits", "did you mean '(.*)'\\?", "describe dataset/{}", "mnist"},
      {"describe yat", "try: yatlab (.*)\n", "{}", "operator/yat"},
      {"describe", "try: yatlab (.*)\n", "{}", "operator/yat"},
      {"plan", "for example: yatlab (.*)\n", "{}", "jobs"},
      {"run", "for example: yatlab run (.*)\n", "plan {}", "jobs"},
      {"plan trainer.epochs=2 tiny.yaml", "try: write yatlab (.*)\n", "{}", "2 arms"},
      {"plan tny.yaml", "did you mean '(.*)'\\?", "plan {}", "2 arms"},
      {"plan xro", "did you mean '(.*)'\\?", "plan {}", "350 jobs"},
      {"experiments/mnist.yaml", "did you mean '(.*)' or", "plan {}", "jobs"},
      {"experiments/mnist.yaml", "or '(.*)'\\?", "plan {}", "jobs"},
      {"config tiny.yaml -p trainr", "did you mean '(.*)'\\?", "config tiny.yaml -p {}", "epochs"},
      {"config tiny.yaml --arm yet", "did you mean '(.*)'\\?", "config tiny.yaml --arm {}", "epochs"},
      {"tiny.yaml --resolve", "try: yatlab (.*)\n", "{}", "name: tiny"},
      {"tiny.yaml -p trainer", "try: yatlab (.*)\n", "{}", "epochs"},
      {"lib.so", "with an option: yatlab (.*)\n", "{}", "plugin library not found"},
      {"plugin new operator", "try: yatlab (.*)\n", "mkdir made; yatlab {} --root made", "wrote "},
      {"plugin promote tiny.yaml --name kernel", "name of the arm: (.*):mine\n",
       "mkdir promoted; yatlab plugin promote {}:f \"+arms.f=['operator=formula']\" --name kernel --root promoted", "wrote "},
      {"plan tiny.yaml \"+arms.f=['operator=formula','operator.f=dot * s']\"", "or give it a value: (.*)\n",
       "plan tiny.yaml \"+arms.f=['operator=formula','operator.f=dot * s','{}']\"", "3 arms"},
      {"completion", "choices: (bash)", "completion {}", "_yatlab"},
      {"SHELL=/bin/tcsh yatlab completion install", "choose one: yatlab (completion install bash)", "HOME=$PWD yatlab {}", "wrote "},
      {"qqqqqqq", "'yatlab (list experiments)'", "{}", ""},
      {"qqqqqqq", "and 'yatlab (help)'", "{}", "commands:"},
  };
  const Desk desk(kTinyExperiment);
  std::string dotted = kTinyExperiment;
  dotted.replace(dotted.find("  linear: "), std::string::npos,
                 "  linear: [operator=dot]\n  yat_0.01: [operator=yat, operator.epsilon=0.01]\n");
  std::ofstream(desk.path() / "dotted.yaml") << dotted;
  std::ofstream(desk.path() / "bare.yaml") << "name: bare\ndefaults:\n  - /dataset: xor\n  - _self_\noperator: yat\n";
  const auto command = [](const std::string& line) { return holds(line, "yatlab ") ? line : "yatlab " + line; };
  std::vector<std::string> lines, again;
  for (const auto& c : cases) lines.push_back(command(c.line));
  const auto failures = desk.ask_shells(lines);
  for (std::size_t i = 0; i < failures.size(); ++i) {
    INFO(lines[i] << "\n" << failures[i].output);
    CHECK(failures[i].status == 2);
    std::smatch match;
    CHECK(std::regex_search(failures[i].output, match, std::regex(cases[i].pattern)));
    again.push_back(command(filled(cases[i].again, match.empty() ? "no hint" : match[1].str())));
  }
  const auto answers = desk.ask_shells(again);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    INFO(again[i] << "\n" << answers[i].output);
    CHECK(holds(answers[i].output, cases[i].result));
    const bool finds_no_library = std::string(cases[i].result) == "plugin library not found";
    CHECK(answers[i].status == (finds_no_library ? 2 : 0));
  }
}

TEST_CASE("plausible mistakes are answered with the right command", "[cli][hints][synonyms]") {
  struct Case {
    const char* line;     ///< this line fails
    const char* pattern;  ///< matches the hint, in one group
    const char* again;    ///< with the hint in place of {}: works
    const char* result;
  };
  const Case cases[] = {
      {"plan tiny.yaml model=mlp", "write (.*)\n", "plan bare.yaml {}", "1 arm"},
      {"plan tiny.yaml trainer.max_epochs=3", "write (.*)\n", "config tiny.yaml -p trainer.epochs {}", "3"},
      {"plan tiny.yaml optimizer.learning_rate=0.5", "write (.*)\n", "config tiny.yaml -p optimizer.lr {}", "0.5"},
      {"plan tiny.yaml -m optimizer.learning_rate=0.5,0.25", "write (.*)\n", "plan tiny.yaml -m {}", "2 points"},
      {"plan tiny.yaml logger=tensorboard", "write (.*)\n", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml wandb.mode=offline", "write (.*)\n", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml --epochs 3", "write (.*)\n", "config tiny.yaml -p trainer.epochs {}", "3"},
      {"plan tiny.yaml --batch-size=7", "write (.*)\n", "config tiny.yaml -p trainer.batch_size {}", "7"},
      {"plan tiny.yaml --trainer.epochs 3", "write (.*)\n", "config tiny.yaml -p trainer.epochs {}", "3"},
      {"plan tiny.yaml --seed 3", "write (.*)\n", "config tiny.yaml -p seeds {}", "3"},
      {"tiny.yaml --seed=3", "write (.*)\n", "config tiny.yaml -p seeds {}", "3"},
      {"--config-name=foo", "'yatlab (list experiments)'", "{}", "xor"},
      {"tiny.yaml --lr 0.5", "write (.*)\n", "config tiny.yaml -p optimizer.lr {}", "0.5"},
      {"plan tiny.yaml trainer.epochs = 3", "write (.*)\n", "config tiny.yaml -p trainer.epochs {}", "3"},
      {"plan tiny.yaml trainer.epochs= 3", "write (.*)\n", "config tiny.yaml -p trainer.epochs {}", "3"},
      {"plan tiny.yaml trainer.epochs =3", "write (.*)\n", "config tiny.yaml -p trainer.epochs {}", "3"},
      {"plan tiny.yaml \"arms.mine=['operator=cosine']\"", "to add it: (.*)\n", "plan tiny.yaml {}", "3 arms"},
      {"plan tiny.yaml '+arms.mine=[operator=formula,operator.f=dot^2]'", "the whole argument: (.*)\n", "plan tiny.yaml {}", "3 arms"},
      {"plan tiny.yaml seeds=0..4", "are (.*)\n", "plan tiny.yaml {}", "5 seeds"},
      {"train tiny.yaml seeds=1", "write yatlab (.*)\n", "plan {}", "2 arms"},
      {"ls experiments", "write yatlab (.*)\n", "{}", "xor"},
      {"--config-name=xro", "did you mean '(.*)'", "plan {}", "350 jobs"},
      {"plan tiny.yaml analyses=None", "write (.*)\n", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml launcher.ranks=2", "write (.*)\n", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml data=xor", "write (.*)\n", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml trainer.early_stopping=true", "set (.*)\n", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml arms=yat", "(\\S*\\+arms\\.NAME\\S*) adds", "plan tiny.yaml {}", "3 arms"},
      {"plan tiny.yaml \"trainer.epochs='3'\"", "write (.*), without quotes\n", "config tiny.yaml -p trainer.epochs {}", "3"},
      {"plan tiny.yaml -m optimizer.lr=[0.1,0.2]", "write -m (.*)\n", "plan tiny.yaml -m {}", "2 points"},
      {"plan tiny.yaml trainer.epochs=3,5", ": (-m .*); or", "plan tiny.yaml {}", "2 points"},
      {"plan tiny.yaml tracker.name=run1", "write (.*)\n", "config tiny.yaml -p tracker.run_name {}", "run1"},
      {"plan tiny.yaml tracker=wandb tracker.name=run1", "write (.*)\n", "config tiny.yaml -p tracker.run_name tracker=wandb {}", "run1"},
      {"plan mnist_inversion smoke", "write (.*)\n", "plan mnist_inversion {}", "scale smoke"},
      {"plan MNIST_INV", "did you mean '(.*)'", "plan {}", "jobs"},
      {"MNIST_INV", "did you mean '(.*)'", "plan {}", "jobs"},
      {"plan tiny.yaml -m seed=0,1", "write (.*)\n", "plan tiny.yaml {}", "2 seeds"},
      {"list models", "here: yatlab (.*)\n", "{}", "mlp"},
      {"plan tiny.yaml optimizer._target_=torch.optim.SGD", "write (.*); 'yatlab", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml launcher.n_jobs=2", "write (.*)\n", "plan tiny.yaml {}", "2 arms"},
      {"plan tiny.yaml -m 'optimizer.lr=loguniform(0.1,0.2)'", "write (.*), with",
       "plan tiny.yaml -m 'optimizer.lr={}' sweeper=random sweeper.metric=test/loss", "points"},
      {"help train", "try: yatlab (.*)\n", "{}", "usage"},
      {"version", "write yatlab (.*)\n", "{}", "yatlab"},
  };
  const Desk desk(kTinyExperiment);
  std::ofstream(desk.path() / "bare.yaml")
      << "name: bare\ndefaults:\n  - /dataset: xor\n  - /architecture: mlp\n  - _self_\noperator: yat\n";
  std::vector<std::string> lines, again;
  for (const auto& c : cases) lines.push_back(std::string("yatlab ") + c.line);
  const auto failures = desk.ask_shells(lines);
  for (std::size_t i = 0; i < failures.size(); ++i) {
    INFO(lines[i] << "\n" << failures[i].output);
    CHECK(failures[i].status == 2);
    std::smatch match;
    CHECK(std::regex_search(failures[i].output, match, std::regex(cases[i].pattern)));
    again.push_back("yatlab " + filled(cases[i].again, match.empty() ? "no hint" : match[1].str()));
  }
  const auto answers = desk.ask_shells(again);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    INFO(again[i] << "\n" << answers[i].output);
    CHECK(answers[i].status == 0);
    CHECK(holds(answers[i].output, cases[i].result));
  }
}

TEST_CASE("an arm with a formula needs no nested quotes", "[cli][hints]") {
  const Desk desk(kTinyExperiment);
  const std::string arm = "'+arms.mine={f: \"dot^2 / (dist2 + eps)\", eps: 1e-3}'";
  CHECK(holds(desk.ask_shell("yatlab plan tiny.yaml " + arm).output, "3 arms"));
  const auto value = [&](const std::string& key) {
    return desk.ask_shell("yatlab config tiny.yaml --arm mine -p " + key + " " + arm).output;
  };
  CHECK(value("operator.name") == "formula\n");
  CHECK(value("operator.eps") == "0.001\n");
  CHECK(desk.ask_shell("yatlab config tiny.yaml --arm a -p architecture.scale '+arms.a={f: dot, architecture.scale: multiply}'").output ==
        "multiply\n");
  CHECK(holds(desk.ask_shell("yatlab plan tiny.yaml '+arms.mine={g: 1}'").output, "or a formula as {f: "));
}

TEST_CASE("seeds=3 prints that it is a single run", "[cli][hints]") {
  const Desk desk(kTinyExperiment);
  CHECK(holds(desk.ask_shell("yatlab plan tiny.yaml seeds=3").output, "for 3 seeds write 'seeds=range(0,3)'"));
  CHECK_FALSE(holds(desk.ask_shell("yatlab plan tiny.yaml 'seeds=[3]'").output, "range("));
  desk.ask_shell("(grep -v ^seeds: tiny.yaml; echo 'seeds: 3') >three.yaml");
  CHECK(holds(desk.ask_shell("yatlab plan three.yaml").output, "for 3 seeds write 'seeds: range(0, 3)'"));
}

TEST_CASE("mistakes without a replacement are explained", "[cli][hints][synonyms]") {
  const std::pair<const char*, const char*> cases[] = {
      {"plan tiny.yaml xor", "'xor' is not an override: it is an experiment"},
      {"plan tiny.yaml results=", "'results' is empty"},
      {"login", "WANDB_API_KEY"},
      {"plan tiny.yaml tracker=None", "leave tracker=None out"},
      {"plan tiny.yaml _target_=torch.optim.SGD", "components are chosen by name"},
      {"plan tiny.yaml architecture=transformer", "architecture 'transformer' needs tokens"},
      {"plan tiny.yaml architecture=transformer", "tinyshakespeare"},
      {"plan tiny.yaml --debug", "log.txt"},
      {"tiny.yaml --dry_run", "yatlab plan EXPERIMENT"},
      {"plan offline.yaml", "write tracker: {name: wandb, mode: offline, project: kernels}"},
  };
  const Desk desk(kTinyExperiment);
  std::ofstream(desk.path() / "offline.yaml") << kTinyExperiment << "wandb: {mode: offline, project: kernels}\n";
  for (const auto& [line, part] : cases) {
    const auto answer = desk.ask_shell(std::string("yatlab ") + line);
    INFO(line << "\n" << answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, part));
  }
  CHECK(holds(desk.ask_shell("yatlab plan tiny.yaml -m trainer.epochs=1,2 -m optimizer.lr=0.1,0.2 --multirun").output, "4 points"));
}

TEST_CASE("messages of a program started by run.sh name run.sh", "[cli][hints]") {
  const Desk desk(kTinyExperiment);
  const std::string called = "export YATLAB_CALLED_AS=./run.sh; yatlab ";
  CHECK(holds(desk.ask_shell(called + "describe operator/yta").output, "'./run.sh list operator' shows all"));
  CHECK(holds(desk.ask_shell(called + "help").output, "usage: ./run.sh EXPERIMENT"));
  CHECK(holds(desk.ask_shell(called + "plan --help").output, "example: ./run.sh plan "));
  CHECK_FALSE(holds(desk.ask_shell(called + "prune tiny --results .").output, "yatlab prune"));
  CHECK(holds(desk.ask_shell(called + "describe architecture/mlp").output, "from `./run.sh model export`"));
  CHECK(holds(desk.ask_shell(called + "tiny.yaml hydra.job.env_set.A=1").output, "NAME=value ./run.sh EXPERIMENT"));
  const testing::CleanEnvironment environment;
  const auto run = desk.ask_shell("mkdir 'a b'; " + called + "tiny.yaml tracker=wandb 'tracker.directory=a b'");
  INFO(run.output);
  std::smatch proposed;
  REQUIRE(std::regex_search(run.output, proposed, std::regex("to upload them: \\./run\\.sh (.*)\n")));
  CHECK(holds(desk.ask_shell("yatlab " + proposed[1].str() + " --dry-run").output, "a b/wandb/offline-run"));
}

TEST_CASE("experiments are listed with titles, and described", "[cli][hints]") {
  const Desk desk(std::string(kTinyExperiment) + "title: two kernels on digits\n");
  fs::create_directory(desk.path() / "experiments");
  fs::rename(desk.path() / "tiny.yaml", desk.path() / "experiments/tiny.yaml");
  CHECK(holds(desk.ask_shell("yatlab list experiments").output, "experiments/tiny.yaml  two kernels on digits"));
  const auto described = desk.ask_shell("yatlab describe tiny");
  INFO(described.output);
  CHECK(described.status == 0);
  CHECK(holds(described.output, "two kernels on digits"));
  CHECK(holds(described.output, "arms: linear, yat"));
  CHECK(holds(described.output, "run it: yatlab tiny"));
}

TEST_CASE("a run ends with a few lines that name its report", "[cli][hints]") {
  const Desk desk(kTinyExperiment);
  const auto answer = desk.ask_shell("yatlab tiny.yaml seeds=0");
  INFO(answer.output);
  CHECK(answer.status == 0);
  CHECK(holds(answer.output, "best: one seed cannot tell"));
  CHECK(holds(answer.output, "report.html, tables, figures, summary.json -> results/tiny/latest/"));
  const auto end = answer.output.substr(answer.output.find("\n\n") + 2);
  CHECK(std::count(end.begin(), end.end(), '\n') <= 25);
  CHECK_FALSE(holds(answer.output, "direction not decided"));
}

TEST_CASE("an arm with a dot in its name is addressed like any other", "[cli][hints]") {
  const Desk desk;
  const auto plan = [&](const std::string& overrides) {
    return desk.ask_shell("yatlab plan xor 'seeds=[0]' " + overrides + " | head -1").output;
  };
  CHECK(plan("") == "xor: 7 arms x 1 seed = 7 jobs\n");
  CHECK(plan("'~arms.yat_0.01'") == "xor: 6 arms x 1 seed = 6 jobs\n");
  CHECK(plan("'~arms.yat_0.01' '~arms.yat_0.1' '~arms.dot'") == "xor: 4 arms x 1 seed = 4 jobs\n");
  CHECK(desk.ask_shell("yatlab config xor \"arms.yat_0.1=['operator=yat','operator.epsilon=0.2']\" --arm yat_0.1 -p operator.epsilon")
            .output == "0.2\n");
  CHECK(desk.ask_shell("yatlab config xor -p arms.yat_0.01.1").output == "operator.epsilon=0.01\n");
  CHECK(desk.ask_shell("yatlab config xor arms.yat_0.01.1=operator.epsilon=0.03 -p arms.yat_0.01.1").status == 2);
  CHECK(desk.ask_shell("yatlab config xor \"arms.yat_0.01.1='operator.epsilon=0.03'\" --arm yat_0.01 -p operator.epsilon").output ==
        "0.03\n");
  CHECK(desk.ask_shell("yatlab config xor labels.yat_0.01=other -p labels.yat_0.01").output == "other\n");
  CHECK(holds(desk.ask_shell("yatlab config xor --explain arms.yat_0.01").output,
              "arms.yat_0.01 = ['operator=yat', 'operator.epsilon=0.01']\n  set by: "));
  CHECK(holds(desk.ask_shell("yatlab plan xor '~arms.yat_0.02'").output, "cannot delete 'arms.yat_0.02'"));
}

TEST_CASE("an incompatible component is blamed on the override that chose it", "[cli][hints]") {
  const Desk desk(kTinyExperiment);
  const auto answer = desk.ask({"plan", "tiny.yaml", "normalizer=softermax"});
  CHECK(answer.status == 2);
  CHECK(holds(answer.output,
              "error: arm 'linear': normalizer 'softermax' does not support the scores of operator 'dot'\n  at: command line "
              "(normalizer=softermax)\n"));
  CHECK(holds(desk.ask({"plan", "tiny.yaml", "+arms.x=['operator=cosine','normalizer=softermax']"}).output,
              "\n  at: arm x (normalizer=softermax)\n"));
  CHECK(desk.ask({"plan", "tiny.yaml", "normalizer=softermax", "~arms.linear"}).status == 0);
}

}  // namespace yatlab
