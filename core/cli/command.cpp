#include "core/cli/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <sstream>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/experiments.h"
#include "core/cli/hydra.h"
#include "core/registry/plugin_library.h"

namespace yatlab::cli {
namespace po = boost::program_options;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"run", "EXPERIMENT [key=value ...]", "train every arm on every seed; tables, figures, verdicts",
       "yatlab run experiments/mnist_inversion.yaml operator.epsilon=1e-3 'seeds=range(0,10)'", run_command, true},
      {"plan", "EXPERIMENT [key=value ...]", "the jobs that a run would do, before anything runs",
       "yatlab plan experiments/sweeps/mnist_epsilon_alpha.yaml", plan_command, true},
      {"job", "FOLDER ...", "do what is not done of the job in a folder: what launchers call",
       "yatlab job results/mnist_inversion/latest/jobs/yat/seed=0", job_command},
      {"config", "EXPERIMENT [key=value ...]", "the composed config; --explain KEY says where a value comes from",
       "yatlab config experiments/mnist_inversion.yaml --arm yat --explain operator.epsilon", config_command, true},
      {"list", "[KIND] | metrics EXPERIMENT", "kinds of components, the components of one kind, or what an experiment measures",
       "yatlab list operator", list_command},
      {"describe", "KIND/NAME | KIND | KEY | experiment | functions | ...",
       "a component, a kind, the keys of an experiment, the functions of overrides", "yatlab describe operator/yat", describe_command},
      {"report", "[RUN ...]", "draw runs again, or gather all of them into results/paper/", "yatlab report results/mnist_inversion/latest",
       report_command},
      {"repeat", "[EXPERIMENT ...] [key=value ...]",
       "run some jobs of recorded results again, and hold every number against what is recorded", "yatlab repeat xor --jobs 2",
       repeat_command},
      {"runs", "[EXPERIMENT] [key=value | metric>x | state=failed | arm=yat | tag=best ...]",
       "the runs that there are, the newest first, or those that are so",
       "yatlab runs mnist_inversion operator.epsilon=1e-5 'test/accuracy>0.92'", runs_command},
      {"status", "[RUN]", "how far the jobs of a run are: what runs where, what failed and why", "yatlab status mnist_inversion --follow",
       status_command},
      {"compare", "RUN RUN", "two runs side by side: what differs in config, code and data, then in results",
       "yatlab compare mnist_inversion/2026-11-21_14 tag:best", compare_command},
      {"export", "RUN | EXPERIMENT ... --format csv|jsonl", "jobs or logged steps of runs as one table, for pandas and the like",
       "yatlab export mnist_inversion --format csv --out jobs.csv", export_command},
      {"tag", "RUN [+TAG | -TAG ...]", "give a run names, or take them away; without any: what it has",
       "yatlab tag mnist_inversion +for-paper -draft", tag_command},
      {"note", "RUN [TEXT]", "a note on a run", "yatlab note mnist_inversion 'the first with the new loader'", note_command},
      {"prune", "[EXPERIMENT | RUN ...]", "remove what newer runs hold too, what never finished anything, and checkpoints; shows it first",
       "yatlab prune mnist_inversion --checkpoints none", prune_command},
      {"data", "list | fetch NAME ... | verify [NAME ...] | describe NAME|EXPERIMENT [dataset.key=value ...] | tokenize FILE ...",
       "what data is there; fetch, check, look into and tokenize it", "yatlab data fetch mnist", data_command},
      {"generate", "JOB", "text from a trained language model",
       "yatlab generate results/gpt2_vs_aether/latest/jobs/gpt2/seed=0 --prompt 'Once upon'", generate_command},
      {"evaluate", "JOB|FOLDER [dataset=NAME dataset.key=value task.key=value ...]",
       "measure a trained or imported model on its own data, on other data or on a text",
       "yatlab evaluate models/gpt2 --text wiki.test.raw --stride 512", evaluate_command},
      {"model", "import FILE|FOLDER --out FOLDER | export JOB --out FOLDER",
       "trained models out, as Hugging Face's folders (config, tokenizer, safetensors); GPT-2's weights in",
       "yatlab model export results/gpt2_vs_aether/latest/jobs/gpt2/seed=0 --out models/gpt2", model_command},
      {"replay", "RUN [tracker.key=value ...]", "hand a run that is over to a tracker: Weights & Biases, TensorBoard, a plugin's own",
       "yatlab replay results/mnist_inversion/latest --tracker wandb tracker.project=mnist", replay_command},
      {"sync", "[DIR ...]", "upload runs that were logged offline to Weights & Biases", "yatlab sync wandb", sync_command},
      {"plugin", "new KIND NAME [--project DIR] | build DIR | promote JOB|EXPERIMENT:ARM --name NAME",
       "write a component, its config and its test, in the tree or in a project of your own; build that; write an arm's operator=formula "
       "as one",
       "yatlab plugin new operator my_kernel", plugin_command},
      {"doctor", "", "what was found on this machine, and what to do where it is poor", "yatlab doctor", doctor_command},
      {"test", "[FOLDER ...]", "run the tests (all, or those of some folders)", "./run.sh test config registry", test_command},
      {"bench", "[NAME ...]", "run the benchmarks", "./run.sh bench", bench_command},
      {"fuzz", "[TARGET ...] [SECONDS]", "try made-up inputs on what reads files and command lines (60 s each; 0: only the kept inputs)",
       "./run.sh fuzz yaml 300", fuzz_command},
      {"completion", "bash | zsh | fish | install [SHELL]", "completion of commands, experiments, keys and values in the shell",
       "yatlab completion install", completion_command},
      {"help", "[COMMAND | hydra]", "this text, a command's, or what Hydra's flags are here", "yatlab help hydra", help_command},
      {"complete", "-- WORD ...", nullptr, "yatlab complete -- experiments/xor.yaml trainer.", complete_command},
  };
  return all;
}

