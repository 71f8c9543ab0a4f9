#include "core/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/output_file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/base/whole_file.h"

namespace yatlab {
namespace {

/// Numbers for this process's temporary names. They start at a random number, because an earlier process may have had the same id (in a
/// container each may have id 1).
struct TemporaryNumbers {
  const std::uint32_t first = std::random_device()();
  std::atomic<std::uint32_t> given{0};

  std::uint32_t next() { return first + given++; }
  bool are_ours(std::uint32_t number) const { return number - first < given; }
};
TemporaryNumbers& temporary_numbers() {
  static TemporaryNumbers numbers;
  return numbers;
}

template <class T>
std::optional<T> whole_number(const std::string& text) {
  T out = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), out);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

/// Whether it is a temporary file or folder of a dead process.
bool is_left_behind(const fs::path& path) {
  const auto parts = split(path.filename().string(), '.');  // "", the name's, process, number, "tmp"
  if (parts.size() < 4 || !parts[0].empty() || parts.back() != "tmp") return false;
  const auto writer = whole_number<pid_t>(parts[parts.size() - 3]);
  const auto number = whole_number<std::uint32_t>(parts[parts.size() - 2]);
  if (!writer || *writer <= 0 || !number) return false;
  if (*writer == ::getpid()) return !temporary_numbers().are_ours(*number);
  return is_gone(*writer);
}

void remove_below(const fs::path& path, const fs::path& named) {
  std::error_code ec;
  const auto type = fs::symlink_status(path, ec).type();
  if (type == fs::file_type::not_found || ec == std::errc::not_a_directory) return;
  if (type == fs::file_type::directory) {
    for (const auto& entry : entries_of(path)) remove_below(entry, named);
  }
  if (file_calls().remove(path.c_str()) != 0 && errno != ENOENT) throw_file_error("remove", named);
}

void copy_one(const fs::path& from, const fs::path& to) {
  const auto in = open_to_read(from);
  OutputFile out(to, OutputFile::Mode::kEmpty);
  std::string buffer(1 << 20, '\0');
  for (;;) {
    const auto n = in.read(buffer.data(), buffer.size(), from);
    if (n == 0) return;
    out.write({buffer.data(), n});
  }
}

}  // namespace

fs::path temporary_name(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), temporary_numbers().next());
}

void throw_file_error(const char* verb, const fs::path& path, int code) {
  const char* hint = "";
  if (code == ENOSPC || code == EDQUOT) hint = "free some disk space and run the same command again";
  if (code == EROFS) hint = "the file system is read-only: choose a different folder";
  if (code == EFBIG) hint = "the process is not allowed to write larger files (ulimit -f)";
  if (code == EMFILE || code == ENFILE) hint = "too many files are open: raise the limit (ulimit -n) and run the same command again";
  // Missing paths and non-files are the caller's concern. Other errors are the machine's, and may be temporary.
  if (code == EACCES || code == EPERM) hint = "ask its owner for permission, and run the same command again";
  const bool no_file = code == ENOTDIR || code == EISDIR || code == ENAMETOOLONG || code == ELOOP || code == EINVAL;
  const bool data = code == ENOENT || (std::string_view(verb).substr(0, 4) == "read" && no_file);
  throw Error(data ? ErrorKind::kData : ErrorKind::kFile, fmt::format("cannot {} '{}'", verb, path.string()), {}, std::strerror(code),
              hint);
}
void throw_file_error(const char* verb, const fs::path& path) { throw_file_error(verb, path, errno); }

PathKind kind_of(const fs::path& path) {
  struct stat status {};
  if (file_calls().stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP) return PathKind::kNothing;
    throw_file_error("access", path);
  }
  return S_ISREG(status.st_mode) ? PathKind::kFile : S_ISDIR(status.st_mode) ? PathKind::kFolder : PathKind::kOther;
}

std::string read_file(const fs::path& path) {
  const auto fd = open_to_read(path);
  std::string out;
  struct stat status {};
  if (::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode)) out.reserve(static_cast<std::size_t>(status.st_size));
  char buffer[1 << 16];
  for (;;) {
    const auto n = fd.read(buffer, sizeof buffer, path);
    if (n == 0) return out;
    out.append(buffer, n);
  }
}

void read_lines(const fs::path& path, const std::function<bool(const std::string&)>& use) {
  const auto fd = open_to_read(path);
  std::string line;
  char buffer[1 << 16];
  while (const auto n = fd.read(buffer, sizeof buffer, path)) {
    for (std::string_view rest(buffer, n); !rest.empty();) {
      const auto end = rest.find('\n');
      line.append(rest.substr(0, end));
      if (end == rest.npos) break;
      if (!use(line)) return;
      line.clear();
      rest.remove_prefix(end + 1);
    }
  }
  if (!line.empty()) use(line);
}

void write_file_atomic(const fs::path& path, std::string_view bytes) {
  WholeFile file(path);
  file.write(bytes);
  file.place();
}

