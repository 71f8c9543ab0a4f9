#pragma once

#include <cstdint>
#include <string>

#include "core/base/files.h"

namespace yatlab {

/// The total size of all regular files below a folder; files that disappear meanwhile do not count.
std::uintmax_t bytes_below(const fs::path& folder);

/// "12 B", "3.4 kB", "5.6 MB", "7.8 GB"
std::string bytes_text(std::uintmax_t bytes);

}  // namespace yatlab
