#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/experiment/plan.h"

namespace yatlab::cli {

/// One command of the program; one file each.
struct Command {
  const char* name;
  const char* usage;    ///< after the name: "EXPERIMENT.yaml [key=value ...]"
  const char* summary;  ///< one line
  const char* example;
  int (*run)(const Command& self, const std::vector<std::string>& arguments);
};

const std::vector<Command>& commands();

int run_command(const Command&, const std::vector<std::string>&);
int plan_command(const Command&, const std::vector<std::string>&);
int config_command(const Command&, const std::vector<std::string>&);
int list_command(const Command&, const std::vector<std::string>&);
int describe_command(const Command&, const std::vector<std::string>&);
int report_command(const Command&, const std::vector<std::string>&);
int data_command(const Command&, const std::vector<std::string>&);
int tokenize_command(const Command&, const std::vector<std::string>&);  // `data tokenize`
int generate_command(const Command&, const std::vector<std::string>&);
int model_command(const Command&, const std::vector<std::string>&);
int sync_command(const Command&, const std::vector<std::string>&);
int plugin_command(const Command&, const std::vector<std::string>&);
int doctor_command(const Command&, const std::vector<std::string>&);
int test_command(const Command&, const std::vector<std::string>&);
int bench_command(const Command&, const std::vector<std::string>&);

/// The options and positional words of a command line. Every command takes --help (printed here,
/// with the example) and --plugin (loaded here).
struct Arguments {
  boost::program_options::variables_map options;
  std::vector<std::string> words;
  bool help = false;  ///< help was printed; nothing is left to do
  bool has(const std::string& name) const { return options.count(name) > 0 && !options[name].defaulted(); }
  bool flag(const std::string& name) const { return options[name].as<bool>(); }
  std::string text(const std::string& name) const { return options[name].as<std::string>(); }
};
Arguments parse_arguments(const Command& self, const std::vector<std::string>& arguments,
                          boost::program_options::options_description options);

/// The folder of the running program.
std::filesystem::path program_directory();

/// Folders named `configs`: above the experiment or the working folder, then beside the program.
std::vector<std::filesystem::path> config_path(const std::filesystem::path& experiment = {});

/// The first word is the experiment, the others overrides. Throws with the nearest experiment when
/// the file does not exist.
PlanRequest plan_request(const Arguments& arguments);

/// All experiment files below experiments/.
std::vector<std::filesystem::path> experiment_files();

}  // namespace yatlab::cli
