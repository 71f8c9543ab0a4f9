#include "core/job/pending_work.h"
#include "core/plan/job_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/compose/job_type.h"
#include "core/job/job_data.h"
#include "core/plan/recorded_run.h"
#include "core/record/checkpoint_folders.h"
#include "core/record/job_media.h"
#include "core/record/job_summary.h"

namespace yatlab {
namespace {

/// How to treat the earlier contents of a job's folder.
struct StoredJob {
  enum class Is { kKept, kKeptFailed, kPruned, kToDo, kDamaged, kOutdated } is;
  std::string damage = {};  ///< how a finished job's files are damaged
};

/// verified: its files were just checked.
StoredJob stored_job_of(const JobSpec& job, const fs::path& directory, bool retry_failed, bool verified) {
  using Is = StoredJob::Is;
  const auto status = read_job_status(directory);
  if (!status.intact) return {Is::kOutdated, "status.json has changed since it was written"};
  if (status.state == JobState::kFailed) return {retry_failed ? Is::kToDo : Is::kKeptFailed};
  if (status.state == JobState::kPruned) return {Is::kPruned};
  if (!is_finished(status.state)) return {Is::kToDo};
  if (!verified) {
    if (auto damage = damage_of_job(directory); !damage.empty()) return {Is::kDamaged, std::move(damage)};
  }
  const auto summary = read_job_summary(directory);
  if (!summary || summary->hash != job.hash) return {Is::kOutdated};
  return {Is::kKept};
}

JobResult kept_result(const fs::path& directory) {
  const auto before = recorded_result(directory);
  return {before.state, before.metrics, before.why};
}

CheckpointRule rule_of(const JobSpec& job) {
  const Node* keep = job.config.at("trainer").find("keep_checkpoints");
  const auto word = keep ? keep->as_string() : "all";
  return word == "none" ? CheckpointRule::kNone : word == "last" ? CheckpointRule::kKeepLast : CheckpointRule::kKeep;
}

/// Removes checkpoints that are not needed once a job and all its analyses are done.
void tidy_checkpoints(const JobSpec& job, const fs::path& directory, JobObserver& observer) {
  try {
    remove_surplus_checkpoints(directory, rule_of(job));
  } catch (const Error& e) {  // the job has its result
    observer.on_notice(e.what());
  }
}

}  // namespace

PendingWork pending_work_of(const JobSpec& job, const fs::path& run, DataCache* data, bool retry_failed,
                            const std::set<std::string>& verified, const std::function<void(const std::string&)>& notice) {
  using Is = StoredJob::Is;
  const auto look_at = [&](const JobSpec& one) {
    const fs::path directory = run / one.directory;
    if (data) require_same_data(one, directory, *data);
    const auto stored = stored_job_of(one, directory, retry_failed, verified.count(one.directory) > 0);
    if (!stored.damage.empty()) notice(fmt::format("{}: {}; the job runs again", one.directory, stored.damage));
    // If only results are damaged, their training is kept if it is intact: the trainer checks that.
    if (stored.is == Is::kOutdated) forget_job(directory, true);
    if (stored.is == Is::kDamaged) forget_job(directory, one.type != &training_job());
    return stored.is;
  };
  PendingWork out;
  const auto itself = look_at(job);
  if (itself == Is::kPruned) return out;
  out.itself = itself != Is::kKept && itself != Is::kKeptFailed;
  out.failed = itself == Is::kKeptFailed;
  if (out.failed) return out;  // there is nothing to analyse
  for (std::size_t i = 0; i < job.analyses.size(); ++i) {
    const auto is = look_at(job.analyses[i]);
    if (is == Is::kKeptFailed && !out.itself) {
      out.failed = true;
    } else if (is != Is::kKept) {
      out.analyses.push_back(i);
    }
  }
  if (!out.itself && !out.analyses.empty() && saved_checkpoints(run / job.directory / "checkpoints").empty()) {
    notice(fmt::format("{}: its checkpoints are missing, but an analysis needs the last one: it is trained again", job.directory));
    forget_job(run / job.directory, true);
    out.itself = true;
  }
  return out;
}

JobResult run_job_and_analyses(const JobSpec& job, const PendingWork& todo, const fs::path& run, DataCache& data, JobObserver& observer,
                               const TrainsWith& with) {
  JobResult out;
  if (todo.itself) {
    out = run_job(job, run / job.directory, data, observer, with);
    if (!is_finished(out.state)) return out;
  } else {
    out = kept_result(run / job.directory);
    // The trackers may not have seen the training, from another run or with other trackers: show its rows.
    const auto saved = saved_checkpoints(run / job.directory / "checkpoints");
    if (!saved.empty()) observer.on_resume(saved.back());
  }
  bool failed = false;
  for (std::size_t i = 0; i < job.analyses.size(); ++i) {
    const auto& analysis = job.analyses[i];
    const auto folder = run / analysis.directory;
    const bool now = std::find(todo.analyses.begin(), todo.analyses.end(), i) != todo.analyses.end();
    auto found = now ? run_job(analysis, folder, data, observer) : kept_result(folder);
    if (found.state == JobState::kCompleted) {
      out.metrics.merge(found.metrics);
      if (!now) {
        for (const auto& item : read_media(folder)) observer.on_media(item);
      }
      continue;
    }
    if (found.state == JobState::kDiverged) {
      if (out.state == JobState::kCompleted) {
        out.state = JobState::kDiverged;
        out.why = std::move(found.why);
      }
      continue;
    }
    if (!failed) {  // the training is kept, and analyses do not depend on each other
      out.state = found.state;
      out.why = std::move(found.why);
      out.trace = std::move(found.trace);
    }
    failed = true;
    if (found.state != JobState::kFailed) return out;  // a stop request or a file error
  }
  if (!failed && job.type == &training_job()) tidy_checkpoints(job, run / job.directory, observer);
  return out;
}

}  // namespace yatlab
