#include "core/experiment/frozen_arm.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/config/interpolation.h"
#include "core/experiment/analysis.h"
#include "core/experiment/claim.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/study.h"
#include "core/registry/plugin_library.h"
#include "yatlab_code_hash.h"

namespace yatlab {
namespace {

// Keys below `trainer` that steer a run without changing its results.
const std::set<std::string> kSteering = {"checkpoint_seconds", "checkpoint_steps", "peak_tflops"};

void require_component(const Node& config, const char* key, const std::string& arm) {
  if (config.at(key).is_null()) {
    throw config_error(fmt::format("arm '{}' has no {}", arm, key), config.origin().describe(), {},
                       fmt::format("add '- /{}: ...' to the defaults, or {}=... to the arm ('yatlab list {}' shows the choices)",
                                   key, key, key));
  }
}

template <class T>
Node completed_list(const Node& specs) {
  Node out = Node::list();
  for (const auto& spec : specs.as_list()) {
    const Node* name = spec.is_map() ? spec.find("name") : &spec;
    const std::string kind = KindOf<T>::name;
    out.push_back(Registry<T>::complete(spec, name && name->is_string() ? kind + "/" + name->as_string() : kind));
  }
  return out;
}

/// `claims:` written out: the completed claims of a list, or of all that are registered.
Node completed_claims(const Node& claims) {
  if (claims.is_null()) return Node::list();
  if (claims.is_list()) return completed_list<Claim>(claims);
  if (!claims.is_string() || claims.as_string() != "all") {
    throw config_error(fmt::format("claims: {} is neither a list nor all", shortened(claims.to_flow())), claims.origin().describe(), {},
                       "write [thm:mercer, prop:lipschitz] or all ('yatlab list claims' shows the choices)");
  }
  Node all = Node::list();
  for (const auto& name : Registry<Claim>::table().names()) all.push_back(Node(name));
  return completed_list<Claim>(all);
}

/// Claims and studies stand alone; everything else trains.
JobKind kind_of(const Node& resolved) {
  if (!resolved.at("claims").is_null()) return JobKind::kClaim;
  if (!resolved.at("studies").as_list().empty() && resolved.at("dataset").is_null()) return JobKind::kStudy;
  return JobKind::kTraining;
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

bool is_steering(const std::string& trainer_key) { return kSteering.count(trainer_key) > 0; }

namespace {

std::string identity(Node frozen, JobKind kind) {
  auto* trainer = frozen.find("trainer");
  for (const auto& key : kSteering) trainer->erase(key);
  std::string text = to_json(frozen).dump() + "\n" + code_hash(kind);
  for (const auto& plugin : loaded_plugins()) text += "\n" + plugin.sha256;
  return text;
}

}  // namespace

std::string job_hash(const Node& frozen, JobKind kind) { return sha256(identity(frozen, kind)); }

JobHashes::JobHashes(Node frozen, JobKind kind) {
  const std::string place = "\"the seed's place\"";
  frozen.set("seed", place.substr(1, place.size() - 2));
  const auto text = identity(std::move(frozen), kind);
  const auto at = text.find(place);
  before_ = text.substr(0, at);
  behind_ = text.substr(at + place.size());
}

std::string JobHashes::of(std::int64_t seed) const { return sha256(before_ + std::to_string(seed) + behind_); }

FrozenArm frozen_arm(const Composition& composition, const std::string& arm) {
  Node resolved = resolve(composition.config);
  experiment_schema().check(resolved, "", true);
  FrozenArm out;
  out.kind = kind_of(resolved);
  out.claims = completed_claims(resolved.at("claims"));
  resolved.set("analyses", completed_list<Analysis>(resolved.at("analyses")));
  resolved.set("studies", completed_list<Study>(resolved.at("studies")));
  if (out.kind == JobKind::kTraining) {
    for (const char* key : {"architecture", "dataset"}) require_component(resolved, key, arm);
    if (!resolved.at("studies").as_list().empty()) {
      throw config_error(fmt::format("arm '{}' has both a dataset and studies", arm), resolved.at("studies").origin().describe(),
                         "studies look at components with nothing trained", "use analyses, or take the dataset out");
    }
  }
  if (out.kind == JobKind::kClaim) require_component(resolved, "operator", arm);
  for (const auto& o : composition.applied) {
    const auto key = o.key.size() > 5 && o.key.compare(o.key.size() - 5, 5, ".name") == 0 ? o.key.substr(0, o.key.size() - 5) : o.key;
    if (resolved.has(key)) out.chosen_by[key] = o.origin.describe();
  }
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

}  // namespace yatlab
