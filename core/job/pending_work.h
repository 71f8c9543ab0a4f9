#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/job/job.h"

namespace yatlab {

/// The work left for a job, given the contents of its folder.
struct PendingWork {
  bool itself = false;
  std::vector<std::size_t> analyses = {};  ///< indices
  bool failed = false;                     ///< it failed before and is not retried

  bool nothing() const { return !itself && analyses.empty(); }
};

/// Checks the folders of a job and its analyses. Keeps results that are finished, of the same identity and intact to the byte. Prepares the rest to
/// be redone, and reports damage to `notice`. `verified`: folders below the run whose bytes were just checked. retry_failed: failed jobs are redone.
/// data: null where the jobs' data are on other machines; they are then assumed unchanged. Throws a data error, and removes nothing, if the job began
/// with other data than the present ones.
PendingWork pending_work_of(const JobSpec& job, const fs::path& run, DataCache* data, bool retry_failed,
                            const std::set<std::string>& verified, const std::function<void(const std::string&)>& notice);

/// Does this work in the job's folder below `run`: the job, then its analyses. Adds the results that were kept. Never throws (see run_job).
JobResult run_job_and_analyses(const JobSpec& job, const PendingWork& todo, const fs::path& run, DataCache& data, JobObserver& observer,
                               const TrainsWith& with = {});

}  // namespace yatlab
