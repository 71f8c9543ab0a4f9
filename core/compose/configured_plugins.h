#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// Loads the libraries that `plugins.path` names, before anything is composed: they bring components and configs. The
/// command line replaces what the experiment's own file says. Relative paths on the command line are the caller's,
/// in the file they start from its folder. Returns the paths as they were written.
std::vector<std::string> load_configured_plugins(const std::filesystem::path& experiment, const std::vector<std::string>& overrides);

/// Config error when the composed `plugins.path` is not what was loaded: it was set in a place that is read too late.
void require_configured_plugins(const Node& composed_path, const std::vector<std::string>& loaded);

}  // namespace yatlab
