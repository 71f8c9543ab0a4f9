#include "core/train/architecture.h"

#include "core/base/error.h"

namespace yatlab {

void Architecture::set_prototypes(const Tensor&) {
  throw config_error("this architecture has no prototypes to replace", {}, {},
                     "remove prototype analyses, or use an architecture with prototypes");
}

}  // namespace yatlab
