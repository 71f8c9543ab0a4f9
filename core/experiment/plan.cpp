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
#include "core/config/override.h"
#include "core/config/sweep.h"
#include "core/config/yaml.h"
#include "core/experiment/analysis.h"
#include "core/experiment/claim.h"
#include "core/experiment/composed_experiment.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/study.h"
#include "core/experiment/sweep_guards.h"
#include "core/experiment/sweeper.h"
#include "core/experiment/tracker.h"
#include "core/ops/normalizer.h"
#include "core/registry/plugin_library.h"
#include "core/report/config.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"
#include "yatlab_code_hash.h"

namespace yatlab {
namespace {

// Keys below `trainer` that steer a run without changing its results.
const std::set<std::string> kSteering = {"checkpoint_seconds", "checkpoint_steps", "peak_tflops"};

/// `plugins.path` has to be known before composing, since it brings components and configs.
void load_configured_plugins(const PlanRequest& request) {
  Node paths;
  const Node file = load_yaml(request.experiment);
  if (const Node* found = file.find_path("plugins.path")) paths = *found;
  for (const auto& text : request.overrides) {
    if (text.find("plugins.path=") == std::string::npos) continue;
    paths = parse_override(text, "command line").value;
  }
  if (paths.is_null()) return;
  std::vector<fs::path> out;
  for (const auto& item : resolve(paths).as_list()) out.emplace_back(item.as_string());
  load_plugins(out);
}

/// {name: ..., <all parameters>} from "name" or a partial map.
template <class T>
Node completed_component(Node spec) {
  if (spec.is_string()) {
    Node map = Node::map();
    map.set("name", spec);
    map.set_origin(spec.origin());
    spec = std::move(map);
  }
  if (!spec.is_map() || !spec.has("name")) {
    throw config_error(fmt::format("{} must be a {} or {{name: ..., <parameters>}}", spec.to_flow(), KindOf<T>::name),
                       spec.origin().describe());
  }
  const auto& component = Registry<T>::table().at(spec.at("name").as_string(), spec.origin().describe());
  component.schema.complete(spec, component.kind + "/" + component.name);
  component.schema.check(spec, component.kind + "/" + component.name, true, {"name"});
  spec.set("name", component.name);
  return spec;
}

/// Refuses what cannot work before anything runs.
void check_compatibility(const Node& config, const std::string& arm) {
  const Node& normalizer_spec = config.at("normalizer");
  const Node& operator_spec = config.at("operator");
  if (normalizer_spec.is_null() || operator_spec.is_null()) return;
  const auto normalizer = Registry<Normalizer>::create(normalizer_spec);
  const auto op = Registry<Operator>::create(operator_spec);
  if (!normalizer->needs_non_negative() || op->traits().non_negative) return;
  std::vector<std::string> operators, normalizers;
  for (const auto& c : Registry<Operator>::table().all()) {
    try {
      if (Registry<Operator>::create(Node(c.name))->traits().non_negative) operators.push_back(c.name);
    } catch (const Error&) {  // needs parameters of its own: cannot be proposed
    }
  }
  for (const auto& c : Registry<Normalizer>::table().all()) {
    try {
      if (!Registry<Normalizer>::create(Node(c.name))->needs_non_negative()) normalizers.push_back(c.name);
    } catch (const Error&) {
    }
  }
  throw config_error(
      fmt::format("arm '{}': normalizer '{}' cannot take the scores of operator '{}'", arm,
                  normalizer_spec.at("name").as_string(), operator_spec.at("name").as_string()),
      normalizer_spec.origin().describe(), "it needs scores >= 0, and this operator's can be negative",
      fmt::format("use one of the operators {} or one of the normalizers {}", join(operators, ", "),
                  join(normalizers, ", ")));
}

void require_component(const Node& config, const char* key, const std::string& arm) {
  if (config.at(key).is_null()) {
    throw config_error(fmt::format("arm '{}' has no {}", arm, key), config.origin().describe(), {},
                       fmt::format("add '- /{}: ...' to the defaults, or {}=... to the arm ('yatlab list {}' shows the choices)",
                                   key, key, key));
  }
}

template <class T>
Node completed_components(const Node& specs) {
  Node out = Node::list();
  for (const auto& spec : specs.as_list()) out.push_back(completed_component<T>(spec));
  return out;
}

/// `claims:` written out: the completed claims of a list, or of all that are registered.
Node completed_claims(const Node& claims) {
  if (claims.is_null()) return Node::list();
  if (claims.is_list()) return completed_components<Claim>(claims);
  if (!claims.is_string() || claims.as_string() != "all") {
    throw config_error(fmt::format("claims: {} is neither a list nor all", claims.to_flow()), claims.origin().describe(), {},
                       "write [thm:mercer, prop:lipschitz] or all ('yatlab list claims' shows the choices)");
  }
  Node all = Node::list();
  for (const auto& name : Registry<Claim>::table().names()) all.push_back(Node(name));
  return completed_components<Claim>(all);
}

/// Claims and studies stand alone; everything else trains.
JobKind kind_of(const Node& resolved) {
  if (!resolved.at("claims").is_null()) return JobKind::kClaim;
  if (!resolved.at("studies").as_list().empty() && resolved.at("dataset").is_null()) return JobKind::kStudy;
  return JobKind::kTraining;
}

/// What a job is made from, resolved, checked and completed.
struct FrozenArm {
  JobKind kind = JobKind::kTraining;
  Node config;  ///< the part of the arm's composition that decides its results
  Node claims;  ///< a list; one job each
};

FrozenArm frozen_arm(const Composition& composition, const std::string& arm) {
  Node resolved = resolve(composition.config);
  experiment_schema().check(resolved, "", true);
  FrozenArm out;
  out.kind = kind_of(resolved);
  out.claims = completed_claims(resolved.at("claims"));
  resolved.set("analyses", completed_components<Analysis>(resolved.at("analyses")));
  resolved.set("studies", completed_components<Study>(resolved.at("studies")));
  if (out.kind == JobKind::kTraining) {
    for (const char* key : {"architecture", "dataset"}) require_component(resolved, key, arm);
    if (!resolved.at("studies").as_list().empty()) {
      throw config_error(fmt::format("arm '{}' has both a dataset and studies", arm), resolved.at("studies").origin().describe(),
                         "studies look at components with nothing trained", "use analyses, or take the dataset out");
    }
  }
  if (out.kind == JobKind::kClaim) require_component(resolved, "operator", arm);
  check_compatibility(resolved, arm);
  out.config = Node::map();
  out.config.set("seed", 0);
  for (const auto& key : frozen_keys(out.kind)) out.config.set(key, resolved.at(key));
  if (out.kind != JobKind::kTraining) {  // of the training loop, nothing but the threads matters
    Node threads = Node::map();
    threads.set("threads", resolved.at("trainer").at("threads"));
    out.config.set("trainer", std::move(threads));
  }
  return out;
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

std::string job_hash(const Node& frozen, JobKind kind) {
  Node identity = frozen;
  auto* trainer = identity.find("trainer");
  for (const auto& key : kSteering) trainer->erase(key);
  std::string text = to_json(identity).dump() + "\n" + code_hash(kind);
  for (const auto& plugin : loaded_plugins()) text += "\n" + plugin.sha256;
  return sha256(text);
}

bool changes_protocol(const std::string& key) {
  static const std::set<std::string> kNeutral = {"seeds",  "scale",   "launcher", "trackers", "tracker", "data",   "results",
                                                 "figures", "tables", "title",    "notes",    "plugins", "metrics",
                                                 "labels",  "paper_section", "name"};
  const auto head = key.substr(0, key.find('.'));
  if (head == "trainer") return kSteering.count(key.substr(std::min(key.size(), head.size() + 1))) == 0;
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

/// Jobs of one arm at one point: one for each seed, and for each claim.
void add_jobs(Plan& plan, const std::string& arm, const SweepPoint& point, const std::string& point_name, const FrozenArm& frozen,
              std::set<std::string>& directories) {
  const auto add = [&](const Node* claim) {
    for (const auto seed : plan.seeds) {
      JobSpec job;
      job.kind = frozen.kind;
      job.arm = arm;
      job.seed = seed;
      for (const auto& o : point) job.params.emplace_back(o.address(), o.value);
      job.config = frozen.config;
      job.config.set("seed", seed);
      std::string name = fmt::format("seed={}", seed) + point_name;
      if (claim) {
        job.config.set("claim", *claim);
        job.params.emplace_back("claim", claim->at("name"));
        name += ",claim=" + claim->at("name").as_string();
      }
      job.hash = job_hash(job.config, job.kind);
      job.directory = "jobs/" + arm + "/" + folder_name(name);
      if (!directories.insert(job.directory).second) job.directory += "-" + sha256(name).substr(0, 8);  // a/b and a_b
      plan.jobs.push_back(std::move(job));
    }
  };
  if (frozen.kind != JobKind::kClaim) add(nullptr);
  for (const auto& claim : frozen.claims.as_list()) add(&claim);
}

/// Whether results of the arm change when the point leaves out its override of `key`.
bool follows(const ComposedExperiment& composed, const Arm& arm, SweepPoint point, const std::string& key, const FrozenArm& with) {
  point.erase(std::remove_if(point.begin(), point.end(), [&](const Override& o) { return o.address() == key; }), point.end());
  try {
    const auto without = frozen_arm(composed.compose(arm, point), arm.name);
    return job_hash(without.config, without.kind) != job_hash(with.config, with.kind);
  } catch (const Error&) {  // it cannot do without
    return true;
  }
}

/// Throws, with the full story, when an override of the command line applies to no arm at no point.
void refuse_idle_overrides(const ComposedExperiment& composed, const std::vector<Arm>& arms, const SweepPoint& point, const Applied& applied) {
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
      throw config_error(what, composed.base().config.at("scales").at(composed.scale()).origin().describe(), why, "take it out of the scale");
    }
    plan.notices.push_back(fmt::format("{} ({})", what, why));
  }
}

/// Composes every arm at every point. What is written and does nothing is an error or, where it does something for some arms, a notice.
void plan_jobs(Plan& plan, const ComposedExperiment& composed, const std::vector<Arm>& arms, const std::vector<SweepPoint>& points,
               const std::string& file) {
  Applied applied;
  PointGuard guard(composed.dimensions(), file);
  std::set<std::string> directories;
  std::set<std::string> acting;  // swept keys that some arm has
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
      guard.see(arm.name, present, job_hash(frozen.config, frozen.kind), frozen.kind);
      for (const auto& o : present) {
        // Of several values the guard sees whether they differ; one value may be what would be there anyway.
        const auto key = o.address();
        if (acting.count(key) == 0 && (can_decide_results(o, frozen.kind) || follows(composed, arm, point, key, frozen))) acting.insert(key);
      }
      add_jobs(plan, arm.name, present, point_name, frozen, directories);
    }
  }
  for (const auto& dimension : composed.dimensions()) {
    for (const auto& o : dimension.positions.front()) {
      if (acting.count(o.address()) != 0) continue;
      if (applied.nowhere(o.text)) composed.compose(arms.front(), points.front(), o.text);  // throws with the full story
      throw_idle(dimension, o.address(), plan.jobs.front().kind);
    }
  }
  refuse_idle_overrides(composed, arms, points.front(), applied);
  for (const auto& o : composed.command_line()) {
    if (applied.everywhere(o.text)) continue;
    plan.notices.push_back(
        fmt::format("{} does not apply to every arm; arms without that key keep their own settings", o.text));
  }
  report_idle_scale(plan, composed, arms, applied);
}

}  // namespace

