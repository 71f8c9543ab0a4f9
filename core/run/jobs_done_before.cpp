#include "core/run/jobs_done_before.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/plan/plan.h"
#include "core/plan/recorded_run.h"
#include "core/record/checkpoint_folders.h"
#include "core/record/job_history.h"

namespace yatlab {

std::set<std::string> jobs_done_before(const RunInfo& info, const std::string& tracker) {
  const fs::path file = info.directory / "trackers" / (tracker + ".json");
  remove_stale_temporaries(file.parent_path());
  if (fs::exists(file)) {
    const auto json = parse_json(read_json_text(file), false);
    if (json.is_object() && json.contains("done_before") && json.at("done_before").is_array()) {
      std::set<std::string> out;
      for (const auto& job : json.at("done_before")) {
        if (job.is_string()) out.insert(job.get<std::string>());
      }
      return out;
    }
  }
  std::set<std::string> out;
  for (const auto& job : info.plan.jobs) {
    if (is_over(recorded_result(job, info.directory).state)) out.insert(job.directory);
  }
  try {
    write_file_atomic(file, dump_json(nlohmann::json{{"done_before", out}}) + "\n");
  } catch (const Error& e) {
    throw config_error(e.message(), "tracker " + tracker, e.why(), e.hint());
  }
  return out;
}

void show_kept(Tracker& tracker, const JobSpec& job, const fs::path& run) {
  const auto folder = run / job.directory;
  for_each_row(folder, [&](const MetricRow& row) { tracker.on_metrics(job, row); });
  const auto checkpoints = folder / "checkpoints";
  for (const auto step : saved_checkpoints(checkpoints)) tracker.on_checkpoint(job, {step, checkpoint_folder(checkpoints, step)});
  for (const auto& item : recorded_media(job, run)) tracker.on_media(job, item);
}

}  // namespace yatlab
