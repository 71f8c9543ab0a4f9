#include "core/library/run_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/library/run_list.h"
#include "core/record/run_folders.h"
#include "core/system/start_threads.h"
#include "core/table/text_grid.h"
#include "core/verdict/format.h"

namespace yatlab {
namespace {

constexpr std::size_t kShownJobs = 20;

std::string first_line(const std::string& text) { return visible(shortened(text.substr(0, text.find('\n')), 300)); }

std::vector<const JobNow*> jobs_in(const RunNow& run, JobState state) {
  std::vector<const JobNow*> out;
  for (const auto& job : run.jobs) {
    if (job.state == state) out.push_back(&job);
  }
  return out;
}

std::string progress_text(const JobNow& job) {
  const auto& beat = *job.heartbeat;
  std::string out;
  if (beat.total_steps > 0) {
    out = fmt::format("{}/{}  {:.0f} %", beat.step, beat.total_steps,
                      100.0 * static_cast<double>(beat.step) / static_cast<double>(beat.total_steps));
  } else if (beat.step > 0) {
    out = fmt::format("step {}", beat.step);
  }
  if (!beat.what.empty()) out += (out.empty() ? "" : "  ") + visible(shortened(beat.what, 60));
  if (beat.per_second > 0) out += fmt::format("  {:.3g}/s", beat.per_second);
  if (const auto left = job.left()) out += "  " + format_duration(*left) + " left";
  return out;
}

/// The remaining time of all jobs: those now running continue in parallel, and the others take as long as finished ones did.
std::optional<double> left_of(const RunNow& run) {
  double finished = 0, took = 0, longest = 0, waiting = 0, running = 0;
  for (const auto& job : run.jobs) {
    if (job.state == JobState::kCompleted && job.wall_s > 0) ++finished, took += job.wall_s;
    if (job.state == JobState::kRunning) {
      ++running;
      const auto left = job.left();
      if (!left) return std::nullopt;
      longest = std::max(longest, *left);
    } else if (!is_over(job.state)) {
      ++waiting;
    }
  }
  if (running == 0 || (waiting > 0 && finished == 0)) return std::nullopt;
  return longest + (waiting > 0 ? waiting * took / finished / running : 0);
}

/// Names take at most half of a terminal's `width` (0: no limit).
std::string name_within(const std::string& name, std::size_t width) {
  return width == 0 ? name : cut_in_the_middle(name, std::max<std::size_t>(16, width / 2));
}

std::string listed(const char* title, const std::vector<const JobNow*>& jobs, std::size_t width,
                   const std::function<std::string(const JobNow&)>& text) {
  if (jobs.empty()) return {};
  std::string out = fmt::format("\n{}\n", title);
  const auto shown = std::min(jobs.size(), kShownJobs);
  std::vector<std::string> names;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < shown; ++i) widest = std::max(widest, display_width(names.emplace_back(name_within(jobs[i]->label, width))));
  for (std::size_t i = 0; i < shown; ++i) {
    auto line = "  " + pad(names[i], static_cast<int>(widest)) + "  " + text(*jobs[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += width == 0 || display_width(line) <= width ? line + "\n" : wrapped("  ", line.substr(2), width);
  }
  if (jobs.size() > shown) out += fmt::format("  and {} more\n", jobs.size() - shown);
  return out;
}

/// The run's name in a line of `width` columns (0: no limit) that needs `taken` of them for the rest.
std::string head_of(const RunNow& run, std::size_t width, std::size_t taken) {
  const auto name = visible(run.experiment + "/" + run.id);
  return width == 0 ? name : cut_in_the_middle(name, std::max<std::size_t>(16, width - std::min(width, taken)));
}

}  // namespace

std::optional<double> JobNow::left() const {
  if (!heartbeat || heartbeat->total_steps <= 0 || !(heartbeat->per_second > 0)) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(0, heartbeat->total_steps - heartbeat->step)) / heartbeat->per_second;
}

std::map<JobState, std::size_t> RunNow::states() const {
  std::map<JobState, std::size_t> out;
  for (const auto& job : jobs) ++out[job.state];
  return out;
}

bool RunNow::over() const {
  return std::all_of(jobs.begin(), jobs.end(), [](const JobNow& job) { return is_over(job.state); });
}

bool RunNow::moving() const {
  return std::any_of(jobs.begin(), jobs.end(), [](const JobNow& job) {
    return job.state == JobState::kRunning || job.state == JobState::kSubmitted || job.state == JobState::kPreempted;
  });
}

std::size_t RunNow::failed() const {
  return static_cast<std::size_t>(
      std::count_if(jobs.begin(), jobs.end(), [](const JobNow& job) { return job.state == JobState::kFailed; }));
}

namespace {

JobNow named(const JobView& planned) {
  JobNow out;
  const auto point = point_label(planned.params);
  out.label = visible(fmt::format("{} seed={}{}{}", planned.arm, planned.seed, point.empty() ? "" : " ", point));
  out.arm = planned.arm;
  out.directory = planned.directory;
  return out;
}

}  // namespace

JobNow read_job_now(const fs::path& run, const JobView& planned, std::int64_t now) {
  JobNow job = named(planned);
  const fs::path folder = run / job.directory;
  auto status = read_job_status(folder);
  job.state = observed_state(run, planned, now, &job.error);
  job.host = std::move(status.host);
  job.batch_job = std::move(status.batch_job);
  job.attempt = status.attempt;
  job.wall_s = status.wall_s;
  if (job.state == JobState::kRunning) job.heartbeat = read_heartbeat(folder);
  return job;
}

RunNow read_run_now(const fs::path& run, std::int64_t now) {
  const auto plan = RunView::planned(run);
  RunNow out{plan.experiment, plan.run_id, plan.scale, plan.arms, {}, now};
  out.jobs.resize(plan.jobs.size());
  for_each_below(plan.jobs.size(), [&](std::size_t i) {
    try {
      out.jobs[i] = read_job_now(run, plan.jobs[i], now);
    } catch (const std::exception& e) {
      out.jobs[i] = named(plan.jobs[i]);
      out.jobs[i].state = JobState::kFailed;
      out.jobs[i].error = e.what();
    }
  });
  return out;
}

void add_queue(RunNow& run, const std::map<std::string, SlurmTask>& tasks) {
  for (auto& job : run.jobs) {
    if (is_over(job.state) || job.state == JobState::kRunning) continue;
    const auto found = tasks.find(job.directory);
    const bool queued = found != tasks.end() && !found->second.ended();
    if (queued) {
      if (found->second.waits() || job.state == JobState::kPlanned)
        job.state = job.attempt > 0 ? JobState::kPreempted : JobState::kSubmitted;
      job.batch_job = found->second.id;
      job.error.clear();
      if (found->second.held()) job.error = found->second.reason.empty() ? lower(found->second.state) : found->second.reason;
    } else if (job.state == JobState::kSubmitted || job.state == JobState::kPreempted) {
      job.state = JobState::kInterrupted;
      job.error = found == tasks.end() ? "it is no longer in Slurm's queue"
                                       : fmt::format("Slurm job {}: {}", found->second.id, lower(found->second.state));
    }
  }
}

std::string status_line(const RunNow& run, std::size_t width) {
  auto out = fmt::format(": {} job{}: {}", run.jobs.size(), run.jobs.size() == 1 ? "" : "s", states_text(run.states()));
  double steps = 0, total = 0;
  for (const auto* job : jobs_in(run, JobState::kRunning)) {
    if (!job->heartbeat || job->heartbeat->total_steps <= 0) continue;
    steps += static_cast<double>(job->heartbeat->step) / static_cast<double>(job->heartbeat->total_steps);
    ++total;
  }
  if (total > 0) out += fmt::format(" ({:.0f} %)", 100 * steps / total);
  if (const auto left = left_of(run)) out += fmt::format("; about {} left", format_duration(*left));
  return head_of(run, width, display_width(out)) + out + "\n";
}

std::string status_text(const RunNow& run, std::size_t width) {
  static const std::vector<JobState> columns = {JobState::kCompleted, JobState::kDiverged,    JobState::kPruned,
                                                JobState::kFailed,    JobState::kRunning,     JobState::kSubmitted,
                                                JobState::kPreempted, JobState::kInterrupted, JobState::kPlanned};
  std::map<std::string, std::map<JobState, std::size_t>> counts;
  for (const auto& job : run.jobs) ++counts[job.arm][job.state];
  const auto all = run.states();
  std::vector<std::vector<std::string>> rows{{"arm", "jobs"}};
  for (const auto state : columns) {
    if (all.count(state) > 0) rows.front().push_back(state == JobState::kCompleted ? "done" : to_string(state));
  }
  for (const auto& arm : run.arms) {
    auto& own = counts[arm];
    std::size_t total = 0;
    for (const auto& [state, count] : own) total += count;
    rows.push_back({name_within(visible(arm), width), std::to_string(total)});
    for (const auto state : columns) {
      if (all.count(state) > 0) rows.back().push_back(own.count(state) > 0 ? std::to_string(own[state]) : "");
    }
  }
  std::string out;
  if (!run.scale.empty()) out += "  scale=" + visible(run.scale);
  if (const auto begun = begun_at(run.id)) out += fmt::format("  begun {} ago", age_text(run.now - *begun));
  out = head_of(run, width, display_width(out)) + out + "\n\n";
  std::vector<int> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], static_cast<int>(display_width(row[c])));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += "  " + pad(row[c], c == 0 ? widths[c] : -widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  out += listed("running", jobs_in(run, JobState::kRunning), width, [&](const JobNow& job) {
    auto text = job.heartbeat ? progress_text(job) : std::string();
    if (!job.host.empty()) text += "  on " + visible(job.host);
    if (!job.batch_job.empty()) text += "  as " + visible(job.batch_job);
    return text + (job.attempt > 1 ? fmt::format("  attempt {}", job.attempt) : "");
  });
  out += listed("failed", jobs_in(run, JobState::kFailed), width, [&](const JobNow& job) {
    return (job.attempt > 1 ? fmt::format("after {} attempts: ", job.attempt) : "") + first_line(job.error);
  });
  out += listed("diverged", jobs_in(run, JobState::kDiverged), width, [&](const JobNow& job) { return first_line(job.error); });
  std::vector<const JobNow*> held;
  for (const auto state : {JobState::kSubmitted, JobState::kPreempted}) {
    for (const auto* job : jobs_in(run, state)) {
      if (!job->error.empty()) held.push_back(job);
    }
  }
  out += listed("held in the queue", held, width, [&](const JobNow& job) { return first_line(job.error); });
  out += listed("interrupted", jobs_in(run, JobState::kInterrupted), width, [&](const JobNow& job) { return first_line(job.error); });
  if (all.count(JobState::kInterrupted) > 0 && !run.moving()) out += "  run its command again to continue from their checkpoints\n";
  return out + "\n" + status_line(run, width);
}

