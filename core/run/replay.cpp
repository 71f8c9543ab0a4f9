#include "core/run/replay.h"

#include <fmt/format.h>

#include <limits>

#include "core/job/job.h"
#include "core/plan/recorded_run.h"
#include "core/plan/trackers.h"
#include "core/record/checkpoint_folders.h"
#include "core/record/job_history.h"
#include "core/record/job_media.h"
#include "core/report/report.h"
#include "core/run/run_directory.h"
#include "core/system/stop.h"

namespace yatlab {
namespace {

void replay_job(const JobSpec& job, const fs::path& run, Trackers& trackers) {
  const auto folder = run / job.directory;
  const auto result = recorded_result(job, run);
  trackers.each([&](Tracker& t) { t.on_job_start(job, {false, result.data ? &*result.data : nullptr}); });
  const auto checkpoints = saved_checkpoints(folder / "checkpoints");
  auto next = checkpoints.begin();
  const auto save_until = [&](std::int64_t step) {
    for (; next != checkpoints.end() && *next <= step; ++next) {
      const SavedCheckpoint saved{*next, checkpoint_folder(folder / "checkpoints", *next)};
      trackers.each([&](Tracker& t) { t.on_checkpoint(job, saved); });
    }
  };
  for_each_row(folder, [&](const MetricRow& row) {
    save_until(row.step - 1);
    trackers.each([&](Tracker& t) { t.on_metrics(job, row); });
  });
  save_until(std::numeric_limits<std::int64_t>::max());
  for (const auto& item : recorded_media(job, run)) trackers.each([&](Tracker& t) { t.on_media(job, item); });
  trackers.each([&](Tracker& t) { t.on_job_finish(job, result.state, result.metrics, result.why); });
}

}  // namespace

ReplayOutcome replay_run(const fs::path& run_directory, const Node& specs, bool quiet) {
  const SavesWhenStopped saves;
  const fs::path run = fs::canonical(run_directory);  // resolves links such as "latest"
  const Plan plan = recorded_plan(run);
  const auto lock = RunLock::take(run);
  EventLog log(run / "log.txt");
  Trackers trackers(specs, quiet, log);
  const RunInfo info{plan, run, 1, quiet, true};
  trackers.start(info);
  ReplayOutcome out;
  for (const auto& job : plan.jobs) {
    if (!is_over(recorded_result(job, run).state) || stop_signal() != 0) {
      ++out.unfinished;
      continue;
    }
    if (const auto damage = damage_of_history(run / job.directory); !damage.empty()) {
      out.damaged.push_back(fmt::format("{}: {}", job.directory, damage));
      continue;
    }
    replay_job(job, run, trackers);
    ++out.jobs;
  }
  trackers.each([](Tracker& t) { t.on_run_finish(); });
  ReportOptions options;
  options.pictures = true;
  const auto report = write_report(run, options);
  trackers.each([&](Tracker& t) { t.on_report(info, report); });
  return out;
}

}  // namespace yatlab
