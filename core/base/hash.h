#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace yatlab {

/// SHA-256 of what arrives in pieces.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  /// Of all so far, in lower-case hexadecimal; more may follow.
  std::string hex() const;

 private:
  std::shared_ptr<void> context_;
};

/// Lower-case hexadecimal SHA-256.
std::string sha256(std::string_view bytes);
std::string sha256_file(const fs::path& path);
/// Of a file's first bytes (of all, where it has fewer), to be gone on with.
Sha256 sha256_start_of(const fs::path& path, std::uintmax_t bytes);

/// A stream's seed, derived from (root, purpose, index) alone: streams are independent of each
/// other and of the order in which they are asked for. Purposes: "init", "shuffle", "dropout", ...
std::uint64_t derive_seed(std::uint64_t root, std::string_view purpose, std::uint64_t index = 0);

}  // namespace yatlab
