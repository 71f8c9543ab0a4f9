// Packed files: gzip, xz and zstd. Reading in large and in small pieces gives the same bytes.
#include "core/data/byte_stream.h"
#include "fuzz.h"

namespace yatlab::fuzz {
namespace {

constexpr std::size_t kMostUnpacked = std::size_t{64} << 20;

/// The unpacked bytes of a file, read in pieces of that size; `whole`: its end was reached.
struct Unpacked {
  std::string bytes;
  bool accepted = false, whole = false;
};
Unpacked unpack(const fs::path& path, std::size_t piece) {
  Unpacked out;
  out.accepted = accepted([&] {
    const auto stream = open_byte_stream(path);
    std::vector<char> buffer(piece);
    while (out.bytes.size() <= kMostUnpacked && !out.whole) {
      const auto n = stream->read(buffer.data(), buffer.size());
      out.bytes.append(buffer.data(), n);
      out.whole = n < buffer.size();
    }
  });
  return out;
}

}  // namespace

void fuzz_input(std::string_view input) {
  static const MemoryFile file;
  const auto path = file.holding(input);
  const auto large = unpack(path, std::size_t{1} << 16), small = unpack(path, 7);
  expect(large.accepted == small.accepted, "a file unpacks in pieces of one size and not of another");
  if (large.whole && small.whole) expect(large.bytes == small.bytes, "a file unpacks in two ways");
}

}  // namespace yatlab::fuzz
