#include "core/base/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/output_file.h"

namespace yatlab {
namespace {

std::shared_ptr<EVP_MD_CTX> new_context() { return {EVP_MD_CTX_new(), EVP_MD_CTX_free}; }

}  // namespace

Sha256::Sha256() : context_(new_context()) { EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_.get()), EVP_sha256(), nullptr); }

void Sha256::update(std::string_view bytes) { EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_.get()), bytes.data(), bytes.size()); }

std::string Sha256::hex() const {
  const auto end = new_context();
  EVP_MD_CTX_copy_ex(end.get(), static_cast<const EVP_MD_CTX*>(context_.get()));
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(end.get(), digest, &size);
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

Sha256 sha256_start_of(const fs::path& path, std::uintmax_t bytes) {
  const auto in = open_to_read(path);
  Sha256 hash;
  std::string buffer(1 << 20, '\0');
  while (bytes > 0) {
    const auto n = ::read(in.get(), buffer.data(), static_cast<std::size_t>(std::min<std::uintmax_t>(bytes, buffer.size())));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_file_error("read", path);  // also: a folder
    if (n == 0) break;
    hash.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
    bytes -= static_cast<std::uintmax_t>(n);
  }
  return hash;
}

std::string sha256_file(const fs::path& path) { return sha256_start_of(path, UINTMAX_MAX).hex(); }

std::uint64_t derive_seed(std::uint64_t root, std::string_view purpose, std::uint64_t index) {
  const auto digest = sha256(fmt::format("yatlab:{}:{}:{}", root, purpose, index));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

}  // namespace yatlab
