// bin/yatlab-torch: all commands. Users start bin/yatlab (light_main.cpp).
#include <ATen/Context.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/cli/command_line.h"
#include "core/cli/program.h"
#include "core/commands/command_table.h"
#include "core/registry/packs.h"
#include "core/registry/registry.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace {

int dispatch(const std::vector<std::string>& words) {
  use_all_commands();
  for (const char* pack : {"kernels", "local", "figures"}) load_pack(pack);  // what every experiment needs
  register_components();
  install_stop_signals();
  if (words.size() == 1 && words[0] == "--version") return print_version();
  const auto line = read_command_line(words);
  if (line.command) return line.command->run(*line.command, line.arguments);
  const auto* help = find_command("help");
  help->run(*help, {});
  return 2;
}

/// Ends the process without LibTorch's static destructors, which unregister its operators one by one and take a quarter of a second.
/// With a GPU or sanitizers the process exits normally, because profilers and leak checks write their results at exit.
int leave(int status) {
  std::fflush(nullptr);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (!at::globalContext().hasCUDA()) std::_Exit(status);
#endif
  return status;
}

}  // namespace
}  // namespace yatlab::cli

int main(int argc, char** argv) {
  yatlab::cli::occupy_standard_streams();
  return yatlab::cli::leave(yatlab::cli::run_program(argc, argv, yatlab::cli::dispatch));
}
