#pragma once

#include <cstddef>
#include <functional>

#include "core/registry/registry.h"

namespace yatlab {

/// Runs the jobs of a plan somewhere.
class Launcher {
 public:
  virtual ~Launcher() = default;

  /// Jobs that run at the same time, given how many there are and the threads each one takes.
  virtual std::size_t workers(std::size_t jobs, std::size_t threads_per_job) const = 0;

  /// Calls `execute(i)` once for every i in [0, jobs), from up to `workers` threads, and returns when
  /// all calls have. Jobs start in order. `execute` does not throw.
  virtual void run(std::size_t jobs, std::size_t workers,
                   const std::function<void(std::size_t)>& execute) const = 0;
};

YATLAB_KIND(Launcher, "launcher", "runs a plan's jobs somewhere")

}  // namespace yatlab
