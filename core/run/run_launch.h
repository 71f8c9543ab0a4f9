#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/job/pending_work.h"
#include "core/plan/launcher.h"
#include "core/plan/plan.h"
#include "core/plan/search.h"
#include "core/plan/trackers.h"

namespace yatlab {

/// The jobs of a run that are to be done, all at once or (where a search adds some) round by round: what launchers are given, and what came of it.
class RunLaunch final : public Launch {
 public:
  struct Settings {
    bool fail_fast = false;
    bool wait = false;
    bool here = true;  ///< data are on this machine
    bool retry_failed = false;
    std::function<void(const std::string&)> notice;
    Search* search = nullptr;  ///< follows the trials, and ends some
  };
  RunLaunch(const Plan& plan, fs::path run, DataCache& data, Trackers& trackers, EventLog& log, Settings settings);

  /// What is to be done now: jobs by their place in the plan. Between two calls of a launcher.
  void give(std::map<std::size_t, Todo> todo);

  std::size_t jobs() const override { return order_.size(); }
  const JobSpec& job(std::size_t i) const override { return plan_.jobs[order_[i]]; }
  fs::path folder(std::size_t i) const override { return run_ / job(i).directory; }
  fs::path run() const override { return run_; }
  void execute(std::size_t i) override { execute(i, nullptr); }
  std::vector<std::vector<std::size_t>> stacks(const StackRule& rule, std::size_t workers) const override;
  void execute_together(const std::vector<std::size_t>& jobs) override;
  std::vector<std::string> command(std::size_t i) const override;
  std::unique_ptr<JobElsewhere> elsewhere(std::size_t i) override;
  void left(std::size_t i, const std::string& queue) override;
  bool wait() const override { return settings_.wait; }
  bool over() const override;
  bool failed_fast() const override { return settings_.fail_fast && failed_ > 0; }
  bool retry_failed() const override { return settings_.retry_failed; }
  void notice(const std::string& text) override { settings_.notice(text); }

  int failed() const { return failed_; }
  /// Jobs that were left to queues, by queue.
  const std::map<std::string, std::size_t>& left() const { return left_; }
  /// Stopped where a tracker mirrors them.
  int stopped() const { return stopped_; }
  const std::vector<std::string>& failures() const { return failures_; }
  /// Taken away from this run: by a kill, for want of memory.
  const std::vector<std::string>& lost() const { return lost_; }
  /// What the system refused, so that no more jobs were begun; "" if nothing.
  const std::string& refusal() const { return refusal_; }

 private:
  friend class FollowedElsewhere;
  void execute(std::size_t i, StackSlot* slot);
  class TrackedJob;
  void begin(const JobSpec& job);
  std::string why_pruned(const JobSpec& job) const;
  /// Says that a job ended early, or will not begin.
  void write_pruned(const JobSpec& job, const std::string& why) const;
  void finish(const JobSpec& job, const JobResult& result, bool stopped);
  void refuse(const std::string& text);

  const Plan& plan_;
  fs::path run_;
  DataCache& data_;
  std::map<std::size_t, Todo> todo_;
  std::vector<std::size_t> order_;  // of jobs that are to be done
  Trackers& trackers_;
  EventLog& log_;
  Settings settings_;
  std::atomic<int> failed_{0}, stopped_{0};
  std::atomic<bool> refused_{false};  // more jobs would fare no better
  std::mutex mutex_;
  std::vector<std::string> failures_, lost_;
  std::map<std::string, std::size_t> left_;
  std::string refusal_;
};

}  // namespace yatlab
