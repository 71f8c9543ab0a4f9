#include "core/experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/config/interpolation.h"
#include "core/config/limits.h"
#include "core/config/override.h"
#include "core/config/sweep.h"
#include "core/config/yaml.h"
#include "core/experiment/check_arm.h"
#include "core/experiment/check_names.h"
#include "core/experiment/composed_experiment.h"
#include "core/experiment/configured_plugins.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/identity.h"
#include "core/experiment/job_type.h"
#include "core/experiment/sweep_guards.h"
#include "core/experiment/sweeper.h"
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

/// Jobs of one run. Each takes some 2 kB while it is planned, and a folder.
constexpr std::size_t kMaxJobs = 100'000;

[[noreturn]] void too_many_jobs(const Plan& plan) {
  throw config_error(fmt::format("the plan has more than {} jobs", kMaxJobs), "",
                     fmt::format("{} arms, {} seeds, and the points of the sweep", plan.arms.size(), plan.seeds.size()),
                     "split it: seeds=range(0,1000), then seeds=range(1000,2000), ...");
}

/// What is written into a run's folder must be readable again.
void check_written_size(const Node& config, const std::string& what) {
  if (const auto bytes = emit_yaml(config).size(); bytes > limits::kText) {
    throw config_error(fmt::format("{}: its config has {} bytes when it is written out", what, bytes), "",
                       fmt::format("a config of a run may have {}", limits::kText), "use fewer values, or interpolations of shorter ones");
  }
}

