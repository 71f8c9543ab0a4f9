#include "core/experiment/experiment_params.h"

#include "core/base/text.h"
#include "core/config/interpolation.h"

namespace yatlab {

const Schema& experiment_schema() {
  static const Schema schema = Schema::of<ExperimentParams>();
  return schema;
}

const Field* experiment_field(const std::string& key) {
  const auto words = split(key, '.');
  const Field* field = experiment_schema().find(words[0]);
  if (words[0] != "trainer" || words.size() == 1) return field;
  for (const auto& inner : field->fields) {
    if (inner.name == words[1]) return &inner;
  }
  return nullptr;
}

const char* once_in_a_run(const std::string& key) {
  const Field* field = experiment_field(key);
  return field && !field->once.empty() ? field->once.c_str() : nullptr;
}

bool only_shown(const std::string& key) {
  const Field* field = experiment_field(key);
  return field && field->shown;
}

bool may_change_results(const std::string& key) {
  const Field* field = experiment_field(key);
  if (!field || field->name == "paper") return true;
  return !field->steers && !field->shown && field->name != "seeds" && field->name != "scale";
}

bool belongs_to_an_arm(const std::string& key) { return !once_in_a_run(key) || key == "claims" || key == "analyses"; }

Node resolved_experiment(const Node& config) {
  Node out = config;
  for (const char* key : {"arms", "families", "scales"}) {
    if (out.at(key).is_map()) out.set(key, Node::map());
  }
  out = resolve(out);
  for (const char* key : {"arms", "families", "scales"}) {
    if (config.at(key).is_map()) out.set(key, config.at(key));
  }
  experiment_schema().read_texts(out);
  return out;
}

}  // namespace yatlab
