// Files as users have them: NumPy arrays, zip archives of them, small images.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/raster.h"
#include "data/deflated.h"

namespace yatlab::testing {

/// An array as numpy.save writes it: `shape` is the text between the parentheses ("2, 3", "4,"). Version 1 pads its header to 64 bytes.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& values, bool fortran = false,
                       char version = 1) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" + shape + "), }";
  const std::size_t lengths = version == 1 ? 2 : 4;
  while ((8 + lengths + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  for (std::size_t i = 0; i < lengths; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + values;
}

/// The bytes of numbers in this machine's order (little-endian).
template <class T>
std::string bytes_of_numbers(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// A zip archive (APPNOTE.TXT 4.3): every file deflated, or stored.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& files, bool packed = false) {
  std::string out, directory;
  const auto number = [](std::string& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
  };
  for (const auto& [name, bytes] : files) {
    const std::string body = packed ? deflated(bytes, 6, -15) : bytes;
    std::string common;
    number(common, 20, 2), number(common, 0, 2), number(common, packed ? 8 : 0, 2), number(common, 0, 4);
    number(common, crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())), 4);
    number(common, body.size(), 4), number(common, bytes.size(), 4), number(common, name.size(), 2), number(common, 0, 2);
    directory += "PK\x01\x02";
    number(directory, 20, 2);
    directory += common;
    number(directory, 0, 2), number(directory, 0, 2), number(directory, 0, 2), number(directory, 0, 4), number(directory, out.size(), 4);
    directory += name;
    out += "PK\x03\x04" + common + name + body;
  }
  const auto at = out.size();
  out += directory + "PK\x05\x06";
  number(out, 0, 4), number(out, files.size(), 2), number(out, files.size(), 2), number(out, directory.size(), 4), number(out, at, 4),
      number(out, 0, 2);
  return out;
}

/// A PNG image of one colour, except for its first pixel.
inline std::string png(std::size_t rows, std::size_t columns, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  std::vector<std::uint8_t> rgb(rows * columns * 3);
  for (std::size_t i = 0; i < rgb.size(); i += 3) rgb[i] = red, rgb[i + 1] = green, rgb[i + 2] = blue;
  rgb[0] = 255, rgb[1] = rgb[2] = 0;
  return png_image(columns, rows, rgb).png;
}

}  // namespace yatlab::testing
