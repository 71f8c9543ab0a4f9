#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace yatlab {

/// The content of a file, piece by piece: unpacked when it is gzip, xz or zstd (told by its first
/// bytes), else as it is. Several gzip members, xz streams or zstd frames in a row count as one.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `buffer` with up to `size` bytes and returns how many; fewer than `size` only at the end.
  /// Data errors name the file: unreadable, cut off, corrupt, followed by something else.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

/// Throws a data error when the file cannot be opened.
std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path);

}  // namespace yatlab
