#include "core/base/utf8.h"

#include <cstdint>

#include "core/base/text.h"

namespace yatlab {

std::size_t first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    std::size_t more = 0;
    std::uint32_t point = c;
    if (c >= 0xF0 && c <= 0xF4) {
      more = 3;
      point = c & 0x07U;
    } else if (c >= 0xE0 && c < 0xF0) {
      more = 2;
      point = c & 0x0FU;
    } else if (c >= 0xC2 && c < 0xE0) {
      more = 1;
      point = c & 0x1FU;
    } else if (c >= 0x80) {
      return i;
    }
    if (i + more >= text.size()) return i;
    for (std::size_t k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return i;
      point = (point << 6) | (next & 0x3FU);
    }
    const bool overlong = (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
    if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return i;
    i += more + 1;
  }
  return std::string_view::npos;
}

std::size_t count_characters(std::string_view utf8) {
  std::size_t n = 0;
  for (char c : utf8) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

std::string visible_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const auto end = text.find_first_of("\n\t");
    out += visible(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

}  // namespace yatlab
