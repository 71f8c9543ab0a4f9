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
    return workers_here(static_cast<std::size_t>(p_.workers), jobs, threads_per_job);
  }

  void run(Launch& launch, std::size_t workers) const override {
    each_job(launch.jobs(), workers, [&](std::size_t i) {
      if (!launch.over()) launch.execute(i);
    });
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Launcher, LocalLauncher, "local", "threads of this process");

}  // namespace yatlab
