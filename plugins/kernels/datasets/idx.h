#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace yatlab {

/// The IDX format of MNIST: bytes `0 0 <type> <rank>`, one big-endian 32-bit size per dimension, then
/// the values, row-major. Only type 0x08 (unsigned bytes) is read.
///
/// -> uint8 tensor of the header's shape. `rank` >= 0 is demanded of the header. Data errors name the
/// file (`name`) and say what was expected and what was found.
at::Tensor parse_idx(std::string_view bytes, const std::string& name, std::int64_t rank = -1);

/// Reads an IDX file, plain or packed (core/data/byte_stream.h). Nothing is allocated that the file cannot hold.
at::Tensor read_idx(const std::filesystem::path& path, std::int64_t rank = -1);

}  // namespace yatlab
