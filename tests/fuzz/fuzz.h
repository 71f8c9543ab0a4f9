// Shared by the fuzz targets. Each is a file that defines `fuzz_input`, which fuzz.cpp calls.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"

namespace yatlab::fuzz {

/// Processes one input. An Error is acceptable unless it reports a bug in Yatlab. Any other exception, undefined
/// behaviour, more than two seconds or more than 512 MB are findings.
void fuzz_input(std::string_view input);

/// Ends the program, which makes the input a finding.
[[noreturn]] inline void finding(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}
inline void expect(bool holds, const char* what) {
  if (!holds) finding(what);
}

/// Calls `use`; true when it throws no Error.
template <class Use>
bool accepted(Use use) {
  try {
    use();
    return true;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kInternal) finding(std::string("an internal error: ") + e.what());
    return false;
  }
}

/// A file in memory, for readers that need a path.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    if (fd_ < 0) finding("no file in memory");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// The path of a file that holds exactly these bytes.
  const fs::path& holding(std::string_view bytes) const {
    if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      finding("cannot write");
    return path_;
  }

 private:
  int fd_;
  fs::path path_;
};

/// A folder in memory, owned by this process, for readers of several files.
class MemoryFolder {
 public:
  MemoryFolder() : path_(fs::path("/dev/shm") / ("yatlab-fuzz-" + std::to_string(::getpid()))) { fs::create_directories(path_); }
  ~MemoryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;
  const fs::path& path() const { return path_; }
  void write(const fs::path& name, std::string_view bytes) const {
    const auto file = path_ / name;
    fs::create_directories(file.parent_path());
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) finding("cannot write " + file.string());
    ::close(fd);
  }

 private:
  fs::path path_;
};

/// The input split at lines that hold only "====", for targets that read several files. There are `count` parts; missing ones are empty.
inline std::vector<std::string_view> parts_of(std::string_view input, std::size_t count) {
  constexpr std::string_view kCut = "\n====\n";
  std::vector<std::string_view> out;
  while (out.size() + 1 < count) {
    const auto end = input.find(kCut);
    out.push_back(input.substr(0, end));
    input = end == std::string_view::npos ? std::string_view() : input.substr(end + kCut.size());
  }
  out.push_back(input);
  return out;
}

}  // namespace yatlab::fuzz
