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
/// (no config for kinds that experiments name in a list: claims, figures and studies). They compile and pass as they stand, as an example to edit. Returns their paths, relative to
/// `root`. Throws a config error, having written nothing, when the kind is not supported, the name
/// is not one (lower_case, no C++ keyword), is registered already, or one of the files exists. `own`: their texts, in place of the kind's templates.
std::vector<fs::path> scaffold(const std::string& kind, const std::string& name, const fs::path& root, const ScaffoldTexts* own = nullptr);

/// Writes a new component into a project outside the tree, with an experiment that uses it:
///
///     src/<name>.cpp   configs/<kind>/<name>.yaml   tests/<name>_test.cpp   experiments/<name>.yaml
///
/// Where `project` is not a folder, or holds no CMakeLists.txt, that, README.md and src/plugin.cpp are written as well. Returns what was written, relative to
/// `project`. Errors as of `scaffold`, and one where a CMakeLists.txt is another project's.
std::vector<fs::path> scaffold_project(const std::string& kind, const std::string& name, const fs::path& project);

/// Writes a new paper below `root`, with an experiment that runs as it stands:
///
///     experiments/<name>/paper.yaml   experiments/<name>/<name>_table1.yaml
///
/// Returns their paths, relative to `root`. Config error, with nothing written, when the name is none, or one of the files exists.
std::vector<fs::path> scaffold_paper(const std::string& name, const fs::path& root);

/// The words after `yatlab` by which a component of that kind and name is tried in an experiment of the tree, as they are typed.
std::string scaffold_use(const std::string& kind, const std::string& name);

/// The library that a project makes, by its CMakeLists.txt: the name in `yatlab_add_plugin(NAME ...)`. Config error, which says how one is made, where the
/// folder is no such project.
std::string plugin_project_library(const fs::path& project);

}  // namespace yatlab
