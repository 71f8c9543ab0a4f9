#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "core/base/failure.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/experiment/launcher.h"

namespace yatlab {
namespace {

constexpr const char* kOutput = "output.txt";  // of a job's process, beside its results

/// "killed by signal 11 (Segmentation fault)\n  <last lines>"; "" for a process that ended by itself, as `yatlab job` does.
std::string crash_of(int status, const fs::path& output) {
  constexpr int kDone = 0, kFailed = 1, kInterrupted = 128;
  const bool by_itself = WIFEXITED(status) && (WEXITSTATUS(status) == kDone || WEXITSTATUS(status) == kFailed || WEXITSTATUS(status) > kInterrupted);
  if (by_itself) return {};
  std::string out = WIFSIGNALED(status) ? fmt::format("its process was killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                        : fmt::format("its process ended with exit code {}", WEXITSTATUS(status));
  constexpr std::size_t kShown = 10;
  try {
    auto lines = split(trim(read_file(output)), '\n');
    if (lines.size() > kShown) lines.erase(lines.begin(), lines.end() - kShown);
    for (const auto& line : lines) out += "\n  " + line;
  } catch (const Error&) {  // it said nothing
  }
  return out;
}

/// Killed from outside, or for want of memory: nothing is wrong with the job itself.
bool was_taken_away(int status) {
  if (!WIFSIGNALED(status)) return false;
  const int signal = WTERMSIG(status);
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

}  // namespace

/// A process for each job (`yatlab job FOLDER`): what crashes one costs that job alone.
class ProcessesLauncher final : public LauncherHere {
 public:
  using LauncherHere::LauncherHere;

  void run(Launch& launch, std::size_t workers) const override {
    each_job(launch.jobs(), workers, [&](std::size_t i) {
      if (!launch.over()) follow(launch, i);
    });
  }

 private:
  static void follow(Launch& launch, std::size_t i) {
    const auto job = launch.elsewhere(i);
    const auto output = launch.folder(i) / kOutput;
    pid_t child = 0;
    try {
      child = start_process(launch.command(i), output);
    } catch (...) {
      return job->end(current_error().what(), true);
    }
    bool told = false;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      if (!told && (launch.over() || job->wants_stop())) {
        ::kill(child, SIGTERM);
        told = true;
      }
      job->look();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    job->look();
    job->end(crash_of(status, output), was_taken_away(status));
    std::error_code ignored;
    if (fs::file_size(output, ignored) == 0) fs::remove(output, ignored);
  }
};

YATLAB_REGISTER(Launcher, ProcessesLauncher, "processes", "a process for each job: what crashes one costs that job alone");

}  // namespace yatlab
