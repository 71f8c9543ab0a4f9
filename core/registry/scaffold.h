#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// The kinds that `scaffold` can write: "analysis", "architecture", "dataset", ...
std::vector<std::string> scaffold_kinds();

/// What a component's files hold; @name@ and @Class@ stand for its name.
struct ScaffoldTexts {
  std::string component, config, test;
};

/// Writes a new component, its config and its test below `root`, the top folder of a source tree:
///
///     plugins/<kinds>/<name>.cpp   configs/<kind>/<name>.yaml   tests/plugins/<name>_test.cpp
///
/// (no config for kinds that experiments name in a list: claims and studies). They compile and pass as they stand, as an example to edit. Returns their paths, relative to
/// `root`. Throws a config error, having written nothing, when the kind is not supported, the name
/// is not one (lower_case, no C++ keyword), is registered already, or one of the files exists. `own`: their texts, in place of the kind's templates.
std::vector<fs::path> scaffold(const std::string& kind, const std::string& name, const fs::path& root, const ScaffoldTexts* own = nullptr);

}  // namespace yatlab
