// Bytes compressed by deflate, in any of zlib's formats.
#pragma once

#include <zlib.h>

#include <string>

namespace yatlab::testing {

/// `window_bits` as for deflateInit2: 15 + 16 for gzip, -15 for a raw stream.
inline std::string deflated(const std::string& bytes, int level, int window_bits) {
  z_stream z{};
  deflateInit2(&z, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, bytes.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

}  // namespace yatlab::testing
