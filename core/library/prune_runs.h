#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/record/checkpoint_folders.h"
#include "core/record/run_folders.h"

namespace yatlab {

struct PruneRequest {
  fs::path results = "results";
  std::vector<RunFolder> runs;   ///< candidates for removal
  std::vector<RunFolder> named;  ///< candidates named individually: their checkpoints may be removed even if `latest` points to the run
  CheckpointRule checkpoints = CheckpointRule::kKeep;
  bool interrupted = false;  ///< also runs that finished nothing but could resume from a checkpoint
};

/// Something to remove: a whole run, or checkpoints of its finished jobs.
struct PruneItem {
  RunFolder run;
  bool whole = false;
  std::string why;
  std::uintmax_t bytes = 0;
  std::size_t jobs = 0, checkpoints = 0;  ///< number of checkpoints, and of their jobs
};

struct PrunePlan {
  std::vector<PruneItem> items;
  std::vector<std::string> kept;   ///< candidates kept, with the reason: "xor/2026-...: tagged best"
  std::vector<std::string> notes;  ///< unreadable parts; they are kept
  std::uintmax_t bytes() const;
};

/// Plans the removal of: a run if a newer, kept run of the experiment has each of its finished jobs, finished and undamaged, with the same hash and
/// folder; an inactive run that finished nothing; checkpoints of finished jobs, by the rule. Never removes a tagged run, the run that
/// `latest` points to, or an active run. Changes nothing.
PrunePlan plan_prune(const PruneRequest& request);

/// Carries out the plan, while no run of the experiment can begin. Items that no longer qualify, or cannot be removed, are kept and named in the
/// result. A run is removed atomically (it is renamed first). A job's manifest is rewritten before its checkpoints are removed, so that it is valid
/// after a kill at any moment.
std::vector<std::string> carry_out(const PruneRequest& request, const PrunePlan& plan);

}  // namespace yatlab
