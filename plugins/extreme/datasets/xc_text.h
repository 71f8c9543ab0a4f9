#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace yatlab {

/// What one file of the Extreme Classification Repository's sparse text format holds.
struct XcRows {
  at::Tensor features;  ///< [rows, features] float32 CSR, columns ascending
  at::Tensor labels;    ///< [rows, labels] float32 CSR of ones, columns ascending
};

struct XcOptions {
  int threads = 0;                                 ///< that parse; 1: the caller's alone; 0: as many as there are cores
  std::size_t block_bytes = std::size_t{1} << 20;  ///< text handed to a thread at a time
  /// Accept a last line without its newline. A file that was cut off looks like that, so only for files
  /// whose checksum says that they are whole.
  bool open_end = false;
};

/// Reads the format
///
///     rows features labels                 (first line)
///     l1,l2,... f:v f:v ...                (one line per row; indices from 0)
///      f:v f:v ...                         (a row without labels begins with a blank)
///
/// in blocks of whole lines, parsed by several threads. Features and labels may come in any order; a
/// stored value of 0 is kept. A row may have no features, and may have nothing at all (one blank).
///
/// Data errors name the file and the line: a bad header, a bad or out-of-range index, a value that is
/// no finite float32, a feature or a label given twice, an empty line, a CR LF line end, a missing
/// last newline, fewer or more rows than the header says. The first bad line is the one reported.
XcRows parse_xc(std::string_view text, const std::string& name, const XcOptions& options = {});

/// The same from a file: plain, gzip or xz, told by its first bytes, and unpacked while it is parsed.
XcRows read_xc(const std::filesystem::path& path, const XcOptions& options = {});

}  // namespace yatlab
