#include "core/run/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/output_file.h"
#include "core/config/yaml.h"
#include "core/job/job.h"
#include "core/plan/run_name.h"
#include "core/record/setting_sources.h"
#include "core/system/file_lock.h"

namespace yatlab {
namespace {

std::string local_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d_%H-%M-%S", &parts);
  return text;
}

/// The part of plan.json that decides whether a run, or a job of it, can be reused.
struct EarlierPlan {
  std::string hash;
  bool full = false;                                      ///< is_full of its plan
  std::vector<std::pair<std::string, std::string>> jobs;  // hash, folder; analyses too
};

/// Empty for a folder that is not a run, a run that never began, or one with a damaged plan. Throws a file error if reading fails.
std::optional<EarlierPlan> read_plan(const fs::path& run) {
  try {
    const auto json = parse_json(read_json_text(run / "plan.json"));
    EarlierPlan out;
    out.hash = json.at("hash").get<std::string>();
    // Older plans do not record whether they match the file.
    const bool unchanged = json.value("protocol_overrides", nlohmann::json::array()).empty();
    out.full = (!json.contains("scale") || json.at("scale").is_null()) && json.value("as_written", unchanged);
    const auto add = [&](const nlohmann::json& job) {
      out.jobs.emplace_back(job.at("hash").get<std::string>(), job.at("dir").get<std::string>());
    };
    for (const auto& job : json.at("jobs")) {
      add(job);
      if (!job.contains("analyses")) continue;
      for (const auto& analysis : job.at("analyses")) add(analysis);
    }
    return out;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kFile) throw;
    return std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool is_beginning(const fs::path& path) { return path.extension() == ".tmp" && path.filename().string().front() == '.'; }

}  // namespace

std::vector<fs::path> runs_below(const fs::path& root) {
  std::vector<fs::path> out;
  for (const auto& path : entries_of(root)) {
    if (!is_beginning(path) && is_folder(path) && !fs::is_symlink(path) && is_there(path / "plan.json")) out.push_back(path);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

namespace {

/// Removes the unfinished runs (without a plan) and links that a dead process left beside the runs.
void sweep_beginnings(const fs::path& root) {
  for (const auto& path : entries_of(root)) {
    if (is_beginning(path)) remove_tree(path);
  }
}

/// Writes job.yaml, unless it is up to date.
void write_job(const JobSpec& job, const fs::path& run, const Node& data) {
  const auto path = run / job.directory / "job.yaml";
  const auto text = to_yaml(job_file(job, data));
  if (!is_there(path) || read_file(path) != text) write_file_unsynced(path, text);
  for (const auto& analysis : job.analyses) write_job(analysis, run, data);
}

/// Writes all that a run directory must hold before any job runs. plan.json comes last: without it the folder is not a run.
void write_plan(const Plan& plan, const fs::path& run, const std::string& id) {
  write_file_atomic(run / "config.yaml", emit_yaml(plan.config));
  Node overrides = Node::list();
  for (const auto& text : plan.overrides) overrides.push_back(text);
  write_file_atomic(run / "overrides.yaml", emit_yaml(overrides));
  write_file_atomic(run / "sources.json", dump_json_replacing(setting_sources(plan.experiment)) + "\n");
  for (const auto& job : plan.jobs) write_job(job, run, plan.experiment.at("data"));
  write_file_atomic(run / "plan.json", plan.to_json(id));
}

/// Whether results/<experiment>/latest should point to this run: it is the experiment as in its file, `latest=true` requests it, or no such run
/// exists.
bool becomes_latest(const Plan& plan, const fs::path& root) {
  if (const Node* asked = plan.experiment.find("latest"); asked && asked->is_bool()) return asked->as_bool();
  if (is_full(plan)) return true;
  const auto is_full_run = [](const fs::path& run) {
    const auto earlier = read_plan(run);
    return earlier && earlier->full;
  };
  if (const auto now = root / "latest"; is_there(now / "plan.json") && is_full_run(now)) return false;
  const auto runs = runs_below(root);
  return std::none_of(runs.begin(), runs.end(), is_full_run);
}

}  // namespace

RunLock RunLock::take(const fs::path& directory) {
  RunLock lock;
  lock.file_ = OutputFile(directory / ".lock", OutputFile::Mode::kKeep);
  if (!try_lock(lock.file_.descriptor())) {
    throw config_error("this run is already in progress", directory.string(), "another process holds its lock",
                       "wait for it, or start a second run with --fresh");
  }
  return lock;
}

void extend_run_directory(const Plan& plan, const fs::path& run, std::size_t first) {
  for (std::size_t i = first; i < plan.jobs.size(); ++i) write_job(plan.jobs[i], run, plan.experiment.at("data"));
  write_file_atomic(run / "plan.json", plan.to_json(run.filename().string()));
}

RunDirectory open_run_directory(const Plan& plan, bool fresh, const std::function<void(const fs::path&)>& found,
                                const std::function<std::string(const fs::path&)>& why_not) {
  const Node& results = plan.experiment.at("results");
  const fs::path root = results_of(plan);
  const auto origin = results.origin().describe();
  require_writable_folder(root, origin.empty() ? "results" : "results, " + origin,
                          "make it writable, or write results elsewhere: results=FOLDER");
  // One process at a time looks for a run and makes one: of two first starts, the second finds the run of the first.
  const auto choosing = open_to_read(root);
  wait_for_lock(choosing.get());
  sweep_beginnings(root);
  RunDirectory out;
  if (!fresh) {
    for (const auto& run : runs_below(root)) {
      const auto earlier = read_plan(run);
      if (earlier && earlier->hash == plan.hash && (!why_not || why_not(run).empty())) {
        out.path = run;
        out.resumed = true;
        break;
      }
    }
  }
  if (out.resumed) {
    out.lock = RunLock::take(out.path);
    if (found) found(out.path);
    write_plan(plan, out.path, out.path.filename().string());  // tables, figures and captions may have changed
  } else {
    // Names have a resolution of seconds: of runs that start in the same one, each takes the next free name.
    const std::string base = run_name(plan, local_stamp());
    for (int i = 1; out.path.empty() || is_there(out.path); ++i) out.path = root / (i == 1 ? base : fmt::format("{}-{}", base, i));
    const fs::path beginning = temporary_name(out.path);
    try {
      make_folders(beginning);
      out.lock = RunLock::take(beginning);
      write_plan(plan, beginning, out.path.filename().string());
      rename_path(beginning, out.path);  // never a partial run
      sync_directory(root);
    } catch (const Error&) {
      std::error_code ignored;
      fs::remove_all(beginning, ignored);
      throw;
    }
  }
  if (becomes_latest(plan, root)) replace_symlink(out.path.filename(), root / "latest");
  remove_stale_temporaries(out.path);
  return out;
}

namespace {

/// Whether another run can copy this entry of a job's folder: all but the plan, and the analyses, which are jobs of their own.
bool travels(const fs::path& entry) {
  const auto name = entry.filename();
  return name != "job.yaml" && name != "analyses" && entry.extension() != ".tmp";
}

/// Copies a finished job into the folder of a planned one. status.json comes last: without it the job has not begun.
void take_over(const fs::path& from, const fs::path& to) {
  const fs::path temporary = temporary_name(to);
  remove_tree(temporary);
  make_folders(temporary);
  auto entries = entries_of(from);
  std::stable_partition(entries.begin(), entries.end(), [](const fs::path& entry) { return entry.filename() != "status.json"; });
  for (const auto& entry : entries) {
    if (travels(entry)) copy_tree(entry, temporary / entry.filename());
  }
  for (const auto& entry : entries) {
    if (!travels(entry)) continue;
    remove_tree(to / entry.filename());
    rename_path(temporary / entry.filename(), to / entry.filename());
  }
  remove_tree(temporary);
  sync_directory(to);
}

struct ReusableRun {
  fs::path folder;
  std::optional<EarlierPlan> plan;
};

/// The runs below `<results>/*/`, those of the experiment first. Without unreadable ones of other experiments.
std::vector<ReusableRun> reusable_runs(const fs::path& results, const std::string& experiment) {
  std::vector<ReusableRun> out;
  const auto own = results / experiment;
  for (const auto& run : is_there(own) ? runs_below(own) : std::vector<fs::path>()) out.push_back({run, read_plan(run)});
  for (const auto& other : entries_if_there(results)) {
    if (other == own || !is_folder(other)) continue;
    try {
      for (const auto& run : runs_below(other)) {
        if (auto plan = read_plan(run)) out.push_back({run, std::move(plan)});
      }
    } catch (const Error&) {  // another experiment's unreadable run does not concern this one
    }
  }
  return out;
}

}  // namespace

fs::path results_of(const Plan& plan) { return fs::path(plan.experiment.at("results").as_string()) / plan.name; }

std::set<std::string> finished_jobs(const Plan& plan) {
  std::set<std::string> left, out;
  for (const auto& job : plan.jobs) {
    left.insert(job.hash);
    for (const auto& analysis : job.analyses) left.insert(analysis.hash);
  }
  for (const auto& run : reusable_runs(plan.experiment.at("results").as_string(), plan.name)) {
    if (!run.plan) continue;
    for (const auto& [hash, directory] : run.plan->jobs) {
      if (left.count(hash) == 0 || !is_finished(recorded_state(run.folder / directory))) continue;
      left.erase(hash);
      out.insert(hash);
    }
  }
  return out;
}

void EarlierRuns::look() {
  if (std::exchange(seen_, true)) return;
  const auto own = run_.parent_path();
  for (const auto& other : reusable_runs(own.parent_path(), own.filename().string())) {
    if (other.folder == run_) continue;
    if (!other.plan) {
      notice_(fmt::format("{}: its plan.json cannot be read; none of its jobs are reused", other.folder.string()));
      continue;
    }
    for (const auto& [hash, directory] : other.plan->jobs) finished_[hash].push_back({other.folder, other.folder / directory});
  }
}

bool EarlierRuns::usable(const JobSpec& planned, const fs::path& job) const {
  try {
    if (!is_finished(recorded_state(job))) return false;
    if (why_not_ && !why_not_(planned, job).empty()) return false;
    const auto damage = damage_of_job(job);
    if (!damage.empty()) notice_(fmt::format("{}: {}; it is not reused", job.string(), damage));
    return damage.empty();
  } catch (const Error& e) {
    notice_(fmt::format("{}: {}; it is not reused", job.string(), e.what()));
    return false;
  }
}

std::set<std::string> EarlierRuns::adopt(const Plan& plan, std::size_t first) {
  std::set<std::string> adopted;
  const auto adopt_one = [&](const JobSpec& job) {
    if (is_there(run_ / job.directory / "status.json")) return;
    look();
    const auto it = finished_.find(job.hash);
    if (it == finished_.end()) return;
    const auto source = std::find_if(it->second.begin(), it->second.end(), [&](const Finished& other) { return usable(job, other.job); });
    if (source == it->second.end()) return;
    take_over(source->job, run_ / job.directory);
    adopted.insert(job.directory);
    sources_.insert(source->run);
  };
  for (std::size_t i = first; i < plan.jobs.size(); ++i) {
    adopt_one(plan.jobs[i]);
    for (const auto& analysis : plan.jobs[i].analyses) adopt_one(analysis);
  }
  return adopted;
}

}  // namespace yatlab
