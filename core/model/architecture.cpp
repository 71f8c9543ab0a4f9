#include "core/model/architecture.h"

#include <ATen/ATen.h>

#include "core/base/error.h"

namespace yatlab {

void Architecture::fit(const FitContext&) {
  throw Error(ErrorKind::kInternal, "this architecture is trained by gradient steps; it does not fit itself");
}

void Architecture::set_prototypes(const Tensor&) {
  throw config_error("this architecture has no prototypes to replace", {}, {},
                     "remove prototype analyses, or use an architecture with prototypes");
}

Tensor flat_samples(const Tensor& inputs, std::size_t sample_dims) {
  const bool stacked = inputs.dim() == static_cast<std::int64_t>(sample_dims) + 2;
  return inputs.flatten(stacked ? 2 : 1);
}

Tensor for_members(const Tensor& number) { return number.dim() == 0 ? number : number.view({-1, 1, 1}); }

}  // namespace yatlab
