#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "core/base/failure.h"
#include "core/base/text.h"
#include "core/cli/blas.h"
#include "core/cli/command.h"
#include "core/registry/registry.h"
#include "core/train/stop.h"

namespace yatlab::cli {
namespace {

void print_usage() {
  fmt::print("Yatlab: one command reads an experiment, trains every arm on every seed, and hands back the tables.\n\n"
             "usage: yatlab EXPERIMENT.yaml [key=value ...] [options]\n"
             "       yatlab COMMAND ...\n\ncommands:\n");
  for (const auto& c : commands()) fmt::print("  {:9} {}\n", c.name, c.summary);
  fmt::print("\n'yatlab COMMAND --help' tells more. Exit codes: 0 done, 1 a job failed, 2 bad config or usage,\n"
             "3 data unavailable, 130/143 interrupted after saving.\n");
}

/// A file that is opened while a standard stream is closed takes its number, and then what is printed.
void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1) ::open("/dev/null", O_RDWR);
  }
}

int dispatch(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments[0] == "help" || arguments[0] == "--help" || arguments[0] == "-h") {
    print_usage();
    return arguments.empty() ? 2 : 0;
  }
  if (arguments[0] == "--version") {
    fmt::print("yatlab {}\n", YATLAB_VERSION);
    return 0;
  }
  std::string name = arguments[0];
  const bool experiment = name.size() > 5 && name.substr(name.size() - 5) == ".yaml";
  if (experiment) {
    name = "run";
  } else {
    arguments.erase(arguments.begin());
  }
  std::vector<std::string> names;
  for (const auto& c : commands()) {
    if (name == c.name) return c.run(c, arguments);
    names.emplace_back(c.name);
  }
  throw config_error(fmt::format("unknown command '{}'", name), "command line", {}, suggestion(name, names));
}

}  // namespace
}  // namespace yatlab::cli

int main(int argc, char** argv) {
  yatlab::cli::occupy_standard_streams();
  try {
    yatlab::cli::choose_blas_kernels(argv);
    yatlab::register_components();
    yatlab::install_stop_signals();
    const int status = yatlab::cli::dispatch({argv + 1, argv + argc});
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    fmt::print(stderr, "error: the output could not be written\n  why: {}\n", std::strerror(errno));
    return status == 0 ? 1 : status;
  } catch (...) {
    const auto error = yatlab::current_error();
    std::fflush(stdout);
    fmt::print(stderr, "error: {}\n", error.what());
    return error.exit_code();
  }
}
