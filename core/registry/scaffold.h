#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// The kinds that `scaffold` can write: "analysis", "architecture", "dataset", ...
std::vector<std::string> scaffold_kinds();

/// The contents of a component's files; @name@ and @Class@ are replaced by its name.
struct ScaffoldTexts {
  std::string component, config, test;
};

/// Writes a new component, its config and its test below `root`, the top folder of a source tree:
///
///     plugins/<kinds>/<name>.cpp   configs/<kind>/<name>.yaml   tests/plugins/<name>_test.cpp
///
/// (no config for kinds that experiments name in a list: claims, figures and studies). They compile and pass unchanged, as an example to edit.
/// Returns their paths, relative to `root`. Throws a config error, before writing anything, when the kind is not supported, when the name is not
/// legal (lower_case, no C++ keyword) or already registered, or when one of the files exists. `own`: texts to use instead of the kind's templates.
std::vector<fs::path> scaffold(const std::string& kind, const std::string& name, const fs::path& root, const ScaffoldTexts* own = nullptr);

/// Writes a new component into a project outside the tree, with an experiment that uses it:
///
///     src/<name>.cpp   configs/<kind>/<name>.yaml   tests/<name>_test.cpp   experiments/<name>.yaml
///
/// If `project` is not a folder or has no CMakeLists.txt, also writes CMakeLists.txt, README.md and src/plugin.cpp. Returns the written paths,
/// relative to `project`. Same errors as `scaffold`, and one where CMakeLists.txt belongs to another kind of project.
std::vector<fs::path> scaffold_project(const std::string& kind, const std::string& name, const fs::path& project);

/// Writes a new paper below `root`, with an experiment that runs unchanged:
///
///     experiments/<name>/paper.yaml   experiments/<name>/<name>_table1.yaml
///
/// Returns their paths, relative to `root`. Config error, before writing anything, when the name is not legal or one of the files exists.
std::vector<fs::path> scaffold_paper(const std::string& name, const fs::path& root);

/// The words to type after `yatlab` to try a component of that kind and name in an experiment of the source tree.
std::string scaffold_use(const std::string& kind, const std::string& name);

/// The library that a project builds: the name in `yatlab_add_plugin(NAME ...)` in its CMakeLists.txt. Config error if the folder is not such a
/// project; the message says how to create one.
std::string plugin_project_library(const fs::path& project);

}  // namespace yatlab
