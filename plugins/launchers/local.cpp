#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "core/experiment/launcher.h"

namespace yatlab {

/// Threads of this process, which share the data sets in memory.
class LocalLauncher final : public Launcher {
 public:
  struct Params {
    std::int64_t workers = 0;
    static void declare(Fields& f, Params& p) {
      f.field("workers", p.workers, "jobs at the same time; 0: as many as the cores allow").non_negative();
    }
  };
  explicit LocalLauncher(const Params& p) : p_(p) {}

  std::size_t workers(std::size_t jobs, std::size_t threads_per_job) const override {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t fitting = std::max<std::size_t>(1, cores / std::max<std::size_t>(1, threads_per_job));
    const std::size_t wanted = p_.workers > 0 ? static_cast<std::size_t>(p_.workers) : fitting;
    return std::max<std::size_t>(1, std::min(wanted, jobs));
  }

  void run(std::size_t jobs, std::size_t workers,
           const std::function<void(std::size_t)>& execute) const override {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < jobs; i = next++) execute(i);
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(work);
    for (auto& thread : threads) thread.join();
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Launcher, LocalLauncher, "local", "threads of this process");

}  // namespace yatlab
