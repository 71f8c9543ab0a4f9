#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "core/base/failure.h"
#include "core/base/print.h"
#include "core/cli/blas.h"
#include "core/cli/command_line.h"
#include "core/registry/registry.h"
#include "core/train/stop.h"

namespace yatlab::cli {
namespace {

/// A file that is opened while a standard stream is closed takes its number, and then what is printed.
void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1) ::open("/dev/null", O_RDWR);
  }
}

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

/// Whoever read the output has what was wanted (`| head`): nothing to say, and nobody to say it to.
bool hung_up() { return stop_signal() == SIGPIPE; }

}  // namespace
}  // namespace yatlab::cli

int main(int argc, char** argv) {
  yatlab::cli::occupy_standard_streams();
  try {
    if (!yatlab::cli::only_completes(argc, argv)) yatlab::cli::choose_blas_kernels(argv);
    yatlab::register_components();
    yatlab::install_stop_signals();
    const int status = yatlab::cli::dispatch({argv + 1, argv + argc});
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    if (yatlab::cli::hung_up()) return 128 + SIGPIPE;
    yatlab::say_error("error: the output could not be written\n  why: {}\n", errno != 0 ? std::strerror(errno) : "a part of it was not taken");
    return status == 0 ? 1 : status;
  } catch (...) {
    const auto error = yatlab::current_error();
    std::fflush(stdout);
    if (yatlab::cli::hung_up()) return 128 + SIGPIPE;
    if (const int signal = yatlab::stop_signal(); signal != 0) {
      yatlab::say_error("interrupted: {}\n", error.what());
      return 128 + signal;
    }
    yatlab::say_error("error: {}\n", error.what());
    return error.exit_code();
  }
}
