#include "plugins/kernels/datasets/idx.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <array>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/byte_stream.h"

namespace yatlab {
namespace {

const char* type_word(unsigned char type) {
  switch (type) {
    case 0x08:
      return "unsigned byte";
    case 0x09:
      return "signed byte";
    case 0x0B:
      return "16-bit integer";
    case 0x0C:
      return "32-bit integer";
    case 0x0D:
      return "32-bit float";
    case 0x0E:
      return "64-bit float";
    default:
      return "unknown type";
  }
}

Error bad(const std::string& name, const std::string& what, const std::string& why) {
  return data_error(fmt::format("'{}' {}", name, what), {}, why, "check that this is the right file; delete it to download it again");
}

/// `most`: largest possible number of bytes in the stream.
at::Tensor read_tensor(ByteStream& stream, std::size_t most, const std::string& name, std::int64_t rank) {
  std::array<unsigned char, 4 + 4 * 255> head{};
  const auto more = [&](std::size_t from, std::size_t size) { return stream.read(reinterpret_cast<char*>(head.data()) + from, size); };
  const auto byte = [&](std::size_t i) { return head[i]; };
  if (const auto found = more(0, 4); found < 4) {
    throw bad(name, "is truncated", fmt::format("an IDX header has at least 4 bytes, found {}", found));
  }
  if (byte(0) != 0 || byte(1) != 0) {
    throw bad(
        name, "is not an IDX file",
        fmt::format("bad magic number: expected 00 00 08 <rank>, found {:02x} {:02x} {:02x} {:02x}", byte(0), byte(1), byte(2), byte(3)));
  }
  if (byte(2) != 0x08) {
    throw bad(name, "has values of the wrong type",
              fmt::format("expected type 0x08 (unsigned byte), found 0x{:02x} ({})", byte(2), type_word(byte(2))));
  }
  const std::int64_t found_rank = byte(3);
  if (found_rank == 0 || (rank >= 0 && found_rank != rank)) {
    throw bad(name, "has the wrong rank",
              rank >= 0 ? fmt::format("expected {} dimensions, the header says {}", rank, found_rank) : "the header says 0 dimensions");
  }
  const std::size_t header = 4 + 4 * static_cast<std::size_t>(found_rank);
  if (const auto found = 4 + more(4, header - 4); found < header) {
    throw bad(name, "is truncated", fmt::format("a header with {} dimensions has {} bytes, found {}", found_rank, header, found));
  }
  std::vector<std::int64_t> shape;
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
  // Do not allocate more than the file can contain.
  at::Tensor out;
  std::uint64_t present = 0;
  if (!overflow && wanted <= most) {
    out = at::empty(shape, at::kByte);
    present = stream.read(static_cast<char*>(out.data_ptr()), wanted);
  }
  std::vector<char> rest(1 << 16);
  for (auto n = rest.size(); n == rest.size(); present += n) n = stream.read(rest.data(), rest.size());
  if (overflow || wanted != present) {
    throw bad(name, present < wanted || overflow ? "is truncated" : "is longer than its header says",
              fmt::format("the header says {}{}, found {} bytes of values", fmt::join(shape, " x "),
                          overflow ? "" : fmt::format(" = {} bytes", wanted), present));
  }
  return out;
}

}  // namespace

at::Tensor parse_idx(std::string_view bytes, const std::string& name, std::int64_t rank) {
  MemoryStream stream(bytes);
  return read_tensor(stream, bytes.size(), name, rank);
}

at::Tensor read_idx(const std::filesystem::path& path, std::int64_t rank) {
  const auto stream = open_byte_stream(path);
  return read_tensor(*stream, most_unpacked(size_of_file(path)), path.string(), rank);
}

}  // namespace yatlab