void write_file_unsynced(const fs::path& path, std::string_view bytes) {
  WholeFile file(path, false);
  file.write(bytes);
  file.place();
}

void append_line(const fs::path& path, std::string_view line) {
  OutputFile(path, OutputFile::Mode::kAppend).write(std::string(line) + "\n");
}

void sync_directory(const fs::path& directory) {
  const Descriptor fd(file_calls().open(directory.c_str(), O_RDONLY | O_DIRECTORY, 0));
  if (!fd) throw_file_error("open", directory);
  if (file_calls().sync(fd.get()) != 0 && errno != EINVAL) throw_file_error("sync", directory);
}

void replace_symlink(const fs::path& target, const fs::path& link) {
  const fs::path directory = link.has_parent_path() ? link.parent_path() : fs::path(".");
  const fs::path temporary = temporary_name(link);
  if (file_calls().make_link(target.c_str(), temporary.c_str()) != 0) throw_file_error("create link", link);
  if (file_calls().rename(temporary.c_str(), link.c_str()) != 0) {
    const int code = errno;
    file_calls().remove(temporary.c_str());
    throw_file_error("replace link", link, code);
  }
  sync_directory(directory);
}

void make_folders(const fs::path& folder) {
  std::error_code ec;
  std::vector<fs::path> missing;  // deepest first
  for (fs::path at = folder; !at.empty() && !fs::is_directory(at, ec); at = at.parent_path()) {
    missing.push_back(at);
    if (at == at.parent_path()) break;
  }
  for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
    if (file_calls().make_folder(it->c_str(), 0777) == 0) continue;
    const int code = errno;  // another process may be faster, or "a" was made as "a/"
    if (!fs::is_directory(*it, ec)) throw_file_error("create folder", folder, code == EEXIST && fs::exists(*it, ec) ? ENOTDIR : code);
  }
}

bool make_folder(const fs::path& folder) {
  if (file_calls().make_folder(folder.c_str(), 0777) == 0) return true;
  if (errno != EEXIST) throw_file_error("create folder", folder);
  return false;
}

void remove_tree(const fs::path& path) { remove_below(path, path); }

void rename_path(const fs::path& from, const fs::path& to) {
  if (file_calls().rename(from.c_str(), to.c_str()) != 0) throw_file_error("place", to);
}

void copy_tree(const fs::path& from, const fs::path& to) {
  if (!is_folder(from)) {
    copy_one(from, to);
    return;
  }
  if (!make_folder(to)) throw_file_error("create folder", to, EEXIST);
  for (const auto& entry : entries_of(from)) copy_tree(entry, to / entry.filename());
}

void remove_stale_temporaries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
    if (!is_left_behind(it->path())) continue;
    found.push_back(it->path());
    it.disable_recursion_pending();
  }
  for (const auto& path : found) {
    try {
      remove_tree(path);
    } catch (const Error&) {
    }
  }
}

std::uintmax_t size_of_file(const fs::path& path) {
  struct stat status {};
  if (file_calls().stat(path.c_str(), &status) != 0) throw_file_error("read", path);
  if (S_ISDIR(status.st_mode)) throw_file_error("read", path, EISDIR);
  return static_cast<std::uintmax_t>(status.st_size);
}

void set_file_size(const fs::path& path, std::uintmax_t bytes) { OutputFile(path, OutputFile::Mode::kUpdate).cut(bytes); }

std::vector<fs::path> entries_of(const fs::path& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(file_calls().open_folder(folder.empty() ? "." : folder.c_str()), ::closedir);
  if (!open) throw_file_error("read folder", folder);
  std::vector<fs::path> out;
  while (const auto* entry = file_calls().next_entry(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") out.push_back(folder / name);
  }
  if (errno != 0) throw_file_error("read folder", folder);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<fs::path> entries_if_there(const fs::path& folder) { return is_folder(folder) ? entries_of(folder) : std::vector<fs::path>(); }

void require_writable_folder(const fs::path& folder, const std::string& where, const std::string& hint) {
  std::error_code ec;
  std::vector<fs::path> missing;  // deepest first
  for (fs::path at = folder; !at.empty() && fs::symlink_status(at, ec).type() == fs::file_type::not_found && missing.size() < 1000;
       at = at.parent_path()) {
    missing.push_back(at);
    if (!at.has_relative_path()) break;
  }
  const fs::path probe = temporary_name(folder / "yatlab");
  try {
    make_folders(folder);
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
      if (is_left_behind(it->path())) file_calls().remove(it->path().c_str());  // left by a killed process's test
    }
    OutputFile file(probe, OutputFile::Mode::kNew, folder);
    file.write(std::string(4096, '\0'));
    file.sync();
    file_calls().remove(probe.c_str());
  } catch (const Error& e) {
    file_calls().remove(probe.c_str());
    for (const auto& made : missing) fs::remove(made, ec);  // only empty ones: others may already use them
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
