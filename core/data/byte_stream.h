#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace yatlab {

/// A packed file may unpack to this many times its size, or to so many bytes where that is more. Texts and images stay far below, and a
/// few kB that would become GBs are refused as they are unpacked. Who means it unpacks the file first: what is not packed is read as it is.
constexpr std::size_t kUnpackedTimes = 20, kUnpackedAnyway = std::size_t{16} << 20;
/// Bytes that a packed file of this size may unpack to.
constexpr std::size_t most_unpacked(std::size_t packed) {
  return packed > kUnpackedAnyway / kUnpackedTimes ? packed * kUnpackedTimes : kUnpackedAnyway;
}
/// Bytes that unpacking may need for itself: what xz -9 and zstd --long=27 ask for.
constexpr std::size_t kUnpackerMemory = std::size_t{1} << 27;

/// The content of a file, piece by piece: unpacked when it is gzip, xz or zstd (told by its first
/// bytes), else as it is. Several gzip members, xz streams or zstd frames in a row count as one.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `buffer` with up to `size` bytes and returns how many; fewer than `size` only at the end.
  /// Data errors name the file: unreadable, cut off, corrupt, followed by something else, unpacking to more than `most_unpacked`.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

/// Bytes that somebody else keeps.
class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const auto n = bytes_.copy(buffer, size);
    bytes_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view bytes_;
};

/// Throws a data error when the file cannot be opened.
std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path);

/// The content, whole.
std::string read_unpacked(const std::filesystem::path& path);

/// SHA-256 of the content.
std::string sha256_unpacked(const std::filesystem::path& path);

}  // namespace yatlab
