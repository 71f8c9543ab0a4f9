#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace yatlab {

/// Lower-case hexadecimal SHA-256.
std::string sha256(std::string_view bytes);
std::string sha256_file(const fs::path& path);

/// A stream's seed, derived from (root, purpose, index) alone: streams are independent of each
/// other and of the order in which they are asked for. Purposes: "init", "shuffle", "dropout", ...
std::uint64_t derive_seed(std::uint64_t root, std::string_view purpose, std::uint64_t index = 0);

}  // namespace yatlab
