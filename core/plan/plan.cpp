#include "core/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/compose/composed_experiment.h"
#include "core/compose/configured_plugins.h"
#include "core/compose/identity.h"
#include "core/config/interpolation.h"
#include "core/config/override.h"
#include "core/config/sweep.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/report_config.h"
#include "core/plan/added_arms.h"
#include "core/plan/arm_planner.h"
#include "core/plan/bounded_scores.h"
#include "core/plan/check_points.h"
#include "core/plan/launcher.h"
#include "core/plan/search.h"
#include "core/plan/trackers.h"
#include "core/train/device.h"

namespace yatlab {
namespace {

/// Throws if a tracker's settings cannot work. Other errors in a tracker only switch it off later.
void check_trackers(const Node& experiment) {
  const Node specs = tracker_specs(experiment);
  for (const auto& spec : specs.as_list()) {
    Registry<Tracker>::complete(spec);
    try {
      Registry<Tracker>::create(spec)->check();
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kConfig) throw e.within(spec.origin().describe());
    } catch (const std::exception&) {
    }
  }
}

/// What the arms measure without changes from the command line; empty if the file alone cannot be planned.
MeasuredArms measured_as_written(const PlanRequest& request) {
  MeasuredArms out;
  try {
    const ComposedExperiment composed({request.experiment, {}, false, request.config_path});
    const Node sweeper = composed.experiment().at("sweeper");
    ArmChecker checker;
    for (const auto& arm : composed.arms()) {
      for (const auto& point : composed.points(sweeper, arm.name))
        out[arm.name].add(checker.check(arm.name, frozen_arm(composed.compose(arm, point), arm.name)));
    }
  } catch (const Error&) {
    out.clear();
  }
  return out;
}

/// The plan without arms, sweep and jobs: what the experiment itself describes.
Plan titled_plan(const PlanRequest& request, const ComposedExperiment& composed) {
  Plan plan;
  plan.experiment = composed.experiment();
  plan.name = plan.experiment.at("name").as_string();
  if (const auto why = why_no_folder_name(plan.name); !why.empty()) {
    throw config_error(fmt::format("'{}' cannot name a folder", shortened(plan.name)), plan.experiment.at("name").origin().describe(), why,
                       "use letters, digits, '_' and '-'");
  }
  if (const Node& results = plan.experiment.at("results"); trim(results.as_string()).empty()) {
    throw config_error("'results' is empty", results.origin().describe(), "it is the folder that runs write to",
                       "name a folder, or leave it out for ./results");
  }
  plan.config = composed.written();
  check_written_size(plan.config, "the experiment");
  plan.title = plan.experiment.at("title").as_string();
  // A scale that changes nothing is the experiment under another name; the scale "paper" is the paper's own.
  plan.scale = composed.scale_overrides().empty() || composed.scale() == "paper" ? "" : composed.scale();
  plan.overrides = request.overrides;
  plan.seeds = parse_seeds(plan.experiment.at("seeds"));
  plan.notices = composed.base().warnings;
  if (const Node& seeds = composed.base().config.at("seeds"); seeds.is_int() && seeds.as_int() > 1) {
    const auto* text = seeds.origin().text.empty()
                           ? "seeds: {0} is one run of each arm, with the seed {0}; for {0} seeds write 'seeds: range(0, {0})'"
                           : "seeds={0} is one run of each arm, with the seed {0}; for {0} seeds write 'seeds=range(0,{0})'";
    plan.notices.push_back(fmt::format(fmt::runtime(text), seeds.as_int()));
  }
  return plan;
}

/// Adds every arm at every point of a list.
MeasuredArms add_arms(Plan& plan, const PlanRequest& request, const ComposedExperiment& composed) {
  const auto arms = composed.arms();
  const Node& sweeper = plan.experiment.at("sweeper");
  ArmPlanner planner(plan, composed, request.experiment.string());
  SweepPoint first;
  for (const auto& arm : arms) {
    const auto points = composed.points(sweeper, arm.name);
    if (first.empty()) first = points.front();
    if (points.size() * plan.seeds.size() > kMaxJobs) too_many_jobs(plan);  // for one arm, before all are composed
    for (const auto& point : points) planner.add(arm, point);
  }
  planner.reject_ineffective_overrides(arms, first);
  planner.hold_against_file(arms, false);
  return planner.measured();
}

/// Throws now for errors that the launcher would find too late.
void check_launcher(const Plan& plan) {
  const auto launcher = Registry<Launcher>::create(plan.experiment.at("launcher"));
  const JobSpec* before = nullptr;
  for (const auto& job : plan.jobs) {
    if (before && before->arm == job.arm && before->resources == job.resources) continue;
    before = &job;
    try {
      launcher->check_job(job);
    } catch (const Error& e) {
      throw e.within(fmt::format("arm '{}'", job.arm));
    }
  }
}

/// Adds arms from the command line to tables and figures, beside those that the file lists.
void join_arms(Plan& plan, const MeasuredArms& measured) {
  std::vector<Override> command_line;
  for (const auto& text : plan.overrides) command_line.push_back(parse_override(text, "command line"));
  const auto config_of = [&](const std::string& arm) -> const Node& {
    return std::find_if(plan.jobs.begin(), plan.jobs.end(), [&](const JobSpec& job) { return job.arm == arm; })->config;
  };
  for (auto& notice : join_added_arms(plan.experiment, plan.added_arms, command_line, measured, config_of))
    plan.notices.push_back(std::move(notice));
  if (plan.added_arms.empty()) return;
  for (const char* key : {"tables", "figures"}) {  // reports read the run's config.yaml
    if (const Node* lists = plan.experiment.find(key)) plan.set(key, Node(*lists));
  }
}

/// Only a notice: the machine that runs the job may have the device.
void note_absent_devices(Plan& plan) {
  std::set<std::string> devices;
  for (const auto& job : plan.jobs) {
    const Node* device = job.config.at("trainer").find("device");
    if (!device || !devices.insert(device->as_string()).second) continue;
    const auto why = why_absent(device_of(device->as_string()));
    if (why.empty()) continue;
    plan.notices.push_back(fmt::format("trainer.device={} cannot be used on this machine: {}", device->as_string(), why));
  }
}

/// One notice for all affected arms.
void note_bounded_scores(Plan& plan) {
  std::map<std::string, std::string> known;  // by everything that it depends on
  std::map<std::string, std::vector<std::string>> arms;
  for (const auto& job : plan.jobs) {
    std::string made_of;
    for (const char* key : {"operator", "normalizer", "architecture", "dataset", "task"}) {
      if (const Node* node = job.config.find(key)) made_of += "\n" + node->to_flow();
    }
    if (const auto [at, fresh] = known.try_emplace(made_of); fresh) at->second = bounded_scores(job.config);
    auto& names = arms[known[made_of]];
    if (names.empty() || names.back() != job.arm) names.push_back(job.arm);
  }
  arms.erase("");
  for (const auto& [text, names] : arms) plan.notices.push_back(fmt::format("{}: {}", join(names, ", "), text));
}

/// Hashes all jobs.
std::string hash_of(const Plan& plan) {
  std::string all;
  for (const auto& job : plan.jobs) {
    all += job.hash + " " + job.directory + "\n";
    for (const auto& analysis : job.analyses) all += analysis.hash + " " + analysis.directory + "\n";
  }
  return sha256(all);
}

}  // namespace

