#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace yatlab {

/// A hash of files' metadata: changes if one of them is replaced, resized, added or removed.
class FileStamp {
 public:
  FileStamp& add(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) found = {};
    for (const auto part : {static_cast<std::uint64_t>(found.st_mtim.tv_sec), static_cast<std::uint64_t>(found.st_mtim.tv_nsec),
                            static_cast<std::uint64_t>(found.st_size), static_cast<std::uint64_t>(found.st_ino)}) {
      value_ = (value_ ^ part) * 0x9E3779B97F4A7C15ull;
      value_ ^= value_ >> 29;
    }
    return *this;
  }
  std::int64_t value() const { return static_cast<std::int64_t>(value_); }

 private:
  std::uint64_t value_ = 14695981039346656037ull;
};

}  // namespace yatlab