nlohmann::ordered_json status_json(const JobNow& job) {
  nlohmann::ordered_json out{
      {"job", job.directory}, {"arm", job.arm}, {"state", to_string(job.state)}, {"attempt", job.attempt}, {"wall_s", job.wall_s}};
  if (!job.host.empty()) out["host"] = job.host;
  if (!job.batch_job.empty()) out["batch_job"] = job.batch_job;
  if (!job.error.empty()) out["error"] = job.error;
  if (job.heartbeat) {
    out["step"] = job.heartbeat->step;
    out["total_steps"] = job.heartbeat->total_steps;
    out["per_second"] = job.heartbeat->per_second;
    if (const auto left = job.left()) out["left_s"] = *left;
  }
  return out;
}

nlohmann::ordered_json status_json(const RunNow& run) {
  nlohmann::ordered_json out{{"experiment", run.experiment},
                             {"id", run.id},
                             {"scale", run.scale.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(run.scale)}};
  out["over"] = run.over();
  out["states"] = nlohmann::ordered_json::object();
  for (const auto& [state, count] : run.states()) out["states"][to_string(state)] = count;
  if (const auto left = left_of(run)) out["left_s"] = *left;
  out["jobs"] = nlohmann::ordered_json::array();
  for (const auto& job : run.jobs) out["jobs"].push_back(status_json(job));
  return out;
}

}  // namespace yatlab
