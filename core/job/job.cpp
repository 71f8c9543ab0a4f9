#include "core/job/job.h"
#include "core/job/loaded_data.h"
#include "core/plan/job_spec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>

#include "core/base/failure.h"
#include "core/base/json_text.h"
#include "core/base/manifest.h"
#include "core/base/process.h"
#include "core/compose/job_type.h"
#include "core/config/yaml.h"
#include "core/data/sparse_rows.h"
#include "core/job/heartbeat.h"
#include "core/job/job_files.h"
#include "core/record/job_media.h"
#include "core/system/slurm_queue.h"

namespace yatlab {
namespace {

std::string utc_now() { return utc_text(std::time(nullptr)); }

/// Removes the unfinished files of an earlier process: the run's lock shows that it has ended.
void remove_leftovers(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(directory, ignored), end; !ignored && it != end; it.increment(ignored)) {
    if (it->path().extension() == ".tmp") found.push_back(it->path());
  }
  for (const auto& path : found) remove_tree(path);
}

constexpr const char* kManifest = "manifest.json";

/// Excludes what is not a result of the job: its plan, its state and its analyses, which are jobs of their own.
bool in_manifest(const std::string& name) {
  return name != kManifest && name != "status.json" && name != "heartbeat.json" && name != "output.txt" && name != "job.yaml" &&
         name.rfind("analyses/", 0) != 0;
}

void write_job_manifest(const fs::path& directory) {
  auto names = files_below(directory);
  names.erase(std::remove_if(names.begin(), names.end(), [](const std::string& name) { return !in_manifest(name); }), names.end());
  write_json(directory / kManifest, {{"schema", 1}, {"files", manifest_of(directory, names)}});
}

/// Passes everything on, and progress also to the job's heartbeat.
class SeenByHeartbeat final : public JobObserver {
 public:
  SeenByHeartbeat(JobObserver& observer, HeartbeatWriter& heartbeat) : to_(observer), heartbeat_(heartbeat) {}
  void on_resume(std::int64_t step) override { to_.on_resume(step); }
  void on_metrics(const MetricRow& row) override { to_.on_metrics(row); }
  void on_checkpoint(std::int64_t step, const fs::path& folder) override { to_.on_checkpoint(step, folder); }
  void on_media(const Media& media) override { to_.on_media(media); }
  void on_progress(const Progress& progress) override {
    heartbeat_.see(progress);
    to_.on_progress(progress);
  }
  void on_notice(const std::string& text) override { to_.on_notice(text); }
  bool wants_stop() override { return to_.wants_stop(); }
  std::string why_pruned() override { return to_.why_pruned(); }

 private:
  JobObserver& to_;
  HeartbeatWriter& heartbeat_;
};

JobResult failed(const Error& e) {
  JobResult out;
  out.state = e.kind() == ErrorKind::kFile ? JobState::kInterrupted : JobState::kFailed;  // a file error is not the job's fault
  out.why = e.what();
  if (!e.details().empty() && e.hint().empty()) out.why += "\n  try: see the run's log.txt for the full trace";
  out.trace = e.details();
  return out;
}

}  // namespace

void write_json(const fs::path& path, const nlohmann::ordered_json& json) {
  // Messages from other libraries may not be UTF-8.
  write_file_atomic(path, dump_json_replacing(json, 2) + "\n");
}

DatasetUse dataset_use(const Dataset& dataset) {
  const auto& p = dataset.provenance();
  return {p.name, p.sha256, p.tier, p.substituted_for};
}

void keep_findings(const Findings& findings, const fs::path& directory, FoundSoFar& all) {
  for (const auto& [name, value] : findings.metrics) all.metrics[name] = value;
  for (const auto& [name, artifact] : findings.artifacts)
    write_file_atomic(directory / "artifacts" / (name + ".json"), dump_json(artifact) + "\n");
  all.media.insert(all.media.end(), findings.media.begin(), findings.media.end());
}

void show_media(std::vector<Media> media, std::int64_t step, const fs::path& directory, JobObserver& observer) {
  for (auto& item : media) {
    if (item.step < 0) item.step = step;
  }
  write_media(directory, media);
  for (const auto& item : media) observer.on_media(item);
}

std::map<std::string, Split> splits_on(const std::map<std::string, Split>& splits, const at::Device& device) {
  if (device.is_cpu()) return splits;
  std::map<std::string, Split> out;
  const auto there = [&](const Tensor& t) { return is_sparse_rows(t) ? t : t.to(device); };
  for (const auto& [name, split] : splits) out[name] = split.inputs.defined() ? Split{there(split.inputs), there(split.targets)} : split;
  return out;
}

std::map<std::string, Split> splits_in_tensors(std::map<std::string, Split> splits) {
  for (auto it = splits.begin(); it != splits.end();) it = it->second.inputs.defined() ? std::next(it) : splits.erase(it);
  return splits;
}

std::function<void(double, const std::string&)> progress_of(JobObserver& observer) {
  return [&observer](double share, const std::string& what) {
    if (observer.wants_stop()) throw StopRequested{};
    Progress progress;
    progress.total_steps = 1000;
    progress.step = static_cast<std::int64_t>(1000 * share);
    progress.what = what;
    observer.on_progress(progress);
  };
}

std::string damage_of_job(const fs::path& directory) {
  return is_there(directory / kManifest) ? damage_in(directory) : fmt::format("{}: {}", kManifest, std::strerror(ENOENT));
}

void forget_job(const fs::path& directory, bool training_too) {
  remove_tree(directory / kManifest);  // first: it vouches for the other files
  for (const auto& entry : entries_of(directory)) {
    const auto name = entry.filename();
    if (name == "job.yaml" || name == "analyses") continue;
    if (training_too || (name != "metrics.jsonl" && name != "checkpoints" && name != "status.json")) remove_tree(entry);
  }
}

JobResult run_job(const JobSpec& job, const fs::path& directory, DataCache& data, JobObserver& observer, const TrainsWith& with) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  JobStatus status;
  JobResult result;
  try {
    const auto before = read_job_status(directory);
    status.attempt = before.attempt + 1;
    status.submitted = before.submitted;
    status.state = JobState::kRunning;
    status.host = host_name();
    status.pid = ::getpid();
    status.batch_job = slurm_task_here();
    status.started = utc_now();
    if (const Node* dataset = job.dataset()) {
      if (!before.intact) forget_job(directory, true);  // it is unknown which data it began with
      status.dataset_sha256 = data.get(*dataset)->dataset->provenance().sha256;
    }
    remove_leftovers(directory);
    make_folders(directory);
    HeartbeatWriter heartbeat(directory);  // first: a running job must give signs of life
    remove_tree(directory / kManifest);
    write_job_status(directory, status);
    SeenByHeartbeat seen(observer, heartbeat);
    result = job.type->run({job, directory, data, seen, with});
  } catch (const StopRequested&) {
    result = {JobState::kInterrupted, {}, {}};
  } catch (...) {
    result = failed(current_error());
  }
  if (result.state == JobState::kInterrupted && result.why.empty()) {
    if (auto why = observer.why_pruned(); !why.empty()) result = {JobState::kPruned, std::move(result.metrics), std::move(why)};
  }
  status.state = result.state;
  status.finished = utc_now();
  status.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  status.performance = result.performance;
  if (result.state != JobState::kCompleted) status.error = result.why;
  try {
    if (is_finished(result.state)) write_job_manifest(directory);
    write_job_status(directory, status);
  } catch (...) {  // the job's own error, if any, is more useful
    if (result.why.empty() || is_finished(result.state)) result = failed(current_error());
  }
  return result;
}

}  // namespace yatlab
