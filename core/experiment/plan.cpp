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
#include "core/experiment/configured_plugins.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/removed_arms.h"
#include "core/experiment/study.h"
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

std::vector<std::string> string_list(const Node& node, const std::string& what) {
  if (!node.is_list()) {
    const bool dotted = node.is_map() && what.rfind("arm '", 0) == 0 && node.origin().line == 0;  // +arms.yat_0.05=[...]
    throw config_error(fmt::format("{} must be a list of overrides, found {}", what, node.to_flow()), node.origin().describe(), {},
                       dotted ? "a new name that holds a dot is given in a map: \"+arms={'yat_0.05': ['operator=yat']}\""
                              : "write it as [operator=yat, operator.epsilon=1e-5]");
  }
  std::vector<std::string> out;
  for (const auto& item : node.as_list()) {
    if (!item.is_string()) {
      throw config_error(fmt::format("{}: {} is not an override", what, item.to_flow()),
                         item.origin().describe(), {}, "write key=value, in quotes where YAML needs them");
    }
    out.push_back(item.as_string());
  }
  return out;
}

/// The composed experiment file plus what its layers are made of.
struct Composed {
  Composer composer;
  PlanRequest request;
  std::vector<std::string> plain;           // command-line overrides, sweeps taken out
  std::vector<Override> command_line_sweeps;
  Node bare;         // the file alone
  Composition base;  // with the scale and the command line
  std::string scale;
  std::vector<std::string> scale_overrides;

  explicit Composed(const PlanRequest& r)
      : composer(search_path(r), &experiment_schema()), request(r) {
    for (const auto& text : r.overrides) {
      auto parsed = parse_override(text, "command line");
      // seeds=range(0,10) is a dimension of its own, not a sweep.
      if (parsed.is_sweep() && r.multirun && parsed.key != "seeds") {
        command_line_sweeps.push_back(std::move(parsed));
      } else {
        plain.push_back(text);
      }
    }
    bare = composer.compose(r.experiment, {}).config;
    base = composer.compose(r.experiment, {{"command line", plain_for_base(), true}});
    // Nothing else is resolved: `config` shows an experiment whose variables are not set, too.
    if (const Node wanted = resolve_at(base.config, "scale"); !wanted.is_null()) {
      scale = wanted.as_string();
      const Node scales = resolve_at(base.config, "scales");
      const Node* entry = scales.find(scale);
      if (!entry) {
        std::vector<std::string> names;
        for (const auto& [name, value] : scales.as_map()) names.push_back(name);
        throw config_error(fmt::format("unknown scale '{}'", scale), wanted.origin().describe(),
                           names.empty() ? "this experiment declares no scales" : "", suggestion(scale, names));
      }
      scale_overrides = string_list(*entry, "scale '" + scale + "'");
      base = composer.compose(r.experiment, {scale_layer(), {"command line", plain_for_base(), true}});
    }
  }

  /// The bare experiment may leave a component to its arms: overrides below it wait for them.
  std::vector<std::string> plain_for_base() const {
    std::vector<std::string> out;
    for (const auto& text : plain) {
      const auto key = parse_override(text, "command line").key;
      const auto dot = key.find('.');
      const auto head = key.substr(0, dot);
      const Node* component = bare.find(head);
      // Unless the command line chooses it too (tracker=wandb tracker.project=mine).
      const bool chosen = std::any_of(plain.begin(), plain.end(), [&](const std::string& other) {
        return parse_override(other, "command line").key == head;
      });
      if (dot != std::string::npos && component && component->is_null() && !chosen) continue;
      out.push_back(text);
    }
    return out;
  }

  OptionLister lister() const {
    return [this](const std::string& group) { return composer.options(group, request.experiment); };
  }

  OverrideLayer scale_layer() const { return {"scale " + scale, scale_overrides, true}; }

  Composition arm(const std::string& name, const std::vector<std::string>& overrides,
                  const std::vector<std::string>& point, bool lenient) const {
    return composer.compose(request.experiment, {scale_layer(),
                                                 {"arm " + name, overrides, false},
                                                 {"sweep", point, true},
                                                 {"command line", plain, lenient}});
  }

  /// Throws the whole story of an override that no arm took.
  void refuse(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) const {
    std::vector<std::string> others = plain;
    others.erase(std::remove(others.begin(), others.end(), text), others.end());
    composer.compose(request.experiment, {scale_layer(), {"arm " + name, overrides, false}, {"command line", others, true}, {"command line", {text}, false}});
    throw config_error(fmt::format("'{}' applies to no arm", text), "command line");
  }

  static std::vector<fs::path> search_path(const PlanRequest& r) {
    std::vector<fs::path> out = r.config_path;  // the experiment's own folder goes before, by itself
    for (const auto& dir : plugin_config_dirs()) out.push_back(dir);
    return out;
  }
};

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

