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

/// The pending jobs of a run, and their outcome. A search adds jobs round by round.
class RunLaunch final : public Launch {
 public:
  struct Settings {
    bool fail_fast = false;
    bool wait = false;
    bool on_this_machine = true;  ///< data sets are on this machine
    bool retry_failed = false;
    std::function<void(const std::string&)> notice;
    Search* search = nullptr;  ///< follows the trials, and prunes some
  };
  RunLaunch(const Plan& plan, fs::path run, DataCache& data, Trackers& trackers, EventLog& log, Settings settings);

  /// Sets the jobs to run, by their place in the plan. Not while a launcher runs.
  void set_pending(std::map<std::size_t, PendingWork> todo);

  std::size_t jobs() const override { return order_.size(); }
  const JobSpec& job(std::size_t i) const override { return plan_.jobs[order_[i]]; }
  fs::path folder(std::size_t i) const override { return run_ / job(i).directory; }
  fs::path run_folder() const override { return run_; }
  void run_here(const std::vector<std::size_t>& jobs) override;
  std::vector<std::vector<std::size_t>> stacks(const StackRule& rule, std::size_t workers) const override;
  std::vector<std::string> command(std::size_t i) const override;
  std::unique_ptr<ExternalJob> follow(std::size_t i) override;
  void leave_to_queue(std::size_t i, const std::string& queue) override;
  bool wait() const override { return settings_.wait; }
  bool stopping() const override;
  bool failed_fast() const override { return settings_.fail_fast && failed_ > 0; }
  bool retry_failed() const override { return settings_.retry_failed; }
  void notice(const std::string& text) override { settings_.notice(text); }

  int failed() const { return failed_; }
  /// Number of jobs in each queue.
  const std::map<std::string, std::size_t>& queued() const { return queued_; }
  /// Number of jobs that the user stopped through a tracker or the live page.
  int stopped() const { return stopped_; }
  const std::vector<std::string>& failures() const { return failures_; }
  /// Jobs whose process was killed from outside or by lack of memory, and how.
  const std::vector<std::string>& lost() const { return lost_; }
  /// A system error after which no further job starts; "" if none.
  const std::string& refusal() const { return refusal_; }

 private:
  friend class TrackedExternalJob;
  void run_one(std::size_t i, StackSlot* slot);
  class TrackedJob;
  void begin(const JobSpec& job);
  std::string why_pruned(const JobSpec& job) const;
  /// Marks a job as pruned on disk.
  void write_pruned(const JobSpec& job, const std::string& why) const;
  void finish(const JobSpec& job, const JobResult& result, bool stopped);
  void refuse(const std::string& text);

  const Plan& plan_;
  fs::path run_;
  DataCache& data_;
  std::map<std::size_t, PendingWork> todo_;
  std::vector<std::size_t> order_;  // of todo_'s jobs
  Trackers& trackers_;
  EventLog& log_;
  Settings settings_;
  std::atomic<int> failed_{0}, stopped_{0};
  std::atomic<bool> refused_{false};  // further jobs would fail, too
  std::mutex mutex_;
  std::vector<std::string> failures_, lost_;
  std::map<std::string, std::size_t> queued_;
  std::string refusal_;
};

}  // namespace yatlab
