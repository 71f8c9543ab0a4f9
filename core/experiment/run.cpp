#include "core/experiment/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/failure.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/experiment/environment.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/job.h"
#include "core/experiment/job_type.h"
#include "core/experiment/launcher.h"
#include "core/experiment/plan_sizes.h"
#include "core/experiment/recorded_run.h"
#include "core/experiment/run_directory.h"
#include "core/experiment/standing.h"
#include "core/experiment/trackers.h"
#include "core/report/report.h"
#include "core/train/device.h"
#include "core/train/stop.h"
#include "core/train/threads.h"

namespace yatlab {
namespace {

DataContext data_context(const Node& experiment) {
  const auto params = read_params<DataParams>(experiment.at("data"));
  DataContext out;
  out.root = params.root;
  for (const auto& path : params.search_path) out.search_path.emplace_back(path);
  out.require_real = params.require_real;
  out.offline = params.offline;
  out.stop = [] { return stop_signal() != 0; };
  return out;
}

/// What a job will be trained on; nothing for the others, and where it cannot be had: the job itself will say so.
std::optional<DatasetUse> data_of(const JobSpec& job, DataCache& data) {
  const Node* dataset = job.dataset();
  if (!dataset) return std::nullopt;
  try {
    const auto& p = data.get(*dataset)->dataset->provenance();
    return DatasetUse{p.name, p.sha256, p.tier, p.substituted_for};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// A plan for another machine can be made here, but not run.
void require_devices(const Plan& plan) {
  for (const auto& job : plan.jobs) {
    const Node* name = job.config.at("trainer").find("device");
    if (!name) continue;
    const auto why = why_absent(device_of(name->as_string()));
    if (!why.empty()) {
      throw config_error(fmt::format("trainer.device={} cannot be used on this machine", name->as_string()), name->origin().describe(), why,
                         "set trainer.device=cpu ('yatlab doctor' says what there is)");
    }
  }
}

std::string header(const Plan& plan, std::size_t workers, const fs::path& run) {
  std::string sizes = plan_sizes(plan);
  if (!plan.swept.empty()) sizes += fmt::format(", swept: {}", join(plan.swept, ", "));
  return fmt::format("{}{}  {}  ({} worker{})  {}", plan.name, plan.scale.empty() ? "" : " [scale " + plan.scale + "]", sizes, workers,
                     workers == 1 ? "" : "s", run.string());
}

}  // namespace

RunOutcome run_plan(const Plan& plan, const RunOptions& options) {
  require_devices(plan);
  DataCache data(data_context(plan.experiment));
  // Data first: a run that cannot have its data leaves no folder behind.
  for (const auto& job : plan.jobs) {
    if (const Node* dataset = job.dataset()) data.get(*dataset);
  }

  auto opened = open_run_directory(plan, options.fresh);
  const fs::path run = opened.path;
  EventLog log(run / "log.txt");
  const auto environment = describe_environment(options.command);
  write_file_atomic(run / "environment.json", environment.dump(2) + "\n");
  log.write(fmt::format("{}: {}", opened.resumed ? "resumed" : "started", options.command));
  const auto notice = [&](const std::string& text) {
    say_error("note: {}\n", text);
    log.write("note: " + text);
  };
  const auto adopted = options.fresh ? std::set<std::string>() : adopt_finished_jobs(plan, run, notice);

  std::map<std::size_t, Todo> todo;
  std::size_t kept_failed = 0;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    auto what = what_to_do(plan.jobs[i], run, data, options.retry_failed, adopted, notice);
    kept_failed += what.nothing() && what.failed;
    if (!what.nothing()) todo.emplace(i, std::move(what));
  }
  const auto kept = plan.jobs.size() - todo.size();
  const auto taken_over = std::count_if(plan.jobs.begin(), plan.jobs.end(), [&](const JobSpec& job) { return adopted.count(job.directory) > 0; });

  const auto launcher = Registry<Launcher>::create(plan.experiment.at("launcher"));
  std::size_t threads = 1;
  for (const auto& [i, what] : todo) {
    threads = std::max(threads, static_cast<std::size_t>(plan.jobs[i].config.at("trainer").at("threads").as_int()));
  }
  const auto workers = launcher->workers(std::max<std::size_t>(1, todo.size()), threads);
  reserve_blas_buffers(workers * threads);
  if (!options.quiet) {
    say("{}\n", header(plan, workers, run));
    for (const auto& text : plan.notices) say("  note: {}\n", text);
    if (kept > 0) {
      say("  {} of {} jobs already done{}{}\n", kept, plan.jobs.size(),
                 taken_over == 0 ? "" : fmt::format(" ({} taken over from earlier runs)", taken_over),
                 kept_failed > 0 ? fmt::format("; {} of them failed (run again with --retry-failed)", kept_failed) : "");
    }
    std::fflush(stdout);
  }

  Trackers trackers(tracker_specs(plan.experiment), options.quiet, log);
  const RunInfo info{plan, run, workers, options.quiet};
  trackers.start(info);
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    if (todo.count(i)) continue;
    const auto& job = plan.jobs[i];
    const auto before = recorded_result(job, run);
    trackers.each([&](Tracker& t) {
      t.on_job_start(job, {true, before.data ? &*before.data : nullptr});
      t.on_job_finish(job, before.state, before.metrics, before.why);
    });
  }

