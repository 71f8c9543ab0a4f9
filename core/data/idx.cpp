#include "core/data/idx.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/data/gzip.h"

namespace yatlab {
namespace {

const char* type_word(unsigned char type) {
  switch (type) {
    case 0x08: return "unsigned byte";
    case 0x09: return "signed byte";
    case 0x0B: return "16-bit integer";
    case 0x0C: return "32-bit integer";
    case 0x0D: return "32-bit float";
    case 0x0E: return "64-bit float";
    default: return "no type of the format";
  }
}

Error bad(const std::string& name, const std::string& what, const std::string& why) {
  return data_error(fmt::format("'{}' {}", name, what), {}, why,
                    "check that this is the file meant; remove it to have it fetched again");
}

}  // namespace

at::Tensor parse_idx(std::string_view bytes, const std::string& name, std::int64_t rank) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 4) {
    throw bad(name, "is cut off", fmt::format("an IDX header takes at least 4 bytes, found {}", bytes.size()));
  }
  if (byte(0) != 0 || byte(1) != 0) {
    throw bad(name, "is not an IDX file",
              fmt::format("bad magic number: expected 00 00 08 <rank>, found {:02x} {:02x} {:02x} {:02x}", byte(0),
                          byte(1), byte(2), byte(3)));
  }
  if (byte(2) != 0x08) {
    throw bad(name, "holds values of the wrong type",
              fmt::format("expected type 0x08 (unsigned byte), found 0x{:02x} ({})", byte(2), type_word(byte(2))));
  }
  const std::int64_t found_rank = byte(3);
  if (found_rank == 0 || (rank >= 0 && found_rank != rank)) {
    throw bad(name, "has the wrong rank",
              rank >= 0 ? fmt::format("expected {} dimensions, the header says {}", rank, found_rank)
                        : "the header says 0 dimensions");
  }
  const std::size_t header = 4 + 4 * static_cast<std::size_t>(found_rank);
  if (bytes.size() < header) {
    throw bad(name, "is cut off",
              fmt::format("a header with {} dimensions takes {} bytes, found {}", found_rank, header, bytes.size()));
  }
  std::vector<std::int64_t> shape;
  const std::uint64_t present = bytes.size() - header;
  std::uint64_t wanted = 1;
  bool overflow = false, empty = false;
  for (std::size_t d = 0; d < static_cast<std::size_t>(found_rank); ++d) {
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | byte(4 + 4 * d + i);
    shape.push_back(static_cast<std::int64_t>(size));
    empty = empty || size == 0;
    // Sizes of 0 count as 1 here: a tensor's strides must not overflow, either.
    overflow = overflow || __builtin_mul_overflow(wanted, size == 0 ? 1 : size, &wanted) || wanted >> 62 != 0;
  }
  if (empty && !overflow) wanted = 0;
  if (overflow || wanted != present) {
    throw bad(name, present < wanted || overflow ? "is cut off" : "is longer than its header says",
              fmt::format("the header says {}{}, found {} bytes of values", fmt::join(shape, " x "),
                          overflow ? "" : fmt::format(" = {} bytes", wanted), present));
  }
  auto out = at::empty(shape, at::kByte);
  if (present > 0) std::memcpy(out.data_ptr(), bytes.data() + header, present);
  return out;
}

at::Tensor read_idx(const std::filesystem::path& path, std::int64_t rank) {
  return parse_idx(read_plain_or_gzip(path), path.string(), rank);
}

}  // namespace yatlab
