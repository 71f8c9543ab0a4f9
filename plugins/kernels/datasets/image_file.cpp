#include "plugins/kernels/datasets/image_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

Error bad_image(const std::string& name, const std::string& what, const std::string& why, const std::string& hint = {}) {
  return data_error(fmt::format("'{}' {}", name, what), {}, why, hint);
}

void check_size(const std::string& name, std::int64_t rows, std::int64_t columns) {
  if (rows * columns > kMostPixels) {
    throw bad_image(name, "is too large", fmt::format("{} x {} pixels; the maximum is {}", rows, columns, kMostPixels), "resize it first");
  }
}

/// [rows, columns, channels] -> [channels, rows, columns]
at::Tensor channels_first(const at::Tensor& pixels) { return pixels.permute({2, 0, 1}).contiguous(); }

/// `size` bytes as an integer; 0 beyond the end.
std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size, bool big_endian) {
  if (at > bytes.size() || bytes.size() - at < size) return 0;
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < size; ++i)
    out |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << 8 * (big_endian ? size - 1 - i : i);
  return out;
}

/// The orientation in EXIF data (a TIFF header and its first directory): 1 to 8, 1 if it is missing.
std::uint32_t orientation_in(std::string_view exif) {
  constexpr std::uint32_t kOrientation = 0x0112, kShort = 3;
  const bool big_endian = exif.substr(0, 2) == "MM";
  if (!big_endian && exif.substr(0, 2) != "II") return 1;
  const auto number = [&](std::size_t at, std::size_t size) { return number_at(exif, at, size, big_endian); };
  if (number(2, 2) != 42) return 1;
  const std::size_t directory = number(4, 4), entries = number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const auto at = directory + 2 + 12 * i;
    if (number(at, 2) != kOrientation || number(at + 2, 2) != kShort) continue;
    const auto value = number(at + 8, 2);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/// [channels, rows, columns] in the orientation that viewers show.
at::Tensor upright(const at::Tensor& image, std::uint32_t orientation) {
  if (orientation == 1) return image;
  const bool swapped = orientation >= 5;  // rows and columns
  const auto turned = swapped ? image.transpose(1, 2) : image;
  // After that: whether its rows and columns are reversed.
  const bool rows = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8,
             columns = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  std::vector<std::int64_t> flipped;
  if (rows) flipped.push_back(1);
  if (columns) flipped.push_back(2);
  return turned.flip(flipped).contiguous();
}

/// A PNG's metadata. Each chunk is a length, a name, that many bytes and a checksum.
struct PngParts {
  std::string pixels;  ///< the file without the chunks that make libpng change values
  std::uint32_t orientation = 1;
  bool gamma = false, sixteen_bits = false;
};

PngParts parts_of_png(std::string_view bytes) {
  constexpr std::size_t kSignature = 8, kAround = 12;
  constexpr std::uint32_t kOfSrgb = 45455, kNear = 700;  // 1 / 2.2, in 100,000ths, and the accepted difference from it
  PngParts out;
  out.sixteen_bits = bytes.size() > 24 && bytes[24] == 16;  // IHDR is first
  out.pixels = bytes.substr(0, kSignature);
  for (auto rest = bytes.substr(std::min(bytes.size(), kSignature)); !rest.empty();) {
    const std::size_t length = number_at(rest, 0, 4, true);
    const auto part = rest.substr(0, length > rest.size() ? rest.size() : length + kAround);
    const auto name = rest.substr(std::min<std::size_t>(4, rest.size()), 4),
               content = part.substr(std::min<std::size_t>(8, part.size()), length);
    rest.remove_prefix(std::min(part.size(), rest.size()));
    const auto gamma = number_at(content, 0, 4, true);
    if (name == "gAMA" && (gamma + kNear < kOfSrgb || gamma > kOfSrgb + kNear)) out.gamma = true;
    if (name == "iCCP") out.gamma = true;
    if (name == "eXIf") out.orientation = orientation_in(content);
    if (name != "gAMA" && name != "cHRM" && name != "iCCP" && name != "sRGB") out.pixels += part;
  }
  return out;
}

/// The EXIF data of a JPEG; empty if there are none. Each segment is FF, a marker, a length that includes itself, and bytes.
std::string_view exif_of_jpeg(std::string_view bytes) {
  constexpr std::string_view kMark("Exif\0\0", 6);
  for (std::size_t at = 2; at + 4 <= bytes.size() && bytes[at] == '\xFF';) {
    const auto letter = static_cast<unsigned char>(bytes[at + 1]);
    if (letter == 0xFF) {  // a fill byte
      ++at;
      continue;
    }
    if (letter == 0xDA || letter == 0xD9) break;  // pixels, or the end
    const std::size_t length = number_at(bytes, at + 2, 2, true);
    const auto content = bytes.substr(at + 4, length < 2 ? 0 : length - 2);
    if (letter == 0xE1 && content.substr(0, kMark.size()) == kMark) return content.substr(kMark.size());
    at += 2 + std::max<std::size_t>(length, 2);
  }
  return {};
}

at::Tensor decode_png(std::string_view whole, const std::string& name, ImageNotes& notes) {
  const auto parts = parts_of_png(whole);
  const std::string_view bytes = parts.pixels;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> freed(&image, png_image_free);
  const auto broken = [&] { return bad_image(name, "is not a complete PNG image", image.message, "check that the file is complete"); };
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) throw broken();
  check_size(name, image.height, image.width);
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // 16-bit values use sRGB's transfer curve, not a linear one
  const bool transparent = image.format & PNG_FORMAT_FLAG_ALPHA, colour = image.format & PNG_FORMAT_FLAG_COLOR;
  image.format = transparent ? (colour ? PNG_FORMAT_RGBA : PNG_FORMAT_GA) : (colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY);
  const std::int64_t channels = PNG_IMAGE_SAMPLE_CHANNELS(image.format);
  auto pixels = at::empty({image.height, image.width, channels}, at::kByte);
  if (!png_image_finish_read(&image, nullptr, pixels.data_ptr(), 0, nullptr) || PNG_IMAGE_FAILED(image)) throw broken();
  if (transparent) {
    if (pixels.select(2, channels - 1).ne(255).any().item<bool>()) {
      throw bad_image(name, "is partly transparent", "its background is unknown", "save it on a background, without an alpha channel");
    }
    pixels = pixels.narrow(2, 0, channels - 1);
  }
  notes = {parts.orientation != 1, parts.sixteen_bits, parts.gamma};
  return upright(channels_first(pixels), parts.orientation);
}

