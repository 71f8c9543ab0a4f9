#pragma once

#include <filesystem>
#include <string>

#include "core/experiment/plan.h"

namespace yatlab {

/// Holds an exclusive lock on a run directory for as long as it lives.
class RunLock {
 public:
  RunLock() = default;
  RunLock(RunLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  RunLock& operator=(RunLock&& other) noexcept;
  ~RunLock();
  /// Throws when another process runs in `directory`.
  static RunLock take(const std::filesystem::path& directory);

 private:
  int fd_ = -1;
};

struct RunDirectory {
  std::filesystem::path path;
  bool resumed = false;
  RunLock lock;
};

/// The newest run of the same plan below `<results>/<name>/`, or (with `fresh`, or when there is none)
/// a new one named `<time>-<hash6>`, created in one step. Points `latest` at it.
RunDirectory open_run_directory(const Plan& plan, bool fresh);

/// Copies finished jobs with the same hash from earlier runs of the experiment, so that extending
/// seeds or a sweep repeats nothing. Returns how many were taken over.
std::size_t adopt_finished_jobs(const Plan& plan, const std::filesystem::path& run);

}  // namespace yatlab
