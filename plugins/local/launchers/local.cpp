#include "core/plan/launcher.h"

namespace yatlab {

/// Threads of this process, which share the data sets in memory. Jobs that are alike may train together.
class LocalLauncher final : public LauncherHere {
 public:
  struct Params : LauncherHere::Params {
    Node stack = Node("off");
    static void declare(Fields& f, Params& p) {
      LauncherHere::Params::declare(f, p);
      f.field("stack", p.stack,
              "jobs that train together where they differ in numbers alone (docs/stacks.md): auto, off, or at most so many; results are "
              "those of each alone, to rounding");
    }
  };
  explicit LocalLauncher(const Params& p) : LauncherHere(p), stack_(stack_rule(p.stack)) {}

  StackRule stack() const override { return stack_; }

  void run(Launch& launch, std::size_t workers) const override {
    each_in_turn(launch, workers, launch.stacks(stack_, workers), [&](const std::vector<std::size_t>& members) {
      if (members.size() == 1) {
        launch.execute(members.front());
      } else {
        launch.execute_together(members);
      }
    });
  }

 private:
  StackRule stack_;
};

YATLAB_REGISTER(Launcher, LocalLauncher, "local", "threads of this process");

}  // namespace yatlab
