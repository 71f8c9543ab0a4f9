#include "core/library/prune_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/record/run_notes.h"
#include "core/record/run_view.h"
#include "core/system/disk_usage.h"
#include "core/system/file_lock.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;
using JobKey = std::pair<std::string, std::string>;  // hash, folder

/// Prevents new runs of an experiment: they are chosen and created under this lock.
Descriptor hold_choosing(const fs::path& experiment) {
  auto out = open_to_read(experiment);
  wait_for_lock(out.get());
  return out;
}

/// Whether the run's process is running. This tries its lock, so nobody may be about to take it (`hold_choosing`).
bool holds_lock(const fs::path& run) {
  if (!is_there(run / ".lock")) return false;
  return !try_lock(open_to_read(run / ".lock").get());
}

/// The data of a run that pruning needs.
struct ExaminedRun {
  RunFolder folder;
  RunView plan;
  std::vector<JobState> states;  // current states
  std::string protection;        // why it must stay; "" if it need not
  bool tagged = false, latest = false, moving = false;
  bool resumable = false;  // an unfinished job has a checkpoint
};

bool has_checkpoint(const fs::path& job) {
  const auto steps = entries_if_there(job / "checkpoints");
  return std::any_of(steps.begin(), steps.end(), [](const fs::path& step) { return is_there(step / "manifest.json"); });
}

ExaminedRun examine(const RunFolder& folder, const fs::path& results) {
  ExaminedRun out{folder, RunView::planned(folder.path), {}, {}, false, false, false, false};
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  for (const auto& job : out.plan.jobs) {
    const fs::path relative(job.directory);
    if (relative.is_absolute() || std::find(relative.begin(), relative.end(), "..") != relative.end()) {
      throw data_error("a plan contains a folder outside of its run", (folder.path / "plan.json").string(),
                       visible(shortened(job.directory)));
    }
    const fs::path at = folder.path / relative;
    const auto state = observed_state(folder.path, job, now);
    out.states.push_back(state);
    out.moving = out.moving || state == JobState::kRunning || state == JobState::kSubmitted || state == JobState::kPreempted;
    out.resumable = out.resumable || (!is_finished(state) && has_checkpoint(at));
  }
  const auto tags = read_notes(folder.path).tags;
  out.tagged = !tags.empty();
  out.latest = latest_id(results, folder.experiment) == folder.id;
  if (out.moving || holds_lock(folder.path))
    out.protection = "it is still running or queued";
  else if (out.tagged)
    out.protection = "tagged " + join(tags, " ");
  else if (out.latest)
    out.protection = "'latest' points to it";
  out.moving = out.protection == "it is still running or queued";
  return out;
}

/// Whether a newer run can replace the job: finished, with a manifest, and unchanged results.
bool stands_for(const fs::path& run, JobView job) {
  if (!is_there(run / job.directory / "manifest.json")) return false;
  std::vector<std::string> warnings;
  read_job(run, job, JobCheck::kResults, warnings);
  return job.finished() && warnings.empty();
}

/// Results of analyses count even if the experiment does not list them any more.
bool has_analyses_of(const JobView& newer, const JobView& older) {
  return std::all_of(older.analyses.begin(), older.analyses.end(), [&](const JobView::Analysis& analysis) {
    return std::any_of(newer.analyses.begin(), newer.analyses.end(),
                       [&](const JobView::Analysis& other) { return other.hash == analysis.hash; });
  });
}

struct Holder {
  const ExaminedRun* run;
  const JobView* job;
};

/// Why the whole run may be removed; "" if it may not. `newer`: finished jobs of newer runs that stay.
std::string why_whole(const ExaminedRun& run, const std::map<JobKey, std::vector<Holder>>& newer, bool interrupted, std::string& kept) {
  std::size_t finished = 0;
  std::set<std::string> holders;
  for (std::size_t i = 0; i < run.states.size(); ++i) {
    const auto& job = run.plan.jobs[i];
    // A completed training is a result, whatever the state of its analyses.
    const bool done = is_finished(run.states[i]) || is_finished(recorded_state(run.folder.path / job.directory));
    finished += done;
    const bool matters = done || (run.resumable && has_checkpoint(run.folder.path / job.directory));
    if (!matters) continue;
    const auto found = newer.find({job.hash, job.directory});
    const Holder* holder = nullptr;
    if (found != newer.end()) {
      const auto it = std::find_if(found->second.begin(), found->second.end(),
                                   [&](const Holder& h) { return has_analyses_of(*h.job, job) && stands_for(h.run->folder.path, *h.job); });
      if (it != found->second.end()) holder = &*it;
    }
    if (holder) {
      holders.insert(holder->run->folder.id);
    } else if (done) {
      return {};
    } else if (!interrupted) {
      kept = "an interrupted job can continue from a checkpoint (--interrupted removes it anyway)";
    }
  }
  if (!kept.empty()) return {};
  if (finished == 0) return run.plan.jobs.empty() ? "it has no jobs" : "no job of it finished";
  return fmt::format("{} finished job{} also exist{} in {}", finished, finished == 1 ? "" : "s", finished == 1 ? "s" : "",
                     join({holders.begin(), holders.end()}, ", "));
}

bool contains(const std::vector<RunFolder>& runs, const RunFolder& run) {
  return std::any_of(runs.begin(), runs.end(), [&](const RunFolder& r) { return r.experiment == run.experiment && r.id == run.id; });
}

/// Why the checkpoints of a run must stay under any rule; "" if they need not.
std::string why_checkpoints_stay(const ExaminedRun& run, const PruneRequest& request) {
  if (run.protection.empty() || (run.latest && !run.tagged && !run.moving && contains(request.named, run.folder))) return {};
  return run.protection;
}

}  // namespace

