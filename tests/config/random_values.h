// Random values for round trips: texts that look like other types, texts of unusual characters, nested values.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab::testing {

class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return engine_() % n; }

  /// Texts that look like other types, and texts of unusual characters.
  std::string text() {
    static const std::vector<std::string> kTraps = {"",
                                                    " ",
                                                    "null",
                                                    "Null",
                                                    "~",
                                                    "true",
                                                    "True",
                                                    "FALSE",
                                                    "yes",
                                                    "No",
                                                    "on",
                                                    "OFF",
                                                    "y",
                                                    "n",
                                                    "0",
                                                    "-0",
                                                    "+1",
                                                    "017",
                                                    "0o17",
                                                    "0x1F",
                                                    "0b1",
                                                    "1_000",
                                                    "1e3",
                                                    "1e400",
                                                    "-1e-400",
                                                    ".5",
                                                    "5.",
                                                    ".inf",
                                                    "-.INF",
                                                    ".nan",
                                                    ".NaN",
                                                    "inf",
                                                    "nan",
                                                    "12:30:45",
                                                    "1:30",
                                                    "2021-01-01",
                                                    "2001-12-14t21:59:43.10-05:00",
                                                    "<<",
                                                    "=",
                                                    "!!str",
                                                    "&a",
                                                    "*a",
                                                    "- a",
                                                    "-",
                                                    "--",
                                                    "---",
                                                    "--- a",
                                                    "...",
                                                    "? a",
                                                    "?",
                                                    ": a",
                                                    ":",
                                                    "a: b",
                                                    "a:",
                                                    "a :b",
                                                    " a",
                                                    "a ",
                                                    "#",
                                                    "a #b",
                                                    "a#b",
                                                    "{}",
                                                    "[]",
                                                    "{a: 1}",
                                                    "[1, 2]",
                                                    ",",
                                                    "'",
                                                    "''",
                                                    "\"",
                                                    "\\",
                                                    "\\n",
                                                    "\\\\",
                                                    "%a",
                                                    "@a",
                                                    "`a",
                                                    "|",
                                                    ">",
                                                    "|-",
                                                    "!",
                                                    "${a}",
                                                    "\\${a}",
                                                    "\\\\${a}",
                                                    "${a}\\${b}",
                                                    "${oc.env:HOME}",
                                                    "$${a}",
                                                    "\\$",
                                                    "${",
                                                    "}",
                                                    "$",
                                                    "???",
                                                    "range(0, 3)",
                                                    "choice(a)",
                                                    "a,b",
                                                    "a=b",
                                                    "99999999999999999999",
                                                    "-9223372036854775809",
                                                    "\n",
                                                    "\n\n",
                                                    "\t",
                                                    "\ta",
                                                    "a\n",
                                                    "\na",
                                                    "a\nb",
                                                    "a\n\nb",
                                                    "a\n b",
                                                    " \n",
                                                    "\r",
                                                    "\r\n",
                                                    "a\rb",
                                                    "\x7f",
                                                    "\x01",
                                                    "\x1b",
                                                    "\xC2\x85",
                                                    "\xC2\xA0",
                                                    "\xE2\x80\xA8",
                                                    "\xE2\x80\xA9",
                                                    "\xEF\xBB\xBF",
                                                    "\xEF\xBB\xBF"
                                                    "a",
                                                    "\xEF\xBF\xBE",
                                                    "\xF0\x9F\x98\x80",
                                                    "\xCC\x81",
                                                    "ⵟ",
                                                    "a\xC2\x85"
                                                    "b"};
    static const std::vector<std::string> kPieces = {"a",
                                                     "b",
                                                     "1",
                                                     "0",
                                                     " ",
                                                     "  ",
                                                     "\n",
                                                     "\t",
                                                     "\r",
                                                     ":",
                                                     ": ",
                                                     " #",
                                                     "#",
                                                     "-",
                                                     "- ",
                                                     "?",
                                                     ",",
                                                     "[",
                                                     "]",
                                                     "{",
                                                     "}",
                                                     "'",
                                                     "\"",
                                                     "\\",
                                                     "|",
                                                     ">",
                                                     "&",
                                                     "*",
                                                     "!",
                                                     "%",
                                                     "@",
                                                     "`",
                                                     "=",
                                                     "~",
                                                     ".",
                                                     "_",
                                                     "$",
                                                     "${",
                                                     "/",
                                                     "<",
                                                     "\x01",
                                                     "\x08",
                                                     "\x1f",
                                                     "\x7f",
                                                     "\xC2\x80",
                                                     "\xC2\x85",
                                                     "\xC2\xA0",
                                                     "\xC3\xBF",
                                                     "\xE2\x80\xA8",
                                                     "\xEF\xBB\xBF",
                                                     "\xEF\xBF\xBD",
                                                     "\xEF\xBF\xBF",
                                                     "\xF4\x8F\xBF\xBF",
                                                     "ⵟ",
                                                     "日"};
    if (below(3) == 0) return kTraps[below(kTraps.size())];
    std::string out;
    for (std::size_t n = below(8); n > 0; --n) out += kPieces[below(kPieces.size())];
    if (below(50) == 0) out += std::string(900 + below(300), 'k');  // around the maximum length of a bare key
    return out;
  }

  Node scalar() {
    static const std::vector<double> kFloats = {
        0.0, -0.0, 1.0, -1.0, 0.1, 1e22, 1e16, 123456789012345678.0, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308};
    const double inf = std::numeric_limits<double>::infinity();
    switch (below(8)) {
      case 0:
        return {};
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<std::int64_t>(engine_());
      case 3:
        return below(2) == 0 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(below(1000));
      case 4: {
        const std::uint64_t bits = engine_();
        double out = 0;
        std::memcpy(&out, &bits, sizeof out);
        return out;
      }
      case 5: {
        const auto which = below(kFloats.size() + 3);
        return which < kFloats.size() ? kFloats[which] : which == kFloats.size() ? inf : which == kFloats.size() + 1 ? -inf : std::nan("");
      }
      default:
        return text();
    }
  }

  Node value(int depth) {
    const auto kind = below(depth > 3 ? 4 : 8);
    if (kind < 4) return scalar();
    if (kind < 6) {
      Node out = Node::list();
      for (std::size_t n = below(4); n > 0; --n) out.push_back(value(depth + 1));
      return out;
    }
    Node out = Node::map();
    for (std::size_t n = below(4); n > 0; --n) out.set(text(), value(depth + 1));
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

/// Equal, and zeros of the same sign.
inline bool same(const Node& a, const Node& b) {
  if (a.is_float() && b.is_float()) {
    const double x = a.as_double(), y = b.as_double();
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  }
  if (a.is_list() && b.is_list()) {
    bool out = a.size() == b.size();
    for (std::size_t i = 0; out && i < a.size(); ++i) out = same(a.as_list()[i], b.as_list()[i]);
    return out;
  }
  if (a.is_map() && b.is_map()) {
    bool out = a.size() == b.size();
    for (std::size_t i = 0; out && i < a.size(); ++i) {
      out = a.as_map()[i].first == b.as_map()[i].first && same(a.as_map()[i].second, b.as_map()[i].second);
    }
    return out;
  }
  return a == b;
}

}  // namespace yatlab::testing
