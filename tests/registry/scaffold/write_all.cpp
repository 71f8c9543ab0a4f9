// Writes one component of each kind below the folder given, as `yatlab plugin new` does.

#include "core/registry/scaffold.h"
#include "registry/scaffold/what_changed.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return keep_what_changed(argv[1], [](const yatlab::fs::path& fresh) {
    std::vector<yatlab::fs::path> files;
    for (const auto& kind : yatlab::scaffold_kinds()) {
      for (auto& file : yatlab::scaffold(kind, "sample_" + kind, fresh)) files.push_back(std::move(file));
    }
    return files;
  });
}
