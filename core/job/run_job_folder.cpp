#include "core/job/run_job_folder.h"
#include "core/job/data_cache.h"
#include "core/plan/job_spec.h"
#include "core/record/job_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/compose/identity.h"
#include "core/compose/job_type.h"
#include "core/job/pending_work.h"
#include "core/job/ranked_job.h"
#include "core/record/job_lock.h"
#include "core/registry/plugin_library.h"
#include "core/train/threads.h"

namespace yatlab {
namespace {

constexpr const char* kPlanAgain = "run the experiment's command again: it writes the plan again";

void load_libraries(const JobFile& file, const fs::path& job) {
  std::vector<fs::path> paths;
  for (const auto& library : file.libraries) paths.emplace_back(library.path);
  load_plugins(paths);
  for (const auto& library : file.libraries) {
    for (const auto& loaded : loaded_plugins()) {
      if (loaded.path == library.path && loaded.sha256 != library.sha256) {
        throw config_error(fmt::format("the plugin library '{}' is not the one that the job was planned with", library.path), job.string(),
                           "its content has changed (sha256)", kPlanAgain);
      }
    }
  }
}

/// The job's identity with this program and its plugins.
std::string identity_here(const JobSpec& job, const std::string& of_training) {
  const auto own = job_hash(job.config, *job.type);
  return job.trained.is_null() ? own : sha256(of_training + " " + own);
}

void require_identity(const JobSpec& job, const std::string& of_training, const fs::path& folder) {
  if (identity_here(job, of_training) == job.hash) return;
  std::string others;
  const auto planned = read_job_file(folder).uses;
  for (const auto& [what, hash] : uses_of(*job.type, job.config)) {
    const auto before = planned.find(what);
    if (before == planned.end() || before->second != hash) others += (others.empty() ? "" : ", ") + what;
  }
  throw config_error("this program would run a different job from the planned one", folder.string(),
                     others.empty() ? "job.yaml was changed after it was planned" : "changed code: " + others, kPlanAgain);
}

/// ranks: null in a process that is alone.
JobResult run_as(const fs::path& job_directory, JobObserver& observer, RankRendezvous* ranks) {
  const auto file = read_job_file(job_directory);
  load_libraries(file, job_directory);
  auto job = read_job(job_directory);
  const auto training_hash = file.needs.empty() ? job.hash : read_job_file(job_directory / file.needs.front()).hash;
  require_identity(job, training_hash, job_directory);
  for (const auto& analysis : job.analyses) require_identity(analysis, job.hash, job_directory / analysis.directory);
  DataCache data(file.data);
  reserve_blas_buffers(static_cast<std::size_t>(job.config.at("trainer").at("threads").as_int()));
  if (ranks && ranks->place().rank > 0) return follow_rank_0(job, job_directory, data, observer, *ranks);
  const auto held = lock_job(job_directory);
  const auto todo = pending_work_of(job, job_directory, &data, true, {}, [&](const std::string& text) { observer.on_notice(text); });
  if (ranks && (!todo.itself || job.type != &training_job())) ranks->announce(false);
  return run_job_and_analyses(job, todo, job_directory, data, observer, ranks ? ranks_of(*ranks) : TrainsWith{});
}

}  // namespace

JobResult run_job_folder(const fs::path& job_directory, JobObserver& observer) {
  return as_rank([&](RankRendezvous* ranks) { return run_as(job_directory, observer, ranks); });
}

}  // namespace yatlab
