#include "core/compose/frozen_arm.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/compose/identity.h"
#include "core/compose/weights_source.h"
#include "core/experiment/experiment_params.h"

namespace yatlab {

std::string identity_of(const FrozenArm& frozen) {
  return job_hash(frozen.config, *frozen.type) + " " + dump_json(to_json(frozen.analyses));
}

FrozenArm frozen_arm(const Composition& composition, const std::string& arm) {
  Node resolved = resolved_experiment(composition.config);
  experiment_schema().check(resolved, "", true);
  FrozenArm out;
  out.type = &job_type_of(resolved);
  out.type->complete(resolved, arm);
  out.parts = out.type->parts(resolved);
  if (out.type == &training_job()) out.analyses = resolved.at("analyses");
  for (const auto& [key, value] : resolved.at("resources").as_map()) {
    if (!value.is_null()) out.resources.set(key, value);
  }
  for (const auto& o : composition.applied) {
    const auto key = o.key.size() > 5 && o.key.compare(o.key.size() - 5, 5, ".name") == 0 ? o.key.substr(0, o.key.size() - 5) : o.key;
    if (resolved.has(key)) out.chosen_by[key] = o.origin.describe();
  }
  out.config = Node::map();
  out.config.set("seed", 0);
  for (const auto& key : out.type->frozen_keys()) out.config.set(key, resolved.at(key));
  Node trainer = Node::map();
  for (const auto& [key, value] : resolved.at("trainer").as_map()) {
    if (out.type->follows_trainer(key)) trainer.set(key, value);
  }
  out.config.set("trainer", std::move(trainer));
  pin_weights(out.config);
  return out;
}

}  // namespace yatlab
