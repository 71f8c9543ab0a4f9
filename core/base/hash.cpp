#include "core/base/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <fstream>
#include <memory>

#include "core/base/error.h"

namespace yatlab {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void update(const void* data, std::size_t size) { EVP_DigestUpdate(context_.get(), data, size); }
  std::string finish() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    std::string out;
    for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
    return out;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes.data(), bytes.size());
  return hash.finish();
}

std::string sha256_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw data_error(fmt::format("cannot read '{}'", path.string()));
  Sha256 hash;
  std::string buffer(1 << 20, '\0');
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.update(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw data_error(fmt::format("cannot read '{}'", path.string()));  // also: a folder
  return hash.finish();
}

std::uint64_t derive_seed(std::uint64_t root, std::string_view purpose, std::uint64_t index) {
  const auto digest = sha256(fmt::format("yatlab:{}:{}:{}", root, purpose, index));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

}  // namespace yatlab
