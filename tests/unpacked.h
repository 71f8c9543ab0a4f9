#pragma once

#include <clocale>
#include <map>
#include <string>

#include "core/base/files.h"
#include "plugins/kernels/datasets/archive_members.h"

namespace yatlab::testing {

/// Every file of a zip archive, by name.
inline std::map<std::string, std::string> zip_contents(const fs::path& zip) {
  std::map<std::string, std::string> out;
  const std::string before = std::setlocale(LC_CTYPE, nullptr);
  std::setlocale(LC_CTYPE, "C.UTF-8");  // libarchive converts names
  each_zip_member(zip, [&](const std::string& name, std::string_view bytes) { out[name] = bytes; });
  std::setlocale(LC_CTYPE, before.c_str());
  return out;
}

/// Writes them below a folder.
inline void unpack(const fs::path& zip, const fs::path& folder) {
  for (const auto& [name, bytes] : zip_contents(zip)) write_file_unsynced(folder / name, bytes);
}

}  // namespace yatlab::testing
