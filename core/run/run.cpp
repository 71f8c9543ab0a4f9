#include "core/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/experiment/experiment_params.h"
#include "core/job/data_cache.h"
#include "core/job/job.h"
#include "core/job/job_data.h"
#include "core/job/pending_work.h"
#include "core/plan/launcher.h"
#include "core/plan/recorded_run.h"
#include "core/plan/search.h"
#include "core/plan/trackers.h"
#include "core/report/report.h"
#include "core/run/environment.h"
#include "core/run/job_stacks.h"
#include "core/run/plan_sizes.h"
#include "core/run/run_directory.h"
#include "core/run/run_launch.h"
#include "core/system/called_as.h"
#include "core/system/shell.h"
#include "core/system/stop.h"
#include "core/system/terminal.h"
#include "core/train/device.h"
#include "core/train/threads.h"

namespace yatlab {
namespace {

/// Throws if a device is missing: a plan for another machine can be made here, but not run. Jobs that are finished need none.
void require_devices(const Plan& plan, bool fresh) {
  std::optional<std::set<std::string>> finished;
  for (const auto& job : plan.jobs) {
    const Node* name = job.config.at("trainer").find("device");
    if (!name) continue;
    const auto why = why_absent(device_of(name->as_string()));
    if (!why.empty()) {
      if (!finished) finished = fresh ? std::set<std::string>() : finished_jobs(plan);
      const auto is_done = [&](const JobSpec& one) { return finished->count(one.hash) > 0; };
      if (is_done(job) && std::all_of(job.analyses.begin(), job.analyses.end(), is_done)) continue;
      throw config_error(fmt::format("trainer.device={} cannot be used on this machine", name->as_string()), name->origin().describe(), why,
                         "set trainer.device=cpu ('yatlab doctor' shows what is available)");
    }
  }
}

bool on_gpu(const Plan& plan) {
  return std::any_of(plan.jobs.begin(), plan.jobs.end(), [](const JobSpec& job) {
    const Node* name = job.config.at("trainer").find("device");
    return name && device_of(name->as_string()).is_cuda();
  });
}

/// environment.json: where the run's jobs ran. Without pending jobs it stays, or is that of `sources`, the runs from which all jobs were copied, if
/// there is only one.
void write_environment(const fs::path& run, bool works, const std::set<fs::path>& sources, const Plan& plan, const std::string& command) {
  const auto file = run / "environment.json";
  if (!works && fs::exists(file)) return;
  const auto source = sources.size() == 1 ? *sources.begin() / "environment.json" : fs::path();
  write_file_atomic(file,
                    !works && fs::exists(source) ? read_file(source) : dump_json(describe_environment(command, on_gpu(plan)), 2) + "\n");
}

std::string header(const Plan& plan, std::size_t workers, const fs::path& run) {
  std::string sizes = plan_sizes(plan);
  if (!plan.swept.empty()) sizes += fmt::format(", swept: {}", join(plan.swept, ", "));
  if (const auto stacks = stacks_text(plan); !stacks.empty()) sizes += ", " + stacks;
  return fmt::format("{}{}  {}  ({} worker{})  {}", plan.name, plan.scale.empty() ? "" : " [scale " + plan.scale + "]", sizes, workers,
                     workers == 1 ? "" : "s", run.string());
}

/// " of depth, xor": the experiments of runs, if there are others than `own`.
std::string other_experiments(const std::set<fs::path>& runs, const std::string& own) {
  std::set<std::string> names;
  for (const auto& run : runs) names.insert(run.parent_path().filename().string());
  return names == std::set<std::string>{own} ? "" : " of " + join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

/// Reports the outcome of the jobs, and returns the run's exit code.
int exit_code_of(const RunLaunch& launch, EventLog& log, bool kept_failed) {
  int code = launch.failed() > 0 || kept_failed ? 1 : 0;
  for (const auto& text : launch.failures()) say_error("failed: {}\n", error_as_called(text));
  for (const auto& text : launch.lost()) {
    log.write("interrupted " + text);
    say_error("interrupted: {}\n", text);
    code = 1;
  }
  if (!launch.lost().empty()) say_error("  try: run the same command again to continue; fewer launcher.workers need less memory\n");
  const bool refused = !launch.refusal().empty();
  if (refused) {
    say_error("interrupted: {}\n", launch.refusal());
    code = 1;
  }
  if (stop_signal() != 0) {
    log.write(fmt::format("stopped by signal {}", stop_signal()));
    if (!refused) say_error("interrupted; everything is saved. Run the same command again to continue.\n");
    return 128 + stop_signal();
  }
  if (launch.stopped() > 0) {
    const auto n = launch.stopped();
    const auto text = fmt::format("{} {} stopped by the user", n, n == 1 ? "job was" : "jobs were");
    log.write(text);
    say_error("{}; progress is saved. Run the same command again to continue.\n", text);
    return 130;
  }
  return code;
}

}  // namespace

RunOutcome run_plan(const PlannedRun& planned, const RunOptions& options) {
  const Plan& plan = *planned.plan;
  Search* const search = planned.search.get();
  const SavesWhenStopped saves;
  const auto launcher = Registry<Launcher>::create(plan.experiment.at("launcher"));
  launcher->check();
  DataCache data(plan.experiment.at("data"));
  if (launcher->on_this_machine()) {
    require_devices(plan, options.fresh);
    // Data first: a run whose data is missing leaves no folder behind.
    for (const auto& job : plan.jobs) {
      if (const Node* dataset = job.dataset()) data.get(*dataset);
    }
  }

  std::vector<std::string> left_alone;
  const auto why_other_data = [&](const fs::path& found) {
    if (!launcher->on_this_machine()) return std::string();
    auto why = data_changed(plan, found, data);
    if (!why.empty()) left_alone.push_back(fmt::format("{} is left unchanged: {}", found.string(), why));
    return why;
  };
  const auto go_on = [&](const fs::path& found) {
    if (search) search->go_on(found);
  };
  auto opened = open_run_directory(plan, options.fresh, go_on, why_other_data);
  const fs::path run = opened.path;
  if (search) search->log_new_trials(run);
  EventLog log(run / "log.txt");
  log.write(fmt::format("{}: {}", opened.resumed ? "resumed" : "started", options.command));
  const auto notice = [&](const std::string& text) {
    say_error("note: {}\n", as_called(text));
    log.write("note: " + text);
  };
  for (const auto& text : left_alone) notice(text + (opened.resumed ? "" : "; this is a new run"));
  EarlierRuns earlier(run, notice, [&](const JobSpec& job, const fs::path& folder) {
    return launcher->on_this_machine() ? other_data(job.dataset(), folder, data) : std::string();
  });
  std::set<std::string> adopted;
  std::size_t kept_failed = 0;
  // Collects the pending work of the plan's jobs from index `first` on.
  const auto look_at = [&](std::size_t first) {
    if (!options.fresh) adopted.merge(earlier.adopt(plan, first));
    std::map<std::size_t, PendingWork> out;
    for (std::size_t i = first; i < plan.jobs.size(); ++i) {
      auto what = pending_work_of(plan.jobs[i], run, launcher->on_this_machine() ? &data : nullptr, options.retry_failed, adopted, notice);
      kept_failed += what.nothing() && what.failed;
      if (search) search->recall(plan.jobs[i], run);
      if (!what.nothing()) out.emplace(i, std::move(what));
    }
    return out;
  };
  auto todo = look_at(0);
  write_environment(run, !todo.empty(), earlier.sources(), plan, options.command);
  const auto kept = plan.jobs.size() - todo.size();
  const auto taken_over =
      std::count_if(plan.jobs.begin(), plan.jobs.end(), [&](const JobSpec& job) { return adopted.count(job.directory) > 0; });

  const auto threads = threads_per_job(plan);
  const auto workers = launcher->workers(std::max<std::size_t>(1, search ? plan.jobs.size() : todo.size()), threads);
  if (launcher->on_this_machine()) reserve_blas_buffers(workers * threads);
  if (!options.quiet) {
    const auto width = width_to_keep();
    const auto fitted = [&](const std::string& line) {  // at blanks, if a terminal is narrower
      if (width == 0 || display_width(line) <= width) return line + "\n";
      return wrapped("  ", trim(line), width).substr(line.front() == ' ' ? 0 : 2);
    };
    say("{}", fitted(header(plan, workers, run)));
    for (const auto& text : plan.notices) say("{}", fitted("  note: " + as_called(text)));
    if (kept > 0) {
      say("  {} of {} jobs already done{}{}\n", kept, plan.jobs.size(),
          taken_over == 0 ? ""
                          : fmt::format(" ({} reused from earlier runs{})", taken_over, other_experiments(earlier.sources(), plan.name)),
          kept_failed > 0 ? fmt::format("; {} of them failed (run again with --retry-failed)", kept_failed) : "");
    }
    std::fflush(stdout);
  }

  Trackers trackers(tracker_specs(plan.experiment), options.quiet, log);
  const RunInfo info{plan, run, workers, options.quiet};
  trackers.start(info);
  RunLaunch launch(plan, run, data, trackers, log,
                   {options.fail_fast, options.wait, launcher->on_this_machine(), options.retry_failed, notice, search});
  for (std::size_t first = 0;;) {
    for (std::size_t i = first; i < plan.jobs.size(); ++i) {
      if (todo.count(i)) continue;
      const auto& job = plan.jobs[i];
      const auto before = recorded_result(job, run);
      trackers.each([&](Tracker& t) {
        t.on_job_start(job, {true, before.data ? &*before.data : nullptr});
        t.on_job_finish(job, before.state, before.metrics, before.why);
      });
    }
    first = plan.jobs.size();
    launch.set_pending(std::move(todo));
    launcher->run(launch, workers);
    if (!search || launch.stopping() || launch.stopped() > 0 || !launch.lost().empty() || !launch.queued().empty()) break;
    if (!search->grow(run, workers)) break;
    extend_run_directory(plan, run, first);
    todo = look_at(first);
  }
  trackers.each([](Tracker& t) { t.on_run_finish(); });
  for (const auto& [name, jobs] : trackers.left_out()) {
    notice(fmt::format("{} of {} jobs finished before tracker '{}' was added, so it does not show them. To add them:\n  {}", jobs,
                       plan.jobs.size(), name, command_to_replay(tracker_specs(plan.experiment), name, run.string())));
  }

  RunOutcome outcome{run, exit_code_of(launch, log, kept_failed > 0)};
  if (!launch.queued().empty()) {
    if (!options.quiet) {
      for (const auto& [queue, jobs] : launch.queued()) say("  {} job{} left to {}\n", jobs, jobs == 1 ? "" : "s", queue);
      say("  {} status {} --follow\n    shows their progress. They no longer need this command; run it again to make tables and figures "
          "(with --wait: as soon as all jobs are done)\n",
          called_as(), shell_word(run.string()));
    }
    return outcome;
  }
  if (!options.report) return outcome;
  // The terminal shows the report first; the files keep it.
  ReportOptions report_options;
  report_options.pictures = trackers.mirrors();
  report_options.text.width = terminal_width();
  report_options.text.colour = shows_colours();
  const auto written = [&]() -> std::optional<Report> {
    try {
      return write_report(run, report_options);
    } catch (const Error& e) {
      if (launch.refusal().empty() || e.kind() != ErrorKind::kFile) throw;
      log.write(fmt::format("no report: {}", e.what()));  // a full disk has been reported already
      return std::nullopt;
    }
  }();
  if (!written) return outcome;
  const auto& report = *written;
  log.write(fmt::format("reported {} files", report.files.size()));
  if (!options.quiet) say("\n{}", report.brief);
  if (!options.quiet) {
    const fs::path latest = run.parent_path() / "latest";
    std::error_code ec;
    const bool is_latest = fs::equivalent(latest, run, ec);
    say("report.html, tables, figures, summary.json -> {}/{}\n", is_latest ? latest.string() : run.string(),
        is_latest ? "" : "  (`latest` is unchanged)");
  }
  trackers.each([&](Tracker& t) { t.on_report(info, report); });
  if (stop_signal() != 0 && outcome.exit_code == 0) outcome.exit_code = 128 + stop_signal();  // a signal during the report
  return outcome;
}

}  // namespace yatlab
