#include "core/cli/hydra.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace {

using Flag = HydraFlag;

const Flag kFlags[] = {
    {"--cfg", "-c", Flag::kRequired, HydraMeaning::kConfig, "shows the composed config: --cfg job (or all) is the command 'config'", ""},
    {"--info", "-i", Flag::kOptional, HydraMeaning::kInfo,
     "shows what the config is made of: all, config, defaults, defaults-tree, plugins or searchpath", ""},
    {"--config-name", "-cn", Flag::kRequired, HydraMeaning::kName, "names the experiment: -cn xor", ""},
    {"--config-path", "-cp", Flag::kRequired, HydraMeaning::kPath,
     "the folder that the experiment is in: -cp experiments/sweeps -cn mnist_protocol", ""},
    {"--run", "-r", Flag::kNone, HydraMeaning::kRun, "runs the experiment; no flag is needed", ""},
    {"--resolve", "", Flag::kNone, HydraMeaning::kConfigOnly, "only works with 'config' or --cfg job",
     "yatlab config {experiment} --resolve"},
    {"--package", "-p", Flag::kRequired, HydraMeaning::kConfigOnly, "only works with 'config' or --cfg job",
     "yatlab config {experiment} --package {}"},
    {"--hydra-help", "", Flag::kNone, HydraMeaning::kOther, "one page lists Hydra's flags and keys, and what to use here",
     "yatlab help hydra"},
    {"--shell-completion", "-sc", Flag::kOptional, HydraMeaning::kOther, "completion has its own command", "yatlab completion install"},
    {"--experimental-rerun", "", Flag::kRequired, HydraMeaning::kOther,
     "running the same command again continues a run; its overrides are in its overrides.yaml", "yatlab run {experiment}"},
};

struct Key {
  const char* key;      ///< itself and what is below it, after '.' or '/'
  const char* here;     ///< one line: its equivalent here
  const char* instead;  ///< what to write, with {} for the value; "": leave it out
};

// The first match counts.
const Key kKeys[] = {
    {"hydra.run.dir", "a run goes to <results>/<experiment>/<time>-<what was overridden>-<hash>", "results={}"},
    {"hydra.sweep.dir", "a sweep is one run, and goes to <results>/<experiment>/<time>-<what was overridden>-<hash>", "results={}"},
    {"hydra.sweep.subdir", "jobs go to jobs/<arm>/seed=<n>,<key>=<value> in the run's folder", ""},
    {"hydra.launcher.n_jobs", "the number of parallel jobs is launcher.workers; 0: as many as the cores allow", "launcher.workers={}"},
    {"hydra.launcher", "the launcher is a component of the experiment ('yatlab describe launcher/local')", "launcher.workers=0"},
    {"hydra/launcher", "the launcher is a component of the experiment ('yatlab list launcher')", "launcher=local"},
    {"hydra.sweeper.params", "a sweep is given in the experiment's 'sweep:' or on the command line", "-m trainer.epochs=1,2"},
    {"hydra.sweeper", "the sweeper is a component of the experiment ('yatlab list sweeper')", "sweeper=grid"},
    {"hydra/sweeper", "the sweeper is a component of the experiment ('yatlab list sweeper')", "sweeper=grid"},
    {"hydra.job.name", "the folder of the runs is called after the experiment's 'name'", "name={}"},
    {"hydra.job.chdir", "jobs run in the current folder", ""},
    {"hydra.job.env_set", "set environment variables before the command: NAME=value yatlab EXPERIMENT", ""},
    {"hydra.job", "jobs are named by arm, seed and swept values", ""},
    {"hydra.mode", "a sweep on the command line needs --multirun", "-m"},
    {"hydra.verbose", "the log is log.txt in the run's folder; --quiet prints less", ""},
    {"hydra.searchpath", "folders of configs are added with --config-dir", "--config-dir {}"},
    {"hydra.output_subdir", "the config, the overrides and the plan are in the run's folder itself", ""},
    {"hydra.callbacks", "callbacks are trackers here ('yatlab list tracker')", "tracker=tensorboard"},
    {"hydra/callbacks", "callbacks are trackers here ('yatlab list tracker')", "tracker=tensorboard"},
    {"hydra/job_logging", "the log is log.txt in the run's folder; it has no settings", ""},
    {"hydra/hydra_logging", "the log is log.txt in the run's folder; it has no settings", ""},
    {"hydra.job_logging", "the log is log.txt in the run's folder; it has no settings", ""},
    {"hydra.hydra_logging", "the log is log.txt in the run's folder; it has no settings", ""},
    {"hydra.help", "help is generated from the declarations of the components", ""},
    {"hydra/help", "help is generated from the declarations of the components", ""},
    {"hydra", "there is no node 'hydra': launcher, sweeper, results and name are keys of the experiment ('yatlab help hydra')", ""},
};

