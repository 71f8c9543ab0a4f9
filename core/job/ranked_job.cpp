#include "core/job/ranked_job.h"
#include "core/plan/job_spec.h"

#include "core/base/failure.h"
#include "core/compose/job_type.h"

namespace yatlab {

JobHooks hooks_of_rank_0(const JobHooks& hooks, RankMeeting& meeting) {
  JobHooks out = hooks;
  out.local_rank = meeting.place().local_rank;
  out.meet = [&meeting](bool together, const at::Device& device) -> std::shared_ptr<ProcessGroup> {
    meeting.announce(together);
    return together ? meeting.join(device) : nullptr;
  };
  return out;
}

JobResult follow_rank_0(const JobSpec& job, const fs::path& directory, DataCache& data, const JobHooks& hooks, RankMeeting& meeting) {
  const auto stop = hooks.stop ? hooks.stop : [] { return false; };
  JobHooks quiet;
  quiet.stop = stop;
  quiet.local_rank = meeting.place().local_rank;
  quiet.meet = [&](bool, const at::Device& device) { return meeting.join(device); };
  try {
    if (!meeting.wanted(stop)) return {stop() ? JobState::kInterrupted : JobState::kCompleted, {}, {}};
  } catch (const ContactLost& lost) {
    return {lost.failed ? JobState::kFailed : JobState::kInterrupted, {}, lost.why};
  }
  return job.type->run({job, directory, data, quiet});
}

JobResult as_rank(const std::function<JobResult(RankMeeting*)>& work) {
  const auto place = rank_place();
  if (place.size == 1) return work(nullptr);
  static bool before = false;
  if (before) throw config_error("several ranks do one job with a command", "command line", {}, "give each job a command of its own");
  before = true;
  RankMeeting meeting(place);
  try {
    auto result = work(&meeting);
    if (result.state == JobState::kFailed) {
      meeting.report(result.why);
    } else if (place.rank == 0) {
      meeting.announce(false);
    }
    meeting.see_off();
    return result;
  } catch (...) {
    meeting.report(current_error().what());
    meeting.see_off();
    throw;
  }
}

}  // namespace yatlab
