#include "core/experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/config/override.h"
#include "core/config/sweep.h"
#include "core/experiment/check_arm.h"
#include "core/experiment/check_names.h"
#include "core/experiment/composed_experiment.h"
#include "core/experiment/configured_plugins.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/identity.h"
#include "core/experiment/idle_overrides.h"
#include "core/experiment/job_type.h"
#include "core/experiment/plan_jobs.h"
#include "core/experiment/slow_precision.h"
#include "core/experiment/sweep_guards.h"
#include "core/experiment/trackers.h"
#include "core/report/config.h"
#include "core/train/device.h"

namespace yatlab {
namespace {

/// Trackers that cannot work as they are set. What else goes wrong in one switches it off later, and the run goes on.
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

bool changes_protocol(const std::string& key) {
  static const std::set<std::string> kNeutral = {"seeds",         "scale",  "launcher",   "trackers", "tracker",   "data",    "results",
                                                 "figures",       "tables", "title",      "notes",    "plugins",   "metrics", "labels",
                                                 "paper_section", "name",   "parameters", "report",   "resources", "latest"};
  const auto head = key.substr(0, key.find('.'));
  if (head == "trainer") return !is_steering(key.substr(std::min(key.size(), head.size() + 1)));
  return kNeutral.count(head) == 0;
}

/// The part of a point that applies to the arm that was composed.
SweepPoint applying(const SweepPoint& point, const Composition& composition) {
  SweepPoint out;
  for (const auto& o : point) {
    if (std::find(composition.skipped.begin(), composition.skipped.end(), o.text) == composition.skipped.end()) out.push_back(o);
  }
  return out;
}

/// Whether results of the arm change when the point leaves out its override of `key`.
bool follows(const ComposedExperiment& composed, const Arm& arm, SweepPoint point, const std::string& key, const FrozenArm& with) {
  point.erase(std::remove_if(point.begin(), point.end(), [&](const Override& o) { return o.address() == key; }), point.end());
  try {
    const auto without = frozen_arm(composed.compose(arm, point), arm.name);
    return identity_of(without) != identity_of(with);
  } catch (const Error&) {  // it cannot do without
    return true;
  }
}

/// Composes and tries every arm at every point, and adds their jobs to a plan. What is written and does nothing is an error or, where it does
/// something for some arms, a notice.
class ArmPlanner {
 public:
  ArmPlanner(Plan& plan, const ComposedExperiment& composed, std::string file)
      : plan_(plan), composed_(composed), guard_(composed.dimensions(), std::move(file)), idle_(composed), jobs_(plan) {}

  /// Returns what each arm measures.
  MeasuredArms add(const std::vector<Arm>& arms, const std::vector<SweepPoint>& points) {
    for (const auto& arm : arms) add_arm(arm, points);
    refuse_idle_dimensions(arms.front(), points.front());
    idle_.refuse(arms, points.front());
    for (auto& notice : idle_.notices(arms)) plan_.notices.push_back(std::move(notice));
    return std::move(measured_);
  }

 private:
  void add_arm(const Arm& arm, const std::vector<SweepPoint>& points) {
    std::set<std::string> point_names;
    for (const auto& point : points) {
      const auto composition = composed_.compose(arm, point);
      const auto present = applying(point, composition);
      // A swept key that this arm does not have collapses: one job instead of many equal ones.
      std::string point_name;
      for (const auto& o : present) point_name += fmt::format(",{}={}", o.address(), o.value.to_flow());
      if (!point_names.insert(point_name).second) continue;
      idle_.see(composition);
      refuse_to_change_the_run(composition, composed_.base(), arm.name);
      const auto frozen = frozen_arm(composition, arm.name);
      measured_[arm.name].add(checker_.check(arm.name, frozen));
      guard_.see(arm.name, present, frozen);
      for (const auto& o : present) {
        // Of several values the guard sees whether they differ; one value may be what would be there anyway.
        const auto key = o.address();
        if (acting_.count(key) == 0 && (can_decide_results(o, *frozen.type) || follows(composed_, arm, point, key, frozen)))
          acting_.insert(key);
      }
      jobs_.add(arm.name, present, point_name, frozen);
    }
  }

  void refuse_idle_dimensions(const Arm& arm, const SweepPoint& point) const {
    for (const auto& dimension : composed_.dimensions()) {
      for (const auto& o : dimension.positions.front()) {
        if (acting_.count(o.address()) != 0) continue;
        if (idle_.nowhere(o.text)) composed_.compose(arm, point, o.text);  // throws with the full story
        throw_idle(dimension, o.address(), *plan_.jobs.front().type);
      }
    }
  }

