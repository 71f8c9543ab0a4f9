#include "core/base/print.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <random>

#include "core/base/print_error.h"

namespace yatlab {
namespace {

/// The mark before this program's own sequences.
const std::string& own_mark() {
  static const std::string mark = [] {
    std::random_device random;
    return fmt::format("\x1b{:08x}{:08x}", random(), random());
  }();
  return mark;
}

/// The code point that begins at `at` and its length; 0 bytes if invalid (overlong, surrogate, beyond Unicode).
std::pair<std::uint32_t, std::size_t> code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = byte(at);
  const std::size_t size = lead < 0x80                   ? 1
                           : lead >= 0xc2 && lead < 0xe0 ? 2
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xf0 && lead < 0xf5 ? 4
                                                         : 0;
  if (size == 0 || at + size > text.size()) return {0, 0};
  std::uint32_t out = size == 1 ? lead : lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {0, 0};
    out = out << 6 | (byte(at + i) & 0x3fu);
  }
  const bool overlong = (size == 3 && out < 0x800) || (size == 4 && out < 0x10000);
  if (overlong || out > 0x10ffff || (out >= 0xd800 && out < 0xe000)) return {0, 0};
  return {out, size};
}

bool steers(std::uint32_t c) {
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0);
  const bool direction = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return control || direction || c == 0x2028 || c == 0x2029;
}

}  // namespace

std::string terminal_code(std::string_view sequence) { return own_mark() + std::string(sequence); }

std::string for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto& mark = own_mark();
    if (text[at] == '\x1b' && text.substr(at, mark.size()) == mark) {
      at += mark.size();
      if (at < text.size() && text[at] == '\r') {
        out += '\r';
        ++at;
      } else {
        out += '\x1b';
      }
      continue;
    }
    const auto [c, size] = code_point(text, at);
    if (size == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at++]));
      continue;
    }
    if (steers(c)) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += text.substr(at, size);
    }
    at += size;
  }
  return out;
}

namespace {

std::atomic<int> lost{0};

void write(std::FILE* stream, std::string_view bytes) noexcept {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size()) return;
  int none = 0;
  lost.compare_exchange_strong(none, errno);
}

}  // namespace

int print_error() noexcept { return lost; }

void print_to(std::FILE* stream, std::string_view text) noexcept {
  try {
    write(stream, for_terminal(text));
  } catch (const std::exception&) {  // out of memory: print nothing
  }
}

void print_data(std::FILE* stream, std::string_view bytes) noexcept {
  if (::isatty(::fileno(stream)) != 0) return print_to(stream, bytes);
  write(stream, bytes);
}

}  // namespace yatlab