Composition compose_experiment(const PlanRequest& request, const std::string& arm) {
  load_configured_plugins(request.experiment, request.overrides);
  const ComposedExperiment composed(request);
  if (!composed.command_line().empty()) refuse_idle_overrides(composed);
  if (arm.empty()) return composed.base();
  std::vector<std::string> names;
  for (const auto& each : composed.arms()) {
    if (each.name == arm) return composed.compose(each, composed.base_point());
    names.push_back(each.name);
  }
  throw config_error(fmt::format("unknown arm '{}'", arm), request.experiment.string(), {}, suggestion(arm, names));
}

PlannedRun plan_run(const PlanRequest& request) {
  const auto libraries = load_configured_plugins(request.experiment, request.overrides);
  auto composed = std::make_unique<ComposedExperiment>(request);
  refuse_to_sweep_the_run(*composed);
  PlannedRun out;
  out.plan = std::make_shared<Plan>(titled_plan(request, *composed));
  Plan& plan = *out.plan;
  require_configured_plugins(plan.experiment.at("plugins").at("path"), libraries);
  auto report = ReportConfig::read(plan.experiment, true);
  check_trackers(plan.experiment);
  const auto arms = composed->arms();
  for (const auto& arm : arms) plan.arms.push_back(arm.name);
  refuse_to_replace_an_arm(*composed, arms);
  for (const auto& dimension : composed->dimensions()) {
    for (auto& key : dimension.keys()) plan.swept.push_back(std::move(key));
  }
  MeasuredArms measured;
  if (auto search = Registry<Sweeper>::create(plan.experiment.at("sweeper"))->search()) {
    out.search = std::make_shared<Search>(plan, std::move(composed), std::move(*search), report, request.experiment.string());
    measured = out.search->measured();
    plan.hash = out.search->identity();
    plan.search = out.search->goal();
  } else {
    measured = add_arms(plan, request, *composed);
    plan.hash = hash_of(plan);
  }
  if (const auto& part = plan.jobs.front().part; !part.empty()) plan.swept.push_back(part);
  check_launcher(plan);
  note_absent_devices(plan);
  note_bounded_scores(plan);
  join_arms(plan, measured);
  if (!plan.added_arms.empty()) report = ReportConfig::read(plan.experiment, true);
  const auto as_written = [&] { return request.overrides.empty() ? MeasuredArms{} : measured_as_written(request); };
  for (auto& notice : check_names(plan.experiment, report, measured, as_written)) plan.notices.push_back(std::move(notice));
  check_points(plan, report);
  ArmNames names;
  for (const auto& arm : plan.arms) names.add(measured[arm]);
  plan.metrics = std::move(names.docs);
  out.measured = std::make_shared<const MeasuredArms>(std::move(measured));
  return out;
}

Plan make_plan(const PlanRequest& request) { return std::move(*plan_run(request).plan); }

void Plan::set(const std::string& key, Node value) {
  config.set(key, escape_interpolations(value));
  experiment.set(key, std::move(value));
}

void keep_jobs(Plan& plan, const std::set<std::string>& directories) {
  std::deque<JobSpec> kept;
  for (auto& job : plan.jobs) {
    if (directories.count(job.directory)) kept.push_back(std::move(job));
  }
  plan.jobs = std::move(kept);
  plan.hash = hash_of(plan);
}

}  // namespace yatlab
