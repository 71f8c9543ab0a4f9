#include "core/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/base/error.h"

namespace yatlab {
namespace {

[[noreturn]] void io_error(const char* verb, const fs::path& path, int code = errno) {
  throw Error(code == ENOENT ? ErrorKind::kData : ErrorKind::kJob,
              fmt::format("cannot {} '{}'", verb, path.string()), {}, std::strerror(code),
              code == ENOSPC ? "free some disk space and run the same command again" : "");
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      io_error("write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) io_error("read", path);
  std::string out;
  std::error_code ec;
  if (const auto size = fs::file_size(path, ec); !ec) out.reserve(size);
  char buffer[1 << 16];
  for (;;) {
    const auto n = ::read(fd.get(), buffer, sizeof buffer);
    if (n == 0) return out;
    if (n < 0) {
      if (errno == EINTR) continue;
      io_error("read", path);
    }
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

void write_file_atomic(const fs::path& path, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  make_folders(directory);
  const fs::path temporary =
      directory / fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), counter++);
  try {
    const Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (fd.get() < 0) io_error("write", path);
    write_all(fd.get(), bytes, path);
    if (::fsync(fd.get()) != 0) io_error("sync", path);
    if (::rename(temporary.c_str(), path.c_str()) != 0) io_error("place", path);
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
  sync_directory(directory);
}

void append_line(const fs::path& path, std::string_view line) {
  const Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (fd.get() < 0) io_error("append to", path);
  write_all(fd.get(), std::string(line) + "\n", path);
}

void sync_directory(const fs::path& directory) {
  const Descriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) io_error("open", directory);
  if (::fsync(fd.get()) != 0 && errno != EINVAL) io_error("sync", directory);
}

void replace_symlink(const fs::path& target, const fs::path& link) {
  const fs::path directory = link.has_parent_path() ? link.parent_path() : fs::path(".");
  const fs::path temporary = link.string() + fmt::format(".{}.tmp", ::getpid());
  std::error_code ec;
  fs::remove(temporary, ec);
  fs::create_symlink(target, temporary, ec);
  if (ec) io_error("create link", temporary, ec.value());
  fs::rename(temporary, link, ec);
  if (ec) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    io_error("place link", link, ec.value());
  }
  sync_directory(directory);
}

void make_folders(const fs::path& folder) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) io_error("create folder", folder, ec.value());
}

bool make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0) return true;
  if (errno != EEXIST) io_error("create folder", folder);
  return false;
}

void remove_tree(const fs::path& path) {
  std::error_code ec;
  fs::remove_all(path, ec);
  if (ec && ec != std::errc::not_a_directory && ec != std::errc::no_such_file_or_directory) io_error("remove", path, ec.value());
}

void rename_path(const fs::path& from, const fs::path& to) {
  std::error_code ec;
  fs::rename(from, to, ec);
  if (ec) io_error("place", to, ec.value());
}

void copy_tree(const fs::path& from, const fs::path& to) {
  std::error_code ec;
  fs::copy(from, to, fs::copy_options::recursive, ec);
  if (ec) throw Error(ErrorKind::kJob, fmt::format("cannot copy '{}' to '{}'", from.string(), to.string()), {}, ec.message());
}

std::uintmax_t size_of_file(const fs::path& path) {
  std::error_code ec;
  const auto size = fs::file_size(path, ec);
  if (ec) io_error("read", path, ec.value());
  return size;
}

void set_file_size(const fs::path& path, std::uintmax_t bytes) {
  std::error_code ec;
  fs::resize_file(path, bytes, ec);
  if (ec) io_error("write", path, ec.value());
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code ec;
  std::vector<fs::path> out;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) out.push_back(it->path());
  if (ec) io_error("read folder", folder, ec.value());
  std::sort(out.begin(), out.end());
  return out;
}

void require_writable_folder(const fs::path& folder, const std::string& where, const std::string& hint) {
  static std::atomic<unsigned> counter{0};
  std::error_code ec;
  std::vector<fs::path> missing;  // the deepest first
  for (fs::path at = folder; !at.empty() && fs::symlink_status(at, ec).type() == fs::file_type::not_found && missing.size() < 1000;
       at = at.parent_path()) {
    missing.push_back(at);
    if (!at.has_relative_path()) break;
  }
  const fs::path probe = folder / fmt::format(".yatlab-{}-{}", ::getpid(), counter++);
  try {
    write_file_atomic(probe, std::string(4096, '\0'));
    fs::remove(probe, ec);
  } catch (const Error& e) {
    for (const auto& made : missing) fs::remove(made, ec);  // empty ones only: others may have begun to use them
    throw config_error(fmt::format("cannot write to the folder '{}'", folder.string()), where, e.why(), hint);
  }
}

std::string safe_file_name(std::string_view name) {
  std::string out;
  for (char c : name) {
    out += std::string_view("/\\:*?\"<>| \t\n").find(c) == std::string_view::npos ? c : '_';
  }
  if (out.empty() || out == "." || out == "..") out = "_";
  return out;
}

}  // namespace yatlab
