#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace yatlab {

/// An incremental hash.
class Hash {
 public:
  enum class Kind {
    kSha256,
    kSha1,  ///< for Git identities only
    kMd5,   ///< for W&B identities only
  };
  /// Throws a job error if the system's OpenSSL lacks this hash.
  explicit Hash(Kind kind = Kind::kSha256);
  void update(std::string_view bytes);
  /// Adds the first `most` bytes of a file (all if it has fewer).
  void update_from(const fs::path& path, std::uintmax_t most = UINTMAX_MAX);
  /// The hash of everything so far; more may be added.
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

/// The seed of a random stream, derived only from (root, purpose, index): streams do not depend on each
/// other or on the order in which they are requested. Purposes: "init", "shuffle", "dropout", ...
std::uint64_t derive_seed(std::uint64_t root, std::string_view purpose, std::uint64_t index = 0);

}  // namespace yatlab