const Command* find_command(const std::string& name) {
  for (const auto& c : commands()) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

namespace {

/// Set while a command is asked for its options: parse_arguments hands them over, and the command ends as after --help.
std::vector<Option>* asked_options = nullptr;

std::vector<Option> as_options(const po::options_description& declared) {
  std::vector<Option> out;
  for (const auto& option : declared.options()) {
    auto letter = option->canonical_display_name(po::command_line_style::allow_dash_for_short);
    if (letter.rfind("--", 0) == 0 || letter[0] != '-') letter.clear();
    out.push_back({"--" + option->long_name(), letter, option->semantic()->max_tokens() > 0, option->description()});
  }
  return out;
}

}  // namespace

std::vector<Option> options_of(const Command& command, const std::vector<std::string>& arguments) {
  std::vector<Option> out;
  asked_options = &out;
  command.run(command, arguments);
  asked_options = nullptr;
  return out;
}

Arguments parse_arguments(const Command& self, const std::vector<std::string>& arguments, po::options_description options) {
  options.add_options()("help,h", po::bool_switch(), "this text")("plugin", po::value<std::vector<std::string>>()->composing(),
                                                                  "a plugin library (.so), or a folder of them; repeatable");
  Arguments out;
  out.command = self.name;
  if (asked_options) {
    *asked_options = as_options(options);
    out.help = true;
    return out;
  }
  po::options_description all;
  all.add(options).add_options()("words", po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add("words", -1);
  try {
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional(positional)
                  .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
                  .run(),
              out.options);
    po::notify(out.options);
  } catch (const po::unknown_option& e) {
    std::vector<std::string> names;
    for (const auto& option : options.options()) names.push_back("--" + option->long_name());
    throw config_error(fmt::format("unknown option '{}'", e.get_option_name()), "command line", {}, suggestion(e.get_option_name(), names));
  } catch (const po::error& e) {
    throw config_error(e.what(), "command line", {}, fmt::format("see 'yatlab {} --help'", self.name));
  }
  if (out.flag("help")) {
    std::ostringstream text;
    text << options;
    say("{}\n\nusage: yatlab {} {} [options]\n\n{}\nexample: {}\n", self.summary, self.name, self.usage, text.str(), self.example);
    out.help = true;
    return out;
  }
  if (out.options.count("words")) out.words = out.options["words"].as<std::vector<std::string>>();
  if (out.options.count("plugin")) {
    std::vector<std::filesystem::path> paths;
    for (const auto& p : out.options["plugin"].as<std::vector<std::string>>()) paths.emplace_back(p);
    load_plugins(paths);
  }
  return out;
}

std::filesystem::path program_directory() {
  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  return ec ? std::filesystem::current_path() : self.parent_path();
}

std::vector<std::filesystem::path> config_path(const std::filesystem::path& experiment) {
  namespace fs = std::filesystem;
  std::vector<fs::path> out;
  const auto add = [&](const fs::path& candidate) {
    std::error_code ec;
    if (!fs::is_directory(candidate, ec)) return;
    for (const auto& have : out) {
      if (fs::equivalent(have, candidate, ec)) return;
    }
    out.push_back(candidate);
  };
  if (!experiment.empty()) {
    for (fs::path at = experiment.parent_path();; at = at.parent_path()) {
      add(at.empty() ? fs::path("configs") : at / "configs");
      if (at.empty() || at == at.parent_path()) break;
    }
  }
  add("configs");
  const auto program = program_directory();
  add(program / "../share/yatlab/configs");
  add(program / "../../../configs");  // build/<preset>/bin
  return out;
}

void add_experiment_options(po::options_description& options) {
  options.add_options()("multirun,m", po::bool_switch(), "sweep over key=a,b and key=range(...) on the command line")(
      "config-dir", po::value<std::vector<std::string>>()->composing(), "one more folder of configs, searched last; repeatable");
}

PlanRequest plan_request(const Arguments& arguments) {
  PlanRequest request;
  request.experiment = required_experiment(arguments.words, arguments.command);
  request.overrides.assign(arguments.words.begin() + 1, arguments.words.end());
  for (const auto& text : request.overrides) refuse_hydra_key(text);
  request.multirun = arguments.flag("multirun");
  request.config_path = config_path(request.experiment);
  if (arguments.options.count("config-dir")) {
    for (const auto& folder : arguments.options["config-dir"].as<std::vector<std::string>>()) {
      if (!std::filesystem::is_directory(folder)) throw config_error(fmt::format("'{}' is no folder", folder), "--config-dir");
      request.config_path.emplace_back(folder);
    }
  }
  return request;
}

}  // namespace yatlab::cli