/// Where a component was chosen: the override that names it, else the place of its values.
std::string chosen_by(const Composition& composition, const std::string& key, const Node& spec) {
  for (auto o = composition.applied.rbegin(); o != composition.applied.rend(); ++o) {
    if (o->key == key || o->key == key + ".name") return o->origin.describe();
  }
  return spec.origin().describe();
}

/// Refuses what cannot work before anything runs.
void check_compatibility(const Composition& composition, const Node& config, const std::string& arm) {
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
      chosen_by(composition, "normalizer", normalizer_spec),
      "it needs scores >= 0, and this operator's can be negative",
      fmt::format("use one of the operators {} or one of the normalizers {}", join(operators, ", "),
                  join(normalizers, ", ")));
}

/// "operator=cosine" on the command line would turn every arm into something that its name denies.
void refuse_to_replace_an_arm(const std::vector<std::string>& plain, const std::string& arm,
                              const std::vector<std::string>& overrides) {
  for (const auto& text : plain) {
    const auto given = parse_override(text, "command line");
    if (given.key.find('.') != std::string::npos) continue;
    for (const auto& own : overrides) {
      if (parse_override(own, "arm " + arm).key != given.key) continue;
      throw config_error(fmt::format("'{}' would replace what arm '{}' is", text, arm), "command line",
                         fmt::format("the arm itself says {}", own),
                         fmt::format("change the arm (\"arms.{}=['{}']\"), or add one (\"+arms.mine=['{}']\")", arm, text, text));
    }
  }
}

/// Overrides of the command line that `make_plan` would refuse because they apply to no arm, or replace one.
void refuse_useless_overrides(const Composed& composed, const Node& arms) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (const auto& [name, overrides] : arms.as_map()) all.emplace_back(name, string_list(overrides, "arm '" + name + "'"));
  if (all.empty()) all.emplace_back("main", std::vector<std::string>{});
  for (const auto& [arm, overrides] : all) refuse_to_replace_an_arm(composed.plain, arm, overrides);
  // What is swept may bring the key that an override needs: the planner, which knows the points, decides.
  const Node& sweep = composed.base.config.at("sweep");
  if (!composed.command_line_sweeps.empty() || sweep.size() > 0) return;
  std::map<std::string, std::size_t> skipped;
  for (const auto& [arm, overrides] : all) {
    for (const auto& text : composed.arm(arm, overrides, {}, true).skipped) ++skipped[text];
  }
  for (const auto& text : composed.plain) {
    if (skipped[text] == all.size()) composed.refuse(text, all.front().first, all.front().second);
  }
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
  check_compatibility(composition, resolved, arm);
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

}  // namespace

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
  load_configured_plugins(request.experiment, request.overrides);
  const Composed composed(request);
  const Node arms = resolve_at(composed.base.config, "arms");
  refuse_useless_overrides(composed, arms);
  if (arm.empty()) return composed.base;
  const Node* overrides = arms.find(arm);
  if (!overrides) {
    std::vector<std::string> names;
    for (const auto& [name, value] : arms.as_map()) names.push_back(name);
    throw config_error(fmt::format("unknown arm '{}'", arm), request.experiment.string(), {}, suggestion(arm, names));
  }
  return composed.arm(arm, string_list(*overrides, "arm '" + arm + "'"), {}, true);
}

