// The output and exit code of every command.

#include <sstream>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/base/text.h"
#include "core/system/cpu.h"

namespace yatlab {
namespace {

using testing::Answer;
using testing::Desk;
using testing::holds;

const fs::path kSource = YATLAB_SOURCE_DIR;

}  // namespace

TEST_CASE("every command has help with an example", "[cli]") {
  const Desk desk;
  const auto usage = desk.ask({"--help"});
  CHECK(usage.status == 0);
  for (const char* command : {"run", "plan", "config", "list",  "describe", "report", "runs",   "status", "compare", "export",
                              "tag", "note", "prune",  "serve", "data",     "plugin", "doctor", "test",   "bench",   "fuzz",
                              "ui",  "new",  "job",    "help",  "verdict",  "verify", "repeat", "bundle"}) {
    INFO(command);
    const bool alias = command == std::string("ui") || command == std::string("new");
    CHECK(holds(usage.output, std::string("\n  ") + command + " ") != alias);
    const auto help = desk.ask({command, "--help"});
    CHECK(help.status == 0);
    CHECK(holds(help.output, std::string("usage: yatlab ") + command));
    CHECK(holds(help.output, "--help"));
    const auto example = help.output.find("\nexample: ");
    REQUIRE(example != std::string::npos);
    CHECK(holds(help.output.substr(example), command));
  }
  CHECK(holds(desk.ask({"run", "-h"}).output, "--retry-failed"));
}

TEST_CASE("without arguments the program prints its usage", "[cli]") {
  const Desk desk;
  const auto none = desk.ask({});
  CHECK(none.status == 2);
  CHECK(none.output == desk.ask({"--help"}).output);
  const auto version = desk.ask({"--version"});
  CHECK(version.status == 0);
  CHECK(holds(version.output, "yatlab "));
}

TEST_CASE("wrong usage exits with 2 and suggests the nearest name", "[cli][errors]") {
  const Desk desk(testing::kTinyExperiment);
  struct Case {
    std::vector<std::string> arguments;
    std::string output;
  };
  const Case cases[] = {
      {{"lst"}, "error: unknown command or experiment 'lst'\n  at: command line\n  try: did you mean 'list'?\n"},
      {{"run", "tiny.yaml", "--frsh"}, "error: unknown option '--frsh'\n  at: command line\n  try: did you mean '--fresh'?\n"},
      {{"tiny.yaml", "--quite"}, "error: unknown option '--quite'\n  at: command line\n  try: did you mean '--quiet'?\n"},
      {{"run", "seeds=[1]", "tiny.yaml"},
       "error: 'seeds=[1]' is an override, but no experiment comes before it\n  at: command line\n  why: the experiment comes first, then "
       "its overrides\n  try: write yatlab run tiny.yaml 'seeds=[1]'\n"},
      {{"list", "operater"}, "error: unknown kind 'operater'\n  at: command line\n  try: did you mean 'operator'?\n"},
      {{"describe", "operator/yta"},
       "error: unknown operator 'yta'\n  at: command line\n"
       "  try: did you mean 'yat'? ('yatlab list operator' shows all)\n"},
      {{"describe", "yat"},
       "error: 'yat' is not of the form KIND/NAME\n  at: command line\n  why: it is a component of the kind 'operator'\n  try: yatlab "
       "describe operator/yat\n"},
      {{"config", "tiny.yaml", "--explain", "operator.epsilon", "--arm", "yet"},
       "error: unknown arm 'yet'\n  at: tiny.yaml\n  try: did you mean 'yat'?\n"},
      {{"config", "tiny.yaml", "--package", "trainr"},
       "error: there is no key 'trainr'\n  at: --package\n  try: did you mean 'trainer'?\n"},
      {{"config", "tiny.yaml", "--format", "toml"}, "error: --format cannot be 'toml'\n  at: command line\n  try: choices: yaml, json\n"},
      {{"data", "fetch", "mnits"}, "error: unknown dataset 'mnits'\n  at: command line\n  try: did you mean 'mnist'?\n"},
      {{"data", "fecth"}, "error: unknown command 'data fecth'\n  at: command line\n  try: did you mean 'fetch'?\n"},
      {{"report", "nowhere"},
       "error: 'nowhere' is not a run\n  at: command line\n  why: there are no runs in results\n  try: give a run directory "
       "(results/mnist_inversion/latest), an experiment, the beginning of a run's id or hash, or tag:NAME; 'yatlab runs' lists all runs\n"},
      {{"plugin", "new", "operator"},
       "error: expected: plugin new KIND NAME, plugin build DIR, or plugin promote\n  at: command line\n  try: yatlab plugin new operator "
       "my_kernel\n"},
      {{"tiny.yaml", "trainer.epoch=2"},
       "error: cannot change 'trainer.epoch'\n  at: command line (trainer.epoch=2)\n"
       "  why: 'trainer' has no key 'epoch'\n  try: did you mean 'trainer.epochs'?\n"},
      {{"tiny.yaml", "operator=cosine"},
       "error: 'operator=cosine' would replace the component that defines arm 'linear'\n  at: command line\n  why: the arm itself sets "
       "operator=dot\n  try: change the arm (\"arms.linear=['operator=cosine']\"), or add one (\"+arms.mine=['operator=cosine']\")\n"},
  };
  for (const auto& [arguments, output] : cases) {
    std::string line;
    for (const auto& word : arguments) line += word + " ";
    INFO(line);
    const auto answer = desk.ask(arguments);
    CHECK(answer.status == 2);
    CHECK(answer.output == output);
  }
  CHECK_FALSE(fs::exists(desk.path() / "results"));
}

TEST_CASE("a mistyped experiment is answered with the nearest file", "[cli][errors]") {
  const Desk desk;
  const auto answer = desk.ask_in(kSource, {"experiments/mnist_inversoin.yaml"});
  CHECK(answer.status == 2);
  CHECK(answer.output ==
        "error: there is no experiment file 'experiments/mnist_inversoin.yaml'\n  at: command line\n  try: did you mean "
        "'experiments/mnist_inversion.yaml'?\n");
  const auto none = desk.ask_in(kSource, {"run"});
  CHECK(none.status == 2);
  CHECK(holds(none.output, "error: no experiment given\n"));
  CHECK(holds(none.output, "for example: yatlab run xor"));
}

TEST_CASE("a failed job exits with 1 and missing data exit with 3", "[cli][errors]") {
  const Desk desk(testing::kTinyExperiment);
  // The number of samples is known only once they are loaded.
  const auto failed = desk.ask({"tiny.yaml", "trainer.batch_size=1000", "trainer.drop_last=true", "launcher.workers=1", "--quiet"});
  CHECK(failed.status == 1);
  for (const char* arm : {"linear", "yat"})
    CHECK(holds(failed.output, std::string("failed: ") + arm + " seed=0: an epoch has no batches\n"));
  CHECK(holds(failed.output, "  try: use a smaller batch size\n"));
  std::ofstream(desk.path() / "real.yaml")
      << "name: real\ndefaults:\n  - /dataset: mnist\n  - /architecture: prototype_classifier\n  - _self_\n"
         "operator: yat\ndata: {require_real: true, offline: true}\n";
  const auto unavailable = desk.ask({"real.yaml"});
  CHECK(unavailable.status == 3);
  CHECK(holds(unavailable.output, "error: "));
  CHECK(holds(unavailable.output, "mnist"));
  CHECK_FALSE(fs::exists(desk.path() / "results/real"));
}

TEST_CASE("list and describe show what exists", "[cli]") {
  const Desk desk;
  const auto kinds = desk.ask({"list"});
  CHECK(kinds.status == 0);
  for (const char* kind : {"operator", "normalizer", "architecture", "dataset", "optimizer", "schedule", "task", "analysis", "tracker",
                           "launcher", "sweeper", "initializer"}) {
    INFO(kind);
    CHECK(holds("\n" + kinds.output, std::string("\n  ") + kind + " "));
  }
  const auto operators = desk.ask({"list", "operators"});
  CHECK(operators.status == 0);
  CHECK(operators.output == desk.ask({"list", "operator"}).output);
  CHECK(holds(operators.output, "yat (ⵟ)"));
  CHECK(desk.ask({"list", "analyses"}).status == 0);
  const auto experiments = desk.ask_in(kSource, {"list", "experiments"});
  CHECK(holds(experiments.output, "  experiments/xor.yaml "));

  const auto yat = desk.ask({"describe", "operator/yat"});
  CHECK(yat.status == 0);
  CHECK(holds(yat.output, "operator/yat  "));
  CHECK(holds(yat.output, "also called ⵟ"));
  CHECK(holds(yat.output, "plugins/kernels/operators/yat.cpp:"));
  CHECK(holds(yat.output, "epsilon = 1e-05"));
  CHECK(desk.ask({"describe", "operator/ⵟ"}).output == yat.output);
}

TEST_CASE("a formula whose parameter name is reserved in C++ is not promoted", "[cli][plugins]") {
  const Desk desk(testing::kTinyExperiment);
  for (const char* name : {"long", "operator", "y", "row_sum"}) {
    const auto said = desk.ask({"plugin", "promote", "tiny.yaml:f",
                                std::string("+arms.f=['operator=formula','operator.f=\"dot * ") + name + "\"','operator." + name + "=2']",
                                "--name", "kernel"});
    INFO(said.output);
    CHECK(said.status == 2);
    CHECK(holds(said.output, std::string("a parameter called '") + name + "' cannot be promoted"));
    CHECK(holds(said.output, "try: rename it in the formula"));
  }
  CHECK_FALSE(fs::exists(desk.path() / "plugins"));
}

TEST_CASE("list metrics shows which metrics the arms will record before a run", "[cli]") {
  const Desk desk(testing::kTinyExperiment);
  const auto listed = desk.ask({"list", "metrics", "tiny.yaml"});
  INFO(listed.output);
  CHECK(listed.status == 0);
  CHECK(holds(listed.output, "metrics of finished jobs (tables, comparisons, numbers of the paper)\n"));
  CHECK(holds(listed.output, "\n  test/accuracy "));
  CHECK(holds(listed.output, "test accuracy; higher is better\n"));
  CHECK(holds(listed.output, "test loss, in nats; lower is better\n"));
  CHECK(holds(listed.output, "\nmetrics while training (learning curves)\n"));
  CHECK_FALSE(fs::exists(desk.path() / "results"));
  // Of some arms only, and with overrides that add to them.
  const auto more =
      desk.ask({"list", "metrics", "tiny.yaml", "+arms.scaled=[operator=yat,architecture.scale=multiply]", "analyses=[prototype_norms]"});
  INFO(more.output);
  CHECK(holds(more.output, "\n  model/alpha"));
  CHECK(holds(more.output, "scaled alone"));
  CHECK(holds(more.output, "\n  prototypes/norm_change"));
  const auto none = desk.ask({"list", "metrics"});
  CHECK(none.status == 2);
  CHECK(holds(none.output, "no experiment given"));
  CHECK(desk.ask({"list", "metrics", "--help"}).status == 0);
}

TEST_CASE("config shows the composed experiment and where a value comes from", "[cli]") {
  const Desk desk(testing::kTinyExperiment);
  const auto whole = desk.ask({"config", "tiny.yaml", "trainer.epochs=7"});
  CHECK(whole.status == 0);
  CHECK(holds(whole.output, "name: tiny\n"));
  CHECK(holds(whole.output, "  epochs: 7\n"));
  const auto trainer = desk.ask({"config", "tiny.yaml", "-p", "trainer", "--format", "json"});
  CHECK(nlohmann::json::parse(trainer.output).at("batch_size") == 20);
  const auto yat = desk.ask({"config", "tiny.yaml", "--arm", "yat", "--package", "operator", "--format", "json"});
  CHECK(nlohmann::json::parse(yat.output).at("name") == "yat");
  CHECK(nlohmann::json::parse(yat.output).at("epsilon") == 1e-5);

  const auto file = desk.ask({"config", "tiny.yaml", "--explain", "trainer.epochs"});
  CHECK(file.status == 0);
  CHECK(holds(file.output, "tiny.yaml:7:"));
  const auto line = desk.ask({"config", "tiny.yaml", "trainer.epochs=7", "--explain", "trainer.epochs"});
  CHECK(holds(line.output, "command line (trainer.epochs=7)"));
  CHECK(holds(line.output, "tiny.yaml:7:"));  // the replaced value
  const auto group = desk.ask({"config", "tiny.yaml", "--arm", "yat", "--explain", "operator.epsilon"});
  CHECK(holds(group.output, "configs/operator/yat.yaml:"));
  const auto unset = desk.ask({"config", "tiny.yaml", "--explain", "trainer.shuffle"});
  CHECK(holds(unset.output, "default"));
}

TEST_CASE("plan shows the jobs before anything runs", "[cli]") {
  const Desk desk(testing::kTinyExperiment);
  const auto table = desk.ask({"plan", "tiny.yaml", "seeds=range(0,2)"});
  CHECK(table.status == 0);
  CHECK(holds(table.output, "tiny: 2 arms x 2 seeds = 4 jobs\n"));
  CHECK(holds(table.output, "  yat seed=1  "));
  const auto plan = nlohmann::json::parse(desk.ask({"plan", "tiny.yaml", "--json", "-m", "operator.epsilon=0.1,0.2"}).output);
  CHECK(plan.at("arms") == nlohmann::json({"linear", "yat"}));
  REQUIRE(plan.at("jobs").size() == 3);  // the linear arm has no epsilon
  CHECK(plan.at("jobs")[2].at("params").at("operator.epsilon") == 0.2);
  CHECK_FALSE(fs::exists(desk.path() / "results"));
}

TEST_CASE("data list shows every data set and its files", "[cli]") {
  const Desk desk;
  const auto listed = desk.ask({"data", "list"});
  CHECK(listed.status == 0);
  for (const char* name : {"mnist", "fashion_mnist", "synthetic_digits", "xor"}) {
    INFO(name);
    CHECK(holds("\n" + listed.output, std::string("\n  ") + name + " "));
  }
  CHECK(desk.ask({"data"}).output == listed.output);
}

TEST_CASE("plugin new writes a component that the build would pick up", "[cli]") {
  const Desk desk;
  const fs::path root = desk.path() / "repository";
  fs::create_directory(root);
  const auto answer = desk.ask({"plugin", "new", "operator", "my_kernel", "--root", root.string()});
  INFO(answer.output);
  CHECK(answer.status == 0);
  CHECK(fs::is_regular_file(root / "plugins/lab/operators/my_kernel.cpp"));
  CHECK(fs::is_regular_file(root / "configs/operator/my_kernel.yaml"));
  CHECK(holds(answer.output, "wrote "));
  CHECK(desk.ask({"plugin", "new", "operator", "my_kernel", "--root", root.string()}).status == 2);  // nothing is overwritten
}

TEST_CASE("doctor reports the state of the installation", "[cli]") {
  const Desk desk;
  const auto answer = desk.ask({"doctor"});
  CHECK(answer.status == 0);
  for (const char* item : {"LibTorch", "BLAS", "CPU", "fp32 matmul", "bf16 matmul", "CUDA", "figures", "disk", "data", "W&B"}) {
    INFO(item);
    CHECK(holds(answer.output, item));
  }
}

TEST_CASE("OpenBLAS uses this CPU's kernels, or those that the user chose", "[cli]") {
  const Desk desk(testing::kTinyExperiment);
  const auto kernels = [&](const std::string& before) { return lower(desk.ask_shell(before + "yatlab doctor | grep ' BLAS '").output); };
  if (!holds(kernels(""), "openblas")) {
    WARN("skipped: LibTorch uses another BLAS");
    return;
  }
  if (CpuFlags::here().has("avx2")) CHECK_FALSE(holds(kernels("unset OPENBLAS_CORETYPE; "), "kernels prescott"));
  CHECK(holds(kernels("export OPENBLAS_CORETYPE=Nehalem; "), "kernels nehalem"));
  CHECK(holds(
      desk.ask_shell("unset OPENBLAS_NUM_THREADS; yatlab config tiny 'title=\"${oc.env:OPENBLAS_NUM_THREADS,none}\"' --resolve").output,
      "title: none"));
}

}  // namespace yatlab
