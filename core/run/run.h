#pragma once

#include <filesystem>
#include <string>

#include "core/plan/plan.h"

namespace yatlab {

struct RunOptions {
  bool fresh = false;         ///< a new run directory, nothing kept
  bool retry_failed = false;  ///< run failed jobs again
  bool fail_fast = false;     ///< stop after the first failed job
  bool wait = false;          ///< stay until all jobs are over, also where a queue has them (launcher=slurm)
  bool quiet = false;         ///< no progress, no tables; errors still show
  bool report = true;         ///< tables and figures when the jobs are over
  std::string command;        ///< as typed, for environment.json
};

/// What a run came to.
struct RunOutcome {
  std::filesystem::path directory;
  int exit_code = 0;  ///< 0 done, 1 a job failed, 3 data missing, 128 + signal when stopped
};

/// Runs a plan: finds its run directory or creates it, keeps what is done, runs the rest, and what a search adds, reports.
RunOutcome run_plan(const PlannedRun& planned, const RunOptions& options);

}  // namespace yatlab
