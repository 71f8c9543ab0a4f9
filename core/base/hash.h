#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace yatlab {

/// A hash of what arrives in pieces.
class Hash {
 public:
  enum class Kind {
    kSha256,
    kSha1,  ///< git's, for identities alone
    kMd5,   ///< W&B's, for identities alone
  };
  /// Throws a job error when the system's OpenSSL has none of the kind.
  explicit Hash(Kind kind = Kind::kSha256);
  void update(std::string_view bytes);
  /// A file's first bytes (all, where it has fewer).
  void update_from(const fs::path& path, std::uintmax_t most = UINTMAX_MAX);
  /// Of all so far; more may follow.
  std::string bytes() const;
  std::string hex() const;

 private:
  std::shared_ptr<void> context_;
};

/// Lower-case hexadecimal.
std::string hex(std::string_view bytes);
std::string base64(std::string_view bytes);

/// Lower-case hexadecimal SHA-256.
std::string sha256(std::string_view bytes);
std::string sha256_file(const fs::path& path);

/// A stream's seed, derived from (root, purpose, index) alone: streams are independent of each
/// other and of the order in which they are asked for. Purposes: "init", "shuffle", "dropout", ...
std::uint64_t derive_seed(std::uint64_t root, std::string_view purpose, std::uint64_t index = 0);

}  // namespace yatlab
