#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// Loads the libraries that `plugins.path` names, before anything is composed, since they provide components and configs. The
/// command line replaces the value in the experiment's own file. Relative paths start at the working directory on the command line,
/// and at the file's folder in the file. Returns the paths as written.
std::vector<std::string> load_configured_plugins(const std::filesystem::path& experiment, const std::vector<std::string>& overrides);

/// Config error when the composed `plugins.path` differs from what was loaded, because it was set in a place that is read too late.
void require_configured_plugins(const Node& composed_path, const std::vector<std::string>& loaded);

}  // namespace yatlab
