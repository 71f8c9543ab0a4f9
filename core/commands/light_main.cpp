// bin/yatlab: what people start. Commands that need no LibTorch are answered here, at once; for all else the process becomes yatlab-torch
// (passed_on.h), which loads LibTorch's libraries, most of what a start costs.
#include <algorithm>

#include "core/cli/command.h"
#include "core/cli/completions.h"
#include "core/cli/program.h"
#include "core/commands/command_table.h"
#include "core/commands/passed_on.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace {

/// Whether the line is one of the plain ones that are answered here. Whatever needs more thought (options before the command, an experiment
/// instead of one, Hydra's flags, plugin libraries) is for the program that has all commands.
bool answered_here(const std::vector<std::string>& words) {
  if (words.empty()) return true;
  if (words.size() == 1 && (words[0] == "--version" || words[0] == "--help" || words[0] == "-h")) return true;
  const auto* command = find_command(words[0]);
  if (!command || is_passed_on(*command)) return false;
  if (words[0] == "complete") return completes_plainly({words.begin() + 1, words.end()}, is_passed_on);
  return std::none_of(words.begin(), words.end(), [](const std::string& word) { return word.rfind("--plugin", 0) == 0; });
}

int dispatch(const std::vector<std::string>& words) {
  use_all_commands();
  pass_on_commands_of_packs();
  if (!answered_here(words)) pass_on(words);
  install_stop_signals();  // not before: the other program catches its own
  if (words.size() == 1 && words[0] == "--version") return print_version();
  const auto* command = find_command(words.empty() || words[0][0] == '-' ? "help" : words[0]);
  if (words.empty()) {
    command->run(*command, {});
    return 2;
  }
  if (words[0][0] == '-') return command->run(*command, {});
  return command->run(*command, {words.begin() + 1, words.end()});
}

}  // namespace
}  // namespace yatlab::cli

int main(int argc, char** argv) {
  yatlab::cli::occupy_standard_streams();
  yatlab::cli::tune_libraries();
  return yatlab::cli::run_program(argc, argv, yatlab::cli::dispatch);
}
