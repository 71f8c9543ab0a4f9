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

TrainsWith ranks_of(RankRendezvous& rendezvous) {
  TrainsWith out;
  out.local_rank = rendezvous.place().local_rank;
  out.join_group = [&rendezvous](bool together, const at::Device& device) -> std::shared_ptr<ProcessGroup> {
    rendezvous.announce(together);
    return together ? rendezvous.join(device) : nullptr;
  };
  return out;
}

JobResult follow_rank_0(const JobSpec& job, const fs::path& directory, DataCache& data, JobObserver& observer, RankRendezvous& rendezvous) {
  StopOnly quiet(observer);
  TrainsWith with;
  with.local_rank = rendezvous.place().local_rank;
  with.join_group = [&](bool, const at::Device& device) { return rendezvous.join(device); };
  try {
    const auto wanted = rendezvous.wanted([&] { return observer.wants_stop(); });
    if (!wanted) return {observer.wants_stop() ? JobState::kInterrupted : JobState::kCompleted, {}, {}};
  } catch (const ContactLost& lost) {
    return {lost.failed ? JobState::kFailed : JobState::kInterrupted, {}, lost.why};
  }
  return job.type->run({job, directory, data, quiet, with});
}

JobResult as_rank(const std::function<JobResult(RankRendezvous*)>& work) {
  const auto place = rank_place();
  if (place.size == 1) return work(nullptr);
  static bool before = false;
  if (before)
    throw config_error("with several ranks, one command runs only one job", "command line", {}, "start a separate command for each job");
  before = true;
  RankRendezvous rendezvous(place);
  try {
    auto result = work(&rendezvous);
    if (result.state == JobState::kFailed) {
      rendezvous.report(result.why);
    } else if (place.rank == 0) {
      rendezvous.announce(false);
    }
    rendezvous.wait_until_all_left();
    return result;
  } catch (...) {
    rendezvous.report(current_error().what());
    rendezvous.wait_until_all_left();
    throw;
  }
}

}  // namespace yatlab
