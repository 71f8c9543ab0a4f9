#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace yatlab {

/// The contents of one file in the Extreme Classification Repository's sparse text format.
struct XcRows {
  at::Tensor features;  ///< [rows, features] float32 CSR, columns ascending
  at::Tensor labels;    ///< [rows, labels] float32 CSR of ones, columns ascending
};

struct XcOptions {
  int threads = 0;                                 ///< parsing threads; 1: the caller's only; 0: one per core
  std::size_t block_bytes = std::size_t{1} << 20;  ///< text per task of a thread
  /// Accept a last line without its newline. A truncated file looks the same, so set it only for files
  /// whose checksum shows that they are complete.
  bool open_end = false;
};

/// Reads the format
///
///     rows features labels                 (first line)
///     l1,l2,... f:v f:v ...                (one line per row; indices from 0)
///      f:v f:v ...                         (a row without labels begins with a blank)
///
/// in blocks of whole lines, which several threads parse. Features and labels may come in any order; a
/// stored value of 0 is kept. A row may have no features, and may be empty (one blank).
///
/// Data errors name the file and the line: a bad header, a bad or out-of-range index, a value that is
/// not a finite float32, a duplicate feature or label, an empty line, a CR LF line end, a missing
/// last newline, or a number of rows other than the header's. The first bad line is reported.
XcRows parse_xc(std::string_view text, const std::string& name, const XcOptions& options = {});

/// The same from a file: plain, gzip or xz, detected by its first bytes, and unpacked while it is parsed.
XcRows read_xc(const std::filesystem::path& path, const XcOptions& options = {});

}  // namespace yatlab
