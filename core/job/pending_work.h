#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/job/job.h"

namespace yatlab {

/// What is to be done of a job, given what lies in its folder.
struct Todo {
  bool itself = false;
  std::vector<std::size_t> analyses = {};  ///< indices
  bool failed = false;                     ///< it failed before, and is not tried again

  bool nothing() const { return !itself && analyses.empty(); }
};

/// Looks at a job's folder and those of its analyses: what is finished by the same identity and with every byte as it was written is kept; what is
/// not is made ready to be done again, and `notice` told of damage. `verified`: folders below the run whose bytes were checked just now.
/// retry_failed: failed jobs are done again. data: null where the jobs' data are on other machines; then they are taken to be what they were.
/// Throws a data error, and removes nothing, where the job was begun on other data than are here.
Todo what_to_do(const JobSpec& job, const fs::path& run, DataCache* data, bool retry_failed, const std::set<std::string>& verified,
                const std::function<void(const std::string&)>& notice);

/// Does it, in the job's folder below `run`: the job, then its analyses. Results of what was kept are joined. Never throws (see run_job).
JobResult run_job_and_analyses(const JobSpec& job, const Todo& todo, const fs::path& run, DataCache& data, JobObserver& observer,
                               const TrainsWith& with = {});

}  // namespace yatlab
