#include "core/figure/raster.h"

#include <png.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace yatlab {
namespace {

std::array<int, 3> color_of(const ColorScale& scale, double value) {
  if (std::isnan(value)) return {255, 255, 255};
  double t = value;
  if (scale.map != ColorMap::kCategories) {
    const bool log = scale.log && scale.min > 0;
    const double low = log ? std::log(scale.min) : scale.min, high = log ? std::log(scale.max) : scale.max;
    const double at = log ? std::log(std::max(value, scale.min)) : value;
    t = high > low ? (at - low) / (high - low) : 0.5;
  } else {
    const auto count = static_cast<double>(color_stops(scale.map).size());
    t = std::fmod(std::max(0.0, value), count) / std::max(1.0, count - 1);
  }
  return color_at(scale.map, t);
}

}  // namespace

Image png_image(std::size_t width, std::size_t height, const std::vector<std::uint8_t>& rgb) {
  if (width == 0 || height == 0 || rgb.size() != 3 * width * height)
    throw Error(ErrorKind::kInternal, "the number of pixels does not match the size of the picture");
  ::png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  Image out;
  if (png_image_write_to_memory(&image, nullptr, &size, 0, rgb.data(), 0, nullptr)) {
    out.png.resize(size);
    if (png_image_write_to_memory(&image, out.png.data(), &size, 0, rgb.data(), 0, nullptr)) {
      out.png.resize(size);
      return out;
    }
  }
  throw Error(ErrorKind::kJob, "cannot create a PNG", {}, image.message);
}

Image heat_image(const Heat& heat, const ColorScale& scale, std::size_t pixels) { return contact_sheet({heat}, scale, 1, pixels); }

Image contact_sheet(const std::vector<Heat>& heats, const ColorScale& scale, std::size_t columns, std::size_t pixels) {
  if (heats.empty() || columns == 0 || pixels == 0) throw Error(ErrorKind::kInternal, "a picture cannot be empty");
  const std::size_t across = std::min(columns, heats.size()), down = (heats.size() + columns - 1) / columns;
  const std::size_t cell_width = heats[0].columns * pixels, cell_height = heats[0].rows * pixels;
  const std::size_t width = across * (cell_width + 1) - 1, height = down * (cell_height + 1) - 1;
  std::vector<std::uint8_t> rgb(3 * width * height, 255);
  for (std::size_t n = 0; n < heats.size(); ++n) {
    const auto& heat = heats[n];
    if (heat.columns * pixels != cell_width || heat.rows * pixels != cell_height)
      throw Error(ErrorKind::kInternal, "pictures have different sizes");
    const std::size_t left = n % columns * (cell_width + 1), top = n / columns * (cell_height + 1);
    for (std::size_t row = 0; row < cell_height; ++row) {
      for (std::size_t column = 0; column < cell_width; ++column) {
        const auto color = color_of(scale, heat.values[row / pixels * heat.columns + column / pixels]);
        for (std::size_t c = 0; c < 3; ++c) {
          rgb[3 * ((top + row) * width + left + column) + c] = static_cast<std::uint8_t>(std::clamp(color[c], 0, 255));
        }
      }
    }
  }
  return png_image(width, height, rgb);
}

}  // namespace yatlab
