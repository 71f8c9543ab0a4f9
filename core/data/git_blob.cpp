#include "core/data/git_blob.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <fstream>
#include <memory>
#include <system_error>

#include "core/base/error.h"

namespace yatlab {

std::string git_blob_id(const std::filesystem::path& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  std::ifstream in(path, std::ios::binary);
  if (code || !in) throw data_error(fmt::format("cannot read '{}'", path.string()), {}, code ? code.message() : "");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr);
  const auto header = fmt::format("blob {}", size);
  EVP_DigestUpdate(context.get(), header.c_str(), header.size() + 1);  // with its final zero
  std::string buffer(1 << 20, '\0');
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw data_error(fmt::format("cannot read '{}'", path.string()));
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), digest, &length);
  std::string out;
  for (unsigned i = 0; i < length; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

}  // namespace yatlab
