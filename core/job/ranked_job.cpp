#include "core/job/ranked_job.h"
#include "core/plan/job_spec.h"

#include "core/base/failure.h"
#include "core/compose/job_type.h"

namespace yatlab {

namespace {

/// Passes on only an observer's stop requests, and reports nothing to it.
class StopOnly final : public JobObserver {
 public:
  explicit StopOnly(JobObserver& observer) : observer_(observer) {}
  bool wants_stop() override { return observer_.wants_stop(); }

 private:
  JobObserver& observer_;
};

}  // namespace

TrainsWith ranks_of(RankMeeting& meeting) {
  TrainsWith out;
  out.local_rank = meeting.place().local_rank;
  out.join_group = [&meeting](bool together, const at::Device& device) -> std::shared_ptr<ProcessGroup> {
    meeting.announce(together);
    return together ? meeting.join(device) : nullptr;
  };
  return out;
}

JobResult follow_rank_0(const JobSpec& job, const fs::path& directory, DataCache& data, JobObserver& observer, RankMeeting& meeting) {
  StopOnly quiet(observer);
  TrainsWith with;
  with.local_rank = meeting.place().local_rank;
  with.join_group = [&](bool, const at::Device& device) { return meeting.join(device); };
  try {
    const auto wanted = meeting.wanted([&] { return observer.wants_stop(); });
    if (!wanted) return {observer.wants_stop() ? JobState::kInterrupted : JobState::kCompleted, {}, {}};
  } catch (const ContactLost& lost) {
    return {lost.failed ? JobState::kFailed : JobState::kInterrupted, {}, lost.why};
  }
  return job.type->run({job, directory, data, quiet, with});
}

JobResult as_rank(const std::function<JobResult(RankMeeting*)>& work) {
  const auto place = rank_place();
  if (place.size == 1) return work(nullptr);
  static bool before = false;
  if (before)
    throw config_error("with several ranks, one command runs only one job", "command line", {}, "start a separate command for each job");
  before = true;
  RankMeeting meeting(place);
  try {
    auto result = work(&meeting);
    if (result.state == JobState::kFailed) {
      meeting.report(result.why);
    } else if (place.rank == 0) {
      meeting.announce(false);
    }
    meeting.wait_until_all_left();
    return result;
  } catch (...) {
    meeting.report(current_error().what());
    meeting.wait_until_all_left();
    throw;
  }
}

}  // namespace yatlab
