// Packed files: gzip, xz and zstd as streams, gzip in memory. Both ways agree on gzip.
#include "core/data/gzip.h"

#include "core/data/byte_stream.h"
#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  static const MemoryFile file;
  std::string streamed;
  bool whole = false;
  const bool fine = accepted([&] {
    const auto stream = open_byte_stream(file.holding(input));
    std::vector<char> buffer(size_t{1} << 16);
    while (streamed.size() <= kMost) {
      const auto n = stream->read(buffer.data(), buffer.size());
      streamed.append(buffer.data(), n);
      whole = n < buffer.size();
      if (whole) break;
    }
  });
  if (!is_gzip(input)) return;
  std::string at_once;
  const bool unpacked = accepted([&] { at_once = gunzip(input, "input.gz", kMost); });
  if (fine && whole) expect(unpacked && at_once == streamed, "a gzip file unpacks in two ways");
  // Streams refuse what becomes much larger than it is.
  if (unpacked && at_once.size() <= kUnpackedAnyway) expect(fine, "a gzip file unpacks at once, but not piece by piece");
}

}  // namespace yatlab::fuzz
