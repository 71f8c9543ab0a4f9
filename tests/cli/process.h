// The real program, run as a user runs it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/base/files.h"

namespace yatlab::testing {

inline std::string program() { return std::string(YATLAB_BINARY_DIR) + "/bin/yatlab"; }

/// A child process whose output goes to a file. The destructor kills it if it is still running.
class Process {
 public:
  /// `environment`: variables to set in the child; an empty value unsets one.
  Process(const std::vector<std::string>& arguments, const fs::path& directory, const fs::path& output,
          const std::map<std::string, std::string>& environment = {}) {
    std::vector<std::string> words{program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::signal(SIGHUP, SIG_DFL);  // nohup makes children ignore it
    const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    for (const auto& [name, value] : environment) {
      value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
    }
    if (::chdir(directory.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Process() {
    if (running()) signal(SIGKILL), wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool running() {
    if (done_) return false;
    done_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return !done_;
  }
  /// Exit status, or 128 + the signal that ended it.
  int wait() {
    if (!done_) ::waitpid(pid_, &status_, 0);
    done_ = true;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }
  bool ended_by_signal() const { return done_ && WIFSIGNALED(status_); }
  void signal(int number) const { ::kill(pid_, number); }
  pid_t id() const { return pid_; }

  /// Waits until `condition` holds; false when the process ends first.
  template <class Condition>
  bool wait_until(const Condition& condition) {
    while (!condition()) {
      if (!running()) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return true;
  }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool done_ = false;
};

}  // namespace yatlab::testing
