#include "core/base/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/output_file.h"

namespace yatlab {
namespace {

std::shared_ptr<EVP_MD_CTX> new_context() { return {EVP_MD_CTX_new(), EVP_MD_CTX_free}; }

EVP_MD_CTX* context_in(const std::shared_ptr<void>& context) { return static_cast<EVP_MD_CTX*>(context.get()); }

}  // namespace

Hash::Hash(Kind kind) : context_(new_context()) {
  const auto* const algorithm = kind == Kind::kSha256 ? EVP_sha256() : kind == Kind::kSha1 ? EVP_sha1() : EVP_md5();
  if (EVP_DigestInit_ex(context_in(context_), algorithm, nullptr) == 1) return;
  const auto* const name = kind == Kind::kSha256 ? "SHA-256" : kind == Kind::kSha1 ? "SHA-1" : "MD5";
  throw Error(ErrorKind::kJob, fmt::format("{} is not available", name), {}, "the system's OpenSSL refuses it (FIPS mode?)");
}

void Hash::update(std::string_view bytes) { EVP_DigestUpdate(context_in(context_), bytes.data(), bytes.size()); }

void Hash::update_from(const fs::path& path, std::uintmax_t most) {
  const auto in = open_to_read(path);
  constexpr std::size_t kBytes = 1 << 16;
  const std::unique_ptr<char[]> buffer(new char[kBytes]);  // not zeroed: most files are small
  while (most > 0) {
    const auto n = in.read(buffer.get(), static_cast<std::size_t>(std::min<std::uintmax_t>(most, kBytes)), path);
    if (n == 0) return;
    update(std::string_view(buffer.get(), n));
    most -= n;
  }
}

std::string Hash::bytes() const {
  const auto end = new_context();
  EVP_MD_CTX_copy_ex(end.get(), context_in(context_));
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(end.get(), digest, &size);
  return {reinterpret_cast<const char*>(digest), size};
}

std::string Hash::hex() const { return yatlab::hex(bytes()); }

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '\0');  // a string has room for the zero that OpenSSL appends
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return out;
}

std::string sha256(std::string_view bytes) {
  Hash hash;
  hash.update(bytes);
  return hash.hex();
}

std::string sha256_file(const fs::path& path) {
  Hash hash;
  hash.update_from(path);
  return hash.hex();
}

std::uint64_t derive_seed(std::uint64_t root, std::string_view purpose, std::uint64_t index) {
  const auto digest = sha256(fmt::format("yatlab:{}:{}:{}", root, purpose, index));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

}  // namespace yatlab