  Plan& plan_;
  const ComposedExperiment& composed_;
  PointGuard guard_;
  IdleOverrides idle_;
  JobPlanner jobs_;
  ArmChecker checker_;
  std::set<std::string> acting_;  // swept keys that some arm has
  MeasuredArms measured_;
};

/// What the arms measure when nothing is changed on the command line; nothing where the file alone cannot be planned.
MeasuredArms measured_as_written(const PlanRequest& request) {
  MeasuredArms out;
  try {
    const ComposedExperiment composed({request.experiment, {}, false, request.config_path});
    const auto points = composed.points(composed.experiment().at("sweeper"));
    ArmChecker checker;
    for (const auto& arm : composed.arms()) {
      for (const auto& point : points) out[arm.name].add(checker.check(arm.name, frozen_arm(composed.compose(arm, point), arm.name)));
    }
  } catch (const Error&) {
    out.clear();
  }
  return out;
}

/// What the experiment says of itself: all of a plan but its arms, sweep and jobs.
Plan titled_plan(const PlanRequest& request, const ComposedExperiment& composed) {
  Plan plan;
  plan.experiment = composed.experiment();
  plan.name = plan.experiment.at("name").as_string();
  if (const auto why = why_no_folder_name(plan.name); !why.empty()) {
    throw config_error(fmt::format("'{}' cannot name a folder", shortened(plan.name)), plan.experiment.at("name").origin().describe(), why,
                       "use letters, digits, '_' and '-'");
  }
  check_written_size(plan.experiment, "the experiment");
  plan.title = plan.experiment.at("title").as_string();
  // A scale that changes nothing is the experiment itself by another name, and one called "paper" is the paper's own.
  plan.scale = composed.scale_overrides().empty() || composed.scale() == "paper" ? "" : composed.scale();
  plan.overrides = request.overrides;
  plan.seeds = parse_seeds(plan.experiment.at("seeds"));
  plan.notices = composed.base().warnings;
  for (const auto& text : request.overrides) {
    if (changes_protocol(parse_override(text, "command line").key)) plan.protocol_overrides.push_back(text);
  }
  return plan;
}

MeasuredArms add_arms(Plan& plan, const PlanRequest& request, const ComposedExperiment& composed) {
  const auto arms = composed.arms();
  for (const auto& arm : arms) plan.arms.push_back(arm.name);
  refuse_to_replace_an_arm(composed, arms);
  const auto points = composed.points(plan.experiment.at("sweeper"));
  if (points.size() * plan.seeds.size() > kMaxJobs) too_many_jobs(plan);  // of one arm, before all are composed
  for (const auto& dimension : composed.dimensions()) {
    for (auto& key : dimension.keys()) plan.swept.push_back(std::move(key));
  }
  auto measured = ArmPlanner(plan, composed, request.experiment.string()).add(arms, points);
  if (const auto& part = plan.jobs.front().part; !part.empty()) plan.swept.push_back(part);
  return measured;
}

/// A device may be there where a job runs and not here.
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

/// Said once for all jobs.
void note_slow_precisions(Plan& plan) {
  std::set<std::string> notes;
  for (const auto& job : plan.jobs) {
    if (auto note = slow_precision(job.config, CpuFlags::here()); !note.empty()) notes.insert(std::move(note));
  }
  plan.notices.insert(plan.notices.end(), notes.begin(), notes.end());
}

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

Plan make_plan(const PlanRequest& request) {
  const auto libraries = load_configured_plugins(request.experiment, request.overrides);
  const ComposedExperiment composed(request);
  refuse_to_sweep_the_run(composed);
  Plan plan = titled_plan(request, composed);
  require_configured_plugins(plan.experiment.at("plugins").at("path"), libraries);
  const auto report = ReportConfig::read(plan.experiment, true);
  check_trackers(plan.experiment);
  const auto measured = add_arms(plan, request, composed);
  note_absent_devices(plan);
  note_slow_precisions(plan);
  const auto as_written = [&] { return request.overrides.empty() ? MeasuredArms{} : measured_as_written(request); };
  for (auto& notice : check_names(plan.experiment, report, measured, as_written)) plan.notices.push_back(std::move(notice));
  plan.hash = hash_of(plan);
  return plan;
}

}  // namespace yatlab
