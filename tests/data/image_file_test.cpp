#include "plugins/kernels/datasets/image_file.h"

#include <ATen/ATen.h>
#include <png.h>
#include <turbojpeg.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "catch.h"
#include "data/fixtures.h"
#include "data/own_files.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

/// A PNG in one of libpng's formats.
std::string png_in(std::uint32_t format, std::uint32_t rows, std::uint32_t columns, const std::vector<std::uint8_t>& pixels) {
  ::png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = columns, image.height = rows, image.format = format;
  png_alloc_size_t size = 0;
  REQUIRE(png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr));
  std::string out(size, '\0');
  REQUIRE(png_image_write_to_memory(&image, out.data(), &size, 0, pixels.data(), 0, nullptr));
  out.resize(size);
  return out;
}

std::string jpeg(int rows, int columns, const std::vector<std::uint8_t>& pixels, bool grey) {
  const auto handle = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  REQUIRE(tjCompress2(handle, pixels.data(), columns, 0, rows, grey ? TJPF_GRAY : TJPF_RGB, &bytes, &size, grey ? TJSAMP_GRAY : TJSAMP_444,
                      100, TJFLAG_ACCURATEDCT) == 0);
  std::string out(reinterpret_cast<char*>(bytes), size);
  tjFree(bytes);
  tjDestroy(handle);
  return out;
}

/// EXIF data with only an orientation, in either byte order.
std::string exif(unsigned orientation, bool big_endian) {
  const auto number = [&](unsigned value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * (big_endian ? bytes - 1 - i : i) & 0xff);
    return out;
  };
  return (big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) + number(0x0100, 2) + number(4, 2) + number(1, 4) +
         number(9, 4) + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2) + number(0, 4);
}

/// A PNG with an additional chunk of this name after the first one, at byte 25.
std::string with_part(const std::string& png, const std::string& name, const std::string& content) {
  const auto number = [](std::uint64_t value) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
    return out;
  };
  const auto named = name + content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size()));
  return png.substr(0, 8 + 25) + number(content.size()) + named + number(sum) + png.substr(8 + 25);
}

}  // namespace

TEST_CASE("PNG images are read channel by channel", "[image_file]") {
  const auto colour = decode_image(png_in(PNG_FORMAT_RGB, 1, 2, {1, 2, 3, 4, 5, 6}), "a.png");
  CHECK(at::equal(colour, at::tensor({1, 4, 2, 5, 3, 6}, at::kByte).view({3, 1, 2})));
  const auto grey = decode_image(png_in(PNG_FORMAT_GRAY, 2, 3, {0, 50, 100, 150, 200, 255}), "a.png");
  CHECK(at::equal(grey, at::tensor({0, 50, 100, 150, 200, 255}, at::kByte).view({1, 2, 3})));
  // A fully opaque alpha channel is dropped.
  CHECK(decode_image(png_in(PNG_FORMAT_RGBA, 1, 1, {9, 8, 7, 255}), "a.png").flatten().equal(at::tensor({9, 8, 7}, at::kByte)));
  CHECK(decode_image(png_in(PNG_FORMAT_GA, 1, 1, {9, 255}), "a.png").flatten().equal(at::tensor({9}, at::kByte)));
  CHECK_THAT(caught([] {
               decode_image(png_in(PNG_FORMAT_RGBA, 1, 1, {9, 8, 7, 254}), "a.png");
             }).what(),
             Catch::Matchers::ContainsSubstring("'a.png' is partly transparent"));
}

TEST_CASE("JPEG images are read up to compression loss", "[image_file]") {
  std::vector<std::uint8_t> grey, colour;
  for (int i = 0; i < 16 * 24; ++i) {
    grey.push_back(static_cast<std::uint8_t>(i / 24 * 12));
    colour.insert(colour.end(), {static_cast<std::uint8_t>(i / 24 * 12), 100, static_cast<std::uint8_t>(i % 24 * 8)});
  }
  const auto a = decode_image(jpeg(16, 24, grey, true), "a.jpg");
  REQUIRE(a.sizes() == at::IntArrayRef({1, 16, 24}));
  CHECK((a.to(at::kInt).flatten() - at::tensor(grey, at::kByte).to(at::kInt)).abs().max().item<int>() <= 2);
  const auto b = decode_image(jpeg(16, 24, colour, false), "b.jpg");
  REQUIRE(b.sizes() == at::IntArrayRef({3, 16, 24}));
  CHECK((b.permute({1, 2, 0}).flatten().to(at::kInt) - at::tensor(colour, at::kByte).to(at::kInt)).abs().max().item<int>() <= 4);
}

