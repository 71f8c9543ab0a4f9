#include "core/experiment/experiment_params.h"

namespace yatlab {

const Schema& experiment_schema() {
  static const Schema schema = Schema::of<ExperimentParams>();
  return schema;
}

}  // namespace yatlab
