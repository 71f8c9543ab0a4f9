#include "core/data/substitute.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace yatlab {

Substitute load_substitute(const std::string& name, const ComponentRef& substitute, const DataContext& context, const std::string& why,
                           const std::string& what) {
  tell(context, fmt::format("WARNING: '{0}' is not available ({1})\nWARNING: '{2}' is used instead: {3}, NOT {0}. Its numbers are not "
                            "comparable with those of {0}. data.require_real=true makes this an error.",
                            name, why, substitute.name(), what));
  Substitute out;
  out.dataset = Registry<Dataset>::create(substitute);
  out.splits = out.dataset->load(context);
  out.provenance = out.dataset->provenance();
  out.provenance.substituted_for = name;
  return out;
}

Error unfit_substitute(const std::string& name, const ComponentRef& substitute, const std::string& why) {
  return config_error(fmt::format("'{}' cannot be used instead of '{}'", substitute.name(), name), substitute.node.origin().describe(),
                      why);
}

}  // namespace yatlab