TEST_CASE("truncated and invalid images are reported", "[image_file]") {
  const auto whole = png(20, 20, 1, 2, 3);
  std::vector<std::uint8_t> grey(64 * 64);
  for (std::size_t i = 0; i < grey.size(); ++i) grey[i] = static_cast<std::uint8_t>(i * 37);
  const auto photo = jpeg(64, 64, grey, true);
  for (const auto& bytes : {whole.substr(0, whole.size() / 2), whole.substr(0, 20)}) {
    CHECK_THAT(caught([&] { decode_image(bytes, "a.png"); }).what(),
               Catch::Matchers::ContainsSubstring("'a.png' is not a complete PNG image"));
  }
  for (const auto& bytes : {photo.substr(0, photo.size() / 2), photo.substr(0, 10)}) {
    CHECK_THAT(caught([&] { decode_image(bytes, "a.jpg"); }).what(),
               Catch::Matchers::ContainsSubstring("'a.jpg' is not a complete JPEG image"));
  }
  CHECK_THAT(caught([] { decode_image("GIF89a", "a.png"); }).what(), Catch::Matchers::ContainsSubstring("is not a PNG or JPEG image"));
  CHECK_THAT(caught([] { decode_image("", "a.png"); }).what(), Catch::Matchers::ContainsSubstring("it is empty"));
}

TEST_CASE("an image that claims to be huge is rejected without allocation", "[image_file]") {
  auto bytes = png(1, 1, 0, 0, 0);
  const auto number = [&](std::size_t at, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (24 - 8 * i) & 0xff);
  };
  number(16, 8193), number(20, 8192);  // just above
  number(29, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + 12, 17)));
  CHECK_THAT(caught([&] { decode_image(bytes, "a.png"); }).what(),
             Catch::Matchers::ContainsSubstring("'a.png' is too large") && Catch::Matchers::ContainsSubstring("8192 x 8193 pixels"));
}

TEST_CASE("images are recognised by their file names", "[image_file]") {
  for (const char* name : {"a.png", "b.JPG", "c.jpeg", "d.tar.PNG"}) CHECK(is_image_name(name));
  for (const char* name : {"a.gif", "png", "a.png.txt", ".png"}) CHECK_FALSE(is_image_name(name));
}

