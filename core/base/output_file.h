#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/files.h"

namespace yatlab {

/// A descriptor of an open file, closed on destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  /// Reads up to `size` bytes; 0 at the end. Throws an error that names the file as `shown`.
  std::size_t read(char* buffer, std::size_t size, const fs::path& shown) const;
  void close();

 private:
  int fd_ = -1;
};

/// Opens a file for reading. Throws if that fails.
Descriptor open_to_read(const fs::path& path);

/// A file that grows while it is used: logs, shards, downloads. For files written as a whole, use `write_file_atomic`.
/// Every failure is an error that names the file and the system's reason.
class OutputFile {
 public:
  enum class Mode {
    kNew,     ///< must not exist
    kEmpty,   ///< created or emptied
    kAppend,  ///< created if missing; written at its end
    kUpdate,  ///< must exist; written from its start
    kKeep,    ///< created if missing; written from its start
  };
  OutputFile() = default;  ///< no file
  /// shown: its name in messages, if `path` is only temporary.
  OutputFile(fs::path path, Mode mode, fs::path shown = {});

  explicit operator bool() const { return static_cast<bool>(fd_); }
  const fs::path& path() const { return path_; }
  /// For locks and similar calls.
  int descriptor() const { return fd_.get(); }

  void write(std::string_view bytes);
  /// Appends all bytes or none: after a failed write the file is truncated back, either at once or, if that fails too, before the next such call.
  void write_whole(std::string_view bytes);
  /// Writes in the middle; the position of `write` does not change.
  void write_at(std::uint64_t position, std::string_view bytes);
  void sync();
  std::uint64_t size() const;
  /// Truncates it to this many bytes and continues after them.
  void cut(std::uint64_t bytes);
  void close() { fd_.close(); }

 private:
  fs::path path_, shown_;
  Descriptor fd_;
  std::optional<std::uint64_t> torn_from_;  // from here on there is part of a failed whole write
};

}  // namespace yatlab
