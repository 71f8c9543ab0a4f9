#include "core/base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/base/file_calls.h"

namespace yatlab {
namespace {

int flags_of(OutputFile::Mode mode) {
  switch (mode) {
    case OutputFile::Mode::kNew:
      return O_RDWR | O_CREAT | O_EXCL;
    case OutputFile::Mode::kEmpty:
      return O_RDWR | O_CREAT | O_TRUNC;
    case OutputFile::Mode::kAppend:
      return O_RDWR | O_CREAT | O_APPEND;
    case OutputFile::Mode::kUpdate:
      return O_RDWR;
    case OutputFile::Mode::kKeep:
      return O_RDWR | O_CREAT;
  }
  return O_RDWR;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.fd_;
    other.fd_ = -1;
  }
  return *this;
}

void Descriptor::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::size_t Descriptor::read(char* buffer, std::size_t size, const fs::path& shown) const {
  for (;;) {
    const auto n = file_calls().read(fd_, buffer, size);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) throw_file_error("read", shown);  // also for a folder
  }
}

Descriptor open_to_read(const fs::path& path) {
  Descriptor out(file_calls().open(path.c_str(), O_RDONLY | O_NONBLOCK, 0));  // do not wait for a pipe without a writer
  if (!out) throw_file_error("read", path);
  struct stat status {};
  if (::fstat(out.get(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    throw data_error(fmt::format("cannot read '{}'", path.string()), {}, "it is a pipe, a device or a socket, not a file",
                     "save its output to a file, and give the path of that file");
  }
  return out;
}

OutputFile::OutputFile(fs::path path, Mode mode, fs::path shown)
    : path_(std::move(path)),
      shown_(shown.empty() ? path_ : std::move(shown)),
      fd_(file_calls().open(path_.c_str(), flags_of(mode), 0644)) {
  if (!fd_) throw_file_error("write", shown_);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = file_calls().write(fd_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_file_error("write", shown_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void OutputFile::write_whole(std::string_view bytes) {
  if (torn_from_) cut(*torn_from_);
  const auto before = size();
  try {
    write(bytes);
  } catch (const Error&) {
    torn_from_ = before;
    try {
      cut(before);
    } catch (const Error&) {  // report the first error
    }
    throw;
  }
}

void OutputFile::write_at(std::uint64_t position, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = file_calls().write_at(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_file_error("write", shown_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
    position += static_cast<std::uint64_t>(n);
  }
}

void OutputFile::sync() {
  if (file_calls().sync(fd_.get()) != 0) throw_file_error("sync", shown_);
}

std::uint64_t OutputFile::size() const {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) throw_file_error("access", shown_);
  return static_cast<std::uint64_t>(status.st_size);
}

void OutputFile::cut(std::uint64_t bytes) {
  if (file_calls().truncate(fd_.get(), static_cast<off_t>(bytes)) != 0) throw_file_error("cut", shown_);
  if (::lseek(fd_.get(), static_cast<off_t>(bytes), SEEK_SET) < 0) throw_file_error("seek in", shown_);
  torn_from_.reset();
}

}  // namespace yatlab