TEST_CASE("images are rotated according to their EXIF data", "[image_file]") {
  // An upright 2 x 3 image, and its stored form for each orientation (EXIF 2.3, tag 0x0112: where the stored first row and column belong).
  const auto upright = at::tensor({0, 50, 100, 150, 200, 250}, at::kByte).view({2, 3});
  const std::vector<std::vector<int>> stored[] = {{},
                                                  {{0, 50, 100}, {150, 200, 250}},
                                                  {{100, 50, 0}, {250, 200, 150}},     // first row: top, first column: right
                                                  {{250, 200, 150}, {100, 50, 0}},     // bottom, right
                                                  {{150, 200, 250}, {0, 50, 100}},     // bottom, left
                                                  {{0, 150}, {50, 200}, {100, 250}},   // left, top
                                                  {{100, 250}, {50, 200}, {0, 150}},   // right, top
                                                  {{250, 100}, {200, 50}, {150, 0}},   // right, bottom
                                                  {{150, 0}, {200, 50}, {250, 100}}};  // left, bottom
  for (unsigned orientation = 1; orientation <= 8; ++orientation) {
    const auto& rows = stored[orientation];
    std::vector<std::uint8_t> pixels;
    for (const auto& row : rows) {
      for (const int value : row) pixels.push_back(static_cast<std::uint8_t>(value));
    }
    const auto height = static_cast<std::uint32_t>(rows.size()), width = static_cast<std::uint32_t>(rows[0].size());
    for (const bool big_endian : {false, true}) {
      INFO(orientation << " " << big_endian);
      ImageNotes notes;
      const auto image =
          decode_image(with_part(png_in(PNG_FORMAT_GRAY, height, width, pixels), "eXIf", exif(orientation, big_endian)), "a.png", &notes);
      CHECK(at::equal(image.squeeze(0), upright));
      CHECK(notes.turned == (orientation != 1));
      CHECK_FALSE((notes.gamma || notes.rounded));
      // A JPEG of uniform blocks, which its compression does not blur.
      std::vector<std::uint8_t> blocks;
      for (std::uint32_t r = 0; r < 8 * height; ++r) {
        for (std::uint32_t c = 0; c < 8 * width; ++c) blocks.push_back(pixels[r / 8 * width + c / 8]);
      }
      auto photo = jpeg(static_cast<int>(8 * height), static_cast<int>(8 * width), blocks, true);
      const auto said = std::string("Exif\0\0", 6) + exif(orientation, big_endian);
      photo.insert(2, std::string("\xFF\xE1\0", 3) + static_cast<char>(said.size() + 2) + said);
      const auto turned = decode_image(photo, "a.jpg", &notes);
      REQUIRE(turned.sizes() == at::IntArrayRef({1, 16, 24}));
      const auto centres = turned[0].slice(0, 4, 16, 8).slice(1, 4, 24, 8).to(at::kInt);
      CHECK((centres - upright.to(at::kInt)).abs().max().item<int>() <= 2);
      CHECK(notes.turned == (orientation != 1));
    }
  }
  // An invalid orientation does not turn the image.
  const auto plain = png_in(PNG_FORMAT_GRAY, 2, 3, {0, 50, 100, 150, 200, 250});
  for (const auto& odd : {exif(0, true), exif(9, false), std::string("II"), exif(6, true).substr(0, 20), std::string("no TIFF at all")})
    CHECK(at::equal(decode_image(with_part(plain, "eXIf", odd), "a.png").squeeze(0), upright));
}

TEST_CASE("PNG values ignore gamma and 16 bits are rounded to 8", "[image_file]") {
  const std::vector<std::uint8_t> values = {0, 50, 100, 150, 200, 255};
  const auto plain = png_in(PNG_FORMAT_GRAY, 2, 3, values);
  const auto expected = at::tensor(values, at::kByte).view({1, 2, 3});
  const auto gamma = [](std::uint32_t hundred_thousandths) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(hundred_thousandths >> shift & 0xff);
    return out;
  };
  ImageNotes notes;
  for (const auto& [value, is_odd] :
       {std::pair{100000U, true}, std::pair{45455U, false}, std::pair{45000U, false}, std::pair{22222U, true}}) {
    INFO(value);
    CHECK(at::equal(decode_image(with_part(plain, "gAMA", gamma(value)), "a.png", &notes), expected));
    CHECK(notes.gamma == is_odd);
  }
  // 16-bit values over the whole range, most of which are not exactly a byte.
  std::vector<std::uint16_t> wide;
  for (int i = 0; i < 65536; i += 13) wide.push_back(static_cast<std::uint16_t>(i));
  png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(writer);
  std::string bytes;
  png_set_write_fn(
      writer, &bytes,
      [](png_structp p, png_bytep data, png_size_t size) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), size);
      },
      nullptr);
  png_set_IHDR(writer, info, static_cast<png_uint_32>(wide.size()), 1, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer, info);
  png_set_swap(writer);  // this machine's order
  png_write_row(writer, reinterpret_cast<png_const_bytep>(wide.data()));
  png_write_end(writer, info);
  png_destroy_write_struct(&writer, &info);
  for (const auto& image : {bytes, with_part(bytes, "gAMA", gamma(100000))}) {
    const auto read = decode_image(image, "a.png", &notes);
    CHECK(notes.rounded);
    REQUIRE(read.numel() == static_cast<std::int64_t>(wide.size()));
    int furthest = 0;
    for (std::size_t i = 0; i < wide.size(); ++i)
      furthest = std::max(furthest, std::abs(read.data_ptr<std::uint8_t>()[i] - static_cast<int>(std::lround(wide[i] / 257.0))));
    CHECK(furthest == 0);
  }
}
