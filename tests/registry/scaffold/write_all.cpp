// Writes one component of each kind below the given folder, like `yatlab plugin new`, and the same into a project in `project`. Unchanged
// files are not touched, so that they are not compiled again.

#include "core/registry/scaffold.h"
#include "registry/scaffold/what_changed.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return keep_what_changed(argv[1], [](const yatlab::fs::path& fresh) {
    std::vector<yatlab::fs::path> files;
    for (const auto& kind : yatlab::scaffold_kinds()) {
      const std::string name = "sample_" + kind;
      for (auto& file : yatlab::scaffold(kind, name, fresh)) files.push_back(std::move(file));
      for (const auto& file : yatlab::scaffold_project(kind, name, fresh / "project")) files.push_back("project" / file);
    }
    return files;
  });
}
