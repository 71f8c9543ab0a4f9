#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace yatlab::cli {

struct Command;
using RunCommand = int (*)(const Command& self, const std::vector<std::string>& arguments);
using DeclareOptions = void (*)(boost::program_options::options_description&);

/// One command of the program; one file each.
struct Command {
  const char* name;
  const char* usage;    ///< after the name: "EXPERIMENT [key=value ...]"
  const char* summary;  ///< one line; nullptr: not listed in the help
  const char* example;
  RunCommand run;
  DeclareOptions options = nullptr;  ///< without --help and --plugin, which all commands have; nullptr: none, or registered by a pack
  bool takes_experiment = false;     ///< its first argument is an experiment, the others are overrides
  const char* pack = "";             ///< the pack that contains it; `run` is then pack_command
  bool without_torch = false;        ///< a pack's command that `yatlab` itself can run
};

const std::vector<Command>& commands();
void set_commands(std::vector<Command> all);

/// A command of two words with its own options.
struct SubCommand {
  const char* name;  ///< "data describe"
  DeclareOptions options;
  const char* pack = "";  ///< the pack that contains it and registers its options
};
void set_sub_commands(std::vector<SubCommand> all);

/// nullptr when there is no such command.
const Command* find_command(const std::string& name);

/// A command's function, and the function that declares its options.
#define YATLAB_WITH_OPTIONS(name)                                      \
  int name##_command(const Command&, const std::vector<std::string>&); \
  void name##_options(boost::program_options::options_description&)
YATLAB_WITH_OPTIONS(run);
YATLAB_WITH_OPTIONS(job);
YATLAB_WITH_OPTIONS(plan);
YATLAB_WITH_OPTIONS(config);
int list_command(const Command&, const std::vector<std::string>&);
YATLAB_WITH_OPTIONS(describe);
YATLAB_WITH_OPTIONS(report);
YATLAB_WITH_OPTIONS(repeat);
YATLAB_WITH_OPTIONS(verdict);
YATLAB_WITH_OPTIONS(verify);
YATLAB_WITH_OPTIONS(bundle);
YATLAB_WITH_OPTIONS(runs);
YATLAB_WITH_OPTIONS(status);
YATLAB_WITH_OPTIONS(compare);
YATLAB_WITH_OPTIONS(export);
YATLAB_WITH_OPTIONS(prune);
YATLAB_WITH_OPTIONS(tag);
YATLAB_WITH_OPTIONS(note);
YATLAB_WITH_OPTIONS(data);
YATLAB_WITH_OPTIONS(data_describe);  // `data describe`
YATLAB_WITH_OPTIONS(list_metrics);   // `list metrics`
YATLAB_WITH_OPTIONS(evaluate);
YATLAB_WITH_OPTIONS(replay);
YATLAB_WITH_OPTIONS(plugin);
int new_command(const Command&, const std::vector<std::string>&);  // `plugin new`
int doctor_command(const Command&, const std::vector<std::string>&);
YATLAB_WITH_OPTIONS(test);
int bench_command(const Command&, const std::vector<std::string>&);
YATLAB_WITH_OPTIONS(fuzz);
int help_command(const Command&, const std::vector<std::string>&);
int completion_command(const Command&, const std::vector<std::string>&);
int complete_command(const Command&, const std::vector<std::string>&);  // what the shells' scripts ask
#undef YATLAB_WITH_OPTIONS

/// Runs a pack's command: loads the pack, then calls the function that it registered under the command's name, with its registered options.
int pack_command(const Command& self, const std::vector<std::string>& arguments);
/// The same for a command of two words: "data tokenize".
int run_pack_command(const std::string& pack, const std::string& name, const Command& self, const std::vector<std::string>& arguments);

namespace detail {
int register_command(const char* name, RunCommand run, DeclareOptions options);
}
/// In a pack, beside the command's functions: YATLAB_COMMAND("generate", generate_command, generate_options);
#define YATLAB_COMMAND(name, run, options) \
  [[maybe_unused]] static const int yatlab_command_##run = ::yatlab::cli::detail::register_command(name, run, options)

/// The options and positional words of a command line. Every command takes --help (printed here,
/// with the example) and --plugin (loaded here).
struct Arguments {
  boost::program_options::variables_map options;
  std::vector<std::string> words;
  std::string command;  ///< the command that they follow
  bool help = false;    ///< the help was printed: the command must return
  bool has(const std::string& name) const { return options.count(name) > 0 && !options[name].defaulted(); }
  bool flag(const std::string& name) const { return options[name].as<bool>(); }
  std::string text(const std::string& name) const { return options[name].as<std::string>(); }
};
/// title: above the options in the help.
Arguments parse_arguments(const Command& self, const std::vector<std::string>& arguments, const char* title = "options");

/// An option of a command.
struct Option {
  std::string name;    ///< "--multirun"
  std::string letter;  ///< "-m", or empty
  bool takes_value = false;
  std::string doc;
};
/// The options that a command declares, with --help and --plugin; none if its pack is not built. `word`: the first argument, which may select a
/// SubCommand.
std::vector<Option> options_of(const Command& command, const std::string& word = {});

/// The folder of the running executable.
std::filesystem::path program_directory();

/// Folders named `configs`: above the experiment or the working folder, then beside the program.
std::vector<std::filesystem::path> config_path(const std::filesystem::path& experiment = {});

/// --multirun and --config-dir: for the commands that compose an experiment.
void add_experiment_options(boost::program_options::options_description& options);

/// The first word is the experiment (see find_experiment), the others are overrides. Config errors for an unknown experiment and for Hydra's own
/// keys.
PlanRequest plan_request(const Arguments& arguments);

/// All experiment files below experiments/.
std::vector<std::filesystem::path> experiment_files();

}  // namespace yatlab::cli
