#pragma once

#include "core/job/job.h"

namespace yatlab {

/// Does the job that a folder holds, and, of a training, its analyses: whatever of them is not done. For a process of its own (`yatlab job`), on any
/// machine that sees the folder: what to do stands in job.yaml. Throws a config error where this program, or a plugin library, is not the one that
/// the job was planned with, or another process does the job.
JobResult execute_job(const fs::path& job_directory, JobObserver& observer);

}  // namespace yatlab
