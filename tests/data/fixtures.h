// Shared by the tests of data: scratch folders, small files in the formats, and caught errors.
#pragma once

#include <lzma.h>
#include <stdlib.h>
#include <zstd.h>

#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/dataset.h"
#include "data/deflated.h"

namespace yatlab::testing {

/// A folder that is deleted with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "yatlab-data-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path operator/(const fs::path& p) const { return path_ / p; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

inline void put(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string gzip(const std::string& bytes, int level = 6) { return deflated(bytes, level, 15 + 16); }

inline std::string xz(const std::string& bytes, std::uint32_t preset = 6) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t used = 0;
  lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                          reinterpret_cast<std::uint8_t*>(out.data()), &used, out.size());
  out.resize(used);
  return out;
}

inline std::string zstd(const std::string& bytes, int level = 3) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level));
  return out;
}

inline const fs::path kSource = YATLAB_SOURCE_DIR;

/// A machine without network and without a lab's folder: its data context, and the messages it received.
struct OfflineWorld {
  Scratch dir;
  std::vector<std::string> notices;
  DataContext context;
  OfflineWorld() {
    context.root = dir / "data";
    context.shared_path = {};
    context.offline = true;
    context.notice = [this](const std::string& text) { notices.push_back(text); };
  }
};

/// An IDX file of unsigned bytes.
inline std::string idx(const std::vector<unsigned>& shape, const std::string& values, unsigned char type = 8) {
  std::string out{'\0', '\0', static_cast<char>(type), static_cast<char>(shape.size())};
  for (unsigned n : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 0xff);
  }
  return out + values;
}

/// The error that `f` throws; fails the test if it throws none.
template <class F>
Error caught(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  throw std::runtime_error("no error was thrown");
}

/// Random bytes.
inline std::string noise(std::size_t size, unsigned seed = 1) {
  std::string out(size, '\0');
  for (char& c : out) {
    seed = seed * 1664525u + 1013904223u;
    c = static_cast<char>(seed >> 24);
  }
  return out;
}

}  // namespace yatlab::testing
