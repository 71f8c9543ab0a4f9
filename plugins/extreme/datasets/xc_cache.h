#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "plugins/extreme/datasets/xc_text.h"

namespace yatlab {

/// `read_xc` with a cache: the parsed form is stored in `folder` under the SHA-256 of the file and memory-mapped
/// from there the next time. Nothing is copied, and processes that read the same set share its
/// pages. A cached file that is truncated, damaged or of another version is reported to `notice` and
/// rebuilt. A folder that is not writable is reported too, but is not an error.
///
/// Layout of a cached file, version 1. All numbers are little-endian; sections begin at multiples of 64
/// bytes, with zeros between:
///
///     offset   0  8 bytes   "YATLABXC"
///              8  uint32    version (1)
///             12  uint32    0
///             16  64 bytes  SHA-256 of the text file, hexadecimal
///             80  5 int64   rows, features, labels, feature entries, label entries
///            120  8 bytes   0
///            128  64 bytes  SHA-256 of bytes 0..127 and of everything from 192 on, hexadecimal
///            192  int64 [rows + 1]          where each row's features start
///            ...  int64 [feature entries]   feature indices, ascending in a row
///            ...  float32 [feature entries] their values
///            ...  int64 [rows + 1]          where each row's labels start
///            ...  int64 [label entries]     label indices, ascending in a row
XcRows read_xc_cached(const std::filesystem::path& path, const std::filesystem::path& folder, const XcOptions& options = {},
                      const std::function<void(const std::string&)>& notice = {});

/// Path of the parsed form of a file with this SHA-256: <folder>/<sha256>.yatxc
std::filesystem::path xc_cache_path(const std::filesystem::path& folder, const std::string& sha256);

}  // namespace yatlab
