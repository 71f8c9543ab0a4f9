// A server of quick starts (quick_starts.cpp), one per test program.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "core/base/files.h"
#include "temporary_folder.h"

namespace yatlab::testing {

/// The preloaded program, waiting to be forked. Ends with the tests.
class QuickStarts {
 public:
  QuickStarts() {
    // Do not use quick starts if a user preloads another library, or sets YATLAB_REAL_STARTS.
    if (std::getenv("LD_PRELOAD") || std::getenv("YATLAB_REAL_STARTS") || !fs::exists(library())) return;
    const std::string program = std::string(YATLAB_BINARY_DIR) + "/bin/yatlab";
    server_ = ::fork();
    if (server_ == 0) {
      const int nothing = ::open("/dev/null", O_RDWR);
      for (int i = 0; i < 3; ++i) ::dup2(nothing, i);
      ::setenv("LD_PRELOAD", library().c_str(), 1);
      ::setenv("YATLAB_QUICK_STARTS_SERVE", socket().c_str(), 1);
      ::execl(program.c_str(), program.c_str(), "run", nullptr);  // like `yatlab`, which sets variables that are read while libraries load
      ::_exit(127);
    }
    for (int i = 0; i < 6000 && !fs::exists(socket()); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ~QuickStarts() {
    if (server_ <= 0) return;
    ::kill(server_, SIGKILL);
    ::waitpid(server_, nullptr, 0);
  }
  QuickStarts(const QuickStarts&) = delete;
  QuickStarts& operator=(const QuickStarts&) = delete;

  /// Variables to add to a child's environment; none for real starts.
  std::map<std::string, std::string> variables() const {
    if (server_ <= 0) return {};
    return {{"LD_PRELOAD", library()}, {"YATLAB_QUICK_STARTS", socket()}};
  }
  /// The same as text for a shell line.
  std::string exports() const {
    std::string out;
    for (const auto& [name, value] : variables()) out += "export " + name + "='" + value + "'; ";
    return out;
  }

 private:
  static std::string library() { return std::string(YATLAB_BINARY_DIR) + "/lib/libyatlab_quick_starts.so"; }
  std::string socket() const { return (folder_.path() / "starts").string(); }

  TemporaryFolder folder_;
  pid_t server_ = -1;
};

inline const QuickStarts& quick_starts() {
  static const QuickStarts starts;
  return starts;
}

}  // namespace yatlab::testing
