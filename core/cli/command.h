#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace yatlab::cli {

struct Command;
using RunCommand = int (*)(const Command& self, const std::vector<std::string>& arguments);

/// One command of the program; one file each.
struct Command {
  const char* name;
  const char* usage;    ///< after the name: "EXPERIMENT [key=value ...]"
  const char* summary;  ///< one line; nullptr: not shown to people
  const char* example;
  RunCommand run;
  bool takes_experiment = false;  ///< its first word is an experiment, the others are overrides
  const char* pack = "";          ///< that has it; run is pack_command then
  bool without_torch = false;     ///< a pack's: `yatlab` runs it itself
};

const std::vector<Command>& commands();
void set_commands(std::vector<Command> all);
/// nullptr when there is no such command.
const Command* find_command(const std::string& name);

int run_command(const Command&, const std::vector<std::string>&);
int job_command(const Command&, const std::vector<std::string>&);
int plan_command(const Command&, const std::vector<std::string>&);
int config_command(const Command&, const std::vector<std::string>&);
int list_command(const Command&, const std::vector<std::string>&);
int describe_command(const Command&, const std::vector<std::string>&);
int report_command(const Command&, const std::vector<std::string>&);
int repeat_command(const Command&, const std::vector<std::string>&);
int verdict_command(const Command&, const std::vector<std::string>&);
int verify_command(const Command&, const std::vector<std::string>&);
int bundle_command(const Command&, const std::vector<std::string>&);
int runs_command(const Command&, const std::vector<std::string>&);
int status_command(const Command&, const std::vector<std::string>&);
int compare_command(const Command&, const std::vector<std::string>&);
int export_command(const Command&, const std::vector<std::string>&);
int prune_command(const Command&, const std::vector<std::string>&);
int tag_command(const Command&, const std::vector<std::string>&);
int note_command(const Command&, const std::vector<std::string>&);
int data_command(const Command&, const std::vector<std::string>&);
int data_describe_command(const Command&, const std::vector<std::string>&);  // `data describe`
int list_metrics_command(const Command&, const std::vector<std::string>&);   // `list metrics`
int evaluate_command(const Command&, const std::vector<std::string>&);
int replay_command(const Command&, const std::vector<std::string>&);
int plugin_command(const Command&, const std::vector<std::string>&);
int new_command(const Command&, const std::vector<std::string>&);  // `plugin new`
int doctor_command(const Command&, const std::vector<std::string>&);
int test_command(const Command&, const std::vector<std::string>&);
int bench_command(const Command&, const std::vector<std::string>&);
int fuzz_command(const Command&, const std::vector<std::string>&);
int help_command(const Command&, const std::vector<std::string>&);
int completion_command(const Command&, const std::vector<std::string>&);
int complete_command(const Command&, const std::vector<std::string>&);  // what the shells' scripts ask

/// What a pack's command is: loads the pack, and runs what it registered under the command's name.
int pack_command(const Command& self, const std::vector<std::string>& arguments);
/// The same for a command of two words: "data tokenize".
int run_pack_command(const std::string& pack, const std::string& name, const Command& self, const std::vector<std::string>& arguments);

namespace detail {
int register_command(const char* name, RunCommand run);
}
/// In a pack, beside the command's function: YATLAB_COMMAND("generate", generate_command);
#define YATLAB_COMMAND(name, run) \
  [[maybe_unused]] static const int yatlab_command_##run = ::yatlab::cli::detail::register_command(name, run)

/// The options and positional words of a command line. Every command takes --help (printed here,
/// with the example) and --plugin (loaded here).
struct Arguments {
  boost::program_options::variables_map options;
  std::vector<std::string> words;
  std::string command;  ///< after which they stood
  bool help = false;    ///< the help was printed; nothing is left to do
  bool has(const std::string& name) const { return options.count(name) > 0 && !options[name].defaulted(); }
  bool flag(const std::string& name) const { return options[name].as<bool>(); }
  std::string text(const std::string& name) const { return options[name].as<std::string>(); }
};
Arguments parse_arguments(const Command& self, const std::vector<std::string>& arguments,
                          boost::program_options::options_description options);

/// An option of a command.
struct Option {
  std::string name;    ///< "--multirun"
  std::string letter;  ///< "-m", or empty
  bool takes_value = false;
  std::string doc;
};
/// What a command declares, with --help and --plugin. `arguments`: words that choose among several (`data tokenize`).
std::vector<Option> options_of(const Command& command, const std::vector<std::string>& arguments = {});

/// The folder of the running program.
std::filesystem::path program_directory();

/// Folders named `configs`: above the experiment or the working folder, then beside the program.
std::vector<std::filesystem::path> config_path(const std::filesystem::path& experiment = {});

/// --multirun and --config-dir: for the commands that compose an experiment.
void add_experiment_options(boost::program_options::options_description& options);

/// The first word is the experiment (see find_experiment), the others overrides. Throws what is wrong with
/// them as words: no such experiment, Hydra's own keys.
PlanRequest plan_request(const Arguments& arguments);

/// All experiment files below experiments/.
std::vector<std::filesystem::path> experiment_files();

}  // namespace yatlab::cli
