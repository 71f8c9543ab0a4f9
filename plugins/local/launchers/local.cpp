#include "core/plan/launcher.h"

namespace yatlab {

/// Threads of this process, which share the data sets in memory. Similar jobs may train together.
class LocalLauncher final : public LocalProcessLauncher {
 public:
  struct Params : LocalProcessLauncher::Params {
    Node stack = Node("off");
    static void declare(Fields& f, Params& p) {
      LocalProcessLauncher::Params::declare(f, p);
      f.field("stack", p.stack,
              "train jobs that differ only in numbers together (docs/stacks.md): auto, off, or the maximum number; results are those of "
              "separate trainings, up to rounding");
    }
  };
  explicit LocalLauncher(const Params& p) : LocalProcessLauncher(p), stack_(stack_rule(p.stack)) {}

  StackRule stack() const override { return stack_; }

  void run(Launch& launch, std::size_t workers) const override {
    each_in_turn(launch, workers, launch.stacks(stack_, workers), [&](const std::vector<std::size_t>& jobs) { launch.run_here(jobs); });
  }

 private:
  StackRule stack_;
};

YATLAB_REGISTER(Launcher, LocalLauncher, "local", "threads of this process");

}  // namespace yatlab
