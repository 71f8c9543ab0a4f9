#include "core/experiment/launcher.h"

namespace yatlab {

/// Threads of this process, which share the data sets in memory.
class LocalLauncher final : public LauncherHere {
 public:
  using LauncherHere::LauncherHere;

  void run(Launch& launch, std::size_t workers) const override {
    each_in_turn(launch, workers, [&](std::size_t i) { launch.execute(i); });
  }
};

YATLAB_REGISTER(Launcher, LocalLauncher, "local", "threads of this process");

}  // namespace yatlab
