#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/record/checkpoint_folders.h"
#include "core/record/run_folders.h"

namespace yatlab {

struct PruneRequest {
  fs::path results = "results";
  std::vector<RunFolder> runs;   ///< what may go
  std::vector<RunFolder> named;  ///< of these, runs that were named one by one: checkpoints may go although `latest` points there
  CheckpointRule checkpoints = CheckpointRule::kKeep;
  bool interrupted = false;  ///< also runs that finished nothing, but could go on from a checkpoint
};

/// Something that goes: a whole run, or checkpoints of its finished jobs.
struct PruneItem {
  RunFolder run;
  bool whole = false;
  std::string why;
  std::uintmax_t bytes = 0;
  std::size_t jobs = 0, checkpoints = 0;  ///< of checkpoints: how many, of how many jobs
};

struct PrunePlan {
  std::vector<PruneItem> items;
  std::vector<std::string> kept;   ///< runs that would go, but for this: "xor/2026-...: tagged best"
  std::vector<std::string> notes;  ///< what could not be read; it stays
  std::uintmax_t bytes() const;
};

/// What may go. A run whose every finished job lies finished and undamaged, with the same hash and folder, in a newer run of the experiment that
/// stays; a run that finished nothing and is not going on; checkpoints of finished jobs by the rule. Never a tagged run, never the one that
/// `latest` points to, never one that is going on. Changes nothing.
PrunePlan plan_prune(const PruneRequest& request);

/// Does it, while no run of the experiment can begin; what is not so any more, or cannot be removed, stays and is named in the answer. A run goes in
/// one step (it is renamed first). Of a job whose checkpoints go the manifest is written anew before they do, so that after a kill at any
/// moment it is as valid as before.
std::vector<std::string> carry_out(const PruneRequest& request, const PrunePlan& plan);

}  // namespace yatlab