const std::set<std::string>& steering_keys() { return kSteering; }

const std::vector<std::string>& frozen_keys(JobKind kind) {
  static const std::vector<std::string> training = {"operator",  "normalizer", "architecture", "dataset", "task",
                                                    "optimizer", "schedule",   "trainer",      "analyses"};
  static const std::vector<std::string> study = {"operator", "normalizer", "architecture", "trainer", "studies"};
  static const std::vector<std::string> claim = {"operator", "effort", "trainer"};
  return kind == JobKind::kTraining ? training : kind == JobKind::kStudy ? study : claim;
}

std::string code_hash(JobKind kind) {
  return kind == JobKind::kTraining ? YATLAB_TRAINING_CODE_HASH : YATLAB_CHECKING_CODE_HASH;
}

std::string JobSpec::label() const {
  std::string out = fmt::format("{} seed={}", arm, seed);
  for (const auto& [key, value] : params) out += fmt::format(" {}={}", key, value.to_flow());
  return out;
}

Composition compose_experiment(const PlanRequest& request, const std::string& arm) {
  load_configured_plugins(request);
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
  load_configured_plugins(request);
  const ComposedExperiment composed(request);
  refuse_to_sweep_the_run(composed);
  Plan plan;
  plan.experiment = composed.experiment();
  plan.name = plan.experiment.at("name").as_string();
  if (safe_file_name(plan.name) != plan.name) {
    throw config_error(fmt::format("'{}' cannot name a folder", plan.name), plan.experiment.at("name").origin().describe(),
                       {}, "use letters, digits, '_' and '-'");
  }
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
  ReportConfig::read(plan.experiment, true);
  const Node trackers = tracker_specs(plan.experiment);
  for (const auto& spec : trackers.as_list()) completed_component<Tracker>(spec);

  const auto arms = composed.arms();
  for (const auto& arm : arms) plan.arms.push_back(arm.name);
  refuse_to_replace_an_arm(composed, arms);
  const auto points = points_of(composed, plan.experiment.at("sweeper"));
  for (const auto& dimension : composed.dimensions()) {
    for (auto& key : dimension.keys()) plan.swept.push_back(std::move(key));
  }
  plan_jobs(plan, composed, arms, points, request.experiment.string());
  if (plan.jobs.front().kind == JobKind::kClaim) plan.swept.emplace_back("claim");
  std::string all;
  for (const auto& job : plan.jobs) all += job.hash + " " + job.directory + "\n";
  plan.hash = sha256(all);
  return plan;
}

std::string Plan::to_json(const std::string& run_id) const {
  nlohmann::ordered_json j{{"schema", 1}, {"experiment", name}, {"run_id", run_id}, {"title", title}};
  j["scale"] = scale.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(scale);
  j["hash"] = hash;
  j["code"] = code_hash(jobs.empty() ? JobKind::kTraining : jobs.front().kind);
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
  }
  return j.dump(2) + "\n";
}

}  // namespace yatlab
