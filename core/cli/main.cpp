#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "core/base/error.h"
#include "core/cli/blas.h"
#include "core/cli/command_line.h"
#include "core/registry/registry.h"
#include "core/train/stop.h"

namespace yatlab::cli {
namespace {

int dispatch(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "--version") {
    fmt::print("yatlab {}\n", YATLAB_VERSION);
    return 0;
  }
  const auto line = read_command_line(words);
  if (line.command) return line.command->run(*line.command, line.arguments);
  const auto* help = find_command("help");
  help->run(*help, {});
  return 2;
}

/// Completion computes nothing, and the shell waits for it: the program need not start twice.
bool only_completes(int argc, char** argv) { return argc > 1 && argv[1] == std::string("complete"); }

}  // namespace
}  // namespace yatlab::cli

int main(int argc, char** argv) {
  try {
    if (!yatlab::cli::only_completes(argc, argv)) yatlab::cli::choose_blas_kernels(argv);
    yatlab::register_components();
    yatlab::install_stop_signals();
    return yatlab::cli::dispatch({argv + 1, argv + argc});
  } catch (const yatlab::Error& e) {
    std::fflush(stdout);
    fmt::print(stderr, "error: {}\n", e.what());
    return e.exit_code();
  } catch (const std::exception& e) {
    std::fflush(stdout);
    fmt::print(stderr, "error: {}\n  try: this is a bug in Yatlab; please report it with the command that led here\n", e.what());
    return 1;
  }
}