/// A folder's name for a job; long ones (sweeps over whole components) are cut and made unique by a hash.
std::string folder_name(const std::string& text) {
  constexpr std::size_t kLongest = 160;  // of the 255 bytes that file systems allow
  const auto name = safe_file_name(text);
  if (name.size() <= kLongest) return name;
  std::size_t cut = kLongest;
  while ((static_cast<unsigned char>(name[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
  return name.substr(0, cut) + "-" + sha256(name).substr(0, 8);
}

bool changes_protocol(const std::string& key) {
  static const std::set<std::string> kNeutral = {"seeds",         "scale",  "launcher",   "trackers", "tracker",   "data",    "results",
                                                 "figures",       "tables", "title",      "notes",    "plugins",   "metrics", "labels",
                                                 "paper_section", "name",   "parameters", "report",   "resources", "latest"};
  const auto head = key.substr(0, key.find('.'));
  if (head == "trainer") return !is_steering(key.substr(std::min(key.size(), head.size() + 1)));
  return kNeutral.count(head) == 0;
}

/// How often each override, by its text, did not apply.
class Applied {
 public:
  void see(const Composition& composition) {
    ++compositions_;
    for (const auto& text : std::set<std::string>(composition.skipped.begin(), composition.skipped.end())) ++skipped_[text];
  }
  bool nowhere(const std::string& text) const { return times_skipped(text) == compositions_; }
  bool everywhere(const std::string& text) const { return times_skipped(text) == 0; }

 private:
  std::size_t times_skipped(const std::string& text) const {
    const auto it = skipped_.find(text);
    return it == skipped_.end() ? 0 : it->second;
  }
  std::map<std::string, std::size_t> skipped_;
  std::size_t compositions_ = 0;
};

/// The part of a point that applies to the arm that was composed.
SweepPoint applying(const SweepPoint& point, const Composition& composition) {
  SweepPoint out;
  for (const auto& o : point) {
    if (std::find(composition.skipped.begin(), composition.skipped.end(), o.text) == composition.skipped.end()) out.push_back(o);
  }
  return out;
}

/// Makes `config` share what is as in `before`, which is frozen.
void share(Node& config, const Node& before) {
  if (!config.is_map() || !before.is_map()) return;
  for (auto& [key, value] : config.as_map()) {
    const Node* same = before.find(key);
    if (!same) continue;
    if (value == *same) {
      value = *same;
    } else {
      share(value, *same);
    }
  }
}

/// The analyses of a training as jobs without seed, training and folder.
struct PlannedAnalysis {
  std::string folder;
  Node config;
  JobHashes hashes;
};

std::vector<PlannedAnalysis> planned_analyses(const FrozenArm& frozen) {
  std::map<std::string, int> of_name;
  for (const auto& spec : frozen.analyses.as_list()) ++of_name[spec.at("name").as_string()];
  std::vector<PlannedAnalysis> out;
  for (const auto& spec : frozen.analyses.as_list()) {
    Node config = Node::map(), trainer = Node::map();
    config.set("seed", 0);
    config.set("analysis", spec);
    for (const auto& [key, value] : frozen.config.at("trainer").as_map()) {
      if (analysis_job().follows_trainer(key)) trainer.set(key, value);
    }
    config.set("trainer", std::move(trainer));
    const auto name = spec.at("name").as_string();
    const JobHashes hashes(config, analysis_job());
    // Of several of one name each gets its own, whatever stands beside it.
    const auto own = of_name[name] == 1 ? "" : "-" + sha256(to_json(spec).dump()).substr(0, 8);
    config.freeze();
    out.push_back({"analyses/" + folder_name(name) + own, config, hashes});
  }
  return out;
}

/// Jobs of one arm at one point: one for each part and seed.
void add_jobs(Plan& plan, const std::string& arm, const SweepPoint& point, const std::string& point_name, const FrozenArm& frozen,
              std::set<std::string>& directories) {
  for (const auto& part : frozen.parts) {
    if (plan.jobs.size() + plan.seeds.size() > kMaxJobs) too_many_jobs(plan);
    Node config = frozen.config;
    if (!part.key.empty()) config.set(part.key, part.value);
    check_written_size(config, fmt::format("arm '{}'", arm));
    const JobHashes hashes(config, *frozen.type);
    if (!plan.jobs.empty()) share(config, plan.jobs.back().config);
    config.freeze();  // what the jobs have in common they share
    const auto analyses = planned_analyses(frozen);
    for (const auto seed : plan.seeds) {
      JobSpec job;
      job.type = frozen.type;
      job.arm = arm;
      job.seed = seed;
      for (const auto& o : point) job.params.emplace_back(o.address(), o.value);
      job.config = config;
      job.resources = frozen.resources;
      job.config.set("seed", seed);
      std::string name = fmt::format("seed={}", seed) + point_name;
      if (!part.key.empty()) {
        job.part = part.key;
        job.params.emplace_back(part.key, part.value.at("name"));
        name += "," + part.key + "=" + part.value.at("name").as_string();
      }
      job.hash = hashes.of(seed);
      job.directory = "jobs/" + arm + "/" + folder_name(name);
      if (!directories.insert(job.directory).second) job.directory += "-" + sha256(name).substr(0, 8);  // a/b and a_b
      for (const auto& planned : analyses) {
        JobSpec analysis;
        analysis.type = &analysis_job();
        analysis.arm = arm;
        analysis.seed = seed;
        analysis.params = job.params;
        analysis.config = planned.config;
        analysis.config.set("seed", seed);
        analysis.hash = sha256(job.hash + " " + planned.hashes.of(seed));
        analysis.directory = job.directory + "/" + planned.folder;
        analysis.trained = job.config;
        job.analyses.push_back(std::move(analysis));
      }
      plan.jobs.push_back(std::move(job));
    }
  }
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

/// Throws, with the full story, when an override of the command line applies to no arm at no point.
void refuse_idle_overrides(const ComposedExperiment& composed, const std::vector<Arm>& arms, const SweepPoint& point,
                           const Applied& applied) {
  for (const auto& o : composed.command_line()) {
    if (!applied.nowhere(o.text)) continue;
    composed.compose(arms.front(), point, o.text);
    throw config_error(fmt::format("'{}' applies to no arm", o.text), "command line");
  }
}

std::vector<SweepPoint> points_of(const ComposedExperiment& composed, const Node& sweeper) {
  return Registry<Sweeper>::create(sweeper)->propose(composed.dimensions());
}

/// The same for a composition that is only looked at.
void refuse_idle_overrides(const ComposedExperiment& composed) {
  const auto arms = composed.arms();
  refuse_to_replace_an_arm(composed, arms);
  const auto points = points_of(composed, resolve_at(composed.base().config, "sweeper"));
  Applied applied;
  for (const auto& arm : arms) {
    for (const auto& point : points) applied.see(composed.compose(arm, point));
  }
  refuse_idle_overrides(composed, arms, points.front(), applied);
}

/// Overrides of the scale that do nothing: an error of the file, or a notice where the command line may be the cause.
void report_idle_scale(Plan& plan, const ComposedExperiment& composed, const std::vector<Arm>& arms, const Applied& applied) {
  const bool alone = std::all_of(composed.command_line().begin(), composed.command_line().end(),
                                 [](const Override& o) { return o.key == "scale" || o.key == "seeds"; });
  for (const auto& o : composed.scale_overrides()) {
    const bool overruled = std::all_of(arms.begin(), arms.end(), [&](const Arm& arm) {
      return std::any_of(arm.overrides.begin(), arm.overrides.end(),
                         [&](const Override& own) { return own.kind == OverrideKind::kChange && own.address() == o.address(); });
    });
    if (!overruled && !applied.nowhere(o.text)) continue;
    const auto what = fmt::format("scale '{}': {} applies to no arm", composed.scale(), o.text);
    const std::string why = overruled ? "every arm sets it itself" : "no arm has that key";
    if (alone) {
      throw config_error(what, composed.base().config.at("scales").at(composed.scale()).origin().describe(), why,
                         "take it out of the scale");
    }
    plan.notices.push_back(fmt::format("{} ({})", what, why));
  }
}

/// Composes and tries every arm at every point. What is written and does nothing is an error or, where it does something for some arms, a
/// notice. Returns what each arm measures.
MeasuredArms plan_jobs(Plan& plan, const ComposedExperiment& composed, const std::vector<Arm>& arms, const std::vector<SweepPoint>& points,
                       const std::string& file) {
  Applied applied;
  PointGuard guard(composed.dimensions(), file);
  std::set<std::string> directories;
  std::set<std::string> acting;  // swept keys that some arm has
  ArmChecker checker;
  MeasuredArms measured;
  for (const auto& arm : arms) {
    std::set<std::string> point_names;
    for (const auto& point : points) {
      const auto composition = composed.compose(arm, point);
      const auto present = applying(point, composition);
      // A swept key that this arm does not have collapses: one job instead of many equal ones.
      std::string point_name;
      for (const auto& o : present) point_name += fmt::format(",{}={}", o.address(), o.value.to_flow());
      if (!point_names.insert(point_name).second) continue;
      applied.see(composition);
      refuse_to_change_the_run(composition, composed.base(), arm.name);
      const auto frozen = frozen_arm(composition, arm.name);
      measured[arm.name].add(checker.check(arm.name, frozen));
      guard.see(arm.name, present, frozen);
      for (const auto& o : present) {
        // Of several values the guard sees whether they differ; one value may be what would be there anyway.
        const auto key = o.address();
        if (acting.count(key) == 0 && (can_decide_results(o, *frozen.type) || follows(composed, arm, point, key, frozen)))
          acting.insert(key);
      }
      add_jobs(plan, arm.name, present, point_name, frozen, directories);
    }
  }
  for (const auto& dimension : composed.dimensions()) {
    for (const auto& o : dimension.positions.front()) {
      if (acting.count(o.address()) != 0) continue;
      if (applied.nowhere(o.text)) composed.compose(arms.front(), points.front(), o.text);  // throws with the full story
      throw_idle(dimension, o.address(), *plan.jobs.front().type);
    }
  }
  refuse_idle_overrides(composed, arms, points.front(), applied);
  for (const auto& o : composed.command_line()) {
    if (applied.everywhere(o.text)) continue;
    plan.notices.push_back(fmt::format("{} does not apply to every arm; arms without that key keep their own settings", o.text));
  }
  report_idle_scale(plan, composed, arms, applied);
  return measured;
}

/// What the arms measure when nothing is changed on the command line; nothing where the file alone cannot be planned.
MeasuredArms measured_as_written(const PlanRequest& request) {
  MeasuredArms out;
  try {
    const ComposedExperiment composed({request.experiment, {}, false, request.config_path});
    const auto points = points_of(composed, composed.experiment().at("sweeper"));
    ArmChecker checker;
    for (const auto& arm : composed.arms()) {
      for (const auto& point : points) out[arm.name].add(checker.check(arm.name, frozen_arm(composed.compose(arm, point), arm.name)));
    }
  } catch (const Error&) {
    out.clear();
  }
  return out;
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
  Plan plan;
  plan.experiment = composed.experiment();
  require_configured_plugins(plan.experiment.at("plugins").at("path"), libraries);
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
    const auto key = parse_override(text, "command line").key;
    if (changes_protocol(key)) plan.protocol_overrides.push_back(text);
  }
  const auto report = ReportConfig::read(plan.experiment, true);
  check_trackers(plan.experiment);

  const auto arms = composed.arms();
  for (const auto& arm : arms) plan.arms.push_back(arm.name);
  refuse_to_replace_an_arm(composed, arms);
  const auto points = points_of(composed, plan.experiment.at("sweeper"));
  if (points.size() * plan.seeds.size() > kMaxJobs) too_many_jobs(plan);  // of one arm, before all are composed
  for (const auto& dimension : composed.dimensions()) {
    for (auto& key : dimension.keys()) plan.swept.push_back(std::move(key));
  }
  const auto measured = plan_jobs(plan, composed, arms, points, request.experiment.string());
  std::set<std::string> devices;
  for (const auto& job : plan.jobs) {
    const Node* device = job.config.at("trainer").find("device");
    if (device && devices.insert(device->as_string()).second) {
      const auto why = why_absent(device_of(device->as_string()));
      if (!why.empty())
        plan.notices.push_back(fmt::format("trainer.device={} cannot be used on this machine: {}", device->as_string(), why));
    }
  }
  const auto as_written = [&] { return request.overrides.empty() ? MeasuredArms{} : measured_as_written(request); };
  for (auto& notice : check_names(plan.experiment, report, measured, as_written)) plan.notices.push_back(std::move(notice));
  if (const auto& key = plan.jobs.front().part; !key.empty()) plan.swept.push_back(key);
  std::string all;
  for (const auto& job : plan.jobs) {
    all += job.hash + " " + job.directory + "\n";
    for (const auto& analysis : job.analyses) all += analysis.hash + " " + analysis.directory + "\n";
  }
  plan.hash = sha256(all);
  return plan;
}

std::string Plan::to_json(const std::string& run_id) const {
  nlohmann::ordered_json j{{"schema", 1}, {"experiment", name}, {"run_id", run_id}, {"title", title}};
  j["scale"] = scale.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(scale);
  j["hash"] = hash;
  j["code"] = code_hash();
  j["arms"] = arms;
  j["seeds"] = seeds;
  j["swept"] = swept;
  j["overrides"] = overrides;
  j["protocol_overrides"] = protocol_overrides;
  j["jobs"] = nlohmann::ordered_json::array();
  for (const auto& job : jobs) {
    nlohmann::ordered_json params = nlohmann::ordered_json::object();
    for (const auto& [key, value] : job.params) params[key] = yatlab::to_json(value);
    j["jobs"].push_back({{"arm", job.arm}, {"seed", job.seed}, {"params", params}, {"hash", job.hash}, {"dir", job.directory}});
    for (const auto& analysis : job.analyses) {
      j["jobs"].back()["analyses"].push_back(
          {{"name", analysis.config.at("analysis").at("name").as_string()}, {"hash", analysis.hash}, {"dir", analysis.directory}});
    }
  }
  return j.dump(2) + "\n";
}

}  // namespace yatlab
