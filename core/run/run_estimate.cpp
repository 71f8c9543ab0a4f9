#include "core/run/run_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/plan/launcher.h"
#include "core/record/run_view.h"
#include "core/run/plan_sizes.h"
#include "core/run/run_directory.h"
#include "core/system/disk_usage.h"

namespace yatlab {
namespace {

/// Runs of the experiment, the newest first, without unreadable ones.
std::vector<RunView> readable_runs(const fs::path& root) {
  std::vector<RunView> out;
  std::error_code ec;
  if (!fs::is_directory(root, ec)) return out;
  for (const auto& folder : runs_below(root)) {
    try {
      out.push_back(RunView::planned(folder));
    } catch (const Error&) {
    }
  }
  return out;
}

/// Everything that a job's time and size depend on.
std::string kind_of(const std::string& arm, const Node& config) {
  std::string out = arm;
  for (const char* key : {"architecture", "dataset", "trainer", "task"}) {
    if (const Node* part = config.find(key)) out += "\n" + part->to_flow();
  }
  return out;
}

double seconds_of(const fs::path& run, const JobView& job) {
  const auto status = read_job_status(run / job.directory);
  const auto stack = status.performance.find("stack");  // all members of a stack take as long as the whole
  double out = status.wall_s / (stack == status.performance.end() ? 1 : stack->second);
  for (const auto& analysis : job.analyses) out += read_job_status(run / analysis.directory).wall_s;
  return out;
}

struct MeasuredCost {
  double seconds = 0, bytes = 0;
  std::size_t jobs = 0;
};

}  // namespace

RunEstimate estimate_of(const Plan& plan) {
  const auto runs = readable_runs(fs::path(plan.experiment.at("results").as_string()) / plan.name);
  const auto finished = finished_jobs(plan);
  constexpr std::size_t kMeasured = 200;      // newest jobs whose config is read: enough for a mean
  std::map<std::string, MeasuredCost> costs;  // by kind
  RunEstimate out;
  for (const auto& run : runs) {
    for (const auto& job : run.jobs) {
      if (out.measured >= kMeasured || !is_finished(recorded_state(run.directory / job.directory))) continue;
      const auto config = run.config_of(job);
      if (!config) continue;
      auto& of = costs[kind_of(job.arm, *config)];
      of.seconds += seconds_of(run.directory, job);
      of.bytes += static_cast<double>(bytes_below(run.directory / job.directory));
      ++of.jobs;
      ++out.measured;
    }
  }
  double seconds = 0, bytes = 0;
  bool known = true;
  std::map<std::string, const MeasuredCost*> used;
  for (const auto& job : plan.jobs) {
    const bool done = finished.count(job.hash) > 0 && std::all_of(job.analyses.begin(), job.analyses.end(), [&](const JobSpec& analysis) {
                        return finished.count(analysis.hash) > 0;
                      });
    out.done.push_back(done);
    if (done) continue;
    ++out.left;
    const auto like = costs.find(kind_of(job.arm, job.config));
    known = known && like != costs.end();
    if (!known) continue;
    seconds += like->second.seconds / static_cast<double>(like->second.jobs);
    bytes += like->second.bytes / static_cast<double>(like->second.jobs);
    used[like->first] = &like->second;
  }
  out.measured = 0;
  if (!known || out.left == 0) return out;
  for (const auto& [kind, of] : used) out.measured += of->jobs;
  // Assumes that the jobs a search will add are like the planned ones.
  const double share = 1 + static_cast<double>(plan.to_come) / static_cast<double>(plan.jobs.size());
  out.seconds = seconds * share;
  out.bytes = bytes * share;
  return out;
}

std::string estimate_text(const Plan& plan, const RunEstimate& outlook) {
  const auto all = plan.jobs.size();
  const auto done = all - outlook.left;
  if (outlook.left == 0) return plan.to_come == 0 ? "all jobs are done" : fmt::format("{} of {} jobs are done", done, all + plan.to_come);
  std::string out = done == 0 ? "" : fmt::format("{} of {} jobs are done", done, all + plan.to_come);
  if (!outlook.seconds) return out;
  const auto workers = Registry<Launcher>::create(plan.experiment.at("launcher"))->workers(outlook.left, threads_per_job(plan));
  out += done == 0 ? "they take" : "; the others take";
  out += fmt::format(" about {} with {} worker{}, and {}, as {} like them did",
                     format_duration(*outlook.seconds / static_cast<double>(workers)), workers, workers == 1 ? "" : "s",
                     bytes_text(static_cast<std::uintmax_t>(*outlook.bytes)), outlook.measured);
  return out;
}

}  // namespace yatlab
