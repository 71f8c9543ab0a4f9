#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/files.h"

namespace yatlab {

/// Asks the process that runs this job to save it and end it, by a file in its folder: also where the process runs other jobs, too, and from
/// any machine that sees the folder.
void request_stop_of(const fs::path& job);

/// Looks for such a request while a job runs. Earlier requests do not count, and none remains. Thread-safe.
class StopRequest {
 public:
  explicit StopRequest(const fs::path& job);
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  /// Cheap: it looks at the disk twice a second at most.
  bool made();

 private:
  const fs::path file_;
  std::atomic<std::int64_t> next_look_{0};  // milliseconds of the steady clock
  std::atomic<bool> made_{false};
};

}  // namespace yatlab
