#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yatlab {

/// What to do about a packed file that is cut off or corrupt.
inline constexpr const char* kFetchAgain = "remove the file and fetch it again";

/// True when `bytes` begin like a gzip file.
bool is_gzip(std::string_view bytes);

/// The content of a gzip file held in memory; several members in a row count as one, as in gzip(1).
/// `name` is what errors call the file. Throws a data error when the stream is cut off, corrupt,
/// followed by something else, or longer than `max_bytes` once unpacked; 0: than `most_unpacked` (core/data/byte_stream.h).
std::string gunzip(std::string_view bytes, const std::string& name, std::size_t max_bytes = 0);

}  // namespace yatlab
