#pragma once

#include "core/job/job.h"

namespace yatlab {

/// Runs the job in this folder, and a training's analyses, as far as they are not finished (`yatlab job`). What to run is in job.yaml, so any
/// machine that sees the folder can do it. Throws a config error where this program or a plugin library is not the one that the job was planned
/// with, or where another process runs the job.
JobResult run_job_folder(const fs::path& job_directory, JobObserver& observer);

}  // namespace yatlab
