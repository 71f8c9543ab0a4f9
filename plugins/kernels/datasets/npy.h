#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// An array stored by NumPy: numbers, or strings.
struct NpyArray {
  at::Tensor numbers;                ///< of the stored type; undefined for strings
  std::vector<std::string> strings;  ///< in C order, UTF-8
  std::vector<std::int64_t> shape;
  std::string type;  ///< in NumPy's notation: "<f4", "|u1", "<U7"

  /// "60000 x 28 x 28, |u1"
  std::string text() const;
};

/// Parses an array in NumPy's format, versions 1 to 3 (numpy.lib.format): booleans, integers, floats of any size and byte order, in C or Fortran
/// order; strings (S, U). `name` is used in error messages. Data error for objects, records and complex numbers, and where header and length differ.
NpyArray parse_npy(std::string_view bytes, const std::string& name);

/// Reads a .npy file, also compressed by gzip, xz or zstd.
NpyArray read_npy(const std::filesystem::path& path);

/// Reads every array of a .npz file (np.savez, np.savez_compressed), by name. Data error if it is not a zip archive of arrays.
std::map<std::string, NpyArray> read_npz(const std::filesystem::path& path);

}  // namespace yatlab
