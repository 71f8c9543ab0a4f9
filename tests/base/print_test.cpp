#include "core/base/print.h"

#include "catch.h"

using namespace yatlab;

TEST_CASE("terminal control characters are escaped and other text is unchanged", "[print]") {
  CHECK(for_terminal("plain\n\ttext, \"quoted\" \\ {}") == "plain\n\ttext, \"quoted\" \\ {}");
  CHECK(for_terminal("ⵟ ± ‖w‖ é 😀 e\xcc\x81") == "ⵟ ± ‖w‖ é 😀 e\xcc\x81");
  CHECK(for_terminal("\x1b[31mred\x1b[0m") == "\\u001b[31mred\\u001b[0m");
  CHECK(for_terminal(std::string("a\0b\rc\x7f\b", 7)) == "a\\u0000b\\u000dc\\u007f\\u0008");
  CHECK(for_terminal("C1: \xc2\x9b"
                     "2J, raw: \x9b"
                     "2J") == "C1: \\u009b2J, raw: \\x9b2J");
  for (const char* mark : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068",
                           "\u2069", "\u2028", "\u2029"}) {
    const auto shown = for_terminal(std::string("a") + mark + "b");
    INFO(shown);
    CHECK(shown.size() == 8);
    CHECK(shown.substr(0, 3) == "a\\u");
  }
}

TEST_CASE("bytes that are not UTF-8 are escaped one by one", "[print]") {
  CHECK(for_terminal("M\xfcller") == "M\\xfcller");
  CHECK(for_terminal("cut \xe2\xb5") == "cut \\xe2\\xb5");
  CHECK(for_terminal("\xc0\x9b overlong, \xe0\x82\x9b too") == "\\xc0\\x9b overlong, \\xe0\\x82\\x9b too");
  CHECK(for_terminal("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // half a surrogate pair
  CHECK(for_terminal("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("our own escape codes are printed and those in other text are not", "[print]") {
  const auto own = terminal_code("[32m") + "good" + terminal_code("[0m") + terminal_code("\r");
  CHECK(for_terminal(own) == "\x1b[32mgood\x1b[0m\r");
  const auto guessed = "\x1b" + std::string(16, '0') + "[32m";
  CHECK(for_terminal(guessed) == "\\u001b0000000000000000[32m");
}
