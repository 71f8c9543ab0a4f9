#include "core/run/run_launch.h"

#include <fmt/format.h>

#include <optional>
#include <thread>

#include "core/base/failure.h"
#include "core/base/process.h"
#include "core/job/followed_job.h"
#include "core/job/job_files.h"
#include "core/job/loaded_data.h"
#include "core/plan/recorded_run.h"
#include "core/record/job_lock.h"
#include "core/record/stop_request.h"
#include "core/run/job_stacks.h"
#include "core/system/stop.h"
#include "core/train/training_stack.h"

namespace yatlab {
namespace {

/// The data set of a training; nothing for other jobs, and where it cannot be loaded: the job reports that error.
std::optional<DatasetUse> data_of(const JobSpec& job, DataCache& data) {
  const Node* dataset = job.dataset();
  if (!dataset) return std::nullopt;
  try {
    return dataset_use(*data.get(*dataset)->dataset);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

/// Passes what a job reports to the run's trackers and its search.
class RunLaunch::TrackedJob final : public JobObserver {
 public:
  TrackedJob(RunLaunch& launch, const JobSpec& job) : launch_(launch), job_(job), request_(launch.run_ / job.directory) {}
  void on_resume(std::int64_t step) override {
    if (auto* search = launch_.settings_.search) search->rewind(job_, step);
    each([&](Tracker& t) { t.on_resume(job_, step); });
  }
  void on_metrics(const MetricRow& row) override {
    each([&](Tracker& t) { t.on_metrics(job_, row); });
    if (auto* search = launch_.settings_.search) search->see(job_, row, total_steps_);
  }
  void on_checkpoint(std::int64_t step, const fs::path& folder) override {
    each([&](Tracker& t) { t.on_checkpoint(job_, {step, folder}); });
  }
  void on_media(const Media& media) override {
    each([&](Tracker& t) { t.on_media(job_, media); });
  }
  void on_progress(const Progress& progress) override {
    total_steps_ = progress.total_steps;
    each([&](Tracker& t) { t.on_progress(job_, progress); });
  }
  void on_notice(const std::string& text) override { launch_.settings_.notice(job_.directory + ": " + text); }
  bool wants_stop() override {
    each([&](Tracker& t) {
      if (!stopped_ && t.wants_stop(job_)) stopped_ = true;
    });
    if (request_.made()) stopped_ = true;
    return stopped_ || launch_.stopping() || !why_pruned().empty();
  }
  std::string why_pruned() override { return launch_.why_pruned(job_); }
  /// Whether the user stopped this job, through a tracker or the live page.
  bool stopped() const { return stopped_; }

 private:
  void each(const std::function<void(Tracker&)>& call) { launch_.trackers_.each(call); }

  RunLaunch& launch_;
  const JobSpec& job_;
  StopRequest request_;
  std::atomic<bool> stopped_{false};  // read by all threads of a job
  std::atomic<std::int64_t> total_steps_{0};
};

/// A job of the run in another process.
class TrackedExternalJob final : public ExternalJob {
 public:
  TrackedExternalJob(RunLaunch& launch, const JobSpec& job)
      : launch_(launch), job_(job), tracked_(launch, job), followed_((launch.begin(job), launch.run_ / job.directory), tracked_) {}

  void poll() override {
    guarded([&] { followed_.look(); });
  }
  bool wants_stop() override { return tracked_.wants_stop(); }
  void finish(const std::string& crash, bool lost) override {
    guarded([&] {
      const auto folder = launch_.run_ / job_.directory;
      auto status = read_job_status(folder);
      auto recorded = recorded_result(job_, launch_.run_);
      JobResult result{recorded.state, recorded.metrics, recorded.why};
      if (!is_over(result.state)) result.state = JobState::kInterrupted;
      if (auto why = launch_.why_pruned(job_); result.state == JobState::kInterrupted && !why.empty()) {
        launch_.write_pruned(job_, why);
        return launch_.finish(job_, {JobState::kPruned, std::move(result.metrics), std::move(why)}, false);
      }
      if (!crash.empty()) {
        result = {lost ? JobState::kInterrupted : JobState::kFailed, {}, crash};
        if (!is_over(status.state) || status.state == JobState::kFailed) {  // else one of its analyses
          status.state = result.state;
          status.error = crash;
          write_job_status(folder, status);
        }
      }
      for (const auto& item : recorded_media(job_, launch_.run_)) launch_.trackers_.each([&](Tracker& t) { t.on_media(job_, item); });
      auto taken = lost ? crash : std::string();
      const bool saved = crash.empty() && result.state == JobState::kInterrupted && result.why.empty();
      if (saved && !tracked_.wants_stop()) taken = "its process was asked to stop";  // by another process
      if (!taken.empty()) {
        const std::lock_guard lock(launch_.mutex_);
        launch_.lost_.push_back(fmt::format("{}: {}", job_.label(), taken));
        result.why.clear();  // reported there; other jobs continue
      }
      launch_.finish(job_, result, tracked_.stopped());
    });
  }

 private:
  template <class Act>
  void guarded(const Act& act) {
    try {
      act();
    } catch (...) {  // no exception may leave a launcher's thread
      launch_.refuse(current_error().what());
    }
  }

  RunLaunch& launch_;
  const JobSpec& job_;
  RunLaunch::TrackedJob tracked_;
  FollowedJob followed_;
};

RunLaunch::RunLaunch(const Plan& plan, fs::path run, DataCache& data, Trackers& trackers, EventLog& log, Settings settings)
    : plan_(plan), run_(std::move(run)), data_(data), trackers_(trackers), log_(log), settings_(std::move(settings)) {}

void RunLaunch::set_pending(std::map<std::size_t, PendingWork> todo) {
  todo_ = std::move(todo);
  order_.clear();
  for (const auto& [i, what] : todo_) order_.push_back(i);
}

std::string RunLaunch::why_pruned(const JobSpec& job) const { return settings_.search ? settings_.search->why_pruned(job) : ""; }

void RunLaunch::write_pruned(const JobSpec& job, const std::string& why) const {
  auto status = read_job_status(run_ / job.directory);
  status.state = JobState::kPruned;
  status.error = why;
  write_job_status(run_ / job.directory, status);
}

bool RunLaunch::stopping() const { return refused_ || stop_signal() != 0 || failed_fast(); }

void RunLaunch::leave_to_queue(std::size_t i, const std::string& queue) {
  log_.write(fmt::format("left to {}: {}", queue, job(i).label()));
  const std::lock_guard lock(mutex_);
  ++queued_[queue];
}

void RunLaunch::refuse(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!refused_.exchange(true)) refusal_ = text;
}

void RunLaunch::begin(const JobSpec& job) {
  log_.write("begin " + job.label());
  const auto used = settings_.on_this_machine ? data_of(job, data_) : std::nullopt;
  trackers_.each([&](Tracker& t) { t.on_job_start(job, {false, used ? &*used : nullptr}); });
}

void RunLaunch::finish(const JobSpec& job, const JobResult& result, bool stopped) {
  log_.write(fmt::format("{} {}{}{}", to_string(result.state), job.label(), result.why.empty() ? "" : ": " + result.why,
                         result.trace.empty() ? "" : "\n" + result.trace));
  if (settings_.search) settings_.search->ended(job, result.state);
  if (result.state == JobState::kFailed) {
    ++failed_;
    const std::lock_guard lock(mutex_);
    failures_.push_back(fmt::format("{}: {}", job.label(), result.why));
  }
  if (result.state == JobState::kInterrupted && !result.why.empty()) refuse(fmt::format("{}: {}", job.label(), result.why));
  if (stopped && result.state == JobState::kInterrupted) ++stopped_;
  trackers_.each([&](Tracker& t) { t.on_job_finish(job, result.state, result.metrics, result.why); });
}

std::vector<std::vector<std::size_t>> RunLaunch::stacks(const StackRule& rule, std::size_t workers) const {
  std::vector<std::vector<std::size_t>> out;
  std::vector<std::size_t> training;  // the others only run analyses
  std::vector<const JobSpec*> specs;
  for (std::size_t i = 0; i < jobs(); ++i) {
    if (todo_.at(order_[i]).itself) {
      training.push_back(i);
      specs.push_back(&job(i));
    } else {
      out.push_back({i});
    }
  }
  for (auto& members : stacks_of(specs, rule, workers)) {
    for (auto& member : members) member = training[member];
    out.push_back(std::move(members));
  }
  return out;
}

void RunLaunch::run_here(const std::vector<std::size_t>& jobs) {
  if (jobs.size() == 1) return run_one(jobs.front(), nullptr);
  TrainingStack stack(jobs.size());
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    try {
      threads.emplace_back([this, &stack, k, i = jobs[k]] {
        StackSlot slot(stack, k);
        run_one(i, &slot);
      });
    } catch (const std::system_error&) {  // no more threads available
      refuse(current_error().what());
      stack.leave();
    }
  }
  for (auto& thread : threads) thread.join();
}

void RunLaunch::run_one(std::size_t i, StackSlot* slot) {
  try {
    const auto held = lock_job(folder(i));
    begin(job(i));
    if (auto why = why_pruned(job(i)); !why.empty()) {  // through another seed
      write_pruned(job(i), why);
      return finish(job(i), {JobState::kPruned, {}, std::move(why)}, false);
    }
    TrackedJob tracked(*this, job(i));
    TrainsWith with;
    with.slot = slot;
    const auto result = run_job_and_analyses(job(i), todo_.at(order_[i]), run_, data_, tracked, with);
    finish(job(i), result, tracked.stopped());
  } catch (...) {  // no exception may leave a launcher's thread
    refuse(current_error().what());
  }
}

std::vector<std::string> RunLaunch::command(std::size_t i) const {
  return {program_path().string(), "job", "--quiet", fs::absolute(folder(i)).string()};
}

std::unique_ptr<ExternalJob> RunLaunch::follow(std::size_t i) { return std::make_unique<TrackedExternalJob>(*this, job(i)); }

}  // namespace yatlab
