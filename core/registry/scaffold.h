#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// The kinds that `scaffold` can write: "analysis", "architecture", "dataset", ...
std::vector<std::string> scaffold_kinds();

/// Writes a new component, its config and its test below `root`, the top folder of a source tree:
///
///     plugins/<kinds>/<name>.cpp   configs/<kind>/<name>.yaml   tests/plugins/<name>_test.cpp
///
/// (no config for kinds that experiments name in a list: claims and studies). They compile and pass as they stand, as an example to edit. Returns their paths, relative to
/// `root`. Throws a config error, having written nothing, when the kind is not supported, the name
/// is not one (lower_case, no C++ keyword), is registered already, or one of the files exists.
std::vector<fs::path> scaffold(const std::string& kind, const std::string& name, const fs::path& root);

}  // namespace yatlab
