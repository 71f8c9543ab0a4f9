// bin/yatlab, the program that users start. It runs commands that do not need LibTorch; for all others it executes yatlab-torch (full_program.h),
// whose start takes much longer because it loads LibTorch's libraries.
#include <algorithm>

#include "core/cli/command.h"
#include "core/cli/completions.h"
#include "core/cli/program.h"
#include "core/commands/command_table.h"
#include "core/commands/full_program.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace {

/// Whether this program can run the line. Lines with options before the command, an experiment instead of a command, Hydra's flags or plugin
/// libraries are left to the full program.
bool can_run_here(const std::vector<std::string>& words) {
  if (words.empty()) return true;
  if (words.size() == 1 && (words[0] == "--version" || words[0] == "--help" || words[0] == "-h")) return true;
  const auto* command = find_command(words[0]);
  if (!command || needs_full_program(*command)) return false;
  if (words[0] == "complete") return completes_plainly({words.begin() + 1, words.end()}, needs_full_program);
  return std::none_of(words.begin(), words.end(), [](const std::string& word) { return word.rfind("--plugin", 0) == 0; });
}

int dispatch(const std::vector<std::string>& words) {
  use_all_commands();
  run_pack_commands_in_full_program();
  if (!can_run_here(words)) exec_full_program(words);
  install_stop_signals();  // not earlier: the full program installs its own
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
