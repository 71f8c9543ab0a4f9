// Writes one component of each kind below the folder given, as `yatlab plugin new` does. Files that
// would not change are left alone, so that they are not compiled again.

#include <cstdio>

#include "core/base/error.h"
#include "core/registry/scaffold.h"

int main(int argc, char** argv) {
  namespace fs = yatlab::fs;
  if (argc != 2) return 2;
  try {
    const fs::path root = argv[1], fresh = root / "fresh";
    fs::remove_all(fresh);
    fs::create_directories(fresh);
    for (const auto& kind : yatlab::scaffold_kinds()) {
      for (const auto& file : yatlab::scaffold(kind, "sample_" + kind, fresh)) {
        const auto text = yatlab::read_file(fresh / file);
        if (!fs::exists(root / file) || yatlab::read_file(root / file) != text) {
          yatlab::write_file_atomic(root / file, text);
        }
      }
    }
    fs::remove_all(fresh);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