std::uintmax_t PrunePlan::bytes() const {
  std::uintmax_t out = 0;
  for (const auto& item : items) out += item.bytes;
  return out;
}

namespace {

/// choosing_held: whether the caller holds the lock of `hold_choosing`.
PrunePlan planned_prune(const PruneRequest& request, bool choosing_held) {
  PrunePlan out;
  std::map<std::string, std::vector<ExaminedRun>> experiments;
  std::set<std::string> requested;
  for (const auto& run : request.runs) requested.insert(run.experiment);
  for (const auto& folder : run_folders(request.results)) {  // the newest first
    if (requested.count(folder.experiment) == 0) continue;
    const auto choosing = choosing_held ? Descriptor() : hold_choosing(request.results / folder.experiment);
    try {
      experiments[folder.experiment].push_back(examine(folder, request.results));
    } catch (const std::exception& e) {
      if (contains(request.runs, folder)) out.notes.push_back(fmt::format("{} is kept: {}", folder.name(), e.what()));
    }
  }
  for (const auto& [experiment, runs] : experiments) {
    std::map<JobKey, std::vector<Holder>> newer;
    for (const auto& run : runs) {
      std::string kept;
      const bool candidate = contains(request.runs, run.folder);
      auto why = candidate ? why_whole(run, newer, request.interrupted, kept) : std::string();
      if (!why.empty() && !run.protection.empty()) {
        kept = run.protection;
        why.clear();
      }
      if (candidate && !kept.empty()) out.kept.push_back(fmt::format("{}: {}", run.folder.name(), kept));
      if (!why.empty()) {
        out.items.push_back({run.folder, true, why, bytes_below(run.folder.path), 0, 0});
        continue;  // a removed run cannot replace others
      }
      for (std::size_t i = 0; i < run.states.size(); ++i) {
        if (is_finished(run.states[i])) newer[{run.plan.jobs[i].hash, run.plan.jobs[i].directory}].push_back({&run, &run.plan.jobs[i]});
      }
      if (!candidate || request.checkpoints == CheckpointRule::kKeep) continue;
      PruneItem item{run.folder, false, "", 0, 0, 0};
      for (std::size_t i = 0; i < run.states.size(); ++i) {
        if (!is_finished(run.states[i])) continue;
        const fs::path job = run.folder.path / run.plan.jobs[i].directory;
        const auto surplus = surplus_checkpoints(job, request.checkpoints);
        if (surplus.empty()) continue;
        ++item.jobs;
        item.checkpoints += surplus.size();
        for (const auto& name : surplus) item.bytes += bytes_below(job / "checkpoints" / name);
      }
      if (item.jobs == 0) continue;
      item.why = fmt::format("{} checkpoint{} of {} finished job{}", item.checkpoints, item.checkpoints == 1 ? "" : "s", item.jobs,
                             item.jobs == 1 ? "" : "s");
      if (const auto stay = why_checkpoints_stay(run, request); !stay.empty()) {
        out.kept.push_back(fmt::format("{}: {} ({})", run.folder.name(), item.why,
                                       run.latest && !run.tagged && !run.moving ? stay + "; they are removed if you name this run" : stay));
      } else {
        out.items.push_back(std::move(item));
      }
    }
  }
  return out;
}

}  // namespace

PrunePlan plan_prune(const PruneRequest& request) { return planned_prune(request, false); }

std::vector<std::string> carry_out(const PruneRequest& request, const PrunePlan& plan) {
  std::vector<std::string> notes;
  std::map<std::string, std::vector<const PruneItem*>> experiments;
  for (const auto& item : plan.items) experiments[item.run.experiment].push_back(&item);
  for (const auto& [experiment, items] : experiments) {
    const fs::path root = request.results / experiment;
    std::vector<fs::path> going;
    try {
      const auto choosing = hold_choosing(root);  // keeps the plan valid
      auto own = request;
      own.runs.clear();
      for (const auto* item : items) own.runs.push_back(item->run);
      const auto now = planned_prune(own, true);
      for (const auto* item : items) {
        const auto& folder = item->run;
        const bool still = std::any_of(now.items.begin(), now.items.end(),
                                       [&](const PruneItem& i) { return i.run.id == folder.id && i.whole == item->whole; });
        if (!still) {
          notes.push_back(folder.name() + " is kept: it has changed meanwhile");
          continue;
        }
        try {
          OutputFile lock(folder.path / ".lock", OutputFile::Mode::kKeep);
          if (!try_lock(lock.descriptor())) {
            notes.push_back(folder.name() + " is kept: it is still running or queued");
          } else if (item->whole) {
            going.push_back(temporary_name(folder.path));
            rename_path(folder.path, going.back());
          } else {
            const auto again = examine(folder, request.results);
            for (std::size_t i = 0; i < again.states.size(); ++i) {
              if (is_finished(again.states[i])) remove_surplus_checkpoints(folder.path / again.plan.jobs[i].directory, request.checkpoints);
            }
          }
        } catch (const Error& e) {
          notes.push_back(fmt::format("{}: {}", folder.name(), e.what()));
        }
      }
      sync_directory(root);
    } catch (const Error& e) {
      notes.push_back(fmt::format("{}: {}", experiment, e.what()));
    }
    for (const auto& folder : going) {
      try {
        remove_tree(folder);
      } catch (const Error& e) {  // the next run of the experiment removes it
        notes.push_back(e.what());
      }
    }
  }
  return notes;
}

}  // namespace yatlab
