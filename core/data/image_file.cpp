#include "core/data/image_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include <memory>

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
    throw bad_image(name, "is too large", fmt::format("{} x {} pixels; at most {} are read", rows, columns, kMostPixels),
                    "make it smaller first");
  }
}

/// [rows, columns, channels] -> [channels, rows, columns]
at::Tensor channels_first(const at::Tensor& pixels) { return pixels.permute({2, 0, 1}).contiguous(); }

at::Tensor decode_png(std::string_view bytes, const std::string& name) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> freed(&image, png_image_free);
  const auto broken = [&] { return bad_image(name, "is no whole PNG image", image.message, "check that it was copied whole"); };
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) throw broken();
  check_size(name, image.height, image.width);
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // sixteen bits are as bright as eight would be, not linear
  const bool transparent = image.format & PNG_FORMAT_FLAG_ALPHA, colour = image.format & PNG_FORMAT_FLAG_COLOR;
  image.format = transparent ? (colour ? PNG_FORMAT_RGBA : PNG_FORMAT_GA) : (colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY);
  const std::int64_t channels = PNG_IMAGE_SAMPLE_CHANNELS(image.format);
  auto pixels = at::empty({image.height, image.width, channels}, at::kByte);
  if (!png_image_finish_read(&image, nullptr, pixels.data_ptr(), 0, nullptr) || PNG_IMAGE_FAILED(image)) throw broken();
  if (transparent) {
    if (pixels.select(2, channels - 1).ne(255).any().item<bool>()) {
      throw bad_image(name, "is partly transparent", "what is behind it is for you to say",
                      "save it on a background, without an alpha channel");
    }
    pixels = pixels.narrow(2, 0, channels - 1);
  }
  return channels_first(pixels);
}

at::Tensor decode_jpeg(std::string_view bytes, const std::string& name) {
  const std::unique_ptr<void, int (*)(tjhandle)> jpeg(tjInitDecompress(), tjDestroy);
  const auto broken = [&] {
    return bad_image(name, "is no whole JPEG image", tjGetErrorStr2(jpeg.get()), "check that it was copied whole");
  };
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int columns = 0, rows = 0, sampling = 0, colours = 0;
  if (!jpeg || tjDecompressHeader3(jpeg.get(), data, bytes.size(), &columns, &rows, &sampling, &colours) != 0) throw broken();
  check_size(name, rows, columns);
  if (colours == TJCS_CMYK || colours == TJCS_YCCK) throw bad_image(name, "is a CMYK image", "grey and RGB are read", "convert it to RGB");
  const bool grey = colours == TJCS_GRAY;
  auto pixels = at::empty({rows, columns, grey ? 1 : 3}, at::kByte);
  // A warning, too: what is missing of a file that is cut off would be grey.
  if (tjDecompress2(jpeg.get(), data, bytes.size(), static_cast<unsigned char*>(pixels.data_ptr()), columns, 0, rows,
                    grey ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT) != 0) {
    throw broken();
  }
  return channels_first(pixels);
}

}  // namespace

bool is_image_name(const std::filesystem::path& path) {
  const auto extension = lower(path.extension().string());
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

at::Tensor decode_image(std::string_view bytes, const std::string& name) {
  if (bytes.substr(0, 4) == "\x89PNG") return decode_png(bytes, name);
  if (bytes.substr(0, 3) == "\xFF\xD8\xFF") return decode_jpeg(bytes, name);
  throw bad_image(name, "is no PNG or JPEG image", bytes.empty() ? "it is empty" : "it begins like neither");
}

at::Tensor read_image(const std::filesystem::path& path) { return decode_image(read_file(path), path.string()); }

}  // namespace yatlab
