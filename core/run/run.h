#pragma once

#include <filesystem>
#include <string>

#include "core/plan/plan.h"

namespace yatlab {

struct RunOptions {
  bool fresh = false;         ///< a new run directory; nothing is kept
  bool retry_failed = false;  ///< run failed jobs again
  bool fail_fast = false;     ///< stop after the first failed job
  bool wait = false;          ///< wait until all jobs are finished, even in a queue (launcher=slurm)
  bool quiet = false;         ///< no progress, no tables; errors still show
  bool report = true;         ///< tables and figures when the jobs are finished
  std::string command;        ///< as typed, for environment.json
};

/// The result of a run.
struct RunOutcome {
  std::filesystem::path directory;
  int exit_code = 0;  ///< 0 done, 1 a job failed, 3 data missing, 128 + signal when stopped
};

/// Runs a plan: finds or creates its run directory, keeps finished jobs, runs the rest and those that a search adds, and reports.
RunOutcome run_plan(const PlannedRun& planned, const RunOptions& options);

}  // namespace yatlab
