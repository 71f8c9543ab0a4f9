#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "core/base/failure.h"
#include "core/base/process.h"
#include "core/compose/job_type.h"
#include "core/plan/launcher.h"
#include "core/train/rank_rendezvous.h"
#include "plugins/cluster/launchers/job_ending.h"

namespace yatlab {
namespace {

constexpr const char* kOutput = "output.txt";  // of a job's process, in the job's folder

/// A folder for the output of ranks other than 0: only rank 0 writes to the job's folder.
class Scratch {
 public:
  Scratch() {
    auto name = (fs::temp_directory_path() / "yatlab-ranks-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw Error(ErrorKind::kFile, fmt::format("cannot create '{}'", name), {}, std::strerror(errno));
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The processes of one job. Several of them train together, as ranks.
class JobProcesses {
 public:
  JobProcesses(const std::vector<std::string>& command, const fs::path& output, std::int64_t ranks) : output_(output) {
    if (ranks > 1) {
      store_.emplace();
      scratch_.emplace();
    }
    for (std::int64_t r = 0; r < ranks; ++r) {
      // Set even for a single rank: this process may itself be a rank, and its variables must not be inherited.
      std::vector<std::string> variables{fmt::format("RANK={}", r), fmt::format("WORLD_SIZE={}", ranks), fmt::format("LOCAL_RANK={}", r)};
      if (store_) {
        variables.insert(variables.end(), {"MASTER_ADDR=127.0.0.1", fmt::format("MASTER_PORT={}", store_->port()),
                                           "TORCHELASTIC_USE_AGENT_STORE=True", "TORCHELASTIC_RESTART_COUNT="});
      }
      ranks_.push_back({start_process(command, r == 0 ? output : scratch_->path() / std::to_string(r), variables)});
    }
  }
  /// Kills the processes that are left if not all could be started.
  ~JobProcesses() {
    for (auto& rank : ranks_) {
      if (rank.ended) continue;
      ::kill(rank.process, SIGKILL);
      ::waitpid(rank.process, &rank.status, 0);
    }
  }
  JobProcesses(const JobProcesses&) = delete;
  JobProcesses& operator=(const JobProcesses&) = delete;

  void signal_all(int signal) {
    for (const auto& rank : ranks_) {
      if (!rank.ended) ::kill(rank.process, signal);
    }
  }

  /// Checks which processes have ended, and ends the others if one failed. True once all have ended.
  bool poll() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      auto& rank = ranks_[r];
      if (rank.ended || ::waitpid(rank.process, &rank.status, WNOHANG) == 0) continue;
      rank.ended = true;
      const auto [crash, taken] = job_ending(WIFEXITED(rank.status) ? WEXITSTATUS(rank.status) : 0,
                                             WIFSIGNALED(rank.status) ? WTERMSIG(rank.status) : 0, output_of(r));
      const bool ill = WIFSIGNALED(rank.status) || WEXITSTATUS(rank.status) != 0;
      if (!crash.empty() && !killing_ && first_crash_.empty() && !(store_ && store_->over() && r > 0)) {
        first_crash_ = ranks_.size() > 1 ? fmt::format("rank {} of {}: {}", r, ranks_.size(), crash) : crash;
        lost_ = taken;
        if (store_) store_->report(first_crash_, !lost_);
      }
      if (store_ && !deadline_ && (r == 0 || (ill && !store_->over()))) deadline_ = Clock::now() + kGrace;
    }
    const bool all = std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.ended; });
    if (!all && deadline_ && Clock::now() > *deadline_) {
      killing_ = true;
      signal_all(SIGKILL);
      deadline_.reset();
    }
    return all;
  }

  /// Why they did not end normally, and whether the first such process was killed from outside; empty if they ended normally.
  std::pair<std::string, bool> crash() const {
    if (ended_normally()) return {};
    if (!first_crash_.empty()) return {first_crash_, lost_};
    if (const auto report = store_ ? store_->reported() : std::nullopt) return {report->why, !report->failed};
    if (!killing_) return {};
    return {fmt::format("one of its {} ranks ended, and the others did not notice within {} seconds", ranks_.size(), kGrace.count()), true};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kGrace{10};
  struct Rank {
    pid_t process;
    int status = 0;
    bool ended = false;
  };

  fs::path output_of(std::size_t rank) const { return rank == 0 ? output_ : scratch_->path() / std::to_string(rank); }
  /// Rank 0 finished its work; how other ranks ended after that does not matter.
  bool ended_normally() const { return WIFEXITED(ranks_[0].status) && WEXITSTATUS(ranks_[0].status) == 0; }

  fs::path output_;
  std::optional<RankStore> store_;
  std::optional<Scratch> scratch_;
  std::vector<Rank> ranks_;
  std::string first_crash_;
  bool lost_ = false, killing_ = false;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace

/// Runs each job in its own process (`yatlab job FOLDER`), or in several that train it together, so that a crash affects only that job.
class ProcessesLauncher final : public LocalProcessLauncher {
 public:
  struct Params : LocalProcessLauncher::Params {
    std::int64_t ranks = 1;
    static void declare(Fields& f, Params& p) {
      LocalProcessLauncher::Params::declare(f, p);
      f.field("ranks", p.ranks, "processes that train a job together, each on its part of every batch").positive();
    }
  };
  explicit ProcessesLauncher(const Params& p) : LocalProcessLauncher(p), ranks_(p.ranks) {
    if (ranks_ > 1 && !why_no_ranks().empty()) {
      throw config_error(fmt::format("{} ranks", ranks_), "launcher.ranks", why_no_ranks(),
                         "install libgloo-dev and build again, or set launcher.ranks=1");
    }
  }

  void check_job(const JobSpec& job) const override { require_share_of_batches(job, ranks_); }

  std::size_t workers(std::size_t jobs, std::size_t threads_per_job) const override {
    return LocalProcessLauncher::workers(jobs, threads_per_job * static_cast<std::size_t>(ranks_));
  }

  void run(Launch& launch, std::size_t workers) const override {
    each_in_turn(launch, workers, [&](std::size_t i) { run_in_processes(launch, i); });
  }

 private:
  void run_in_processes(Launch& launch, std::size_t i) const {
    const auto job = launch.follow(i);
    const auto output = launch.folder(i) / kOutput;
    std::optional<JobProcesses> processes;
    try {
      auto command = launch.command(i);
      command.insert(command.begin() + 2, {"--parent", std::to_string(::getpid())});
      processes.emplace(command, output, launch.job(i).type == &training_job() ? ranks_ : 1);
    } catch (...) {
      return job->finish(current_error().what(), true);
    }
    bool stop_sent = false;
    while (!processes->poll()) {
      if (!stop_sent && (launch.stopping() || job->wants_stop())) {
        processes->signal_all(SIGTERM);
        stop_sent = true;
      }
      job->poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    job->poll();
    const auto [crash, lost] = processes->crash();
    job->finish(crash, lost);
    std::error_code ignored;
    if (fs::file_size(output, ignored) == 0) fs::remove(output, ignored);
  }

  std::int64_t ranks_;
};

YATLAB_REGISTER(Launcher, ProcessesLauncher, "processes", "one process per job (several with ranks), so that a crash ends only that job");

}  // namespace yatlab
