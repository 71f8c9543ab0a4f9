#include "core/figure/raster.h"

#include <png.h>

#include "catch.h"
#include "core/base/error.h"

namespace yatlab {
namespace {

struct Pixels {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  std::array<int, 3> at(std::size_t x, std::size_t y) const {
    const auto i = 3 * (y * width + x);
    return {rgb[i], rgb[i + 1], rgb[i + 2]};
  }
};

/// Decoded by libpng.
Pixels decoded(const Image& image) {
  ::png_image png{};
  png.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&png, image.png.data(), image.png.size()));
  png.format = PNG_FORMAT_RGB;
  Pixels out{png.width, png.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
  REQUIRE(png_image_finish_read(&png, nullptr, out.rgb.data(), 0, nullptr));
  return out;
}

constexpr std::array<int, 3> kWhite = {255, 255, 255};

}  // namespace

TEST_CASE("a grid of numbers becomes an image with its first row on top", "[raster]") {
  Heat heat;
  heat.rows = 2;
  heat.columns = 3;
  heat.values = {0, 1, 2, 3, 4, kNaN};
  ColorScale scale;
  scale.max = 4;
  const auto picture = decoded(heat_image(heat, scale, 5));
  CHECK(picture.width == 15);
  CHECK(picture.height == 10);
  for (std::size_t y = 0; y < 10; ++y) {
    for (std::size_t x = 0; x < 15; ++x) {
      const double v = heat.values[y / 5 * 3 + x / 5];
      CHECK(picture.at(x, y) == (std::isnan(v) ? kWhite : color_at(scale.map, v / 4)));
    }
  }
  scale.min = scale.max = 2;  // no range: no division by zero
  CHECK(decoded(heat_image(heat, scale)).at(0, 0) == color_at(scale.map, 0.5));
}

TEST_CASE("images on a sheet are side by side with white lines between them", "[raster]") {
  Heat one;
  one.rows = one.columns = 2;
  one.values = {1, 1, 1, 1};
  Heat zero = one;
  zero.values = {0, 0, 0, 0};
  const auto sheet = decoded(contact_sheet({one, zero, one}, {}, 2, 1));
  CHECK(sheet.width == 5);
  CHECK(sheet.height == 5);
  const auto high = color_at(ColorMap::kSequential, 1), low = color_at(ColorMap::kSequential, 0);
  CHECK(sheet.at(0, 0) == high);
  CHECK(sheet.at(2, 0) == kWhite);
  CHECK(sheet.at(3, 1) == low);
  CHECK(sheet.at(1, 2) == kWhite);
  CHECK(sheet.at(1, 4) == high);
  CHECK(sheet.at(4, 4) == kWhite);  // the fourth place is free
  Heat wide = one;
  wide.columns = 1;
  CHECK_THROWS_AS(contact_sheet({one, wide}, {}, 2), Error);
}

}  // namespace yatlab
