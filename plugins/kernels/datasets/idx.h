#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace yatlab {

/// The IDX format of MNIST: bytes `0 0 <type> <rank>`, one big-endian 32-bit size per dimension, then the values, row-major. Only type 0x08 (unsigned
/// bytes) is supported.
///
/// Returns a uint8 tensor of the header's shape. If `rank` >= 0, the header must have this rank. Data errors name the file (`name`) and say what was
/// expected and what was found.
at::Tensor parse_idx(std::string_view bytes, const std::string& name, std::int64_t rank = -1);

/// Reads an IDX file, plain or compressed (core/data/byte_stream.h). Does not allocate more than the file can contain.
at::Tensor read_idx(const std::filesystem::path& path, std::int64_t rank = -1);

}  // namespace yatlab
