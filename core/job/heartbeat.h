#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/base/files.h"
#include "core/record/job_status.h"
#include "core/record/metric_row.h"

namespace yatlab {

/// Writes heartbeat.json into a running job's folder for the lifetime of this object, so that others see that the job runs, and its progress. Ignores
/// file errors: a job does not fail because of them.
class HeartbeatWriter {
 public:
  explicit HeartbeatWriter(fs::path directory);
  ~HeartbeatWriter();
  HeartbeatWriter(const HeartbeatWriter&) = delete;
  HeartbeatWriter& operator=(const HeartbeatWriter&) = delete;

  /// Call it from the job's thread; cheap.
  void see(const Progress& progress);

 private:
  void write();

  fs::path directory_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  Heartbeat now_;
  std::int64_t first_step_ = -1;
  double first_seconds_ = 0;
  std::thread thread_;
};

}  // namespace yatlab
