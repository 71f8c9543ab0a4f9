#include "core/experiment/experiment_params.h"

#include "core/config/interpolation.h"

namespace yatlab {

const Schema& experiment_schema() {
  static const Schema schema = Schema::of<ExperimentParams>();
  return schema;
}

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
