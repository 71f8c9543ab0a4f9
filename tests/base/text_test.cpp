#include "core/base/text.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <random>

#include "catch.h"

namespace yatlab {
namespace {

// The definition itself, by recursion from the ends: slow, and independent of the table.
std::size_t slow_distance(const std::string& a, const std::string& b) {
  if (a.empty()) return b.size();
  if (b.empty()) return a.size();
  const auto cut = [](const std::string& s, std::size_t n) { return s.substr(0, s.size() - n); };
  std::size_t best = std::min(
      {slow_distance(cut(a, 1), b) + 1, slow_distance(a, cut(b, 1)) + 1, slow_distance(cut(a, 1), cut(b, 1)) + (a.back() != b.back())});
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back()) {
    best = std::min(best, slow_distance(cut(a, 2), cut(b, 2)) + 1);
  }
  return best;
}

}  // namespace

TEST_CASE("edit distance of known pairs", "[text]") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("epsilon", "epislon") == 1);  // neighbours swapped
  CHECK(edit_distance("flaw", "lawn") == 2);
}

TEST_CASE("edit distance agrees with its definition", "[text]") {
  std::mt19937 random(11);
  const auto word = [&] {
    std::string out(random() % 6, 'a');
    for (char& c : out) c = static_cast<char>('a' + random() % 3);
    return out;
  };
  for (int i = 0; i < 200; ++i) {
    const auto a = word(), b = word();
    INFO(a << " / " << b);
    CHECK(edit_distance(a, b) == slow_distance(a, b));
    CHECK(edit_distance(a, b) == edit_distance(b, a));
  }
}

TEST_CASE("similar names are suggested and dissimilar ones are not", "[text]") {
  const std::vector<std::string> names{"yat", "dot", "cosine", "euclidean", "softermax"};
  CHECK(nearest("yta", names) == "yat");
  CHECK(nearest("Cosine", names) == "cosine");
  CHECK(nearest("euclid", names) == "euclidean");  // an abbreviation
  CHECK(nearest("softmax", names) == "softermax");
  CHECK(nearest("transformer", names).empty());
  CHECK(nearest("q", {"ab"}).empty());            // nothing in common, though only two edits away
  CHECK(nearest("foo", {"xor", "dot"}).empty());  // two of three letters
  CHECK(nearest("x", {}).empty());
  CHECK(suggestion("yta", names) == "did you mean 'yat'?");
  CHECK(suggestion("transformer", {"a", "b"}) == "choices: a, b");
  CHECK(suggestion("transformer", {}).empty());
}

TEST_CASE("very long words get no suggestion and no edit distance", "[text]") {
  const std::string long_word(1'000'000, 'x');
  CHECK(nearest(long_word, {long_word + "y", "x"}).empty());
  CHECK(nearest("x", {long_word}).empty());
  CHECK(nearest("xyz", {long_word, "xyzz"}) == "xyzz");
  CHECK(suggestion("a", std::vector<std::string>(5'000, "option")).size() < 2'100);
}

TEST_CASE("names of folders below another stay below it", "[text]") {
  for (const char* name : {"yat", "yat_0.05", "ⵟ", "a-b", "a'b", "a`b", "seed=0"}) CHECK(why_no_folder_name(name).empty());
  CHECK(why_no_folder_name("") == "it is empty");
  CHECK(why_no_folder_name("..") == "it begins with '.'");
  CHECK(why_no_folder_name("-rf") == "it begins with '-'");
  CHECK(why_no_folder_name("a/../b") == "it contains '/'");
  CHECK(why_no_folder_name("a\\b") == "it contains '\\'");
  CHECK(why_no_folder_name("a\nb") == "it contains a control character");
  CHECK(why_no_folder_name(std::string_view("a\0b", 3)) == "it contains a control character");
  CHECK(why_no_folder_name(std::string(120, 'x')).empty());
  CHECK(why_no_folder_name(std::string(121, 'x')) == "it has 121 bytes; the limit is 120");
}

TEST_CASE("texts are shortened between characters", "[text]") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc...");
  CHECK(shortened("aⵟⵟ", 5) == "aⵟ...");
  CHECK(shortened("ⵟ", 2) == "...");
}

TEST_CASE("terminal control characters are escaped", "[text]") {
  CHECK(visible("a\nb\tc\x1b[31m\x7f") == "a\\nb\\tc\\x1b[31m\\x7f");
  CHECK(visible(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(visible("\xC2\x80 \xC2\x9F \xC2\xA0") == "\\u0080 \\u009f \xC2\xA0");  // U+00A0 is a blank
  CHECK(visible("\xE2\x80\xAE \xE2\x81\xA6 \xE2\x80\xA8 \xE2\x80\xA9") == "\\u202e \\u2066 \\u2028 \\u2029");
  CHECK(visible("\xE2\x80\x93 \xE2\x82\xAC \xE2\x80\x8F") == "\xE2\x80\x93 \xE2\x82\xAC \xE2\x80\x8F");
  CHECK(visible("Zo\xEB and \xC3") == "Zo\\xeb and \\xc3");
}

TEST_CASE("splitting and joining undo each other", "[text]") {
  using Parts = std::vector<std::string>;
  CHECK(split("", '.') == Parts{""});
  CHECK(split("a", '.') == Parts{"a"});
  CHECK(split(".a..b.", '.') == Parts{"", "a", "", "b", ""});
  for (const char* text : {"", "a", "a.b", ".a..b."}) CHECK(join(split(text, '.'), ".") == text);
  CHECK(join({}, ", ").empty());
}

TEST_CASE("trim and lower work on text", "[text]") {
  CHECK(trim(" \t a b \n") == "a b");
  CHECK(trim(" \n ").empty());
  CHECK(lower("AbC-Ⅷ1") == "abc-Ⅷ1");  // only ASCII letters change
}

TEST_CASE("display width counts code points and ignores combining marks", "[text]") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("ⵟ") == 1);
  CHECK(display_width("Δ‖w‖ ±") == 6);
  CHECK(display_width("e\xCC\x81") == 1);  // e, U+0301
  CHECK(display_width("a\xCD\xAF") == 1);  // U+036F, the last combining mark of its block
  CHECK(display_width("a\xCD\xB0") == 2);  // U+0370, a letter
}

TEST_CASE("padding uses display width rather than bytes", "[text]") {
  CHECK(pad("ⵟ", 3) == "ⵟ  ");
  CHECK(pad("ⵟ", -3) == "  ⵟ");
  CHECK(pad("abcd", 2) == "abcd");
  CHECK(pad("", 0).empty());
}

TEST_CASE("durations are formatted", "[text]") {
  CHECK(format_duration(0) == "0:00");
  CHECK(format_duration(6.6) == "0:07");
  CHECK(format_duration(205) == "3:25");
  CHECK(format_duration(59.6) == "1:00");
  CHECK(format_duration(3723) == "1:02:03");
  CHECK(format_duration(-4) == "0:00");
  CHECK(format_duration(std::numeric_limits<double>::infinity()) == "-:--");
  CHECK(format_duration(std::numeric_limits<double>::quiet_NaN()) == "-:--");
}

TEST_CASE("counts are formatted", "[text]") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(940) == "940");
  CHECK(format_count(1500) == "1.5k");
  CHECK(format_count(41300) == "41k");
  CHECK(format_count(3.24e6) == "3.2M");
  CHECK(format_count(4.2e7) == "42M");
  CHECK(format_count(1.3e9) == "1.3G");
}

}  // namespace yatlab
