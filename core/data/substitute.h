#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/data/dataset.h"
#include "core/data/locate.h"

namespace yatlab {

/// A loaded dataset that replaces another.
struct Substitute {
  std::shared_ptr<Dataset> dataset;
  std::map<std::string, Split> splits;
  Provenance provenance;  ///< its own, with `substituted_for`
};

/// Loads the declared substitute of `name`, with a prominent notice. `why`: what the real one lacks; `what`: the kind of substitute
/// ("generated data", "other data").
Substitute load_substitute(const std::string& name, const ComponentRef& substitute, const DataContext& context, const std::string& why,
                           const std::string& what);

/// The error for a substitute with another shape.
Error unfit_substitute(const std::string& name, const ComponentRef& substitute, const std::string& why);

}  // namespace yatlab
