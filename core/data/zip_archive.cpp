#include "core/data/zip_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/byte_stream.h"

namespace yatlab {
namespace {

/// Arrays of labels and of empty pixels pack better than texts do.
constexpr std::size_t kZipTimes = 200;

}  // namespace

void each_zip_member(const std::filesystem::path& path,
                     const std::function<void(const std::string& name, std::string_view bytes)>& member) {
  const auto most = std::max(kUnpackedAnyway, kZipTimes * size_of_file(path));  // which says, too, that it is not there
  const std::unique_ptr<archive, int (*)(archive*)> zip(archive_read_new(), archive_read_free);
  const auto bad = [&](const std::string& what) {
    const char* why = archive_error_string(zip.get());
    return data_error(fmt::format("'{}' {}", path.string(), what), {}, why ? why : "", "check that it was copied whole");
  };
  archive_read_support_format_zip(zip.get());
  if (archive_read_open_filename(zip.get(), path.c_str(), 1 << 16) != ARCHIVE_OK) throw bad("cannot be opened as a zip archive");
  std::size_t total = 0;
  for (;;) {
    archive_entry* entry = nullptr;
    const int head = archive_read_next_header(zip.get(), &entry);
    if (head == ARCHIVE_EOF) return;
    if (head != ARCHIVE_OK) throw bad("is not a whole zip archive");
    if (archive_entry_filetype(entry) == AE_IFDIR) continue;
    const char* named = archive_entry_pathname(entry);
    const std::string name = named ? named : "";
    std::string bytes;
    if (archive_entry_size_is_set(entry)) bytes.reserve(std::min<std::size_t>(most, static_cast<std::size_t>(archive_entry_size(entry))));
    std::string block(1 << 16, '\0');
    for (;;) {
      const auto n = archive_read_data(zip.get(), block.data(), block.size());
      if (n < 0) throw bad(fmt::format("is damaged in '{}'", name));
      if (n == 0) break;
      total += static_cast<std::size_t>(n);
      if (total > most) {
        throw data_error(fmt::format("'{}' unpacks to more than {} bytes", path.string(), most), {},
                         "so much from so few bytes is no data set", "unpack it: .npy files are read as they are");
      }
      bytes.append(block.data(), static_cast<std::size_t>(n));
    }
    member(name, bytes);
  }
}

}  // namespace yatlab
