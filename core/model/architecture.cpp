#include "core/model/architecture.h"

#include "core/base/error.h"

namespace yatlab {

void Architecture::fit(const FitContext&) {
  throw Error(ErrorKind::kInternal, "this architecture is trained by gradient steps; it does not fit itself");
}

void Architecture::set_prototypes(const Tensor&) {
  throw config_error("this architecture has no prototypes to replace", {}, {},
                     "remove prototype analyses, or use an architecture with prototypes");
}

}  // namespace yatlab
