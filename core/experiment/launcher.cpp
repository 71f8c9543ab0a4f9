#include "core/experiment/launcher.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace yatlab {

std::size_t LauncherHere::workers(std::size_t jobs, std::size_t threads_per_job) const {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t fitting = std::max<std::size_t>(1, cores / std::max<std::size_t>(1, threads_per_job));
  const auto wanted = static_cast<std::size_t>(p_.workers);
  return std::max<std::size_t>(1, std::min(wanted > 0 ? wanted : fitting, jobs));
}

void each_job(std::size_t jobs, std::size_t workers, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < jobs; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(take);
  for (auto& thread : threads) thread.join();
}

}  // namespace yatlab