  std::atomic<int> failed{0}, stopped_elsewhere{0};
  std::atomic<bool> refused{false};  // the system refused a file: more jobs would fare no better
  std::mutex errors_mutex;
  std::vector<std::string> failures;
  std::string refusal;
  const auto refuse = [&](const std::string& text) {
    const std::lock_guard lock(errors_mutex);
    if (!refused.exchange(true)) refusal = text;
  };
  const auto over = [&] { return refused || stop_signal() != 0 || (options.fail_fast && failed > 0); };
  const auto execute = [&](const JobSpec& job, const Todo& what) {
    log.write("begin " + job.label());
    const auto used = data_of(job, data);
    trackers.each([&](Tracker& t) { t.on_job_start(job, {false, used ? &*used : nullptr}); });
    JobHooks hooks;
    hooks.on_resume = [&](std::int64_t step) { trackers.each([&](Tracker& t) { t.on_resume(job, step); }); };
    hooks.on_metrics = [&](const MetricRow& row) { trackers.each([&](Tracker& t) { t.on_metrics(job, row); }); };
    hooks.on_progress = [&](const Progress& progress) { trackers.each([&](Tracker& t) { t.on_progress(job, progress); }); };
    hooks.on_checkpoint = [&](std::int64_t step, const fs::path& folder) {
      trackers.each([&](Tracker& t) { t.on_checkpoint(job, {step, folder}); });
    };
    hooks.on_media = [&](const Media& media) { trackers.each([&](Tracker& t) { t.on_media(job, media); }); };
    hooks.on_notice = [&](const std::string& text) { notice(job.directory + ": " + text); };
    std::atomic<bool> stopped{false};  // asked for by all threads of a job
    hooks.stop = [&] {
      trackers.each([&](Tracker& t) {
        if (!stopped && t.wants_stop(job)) stopped = true;
      });
      return stopped || over();
    };
    const auto result = do_job(job, what, run, data, hooks);
    log.write(fmt::format("{} {}{}{}", to_string(result.state), job.label(), result.why.empty() ? "" : ": " + result.why,
                          result.trace.empty() ? "" : "\n" + result.trace));
    if (result.state == JobState::kFailed) {
      ++failed;
      const std::lock_guard lock(errors_mutex);
      failures.push_back(fmt::format("{}: {}", job.label(), result.why));
    }
    if (result.state == JobState::kInterrupted && !result.why.empty()) refuse(fmt::format("{}: {}", job.label(), result.why));
    if (stopped && result.state == JobState::kInterrupted) ++stopped_elsewhere;
    trackers.each([&](Tracker& t) { t.on_job_finish(job, result.state, result.metrics, result.why); });
  };
  std::vector<std::size_t> order;
  for (const auto& [i, what] : todo) order.push_back(i);
  launcher->run(order.size(), workers, [&](std::size_t n) {
    if (over()) return;
    try {
      execute(plan.jobs[order[n]], todo.at(order[n]));
    } catch (...) {  // not in a launcher's thread
      refuse(current_error().what());
    }
  });
  trackers.each([](Tracker& t) { t.on_run_finish(); });

  for (const auto& text : failures) say_error("failed: {}\n", text);
  RunOutcome outcome{run, failed > 0 || kept_failed > 0 ? 1 : 0};
  if (refused) {
    say_error("interrupted: {}\n", refusal);
    outcome.exit_code = 1;
  }
  if (stop_signal() != 0) {
    log.write(fmt::format("stopped by signal {}", stop_signal()));
    if (!refused) say_error("interrupted; everything is saved. The same command goes on from here.\n");
    outcome.exit_code = 128 + stop_signal();
  } else if (stopped_elsewhere > 0) {
    log.write(fmt::format("{} jobs were stopped through a tracker", stopped_elsewhere.load()));
    say_error("{} jobs were stopped through a tracker; they are saved. The same command goes on from here.\n", stopped_elsewhere.load());
    outcome.exit_code = 130;
  }
  // The terminal is the first reader of the report, the files are the lasting ones.
  ReportOptions report_options;
  report_options.pictures = trackers.mirrors();
  const auto written = [&]() -> std::optional<Report> {
    try {
      return write_report(run, report_options);
    } catch (const Error& e) {
      if (!refused || e.kind() != ErrorKind::kFile) throw;
      log.write(fmt::format("no report: {}", e.what()));  // that the disk is full has been said
      return std::nullopt;
    }
  }();
  if (!written) return outcome;
  const auto& report = *written;
  log.write(fmt::format("reported {} files", report.files.size()));
  if (!options.quiet) say("\n{}", report.text);
  if (!options.quiet) {
    const fs::path latest = run.parent_path() / "latest";
    say("\ntables, figures, summary.json -> {}/\n", latest.string());
  }
  trackers.each([&](Tracker& t) { t.on_report(info, report); });
  if (stop_signal() != 0 && outcome.exit_code == 0) outcome.exit_code = 128 + stop_signal();  // while the report was made
  return outcome;
}

}  // namespace yatlab
