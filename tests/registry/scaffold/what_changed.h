#pragma once

#include <cstdio>
#include <exception>
#include <vector>

#include "core/base/files.h"

/// Calls `write`, which writes files below a fresh folder and returns their names, then copies the changed ones to `root`. Unchanged files stay, so
/// they are not compiled again. Returns the program's exit code.
template <class Write>
int keep_what_changed(const yatlab::fs::path& root, const Write& write) {
  try {
    const auto fresh = root / "fresh";
    yatlab::fs::remove_all(fresh);
    yatlab::fs::create_directories(fresh);
    const std::vector<yatlab::fs::path> files = write(fresh);
    for (const auto& file : files) {
      const auto text = yatlab::read_file(fresh / file);
      if (!yatlab::fs::exists(root / file) || yatlab::read_file(root / file) != text) yatlab::write_file_atomic(root / file, text);
    }
    yatlab::fs::remove_all(fresh);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
