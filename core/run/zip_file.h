#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// A file for an archive.
struct PackedFile {
  std::string name;         ///< relative, with '/'
  std::string bytes = {};   ///< its contents, if `from` is empty
  fs::path from = {};       ///< else the file that has them
  bool executable = false;  ///< a script
};

/// Writes a zip archive whose bytes depend on names and contents alone: sorted by name, without times and owners. Replaces `out` only when
/// the archive is whole. Throws a config error for two files of one name, and for a name that is empty, absolute, or leaves the archive's
/// folder ("..").
void write_zip(const fs::path& out, std::vector<PackedFile> files);

}  // namespace yatlab
