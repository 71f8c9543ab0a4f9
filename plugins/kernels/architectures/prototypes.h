#pragma once

#include <string>

#include "core/base/error.h"
#include "core/model/architecture.h"

namespace yatlab {

/// A detached copy of the model's prototypes [n, d]; a config error that names the analysis when it
/// has none.
inline Tensor prototypes_of(const Architecture& model, const std::string& analysis) {
  const Tensor w = model.prototypes();
  if (!w.defined()) {
    throw config_error("analysis '" + analysis + "' needs an architecture with prototypes", {}, {},
                       "use architecture=prototype_classifier, or remove the analysis");
  }
  return w.detach().clone();
}

}  // namespace yatlab
