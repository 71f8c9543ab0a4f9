#include "core/data/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/data/byte_stream.h"

namespace yatlab {
namespace {

class Inflater {
 public:
  Inflater() { ok_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }  // + 16: gzip header and trailer
  ~Inflater() {
    if (ok_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  bool ok() const { return ok_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool ok_ = false;
};

// The last four bytes hold the size modulo 2^32: a hint for the first allocation, never trusted.
std::size_t size_hint(std::string_view bytes) {
  if (bytes.size() < 18) return 0;
  std::size_t size = 0;
  for (int i = 0; i < 4; ++i) {
    size |= std::size_t{static_cast<unsigned char>(bytes[bytes.size() - 4 + i])} << (8 * i);
  }
  return std::min(size, bytes.size() * 4);  // of images and texts that is most
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

std::string gunzip(std::string_view bytes, const std::string& name, std::size_t max_bytes) {
  if (!is_gzip(bytes)) {
    throw data_error(fmt::format("'{}' is not a gzip file", name), {},
                     bytes.size() < 2 ? fmt::format("it holds {} bytes", bytes.size())
                                      : fmt::format("it begins with {:02x} {:02x} instead of 1f 8b", static_cast<unsigned char>(bytes[0]),
                                                    static_cast<unsigned char>(bytes[1])),
                     kFetchAgain);
  }
  if (max_bytes == 0) max_bytes = most_unpacked(bytes.size());
  const auto too_large = [&] {
    return data_error(fmt::format("'{}' is too large", name), {}, fmt::format("it unpacks to more than {} bytes", max_bytes),
                      "unpack it first, if it is meant to be so");
  };
  Inflater inflater;
  if (!inflater.ok()) throw Error(ErrorKind::kInternal, "cannot start zlib", name);
  auto& z = inflater.stream();
  // One byte of room beyond the limit tells "exactly max_bytes" from "more".
  const std::size_t cap = max_bytes + 1;
  std::string out(std::min(size_hint(bytes) + 1, cap), '\0');
  std::size_t done = 0, used = 0;
  for (;;) {
    constexpr std::size_t kPiece = std::numeric_limits<uInt>::max();
    const std::size_t input = std::min(bytes.size() - used, kPiece);
    if (done == out.size()) {
      if (out.size() >= cap) throw too_large();
      out.resize(std::min(cap, std::max<std::size_t>(out.size() * 2, 1 << 16)));
    }
    const std::size_t room = std::min(out.size() - done, kPiece);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + used));
    z.avail_in = static_cast<uInt>(input);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    z.avail_out = static_cast<uInt>(room);
    const int status = inflate(&z, Z_NO_FLUSH);
    used += input - z.avail_in;
    done += room - z.avail_out;
    if (status == Z_STREAM_END) {
      if (used == bytes.size()) break;
      const auto rest = bytes.substr(used);
      if (!is_gzip(rest)) {
        throw data_error(fmt::format("'{}' has {} bytes after its gzip stream", name, rest.size()), {},
                         "something was appended, or two files were mixed up", kFetchAgain);
      }
      inflateReset(&z);
    } else if (status == Z_BUF_ERROR || status == Z_OK) {
      if (used == bytes.size() && z.avail_out != 0) {
        throw data_error(fmt::format("'{}' is cut off", name), {}, fmt::format("its gzip stream has no end after {} bytes", bytes.size()),
                         kFetchAgain);
      }
    } else {
      throw data_error(fmt::format("'{}' is corrupt", name), {}, fmt::format("gzip: {} near byte {}", z.msg ? z.msg : "invalid data", used),
                       kFetchAgain);
    }
  }
  if (done > max_bytes) throw too_large();
  out.resize(done);
  return out;
}

}  // namespace yatlab
