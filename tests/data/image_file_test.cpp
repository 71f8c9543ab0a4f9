#include "core/data/image_file.h"

#include <ATen/ATen.h>
#include <png.h>
#include <turbojpeg.h>

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

}  // namespace

TEST_CASE("PNG images are read channel by channel", "[image_file]") {
  const auto colour = decode_image(png_in(PNG_FORMAT_RGB, 1, 2, {1, 2, 3, 4, 5, 6}), "a.png");
  CHECK(at::equal(colour, at::tensor({1, 4, 2, 5, 3, 6}, at::kByte).view({3, 1, 2})));
  const auto grey = decode_image(png_in(PNG_FORMAT_GRAY, 2, 3, {0, 50, 100, 150, 200, 255}), "a.png");
  CHECK(at::equal(grey, at::tensor({0, 50, 100, 150, 200, 255}, at::kByte).view({1, 2, 3})));
  // An alpha channel that hides nothing is none.
  CHECK(decode_image(png_in(PNG_FORMAT_RGBA, 1, 1, {9, 8, 7, 255}), "a.png").flatten().equal(at::tensor({9, 8, 7}, at::kByte)));
  CHECK(decode_image(png_in(PNG_FORMAT_GA, 1, 1, {9, 255}), "a.png").flatten().equal(at::tensor({9}, at::kByte)));
  CHECK_THAT(caught([] {
               decode_image(png_in(PNG_FORMAT_RGBA, 1, 1, {9, 8, 7, 254}), "a.png");
             }).what(),
             Catch::Matchers::ContainsSubstring("'a.png' is partly transparent"));
}

TEST_CASE("JPEG images are read to within what their packing loses", "[image_file]") {
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

TEST_CASE("an image that is cut off, or none, says so", "[image_file]") {
  const auto whole = png(20, 20, 1, 2, 3);
  std::vector<std::uint8_t> grey(64 * 64);
  for (std::size_t i = 0; i < grey.size(); ++i) grey[i] = static_cast<std::uint8_t>(i * 37);
  const auto photo = jpeg(64, 64, grey, true);
  for (const auto& bytes : {whole.substr(0, whole.size() / 2), whole.substr(0, 20)}) {
    CHECK_THAT(caught([&] { decode_image(bytes, "a.png"); }).what(), Catch::Matchers::ContainsSubstring("'a.png' is no whole PNG image"));
  }
  for (const auto& bytes : {photo.substr(0, photo.size() / 2), photo.substr(0, 10)}) {
    CHECK_THAT(caught([&] { decode_image(bytes, "a.jpg"); }).what(), Catch::Matchers::ContainsSubstring("'a.jpg' is no whole JPEG image"));
  }
  CHECK_THAT(caught([] { decode_image("GIF89a", "a.png"); }).what(), Catch::Matchers::ContainsSubstring("is no PNG or JPEG image"));
  CHECK_THAT(caught([] { decode_image("", "a.png"); }).what(), Catch::Matchers::ContainsSubstring("it is empty"));
}

TEST_CASE("an image that says to be huge is refused before anything is made for it", "[image_file]") {
  auto bytes = png(1, 1, 0, 0, 0);
  const auto number = [&](std::size_t at, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (24 - 8 * i) & 0xff);
  };
  number(16, 8193), number(20, 8192);  // just above
  number(29, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + 12, 17)));
  CHECK_THAT(caught([&] { decode_image(bytes, "a.png"); }).what(),
             Catch::Matchers::ContainsSubstring("'a.png' is too large") && Catch::Matchers::ContainsSubstring("8192 x 8193 pixels"));
}

TEST_CASE("images are known by their names", "[image_file]") {
  for (const char* name : {"a.png", "b.JPG", "c.jpeg", "d.tar.PNG"}) CHECK(is_image_name(name));
  for (const char* name : {"a.gif", "png", "a.png.txt", ".png"}) CHECK_FALSE(is_image_name(name));
}
