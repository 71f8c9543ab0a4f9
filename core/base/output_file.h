#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/files.h"

namespace yatlab {

/// A descriptor of an open file, closed when it goes.
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
  /// Up to so many bytes; 0 at the end. Throws an error that names the file as `shown`.
  std::size_t read(char* buffer, std::size_t size, const fs::path& shown) const;
  void close();

 private:
  int fd_ = -1;
};

/// Opens a file to read. Throws when it cannot be.
Descriptor open_to_read(const fs::path& path);

/// A file that grows while it is used: logs, shards, downloads. What is written whole or not at all takes `write_file_atomic`.
/// Every failure is an error that names the file and the system's reason.
class OutputFile {
 public:
  enum class Mode {
    kNew,     ///< must not be there yet
    kEmpty,   ///< made, or emptied
    kAppend,  ///< made if missing; written at its end
    kUpdate,  ///< must be there; written from its start
    kKeep,    ///< made if missing; written from its start
  };
  OutputFile() = default;  ///< none
  /// shown: its name in messages, where it has another for the time being.
  OutputFile(fs::path path, Mode mode, fs::path shown = {});

  explicit operator bool() const { return static_cast<bool>(fd_); }
  const fs::path& path() const { return path_; }
  /// For locks and the like.
  int descriptor() const { return fd_.get(); }

  void write(std::string_view bytes);
  /// At its end, all or nothing: of what is refused the file is cut back, at once or, where that is refused too, before the next of these.
  void write_whole(std::string_view bytes);
  /// In the middle; where `write` goes on stays as it is.
  void write_at(std::uint64_t position, std::string_view bytes);
  void sync();
  std::uint64_t size() const;
  /// Cuts it to so many bytes and goes on behind them.
  void cut(std::uint64_t bytes);
  void close() { fd_.close(); }

 private:
  fs::path path_, shown_;
  Descriptor fd_;
  std::optional<std::uint64_t> torn_from_;  // behind this stands a part of what was to be written whole
};

}  // namespace yatlab
