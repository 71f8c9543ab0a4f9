#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/job/job_observer.h"

namespace yatlab {

/// Passes on what another process writes into a job's folder, as that process would itself: rows of history, progress, checkpoints.
class FollowedJob {
 public:
  /// Begins after the state that the job resumes from. The observer must outlive this object.
  FollowedJob(fs::path directory, JobObserver& observer);
  /// Passes on what is new. Calls on_resume to take back rows that the job, resumed from an earlier checkpoint, has replaced.
  void look();

 private:
  struct Row {
    std::uint64_t end = 0;  ///< where the row ends in the file, in bytes
    std::int64_t step = 0;
    std::string line;
  };
  void take_back();

  fs::path directory_;
  JobObserver& observer_;
  std::vector<Row> rows_;  ///< passed on, or known from before
  std::set<std::int64_t> checkpoints_;
  std::int64_t beat_ = 0;
};

}  // namespace yatlab
