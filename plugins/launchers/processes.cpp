#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "core/base/failure.h"
#include "core/base/process.h"
#include "core/experiment/job_ending.h"
#include "core/experiment/launcher.h"

namespace yatlab {
namespace {

constexpr const char* kOutput = "output.txt";  // of a job's process, beside its results

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
      auto command = launch.command(i);
      command.insert(command.begin() + 2, {"--parent", std::to_string(::getpid())});
      child = start_process(command, output);
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
    const auto ending = job_ending(WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0, output);
    job->end(ending.crash, ending.lost);
    std::error_code ignored;
    if (fs::file_size(output, ignored) == 0) fs::remove(output, ignored);
  }
};

YATLAB_REGISTER(Launcher, ProcessesLauncher, "processes", "a process for each job: what crashes one costs that job alone");

}  // namespace yatlab
