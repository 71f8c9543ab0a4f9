#include "core/data/git_blob.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "core/base/output_file.h"

namespace yatlab {

std::string git_blob_id(const std::filesystem::path& path) {
  const auto in = open_to_read(path);
  const auto size = size_of_file(path);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr);
  const auto header = fmt::format("blob {}", size);
  EVP_DigestUpdate(context.get(), header.c_str(), header.size() + 1);  // with its final zero
  std::string buffer(1 << 20, '\0');
  for (;;) {
    const auto n = ::read(in.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_file_error("read", path);
    if (n == 0) break;
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(n));
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), digest, &length);
  std::string out;
  for (unsigned i = 0; i < length; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

}  // namespace yatlab
