#include "core/figure/yat_letter.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/hash.h"

namespace yatlab {
namespace {

constexpr int kEm = 2048, kAdvance = 1274, kLeft = 201, kRight = 1163, kTop = 1493, kAscent = 1901, kDescent = -483;
// Clockwise, as TrueType requires.
constexpr std::pair<int, int> kOutline[] = {{201, 1493}, {1145, 1493}, {1145, 1323}, {403, 1323}, {403, 881}, {676, 881}, {676, 1136},
                                            {880, 1136}, {880, 881},   {1114, 881},  {1114, 711}, {880, 711}, {880, 456}, {676, 456},
                                            {676, 711},  {403, 711},   {403, 170},   {1163, 170}, {1163, 0},  {201, 0}};
constexpr int kPoints = sizeof(kOutline) / sizeof(kOutline[0]);

/// Big-endian bytes.
class Bytes {
 public:
  Bytes& u8(unsigned v) { return add(v, 1); }
  Bytes& u16(int v) { return add(static_cast<std::uint32_t>(v), 2); }
  Bytes& u32(std::uint32_t v) { return add(v, 4); }
  Bytes& zeros(int n) {
    data.append(static_cast<std::size_t>(n), '\0');
    return *this;
  }
  std::string data;

 private:
  Bytes& add(std::uint32_t v, int n) {
    for (int shift = 8 * (n - 1); shift >= 0; shift -= 8) data += static_cast<char>(v >> shift & 0xFF);
    return *this;
  }
};

std::string glyph() {
  Bytes b;
  b.u16(1).u16(kLeft).u16(0).u16(kRight).u16(kTop).u16(kPoints - 1).u16(0);
  for (int i = 0; i < kPoints; ++i) b.u8(1);  // on the curve, both coordinates as 16-bit differences
  int last = 0;
  for (const auto& point : kOutline) b.u16(point.first - std::exchange(last, point.first));
  last = 0;
  for (const auto& point : kOutline) b.u16(point.second - std::exchange(last, point.second));
  b.zeros(static_cast<int>((4 - b.data.size() % 4) % 4));
  return b.data;
}

std::string names() {
  const std::pair<int, std::string> entries[] = {{1, "Yat"}, {2, "Regular"}, {4, "Yat"}, {6, "Yat"}};
  Bytes head, text;
  head.u16(0).u16(4).u16(6 + 4 * 12);
  for (const auto& [id, value] : entries) {
    head.u16(3).u16(1).u16(0x409).u16(id).u16(static_cast<int>(2 * value.size())).u16(static_cast<int>(text.data.size()));
    for (const char c : value) text.u16(c);
  }
  return head.data + text.data;
}

std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) sum += std::uint32_t{static_cast<unsigned char>(bytes[i])} << (24 - 8 * (i % 4));
  return sum;
}

std::string font_bytes() {
  const std::string outline = glyph();
  Bytes os2, cmap, head, hhea, hmtx, loca, maxp, post;
  os2.u16(4).u16(kAdvance).u16(400).u16(5).u16(0).zeros(20).u16(0).zeros(10).zeros(16).u32(0x59415420).u16(0x40).u16(0x2D5F).u16(0x2D5F);
  os2.u16(kAscent).u16(kDescent).u16(0).u16(kAscent).u16(-kDescent).u32(0).u32(0).u16(1120).u16(kTop).u16(0).u16(32).u16(0);
  // Format 4: one segment and the terminating one.
  cmap.u16(0).u16(1).u16(3).u16(1).u32(12);
  cmap.u16(4)
      .u16(32)
      .u16(0)
      .u16(4)
      .u16(4)
      .u16(1)
      .u16(0)
      .u16(0x2D5F)
      .u16(0xFFFF)
      .u16(0)
      .u16(0x2D5F)
      .u16(0xFFFF)
      .u16(1 - 0x2D5F)
      .u16(1)
      .u16(0)
      .u16(0);
  head.u32(0x10000)
      .u32(0x10000)
      .u32(0)
      .u32(0x5F0F3CF5)
      .u16(3)
      .u16(kEm)
      .zeros(16)
      .u16(kLeft)
      .u16(0)
      .u16(kRight)
      .u16(kTop)
      .u16(0)
      .u16(8)
      .u16(2)
      .u16(1)
      .u16(0);
  hhea.u32(0x10000)
      .u16(kAscent)
      .u16(kDescent)
      .u16(0)
      .u16(kAdvance)
      .u16(kLeft)
      .u16(kAdvance - kRight)
      .u16(kRight)
      .u16(1)
      .u16(0)
      .zeros(12)
      .u16(2);
  hmtx.u16(kAdvance).u16(0).u16(kAdvance).u16(kLeft);
  loca.u32(0).u32(0).u32(static_cast<std::uint32_t>(outline.size()));
  maxp.u32(0x10000).u16(2).u16(kPoints).u16(1).u16(0).u16(0).u16(2).zeros(16);
  post.u32(0x30000).u32(0).u16(-130).u16(90).u32(0).zeros(16);
  const std::pair<const char*, std::string> tables[] = {{"OS/2", os2.data},  {"cmap", cmap.data}, {"glyf", outline},   {"head", head.data},
                                                        {"hhea", hhea.data}, {"hmtx", hmtx.data}, {"loca", loca.data}, {"maxp", maxp.data},
                                                        {"name", names()},   {"post", post.data}};
  constexpr int n = 10;
  Bytes directory;
  directory.u32(0x10000).u16(n).u16(128).u16(3).u16(n * 16 - 128);
  std::string body;
  std::size_t head_at = 0;
  for (const auto& [tag, bytes] : tables) {
    const auto at = 12 + 16 * n + body.size();
    if (std::string(tag) == "head") head_at = at;
    directory.data += tag;
    directory.u32(checksum(bytes)).u32(static_cast<std::uint32_t>(at)).u32(static_cast<std::uint32_t>(bytes.size()));
    body += bytes;
    body.append((4 - body.size() % 4) % 4, '\0');
  }
  std::string out = directory.data + body;
  Bytes adjustment;
  adjustment.u32(0xB1B0AFBAu - checksum(out));
  return out.replace(head_at + 8, 4, adjustment.data);
}

}  // namespace

const std::string& yat_font() {
  static const std::string font = base64(font_bytes());
  return font;
}

std::string yat_font_face(double scale) {
  return fmt::format("@font-face {{ font-family: Yat; src: url(data:font/ttf;base64,{}) format(\"truetype\"); unicode-range: U+2D5F;{} }}",
                     yat_font(), scale == 1 ? "" : fmt::format(" size-adjust: {:g}%;", 100 * scale));
}

std::string yat_latex() {
  // Only primitives, so that it survives the file behind \listoftables, which is read before any definition below it. \noindent starts a paragraph
  // and otherwise has no effect. Stem, three bars, and the short stroke through the middle one.
  const auto rule = [](const char* width, const char* from, const char* to) {
    return fmt::format("\\vrule width{0} height{1} depth-{2}\\kern-{0}", width, to, from);
  };
  return "% \\yat is the letter U+2D5F, drawn with rules: fonts of TeX lack it. A document that defines \\yat keeps its own.\n"
         "\\providecommand{\\yat}{\\noindent\\hbox{\\kern.09em" +
         rule(".065em", "0em", ".76em") + rule(".52em", ".695em", ".76em") + rule(".5em", ".35em", ".415em") +
         rule(".53em", "0em", ".065em") + "\\kern.27em" + rule(".075em", ".2em", ".565em") + "\\kern.35em}}\n";
}

}  // namespace yatlab
