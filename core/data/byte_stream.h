#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace yatlab {

/// A packed file may unpack to this many times its size, or to kUnpackedAnyway bytes if that is more. Texts and images stay far below; a small
/// file that would become GBs is refused during unpacking. Unpack the file yourself to lift this limit.
constexpr std::size_t kUnpackedTimes = 20, kUnpackedAnyway = std::size_t{16} << 20;
/// The limit on unpacked bytes for a packed file of this size.
constexpr std::size_t most_unpacked(std::size_t packed) {
  return packed > kUnpackedAnyway / kUnpackedTimes ? packed * kUnpackedTimes : kUnpackedAnyway;
}
/// The memory limit for unpacking: what xz -9 and zstd --long=27 require.
constexpr std::size_t kUnpackerMemory = std::size_t{1} << 27;

/// The content of a file, piece by piece: unpacked if it is gzip, xz or zstd (detected by its first
/// bytes), else unchanged. Several gzip members, xz streams or zstd frames in a row count as one.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `buffer` with up to `size` bytes and returns their number; fewer than `size` only at the end.
  /// Data errors name the file: unreadable, cut off, corrupt, trailing data, or unpacking to more than `most_unpacked`.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
};

/// A view of bytes owned by the caller.
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

/// Throws a data error if the file cannot be opened.
std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path);

/// The whole content.
std::string read_unpacked(const std::filesystem::path& path);

/// SHA-256 of the content.
std::string sha256_unpacked(const std::filesystem::path& path);

}  // namespace yatlab