at::Tensor decode_jpeg(std::string_view bytes, const std::string& name, ImageNotes& notes) {
  const std::unique_ptr<void, int (*)(tjhandle)> jpeg(tjInitDecompress(), tjDestroy);
  const auto broken = [&] {
    return bad_image(name, "is not a complete JPEG image", tjGetErrorStr2(jpeg.get()), "check that the file is complete");
  };
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int columns = 0, rows = 0, sampling = 0, colours = 0;
  if (!jpeg || tjDecompressHeader3(jpeg.get(), data, bytes.size(), &columns, &rows, &sampling, &colours) != 0) throw broken();
  check_size(name, rows, columns);
  if (colours == TJCS_CMYK || colours == TJCS_YCCK)
    throw bad_image(name, "is a CMYK image", "only grey and RGB are supported", "convert it to RGB");
  const bool grey = colours == TJCS_GRAY;
  auto pixels = at::empty({rows, columns, grey ? 1 : 3}, at::kByte);
  // Warnings count as errors, too: the missing part of a truncated file would be grey.
  if (tjDecompress2(jpeg.get(), data, bytes.size(), static_cast<unsigned char*>(pixels.data_ptr()), columns, 0, rows,
                    grey ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT) != 0) {
    throw broken();
  }
  const auto orientation = orientation_in(exif_of_jpeg(bytes));
  notes = {orientation != 1, false, false};
  return upright(channels_first(pixels), orientation);
}

}  // namespace

bool is_image_name(const std::filesystem::path& path) {
  const auto extension = lower(path.extension().string());
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

at::Tensor decode_image(std::string_view bytes, const std::string& name, ImageNotes* notes) {
  ImageNotes own;
  auto& to = notes ? *notes : own;
  if (bytes.substr(0, 4) == "\x89PNG") return decode_png(bytes, name, to);
  if (bytes.substr(0, 3) == "\xFF\xD8\xFF") return decode_jpeg(bytes, name, to);
  throw bad_image(name, "is not a PNG or JPEG image", bytes.empty() ? "it is empty" : "its first bytes match neither format");
}

at::Tensor read_image(const std::filesystem::path& path) { return decode_image(read_file(path), path.string()); }

}  // namespace yatlab
