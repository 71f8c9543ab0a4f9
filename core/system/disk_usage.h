#pragma once

#include <cstdint>
#include <string>

#include "core/base/files.h"

namespace yatlab {

/// Of all regular files in a folder and below; what goes away meanwhile counts nothing.
std::uintmax_t bytes_below(const fs::path& folder);

/// "12 B", "3.4 kB", "5.6 MB", "7.8 GB"
std::string bytes_text(std::uintmax_t bytes);

}  // namespace yatlab
