#include "core/data/git_blob.h"

#include <fmt/format.h>

#include "core/base/hash.h"

namespace yatlab {

std::string git_blob_id(const std::filesystem::path& path) {
  Hash hash(Hash::Kind::kSha1);
  const auto header = fmt::format("blob {}", size_of_file(path));
  hash.update({header.c_str(), header.size() + 1});  // with its terminating zero
  hash.update_from(path);
  return hash.hex();
}

}  // namespace yatlab
