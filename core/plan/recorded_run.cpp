#include "core/plan/recorded_run.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/compose/job_type.h"
#include "core/record/job_media.h"
#include "core/record/job_summary.h"

namespace yatlab {
namespace {

nlohmann::ordered_json json_in(const fs::path& path) {
  try {
    auto json = parse_ordered_json(read_json_text(path));
    if (json.is_object()) return json;
  } catch (const Error& e) {  // missing: no information
    if (e.kind() == ErrorKind::kFile) throw;
  } catch (const nlohmann::json::exception&) {  // truncated
  }
  return nlohmann::ordered_json::object();
}

std::vector<std::string> texts_of(const nlohmann::ordered_json& json, const char* key) {
  return json.contains(key) ? json.at(key).get<std::vector<std::string>>() : std::vector<std::string>();
}

}  // namespace

RecordedResult recorded_result(const fs::path& job_directory) {
  RecordedResult out;
  const auto status = read_job_status(job_directory);
  out.state = status.intact ? status.state : JobState::kPlanned;
  out.why = status.error;
  if (auto summary = read_job_summary(job_directory)) {
    out.metrics = std::move(summary->metrics);
    out.data = std::move(summary->dataset);
  }
  return out;
}

RecordedResult recorded_result(const JobSpec& job, const fs::path& run_directory) {
  auto out = recorded_result(run_directory / job.directory);
  if (!is_finished(out.state)) return out;
  for (const auto& analysis : job.analyses) {
    const auto found = recorded_result(run_directory / analysis.directory);
    if (found.state == JobState::kDiverged) {
      if (out.state == JobState::kCompleted) out.why = found.why;
      out.state = JobState::kDiverged;
    } else if (found.state != JobState::kCompleted) {
      out.state = found.state == JobState::kPlanned ? JobState::kInterrupted : found.state;
      out.why = found.why;
      return out;
    }
    out.metrics.insert(found.metrics.begin(), found.metrics.end());
  }
  return out;
}

std::vector<Media> recorded_media(const JobSpec& job, const fs::path& run_directory) {
  auto out = read_media(run_directory / job.directory);
  for (const auto& analysis : job.analyses) {
    const auto more = read_media(run_directory / analysis.directory);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

Plan recorded_plan(const fs::path& run_directory) {
  const RunView view = RunView::load(run_directory);
  const auto json = json_in(run_directory / "plan.json");
  Plan plan;
  plan.experiment = view.config;
  plan.name = view.experiment;
  plan.title = view.title;
  plan.scale = view.scale;
  plan.arms = view.arms;
  plan.seeds = json.contains("seeds") ? json.at("seeds").get<std::vector<std::int64_t>>() : view.seeds();
  plan.swept = view.swept;
  plan.search = view.search;
  plan.overrides = texts_of(json, "overrides");
  plan.protocol_overrides = view.protocol_overrides;
  plan.as_written = view.as_written;
  plan.added_arms = view.added_arms;
  plan.hash = json.value("hash", "");
  for (const auto& seen : view.jobs) {
    JobSpec job;
    job.arm = seen.arm;
    job.seed = seen.seed;
    job.params.assign(seen.params.begin(), seen.params.end());
    job.hash = seen.hash;
    const auto folder = run_directory / seen.directory;
    if (is_job_folder(folder)) job = read_job(folder);
    for (auto& analysis : job.analyses) analysis.directory = seen.directory + "/" + analysis.directory;
    job.directory = seen.directory;
    plan.jobs.push_back(std::move(job));
  }
  return plan;
}

}  // namespace yatlab
