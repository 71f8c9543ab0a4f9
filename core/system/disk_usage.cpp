#include "core/system/disk_usage.h"

#include <fmt/format.h>

namespace yatlab {

std::uintmax_t bytes_below(const fs::path& folder) {
  std::uintmax_t out = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code gone;
    if (it->is_regular_file(gone) && !it->is_symlink(gone)) out += fs::file_size(it->path(), gone);
  }
  return out;
}

std::string bytes_text(std::uintmax_t bytes) {
  const auto n = static_cast<double>(bytes);
  if (n < 1e3) return fmt::format("{} B", bytes);
  if (n < 1e6) return fmt::format("{:.1f} kB", n / 1e3);
  if (n < 1e9) return fmt::format("{:.1f} MB", n / 1e6);
  return fmt::format("{:.1f} GB", n / 1e9);
}

}  // namespace yatlab
