#pragma once

#include "core/job/job.h"
#include "core/train/rank_rendezvous.h"

namespace yatlab {

/// Settings for rank 0: it calls in the other ranks when there is something to train.
TrainsWith ranks_of(RankRendezvous& rendezvous);

/// Runs a job on a rank other than 0: it trains with the others if rank 0 decides so, and writes nothing. May throw.
JobResult follow_rank_0(const JobSpec& job, const fs::path& directory, DataCache& data, JobObserver& observer, RankRendezvous& rendezvous);

/// Runs `work`; if this process is one of several ranks, the others are informed when it fails here. work: receives null in a process without other
/// ranks.
JobResult as_rank(const std::function<JobResult(RankRendezvous*)>& work);

}  // namespace yatlab
