#pragma once

#include <cstdio>
#include <exception>
#include <vector>

#include "core/base/files.h"

/// Has `write` write below a fresh folder and name its files, and copies those that changed to `root`: others are left alone, so that they are not
/// compiled again. The exit code of a program that does so.
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