Plan make_plan(const PlanRequest& request) {
  const auto libraries = load_configured_plugins(request.experiment, request.overrides);
  const Composed composed(request);
  Plan plan;
  plan.experiment = resolve(composed.base.config);
  std::vector<std::string> removed;
  for (const auto& [arm, overrides] : composed.bare.at("arms").as_map()) {
    if (!plan.experiment.at("arms").has(arm)) removed.push_back(arm);
  }
  forget_arms(plan.experiment, removed);
  experiment_schema().check(plan.experiment, "", true);
  require_configured_plugins(plan.experiment.at("plugins").at("path"), libraries);
  plan.name = plan.experiment.at("name").as_string();
  if (safe_file_name(plan.name) != plan.name) {
    throw config_error(fmt::format("'{}' cannot name a folder", plan.name), plan.experiment.at("name").origin().describe(),
                       {}, "use letters, digits, '_' and '-'");
  }
  plan.title = plan.experiment.at("title").as_string();
  // A scale that changes nothing is the experiment itself by another name, and one called "paper" is the paper's own.
  plan.scale = composed.scale_overrides.empty() || composed.scale == "paper" ? "" : composed.scale;
  plan.overrides = request.overrides;
  plan.seeds = parse_seeds(plan.experiment.at("seeds"));
  plan.notices = composed.base.warnings;
  for (const auto& text : request.overrides) {
    const auto key = parse_override(text, "command line").key;
    if (changes_protocol(key)) plan.protocol_overrides.push_back(text);
  }
  ReportConfig::read(plan.experiment, true);
  const Node trackers = tracker_specs(plan.experiment);
  for (const auto& spec : trackers.as_list()) completed_component<Tracker>(spec);

  // Sweep: the file's `sweep`, then the command line's; a plain override of a swept key ends its sweep.
  auto dimensions = read_dimensions(plan.experiment.at("sweep"), composed.lister());
  for (const auto& sweep : composed.command_line_sweeps) {
    merge_dimension(dimensions, dimension_of(sweep, composed.lister()));
  }
  for (const auto& text : composed.plain) {
    const auto parsed = parse_override(text, "command line");
    dimensions.erase(std::remove_if(dimensions.begin(), dimensions.end(),
                                    [&](const Dimension& d) { return d.key == parsed.key; }),
                     dimensions.end());
  }
  const auto points = Registry<Sweeper>::create(plan.experiment.at("sweeper"))->propose(dimensions);
  for (const auto& point : points) {
    for (const auto& [key, value] : point) {
      if (std::find(plan.swept.begin(), plan.swept.end(), key) == plan.swept.end()) plan.swept.push_back(key);
    }
  }

  std::vector<std::pair<std::string, std::vector<std::string>>> arms;
  for (const auto& [name, overrides] : plan.experiment.at("arms").as_map()) {
    if (safe_file_name(name) != name) {
      throw config_error(fmt::format("'{}' cannot name an arm", name), overrides.origin().describe(), {},
                         "use letters, digits, '_' and '-'");
    }
    arms.emplace_back(name, string_list(overrides, "arm '" + name + "'"));
  }
  if (arms.empty()) arms.emplace_back("main", std::vector<std::string>{});

  for (const auto& [arm, overrides] : arms) refuse_to_replace_an_arm(composed.plain, arm, overrides);

  std::map<std::string, std::size_t> skipped;  // command-line override -> compositions without its key
  std::map<std::string, std::string> seen;     // frozen config -> arm, to refuse twins
  std::size_t compositions = 0;
  for (const auto& [arm, overrides] : arms) {
    plan.arms.push_back(arm);
    std::set<std::string> point_names;
    for (const auto& point : points) {
      std::vector<std::string> texts;
      for (const auto& [key, value] : point) texts.push_back(format_override(key, value));
      const auto composition = composed.arm(arm, overrides, texts, true);
      const auto was_skipped = [&](const std::string& text) {
        return std::find(composition.skipped.begin(), composition.skipped.end(), text) != composition.skipped.end();
      };
      // A swept key that this arm does not have collapses: one job instead of many equal ones.
      std::vector<std::pair<std::string, Node>> params;
      std::string point_name;
      for (std::size_t i = 0; i < point.size(); ++i) {
        if (was_skipped(texts[i])) continue;
        params.push_back(point[i]);
        point_name += fmt::format(",{}={}", point[i].first, point[i].second.to_flow());
      }
      if (!point_names.insert(point_name).second) continue;
      ++compositions;
      for (const auto& text : composed.plain) skipped[text] += was_skipped(text) ? 1 : 0;

      const auto frozen = frozen_arm(composition, arm);
      if (const auto [it, fresh] = seen.emplace(to_json(frozen.config).dump(), arm); !fresh && it->second != arm) {
        throw config_error(fmt::format("arms '{}' and '{}' are the same", it->second, arm), request.experiment.string(),
                           "after all overrides nothing tells them apart, so comparing them says nothing",
                           fmt::format("change one arm instead, e.g. \"arms.{}=['operator=cosine']\", or drop it with '~arms.{}'",
                                       arm, arm));
      }
      // Claims are one more dimension of the plan.
      const auto add_jobs = [&](const Node* claim) {
        for (const auto seed : plan.seeds) {
          JobSpec job;
          job.kind = frozen.kind;
          job.arm = arm;
          job.seed = seed;
          job.params = params;
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
          plan.jobs.push_back(std::move(job));
        }
      };
      if (frozen.kind != JobKind::kClaim) add_jobs(nullptr);
      for (const auto& claim : frozen.claims.as_list()) add_jobs(&claim);
    }
  }
  if (!plan.jobs.empty() && plan.jobs.front().kind == JobKind::kClaim) plan.swept.emplace_back("claim");
  for (const auto& [text, count] : skipped) {
    if (count == 0) continue;
    if (count == compositions) composed.refuse(text, arms.front().first, arms.front().second);
    plan.notices.push_back(
        fmt::format("{} does not apply to every arm; arms without that key keep their own settings", text));
  }
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
