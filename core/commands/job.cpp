#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <optional>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/job/job_observer.h"
#include "core/job/run_job_folder.h"
#include "core/record/job_status.h"
#include "core/record/stop_request.h"
#include "core/system/called_as.h"
#include "core/system/rank_place.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// Stops this process when its parent ends, so that no orphaned job is still running when the run is continued.
void follow_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) request_stop(SIGTERM);
}

/// Marks a job that was preempted: it will continue when it is scheduled again.
void say_preempted(const fs::path& job) {
  auto status = read_job_status(job);
  if (status.state != JobState::kInterrupted) return;
  status.state = JobState::kPreempted;
  write_job_status(job, status);
}

/// Prints a job's notices; stops it on a stop request to the process.
class PrintsNotices final : public JobObserver {
 public:
  /// follows: stop requests come from the parent process, not from a file in the job's folder.
  PrintsNotices(const std::string& job, bool follows) : job_(job) {
    if (!follows) request_.emplace(job);
  }
  void on_notice(const std::string& text) override { say_error("note: {}: {}\n", job_, as_called(text)); }
  bool wants_stop() override { return stop_signal() != 0 || (request_ && request_->made()); }

 private:
  const std::string& job_;
  std::optional<StopRequest> request_;
};

}  // namespace

void job_options(po::options_description& options) {
  options.add_options()("quiet,q", po::bool_switch(), "errors only")(
      "requeued", po::bool_switch(), "SIGUSR1 means that the cluster preempts the job and has already requeued it")(
      "parent", po::value<std::int64_t>(), "save and exit when this process, which started the command, has ended");
}

int job_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.empty()) throw config_error("no job given", "command line", {}, self.example);
  if (args.has("parent")) follow_parent(static_cast<pid_t>(args.options["parent"].as<std::int64_t>()));
  const bool first = rank_place().rank == 0;  // only rank 0 prints and writes
  const bool quiet = args.flag("quiet") || !first;
  const SavesWhenStopped saves;
  bool failed = false;
  for (const auto& word : args.words) {
    PrintsNotices observer(word, args.has("parent"));
    const auto result = run_job_folder(word, observer);
    if (result.state == JobState::kFailed || (result.state == JobState::kInterrupted && !result.why.empty())) {
      say_error("{}: {}: {}\n", to_string(result.state), word, result.why);
      failed = true;
    } else if (!quiet) {
      say("{}: {}\n", to_string(result.state), word);
    }
    if (stop_signal() == SIGUSR1 && args.flag("requeued") && first) say_preempted(word);
    if (stop_signal() != 0) {
      if (!quiet) say_error("interrupted; everything is saved. Run the same command again to continue.\n");
      return 128 + stop_signal();
    }
  }
  return failed ? 1 : 0;
}

}  // namespace yatlab::cli
