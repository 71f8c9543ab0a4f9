#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/find_run.h"
#include "core/library/run_status.h"
#include "core/record/stop_request.h"
#include "core/system/slurm_queue.h"
#include "core/system/stop.h"
#include "core/system/terminal.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

using StatusClock = std::chrono::steady_clock;
/// Between two jobs, or before its first, no job of a run is running: only after this time does a run count as stopped.
constexpr auto kStandstill = std::chrono::seconds(60);

/// Slurm's information about a run's submitted jobs. It polls rarely, because Slurm's controller serves a whole cluster.
class Queue {
 public:
  explicit Queue(const fs::path& run) : run_(run) {}
  void add_to(RunNow& now) {
    constexpr auto kEvery = std::chrono::seconds(15);
    if (now.over()) return;
    if (!polled_ || StatusClock::now() - *polled_ >= kEvery) {
      if (const auto arrays = slurm_arrays(run_); !arrays.empty()) tasks_ = slurm_tasks(arrays);
      polled_ = StatusClock::now();
    }
    if (tasks_) add_queue(now, *tasks_);
  }

 private:
  const fs::path run_;
  std::optional<StatusClock::time_point> polled_;
  std::optional<std::map<std::string, SlurmTask>> tasks_;
};

RunNow now_of(const fs::path& run, Queue& queue) {
  auto now = read_run_now(run, std::time(nullptr));
  queue.add_to(now);
  return now;
}

/// Reads single key presses without echo; none if standard input is not this process's terminal.
class Keys {
 public:
  Keys() : on_(::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp() && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!on_) return;
    termios single = before_;
    single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    single.c_cc[VMIN] = single.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &single);
  }
  ~Keys() {
    if (on_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  bool on() const { return on_; }
  /// The key pressed before that time; 0 if none was, or after a signal.
  char wait_until(StatusClock::time_point end) const {
    while (StatusClock::now() < end && stop_signal() == 0) {
      char key = 0;
      if (on_ && ::read(STDIN_FILENO, &key, 1) == 1) return key;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return 0;
  }

 private:
  termios before_{};
  bool on_;
};

/// Lets the user choose one of the running jobs, and stops it. Returns a line that reports it.
std::string stop_one(const fs::path& run, const RunNow& now, const Keys& keys) {
  std::vector<const JobNow*> running;
  for (const auto& job : now.jobs) {
    if (job.state == JobState::kRunning && running.size() < 9) running.push_back(&job);
  }
  if (running.empty()) return "no job is running\n";
  for (std::size_t i = 0; i < running.size(); ++i) say("  {}  {}\n", i + 1, running[i]->label);
  say("stop which job? Press its number, or any other key to cancel\n");
  std::fflush(stdout);
  const auto chosen = static_cast<std::size_t>(keys.wait_until(StatusClock::now() + std::chrono::minutes(1)) - '1');
  if (chosen >= running.size()) return {};
  request_stop_of(run / running[chosen]->directory);
  return running[chosen]->label + " saves and stops\n";
}

/// Shows the status until all jobs are finished: redrawn in place on a terminal, with keys; otherwise one line per change.
int follow(const fs::path& run, double seconds) {
  const SavesWhenStopped restores_the_terminal;
  const Keys keys;
  Queue queue(run);
  const bool screen = is_screen();
  std::string shown, done;
  std::set<std::string> reported;
  auto moved = StatusClock::now();
  for (;;) {
    const auto now = now_of(run, queue);
    if (screen) {
      say("{}{}{}{}{}", terminal_code("[H"), terminal_code("[2J"), status_text(now, width_to_keep()), done,
          keys.on() && !now.over() ? "s stops a job, q quits\n" : "");
    } else {
      for (const auto& job : now.jobs) {
        if (job.state == JobState::kFailed && reported.insert(job.directory).second)
          say("failed: {}: {}\n", job.label, visible(shortened(job.error.substr(0, job.error.find('\n')), 300)));
      }
      auto line = status_line(now);
      if (line != shown) say("{}", status_line(now, width_to_keep()));
      shown = std::move(line);
    }
    std::fflush(stdout);
    if (now.over()) return now.failed() > 0 ? 1 : 0;
    if (now.moving()) moved = StatusClock::now();
    if (StatusClock::now() - moved > kStandstill) {
      say("this run has stopped: no job is running or waiting in a queue. Run its command again to continue.\n");
      return 1;
    }
    const char key =
        keys.wait_until(StatusClock::now() + std::chrono::duration_cast<StatusClock::duration>(std::chrono::duration<double>(seconds)));
    if (stop_signal() != 0) return 128 + stop_signal();
    if (key == 'q') return 0;
    if (key == 's') done = stop_one(run, now, keys);
  }
}

}  // namespace

void status_options(po::options_description& options) {
  options.add_options()("follow,f", po::bool_switch(), "refresh until all jobs are over")(
      "every", po::value<double>()->default_value(2), "seconds between refreshes")("json", po::bool_switch(), "for machines")(
      "results", po::value<std::string>()->default_value("results"), "folder of the runs");
}

int status_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.size() > 1) throw config_error("status takes one run", "command line", {}, self.example);
  const double every = args.options["every"].as<double>();
  if (!(every >= 0.1 && every <= 86400)) throw config_error("--every must be between 0.1 and 86400 seconds", "command line");
  const fs::path results = args.text("results");
  // `latest` may point to another run later.
  const auto run = fs::canonical(args.words.empty() ? newest_run(results) : find_run(args.words.front(), results));
  if (args.flag("follow")) {
    if (args.flag("json")) throw config_error("--follow and --json cannot be used together", "command line", {}, "remove one of them");
    return follow(run, every);
  }
  Queue queue(run);
  const auto now = now_of(run, queue);
  if (args.flag("json")) {
    say("{}\n", dump_json_replacing(status_json(now), 2));
  } else {
    say("{}", status_text(now, width_to_keep()));
  }
  return now.failed() > 0 ? 1 : 0;
}

}  // namespace yatlab::cli
