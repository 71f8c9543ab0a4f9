#include "core/run/zip_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>
#include <clocale>

#include <algorithm>
#include <exception>
#include <memory>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

/// libarchive marks names as UTF-8 only where the thread's locale is.
class Utf8Names {
 public:
  Utf8Names() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(locale_ ? uselocale(locale_) : nullptr) {}
  ~Utf8Names() {
    if (!locale_) return;
    uselocale(before_);
    freelocale(locale_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  locale_t locale_, before_;
};

/// The archive's file. An exception must not pass through libarchive.
struct Target {
  OutputFile file;
  std::exception_ptr problem;
};

la_ssize_t write_bytes(archive*, void* client, const void* bytes, std::size_t size) {
  auto& target = *static_cast<Target*>(client);
  try {
    target.file.write({static_cast<const char*>(bytes), size});
    return static_cast<la_ssize_t>(size);
  } catch (...) {
    target.problem = std::current_exception();
    return -1;
  }
}

void check_names(const std::vector<PackedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& name = files[i].name;
    const auto parts = split(name, '/');
    const bool leaves =
        std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty() || part == "." || part == ".."; });
    if (leaves || name.find('\0') != std::string::npos)
      throw config_error(fmt::format("'{}' cannot be the name of a file in an archive", visible(shortened(name))));
    if (i > 0 && files[i - 1].name == name) throw config_error(fmt::format("two files of an archive would be called '{}'", visible(name)));
  }
}

/// The archive, once it is whole, takes the place of `out`.
class ZipWriter {
 public:
  explicit ZipWriter(const fs::path& out) : temporary_(temporary_name(out)), out_(out), zip_(archive_write_new(), archive_write_free) {
    target_.file = OutputFile(temporary_, OutputFile::Mode::kNew, out);
    archive_write_set_format_zip(zip_.get());
    archive_write_set_bytes_in_last_block(zip_.get(), 1);  // no padding
    check(archive_write_open(zip_.get(), &target_, nullptr, write_bytes, nullptr));
  }
  ~ZipWriter() {
    std::error_code ec;
    if (!whole_) fs::remove(temporary_, ec);
  }
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  void add(const PackedFile& file) {
    const auto& bytes = file.from.empty() ? file.bytes : read_file(file.from);
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), file.name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), file.executable ? 0755 : 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
    check(archive_write_header(zip_.get(), entry.get()));
    for (std::size_t at = 0; at < bytes.size();) {
      const auto n = archive_write_data(zip_.get(), bytes.data() + at, bytes.size() - at);
      if (n <= 0) fail();
      at += static_cast<std::size_t>(n);
    }
    check(archive_write_finish_entry(zip_.get()));
  }
  void finish() {
    check(archive_write_close(zip_.get()));
    target_.file.sync();
    target_.file.close();
    rename_path(temporary_, out_);
    whole_ = true;
  }

 private:
  fs::path temporary_, out_;
  Target target_;
  std::unique_ptr<archive, int (*)(archive*)> zip_;
  bool whole_ = false;

  void check(int answer) {
    if (answer < ARCHIVE_WARN) fail();
  }
  [[noreturn]] void fail() {
    if (target_.problem) std::rethrow_exception(target_.problem);
    const char* why = archive_error_string(zip_.get());
    throw Error(ErrorKind::kFile, fmt::format("cannot write '{}'", out_.string()), {}, why ? why : "");
  }
};

}  // namespace

void write_zip(const fs::path& out, std::vector<PackedFile> files) {
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  check_names(files);
  const Utf8Names utf8;
  ZipWriter zip(out);
  for (const auto& file : files) zip.add(file);
  zip.finish();
}

}  // namespace yatlab
