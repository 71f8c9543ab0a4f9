#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/manifest.h"

namespace yatlab {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// The contents of a safetensors file, in the order of its data.
struct Safetensors {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;

  /// nullptr when there is no tensor of that name.
  const at::Tensor* find(std::string_view name) const;
  /// Throws a data error when there is no tensor of that name.
  const at::Tensor& at(std::string_view name) const;
};

/// Writes tensors (any device, any strides; F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL) and metadata in
/// the safetensors format: 8 bytes of little-endian header length, a JSON header padded with blanks to
/// a multiple of 8, the tensors' bytes without holes. Data are sorted by descending alignment, then by
/// name: the same content gives the same bytes, in any input order. Atomic: a crash
/// leaves the old file or the new one. Tensors that are not on the CPU, or not contiguous, are copied one at a time. Refuses duplicate
/// or reserved names, and undefined tensors. Returns size and hash of the written bytes.
FileSum save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                         const std::map<std::string, std::string>& metadata = {});

/// Reads a safetensors file into CPU tensors. The whole header is checked before memory is allocated
/// for tensors: its length, JSON, keys, duplicate names, types, shapes, offsets (no holes, no overlap)
/// and the exact length of the file. Each violation has its own message, a data error naming the file.
Safetensors load_safetensors(const std::filesystem::path& path);

/// The same from memory; `name` is its name in errors.
Safetensors parse_safetensors(std::string_view bytes, const std::string& name);

/// The bytes that save_safetensors writes.
std::string dump_safetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata = {});

}  // namespace yatlab
