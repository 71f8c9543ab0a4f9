#include "core/cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/failure.h"
#include "core/base/print.h"
#include "core/base/print_error.h"
#include "core/system/called_as.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace {

/// The reader of the output has closed it (`| head`): not an error.
bool hung_up() { return stop_signal() == SIGPIPE; }

constexpr const char* kSpins = "5000";  // some 100 microseconds

}  // namespace

void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1) ::open("/dev/null", O_RDWR);
  }
}

void tune_libraries() {
  const char* given = std::getenv("GLIBC_TUNABLES");
  const std::string tunables = given ? given : "";
  if (tunables.find("glibc.malloc.hugetlb") == std::string::npos)
    ::setenv("GLIBC_TUNABLES", (tunables + (tunables.empty() ? "" : ":") + "glibc.malloc.hugetlb=1").c_str(), 1);
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  ::setenv("GOMP_SPINCOUNT", kSpins, 1);
}

int print_version() {
  say("yatlab {}\n", YATLAB_VERSION);
  return 0;
}

int run_program(int argc, char** argv, const std::function<int(const std::vector<std::string>& words)>& dispatch) {
  try {
    const int status = dispatch({argv + 1, argv + argc});
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    if (hung_up()) return 128 + SIGPIPE;
    const int why = errno != 0 ? errno : print_error();
    say_error("error: the output could not be written\n  why: {}\n", why != 0 ? std::strerror(why) : "only a part of it was written");
    return status == 0 ? 1 : status;
  } catch (...) {
    const auto error = current_error();
    std::fflush(stdout);
    if (hung_up()) return 128 + SIGPIPE;
    if (const int signal = stop_signal(); signal != 0) {
      say_error("interrupted: {}\n", error_as_called(error.what()));
      return 128 + signal;
    }
    say_error("error: {}\n", error_as_called(error.what()));
    return error.exit_code();
  }
}

}  // namespace yatlab::cli
