#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/job/job_observer.h"

namespace yatlab {

/// Hands on what another process writes into a job's folder, as that process would itself: rows of history, progress, checkpoints.
class FollowedJob {
 public:
  /// Begins behind what the job will go on from.
  /// The observer outlives it.
  FollowedJob(fs::path directory, JobObserver& observer);
  /// Hands on what is new. Rows that were handed on and are another's now (the job went on from a checkpoint before them) are taken back by
  /// on_resume.
  void look();

 private:
  struct Row {
    std::uint64_t end = 0;  ///< bytes of the file up to here
    std::int64_t step = 0;
    std::string line;
  };
  void take_back();

  fs::path directory_;
  JobObserver& observer_;
  std::vector<Row> rows_;  ///< handed on, or known from before
  std::set<std::int64_t> checkpoints_;
  std::int64_t beat_ = 0;
};

}  // namespace yatlab