bool covers(const std::string& key, const std::string& given) {
  return given == key ||
         (given.size() > key.size() && given.compare(0, key.size(), key) == 0 && (given[key.size()] == '.' || given[key.size()] == '/'));
}

std::string replaced(std::string text, const std::string& mark, const std::string& value) {
  if (const auto at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), value);
  return text;
}

}  // namespace

const HydraFlag* find_hydra_flag(const std::string& word) {
  const auto name = word.rfind("--", 0) == 0 ? word.substr(0, word.find('=')) : word;
  for (const auto& flag : kFlags) {
    if (name == flag.name || (*flag.letters && name == flag.letters)) return &flag;
  }
  return nullptr;
}

void refuse_hydra_flag(const HydraFlag& flag, const std::string& value, const std::string& experiment) {
  const std::string what = flag.meaning == HydraMeaning::kConfigOnly
                               ? fmt::format("'{}' has no effect here", flag.name)
                               : fmt::format("'{}' is a Hydra flag that does not exist here", flag.name);
  auto hint = replaced(flag.instead, "{experiment}", experiment.empty() ? "EXPERIMENT" : shell_word(experiment));
  throw config_error(what, "command line", flag.here, replaced(std::move(hint), "{}", shell_word(value)));
}

void refuse_hydra_key(const std::string& text) {
  const auto begin = text.find_first_not_of("+~");
  if (begin == std::string::npos) return;
  const auto equal = text.find('=', begin);
  auto given = text.substr(begin, equal == std::string::npos ? equal : equal - begin);
  given = given.substr(0, given.find('@'));
  for (const auto& row : kKeys) {
    if (!covers(row.key, given)) continue;
    std::string value = equal == std::string::npos ? "" : text.substr(equal + 1);
    std::string instead = row.instead;
    if (given == "hydra.mode" && lower(value) == "run") instead.clear();
    if (given == "hydra/sweeper" && (value == "optuna" || value == "ax" || value == "nevergrad")) instead = "sweeper=tpe";
    if (given == "hydra.sweeper.n_trials") instead = "sweeper=tpe sweeper.trials={}";
    if (given == "hydra/launcher" && value == "submitit_slurm") instead = "launcher=slurm";
    if (const std::string swept = "hydra.sweeper.params."; given.rfind(swept, 0) == 0) instead = "-m " + given.substr(swept.size()) + "={}";
    if (given == "hydra.searchpath") {  // [file:///a, pkg://b]: its first folder
      value = trim(value.substr(0, value.find(',')));
      value.erase(std::remove_if(value.begin(), value.end(), [](char c) { return c == '[' || c == ']' || c == '\'' || c == '"'; }),
                  value.end());
      if (value.rfind("file://", 0) == 0) value.erase(0, 7);
    }
    const bool deleted = text.front() == '~';
    throw config_error(fmt::format("'{}' has no effect here", text), "command line", row.here,
                       instead.empty() || deleted ? "leave it out" : "write " + replaced(instead, "{}", shell_word(value)));
  }
}

std::string hydra_help() {
  std::string out =
      "Hydra's flags and keys, and what to use here. The rest of its command line is the same: key=value, +key=value,\n++key=value, ~key, "
      "group=option, group@package=option, -m with key=a,b or range, choice, glob, tag, sort and shuffle.\n\nflags:\n";
  out += fmt::format("  {:26} {}\n", "--multirun, -m", "sweeps over key=a,b and key=range(...)");
  out += fmt::format("  {:26} {}\n", "--config-dir, -cd", "one more folder of configs, searched last");
  const auto put = [&](const std::string& name, const char* here, const std::string& instead) {
    out += fmt::format("  {:26} {}{}\n", name, here, instead.empty() ? "" : "; write " + instead);
  };
  for (const auto& flag : kFlags) {
    const auto name = *flag.letters ? fmt::format("{}, {}", flag.name, flag.letters) : std::string(flag.name);
    put(name, flag.here, replaced(replaced(flag.instead, "{experiment}", "EXPERIMENT"), "{}", "X"));
  }
  out += "\nkeys:\n";
  for (const auto& row : kKeys) put(row.key, row.here, replaced(row.instead, "{}", "X"));
  return out;
}

}  // namespace yatlab::cli
