#pragma once

#include "core/job/job.h"
#include "core/train/rank_meeting.h"

namespace yatlab {

/// What rank 0 trains with: it brings the others in when there is something to train.
TrainsWith ranks_of(RankMeeting& meeting);

/// A job on another rank than the first: it trains with the others if rank 0 says so, and writes nothing. May throw.
JobResult follow_rank_0(const JobSpec& job, const fs::path& directory, DataCache& data, JobObserver& observer, RankMeeting& meeting);

/// Has `work` done where this process is one of several ranks, which are informed when it fails here. work: given null in a process that
/// is alone.
JobResult as_rank(const std::function<JobResult(RankMeeting*)>& work);

}  // namespace yatlab
