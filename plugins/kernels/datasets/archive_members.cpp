#include "plugins/kernels/datasets/archive_members.h"

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

/// Arrays of labels and of empty pixels compress better than texts do.
constexpr std::size_t kArchiveTimes = 200;

/// `kind`: "zip", for messages; `support` enables the format in libarchive; `hint`: advice for an archive that unpacks to too much.
void each_member(const std::filesystem::path& path, const char* kind, const std::function<void(archive*)>& support, const char* hint,
                 const ArchiveMember& member) {
  const auto most = std::max(kUnpackedAnyway, kArchiveTimes * size_of_file(path));  // throws if the file is missing
  const std::unique_ptr<archive, int (*)(archive*)> packed(archive_read_new(), archive_read_free);
  const auto bad = [&](const std::string& what) {
    const char* why = archive_error_string(packed.get());
    return data_error(fmt::format("'{}' {}", path.string(), what), {}, why ? why : "", "check that the file is complete");
  };
  support(packed.get());
  if (archive_read_open_filename(packed.get(), path.c_str(), 1 << 16) != ARCHIVE_OK)
    throw bad(fmt::format("cannot be opened as a {} archive", kind));
  std::size_t total = 0;
  for (;;) {
    archive_entry* entry = nullptr;
    const int head = archive_read_next_header(packed.get(), &entry);
    if (head == ARCHIVE_EOF) return;
    if (head != ARCHIVE_OK) throw bad(fmt::format("is not a complete {} archive", kind));
    if (archive_entry_filetype(entry) == AE_IFDIR) continue;
    const char* named = archive_entry_pathname(entry);
    const std::string name = named ? named : "";
    std::string bytes;
    if (archive_entry_size_is_set(entry)) bytes.reserve(std::min<std::size_t>(most, static_cast<std::size_t>(archive_entry_size(entry))));
    std::string block(1 << 16, '\0');
    for (;;) {
      const auto n = archive_read_data(packed.get(), block.data(), block.size());
      if (n < 0) throw bad(fmt::format("is damaged in '{}'", name));
      if (n == 0) break;
      total += static_cast<std::size_t>(n);
      if (total > most) {
        throw data_error(fmt::format("'{}' decompresses to more than {} bytes", path.string(), most), {},
                         "no data set is compressed this much", hint);
      }
      bytes.append(block.data(), static_cast<std::size_t>(n));
    }
    member(name, bytes);
  }
}

}  // namespace

void each_zip_member(const std::filesystem::path& path, const ArchiveMember& member) {
  each_member(
      path, "zip", [](archive* a) { archive_read_support_format_zip(a); }, "extract it: .npy files can be read directly", member);
}

void each_tar_member(const std::filesystem::path& path, const ArchiveMember& member) {
  const auto support = [](archive* a) {
    archive_read_support_format_tar(a);
    archive_read_support_filter_gzip(a);
  };
  each_member(path, "tar", support, "check that it is the published file", member);
}

}  // namespace yatlab
