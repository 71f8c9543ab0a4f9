#include "core/plan/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/system/start_threads.h"

namespace yatlab {

std::size_t LocalProcessLauncher::workers(std::size_t jobs, std::size_t threads_per_job) const {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t fitting = std::max<std::size_t>(1, cores / std::max<std::size_t>(1, threads_per_job));
  const auto wanted = static_cast<std::size_t>(p_.workers);
  return std::max<std::size_t>(1, std::min(wanted > 0 ? wanted : fitting, jobs));
}

namespace {

/// Counts the jobs on each device.
class DeviceSlots {
 public:
  explicit DeviceSlots(std::size_t each) : each_(each) {}
  void take(const std::string& device) {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [&] { return taken_[device] < each_; });
    ++taken_[device];
  }
  void give(const std::string& device) {
    const std::lock_guard lock(mutex_);
    --taken_[device];
    free_.notify_all();
  }

 private:
  const std::size_t each_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::map<std::string, std::size_t> taken_;
};

/// "cuda:1"; "" for the CPU, whose jobs `workers` limits.
std::string gpu_of(const JobSpec& job) {
  const Node* device = job.config.find_path("trainer.device");
  if (!device || device->as_string() == "cpu") return {};
  return device->as_string() == "cuda" ? "cuda:0" : device->as_string();
}

}  // namespace

StackRule stack_rule(const Node& given) {
  if (given.is_bool() && !given.as_bool()) return {};
  if (given.is_string() && given.as_string() == "off") return {};
  if (given.is_string() && given.as_string() == "auto") return {128, true};
  if (given.is_int() && given.as_int() > 1) return {static_cast<std::size_t>(given.as_int()), false};
  throw config_error(fmt::format("'launcher.stack' cannot be {}", shortened(given.to_flow())), given.origin().describe(), {},
                     "use auto, off, or the largest number of jobs to train together (at least 2)");
}

void LocalProcessLauncher::each_in_turn(Launch& launch, std::size_t workers, const std::function<void(std::size_t)>& work) const {
  std::vector<std::vector<std::size_t>> alone;
  for (std::size_t i = 0; i < launch.jobs(); ++i) alone.push_back({i});
  each_in_turn(launch, workers, alone, [&](const std::vector<std::size_t>& one) { work(one.front()); });
}

void LocalProcessLauncher::each_in_turn(Launch& launch, std::size_t workers, const std::vector<std::vector<std::size_t>>& stacks,
                                        const std::function<void(const std::vector<std::size_t>&)>& work) const {
  DeviceSlots slots(static_cast<std::size_t>(p_.gpu_slots));
  each_job(stacks.size(), workers, [&](std::size_t k) {
    const auto gpu = gpu_of(launch.job(stacks[k].front()));
    if (!gpu.empty()) slots.take(gpu);
    if (!launch.stopping()) work(stacks[k]);
    if (!gpu.empty()) slots.give(gpu);
  });
}

void require_share_of_batches(const JobSpec& job, std::int64_t ranks) {
  const Node* const samples = job.config.at("trainer").find("batch_size");  // of trainings
  if (!samples || samples->as_int() >= ranks) return;
  throw config_error(fmt::format("{} ranks cannot share a batch of {} samples", ranks, samples->as_int()), "launcher.ranks",
                     "some ranks would have no samples", "use fewer ranks, or larger batches (trainer.batch_size)");
}

void each_job(std::size_t jobs, std::size_t workers, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < jobs; i = next++) work(i);
  };
  for (auto& thread : start_threads(workers, take)) thread.join();
}

}  // namespace yatlab
