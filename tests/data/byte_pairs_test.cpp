#include "core/data/byte_pairs.h"

#include <atomic>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

using testing::holds;

/// A dozen merges in GPT-2's format: "Ġ" is the blank.
constexpr const char* kMerges = "#version: 0.2\nĠ t\nh e\nĠt he\ni n\nĠ a\nr e\no n\nin g\n";

BytePairs small() {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "vocab.bpe") << kMerges;
  return BytePairs::load(folder.path() / "vocab.bpe");
}

std::vector<Token> encoded(const BytePairs& pairs, const std::string& text) {
  std::vector<Token> out;
  pairs.encode(text, out);
  return out;
}

std::vector<std::string> pieces(const BytePairs& pairs, const std::string& text) {
  std::vector<std::string> out;
  for (const Token token : encoded(pairs, text)) out.emplace_back(pairs.bytes(token));
  return out;
}

/// The definition, implemented slowly on strings: repeatedly joins the leftmost pair of the earliest merge.
std::vector<std::string> slowly(std::vector<std::string> parts) {
  const std::vector<std::pair<std::string, std::string>> merges = {{" ", "t"}, {"h", "e"}, {" t", "he"}, {"i", "n"},
                                                                   {" ", "a"}, {"r", "e"}, {"o", "n"},   {"in", "g"}};
  for (bool joined = true; joined;) {
    joined = false;
    for (const auto& [left, right] : merges) {
      for (std::size_t i = 0; i + 1 < parts.size() && !joined; ++i) {
        if (parts[i] != left || parts[i + 1] != right) continue;
        parts[i] += right;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        joined = true;
      }
      if (joined) break;
    }
  }
  return parts;
}

fs::path shared(const std::string& file) { return fs::path(YATLAB_SOURCE_DIR) / "../shared/data" / file; }

}  // namespace

TEST_CASE("byte letters agree with GPT-2's files") {
  CHECK(byte_letter('a') == "a");
  CHECK(byte_letter('!') == "!");
  CHECK(byte_letter(0) == "Ā");
  CHECK(byte_letter(' ') == "Ġ");
  CHECK(byte_letter('\n') == "Ċ");
  CHECK(byte_letter(0xA1) == "¡");
  CHECK(byte_letter(0xAD) == "Ń");
  CHECK(byte_letter(0xFF) == "ÿ");
}

TEST_CASE("byte pairs are merged in the order of the list and within pieces only") {
  const auto pairs = small();
  CHECK(pairs.vocabulary() == 256 + 8 + 1);
  CHECK(pairs.end_of_text() == 264);
  using Strings = std::vector<std::string>;
  CHECK(pieces(pairs, "the") == Strings{"t", "he"});
  CHECK(pieces(pairs, " the") == Strings{" the"});
  CHECK(pieces(pairs, "ring on") == Strings{"r", "ing", " ", "on"});
  CHECK(pieces(pairs, "it's") == Strings{"i", "t", "'", "s"});
  CHECK(pieces(pairs, "  a") == Strings{" ", " a"});  // the last blank goes with the word
  CHECK(encoded(pairs, "").empty());
}

TEST_CASE("Unicode white space of two and three bytes is recognised") {
  // A blank before a non-space begins a piece with it and joins its first byte; a blank before white space and a letter stays alone.
  std::string merges = "#version: 0.2\n";
  for (int b = 0; b < 256; ++b) merges += byte_letter(' ') + " " + byte_letter(static_cast<unsigned char>(b)) + "\n";
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "vocab.bpe") << merges;
  const auto pairs = BytePairs::load(folder.path() / "vocab.bpe");
  std::vector<unsigned> found;
  std::string text;
  std::vector<Token> tokens;
  for (unsigned c = 0; c < 0x10000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    text = " ";
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
    } else {
      text += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
    }
    text += "x";
    tokens.clear();
    pairs.encode(text, tokens);
    if (pairs.bytes(tokens.front()).size() == 1) found.push_back(c);
  }
  // White_Space of PropList.txt, unchanged since Unicode 6.3.
  CHECK(found == std::vector<unsigned>{0x9,    0xA,    0xB,    0xC,    0xD,    0x20,   0x85,   0xA0,   0x1680,
                                       0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                       0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000});
}

TEST_CASE("single words are encoded by the definition of byte-pair encoding") {
  const auto pairs = small();
  std::mt19937 random(7);
  const std::string letters = "theinrgoa";
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> parts = {" "};
    const auto length = 1 + random() % 12;
    for (std::size_t k = 0; k < length; ++k) parts.emplace_back(1, letters[random() % letters.size()]);
    std::string word;
    for (const auto& part : parts) word += part;
    INFO(word);
    CHECK(pieces(pairs, word) == slowly(parts));
  }
}

TEST_CASE("words of any length are encoded by the definition of byte-pair encoding") {
  const auto pairs = small();
  std::mt19937 random(8);
  for (const std::string letters : {"theinrgoa", "the", "in", "hhe", "ringo"}) {
    for (int i = 0; i < 40; ++i) {
      std::vector<std::string> parts = {" "};
      const auto length = 25 + random() % 150;  // around and beyond the length from which another algorithm joins
      for (std::size_t k = 0; k < length; ++k) parts.emplace_back(1, letters[random() % letters.size()]);
      std::string word;
      for (const auto& part : parts) word += part;
      INFO(word);
      CHECK(pieces(pairs, word) == slowly(parts));
    }
  }
}

TEST_CASE("overlapping pairs are merged from the left in words of any length") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "vocab.bpe") << "#version: 0.2\na a\naa a\naaa aaa\n";
  const auto pairs = BytePairs::load(folder.path() / "vocab.bpe");
  for (std::size_t n = 1; n < 200; ++n) {
    std::vector<std::string> expected;
    for (std::size_t k = 0; k < n / 2; ++k) expected.emplace_back("aa");  // all of them first
    if (n % 2 == 1) expected.emplace_back("a");
    if (n % 2 == 1 && n > 2) {  // then the last one with the following a
      expected.pop_back();
      expected.back() = "aaa";
    }
    INFO(n);
    CHECK(pieces(pairs, std::string(n, 'a')) == expected);
  }
}

TEST_CASE("decoding restores arbitrary bytes") {
  const auto pairs = small();
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (std::size_t k = 0; k < random() % 100; ++k) text += static_cast<char>(random() % 256);
    CHECK(pairs.decode(encoded(pairs, text)) == text);
  }
  for (const std::string text : {"naïve – ⵟ 😀\t\r\n\xff\xfe half \xf0\x9f", "\xed\xa0\x80 surrogate", "\xc0\xaf overlong", "zero\0byte"}) {
    CHECK(pairs.decode(encoded(pairs, text)) == text);
  }
}

TEST_CASE("malformed UTF-8 is encoded byte by byte for every relevant first and second byte") {
  // Merges of the two bytes, to show whether they were read as the beginning of one character.
  const std::vector<std::pair<int, int>> leads = {{0xC1, 2}, {0xC2, 2}, {0xE0, 3}, {0xE1, 3}, {0xED, 3},
                                                  {0xEE, 3}, {0xF0, 4}, {0xF1, 4}, {0xF4, 4}, {0xF5, 4}};
  const std::vector<int> seconds = {0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0};
  std::string merges = "#version: 0.2\n";
  const auto letter = [](int b) { return byte_letter(static_cast<unsigned char>(b)); };
  for (const auto& [lead, length] : leads) {
    for (const int second : seconds) merges += letter(lead) + " " + letter(second) + "\n";
  }
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "vocab.bpe") << merges;
  const auto pairs = BytePairs::load(folder.path() / "vocab.bpe");
  for (const auto& [lead, length] : leads) {
    for (const int second : seconds) {
      std::string text = {static_cast<char>(lead), static_cast<char>(second)};
      unsigned code = static_cast<unsigned>(lead) & (0xFFU >> (length + 1));
      code = code << 6 | (static_cast<unsigned>(second) & 0x3FU);
      for (int i = 2; i < length; ++i) {
        text += '\x80';
        code <<= 6;
      }
      // By the numeric rules: the shortest form, no surrogate, not beyond Unicode.
      const unsigned least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
      const bool well_formed =
          (second & 0xC0) == 0x80 && lead < 0xF8 && code >= least && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
      INFO(std::hex << lead << " " << second << " code " << code);
      CHECK(encoded(pairs, text).size() == text.size() - (well_formed ? 1 : 0));
    }
  }
}

TEST_CASE("threads may share one encoding") {
  const auto pairs = small(), other = small();
  const std::string text = "the ring on a string, there";
  const auto expected = encoded(pairs, text);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) wrong += encoded(t % 2 ? pairs : other, text) != expected;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("errors in a merge list name the line") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "vocab.bpe";
  const auto error = [&](const std::string& text) -> std::string {
    std::ofstream(file) << text;
    try {
      BytePairs::load(file);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK(holds(error("#version: 0.2\nh e\nxx y\n"), "vocab.bpe:3"));
  CHECK(holds(error("#version: 0.2\nhe\n"), "'he' is not a merge of two earlier tokens"));
  CHECK(holds(error("#version: 0.2\n"), "has no merges"));
  CHECK_THROWS_AS(BytePairs::load(folder.path() / "absent"), Error);
  CHECK_THROWS_AS(small().decode({265}), Error);
}

TEST_CASE("GPT-2's own merge list gives known token counts", "[slow]") {
  if (!fs::exists(shared("gpt2-bpe/vocab.bpe"))) {
    WARN("skipped: GPT-2's merge list is missing");
    return;
  }
  const auto pairs = BytePairs::load(shared("gpt2-bpe/vocab.bpe"));
  CHECK(pairs.vocabulary() == 50257);
  CHECK(encoded(pairs, "Hello world") == std::vector<Token>{15496, 995});
  CHECK(encoded(pairs, "<|endoftext|>") == std::vector<Token>{27, 91, 437, 1659, 5239, 91, 29});
  // White space and similar characters, letters and numbers of several kinds: reference values of OpenAI's pattern and merges, from other code.
  const std::vector<std::pair<std::string, std::vector<Token>>> known = {
      {"a \u180Eb", {64, 28053, 254, 236, 65}},
      {"a\u180E\u180E b", {64, 157, 254, 236, 157, 254, 236, 275}},
      {"\u180E!", {157, 254, 236, 0}},
      {"a \u0085b", {64, 220, 126, 227, 65}},
      {"a \u200Bb", {64, 20126, 65}},
      {"\u200B\u200B", {39009}},
      {"a\u2028b", {64, 447, 101, 65}},
      {"a \u2028 b", {64, 564, 101, 275}},
      {"a \u00A0b", {64, 220, 1849, 65}},
      {" \uFEFFa", {27332, 119, 123, 64}},
      {"a \u00ADb", {64, 22020, 65}},
      {"a\u001C b", {64, 216, 275}},
      {" \u001C\u001Cb", {220, 216, 216, 65}},
      {"x \u0663\u0664", {87, 18923, 96, 149, 97}},  // Arabic digits
      {"x \u216B", {87, 2343, 227, 104}},            // a Roman numeral
      {"a \u2460b", {64, 2343, 239, 254, 65}},       // a digit in a circle
      {" \u01C5", {220, 131, 227}},                  // a titlecase letter
      {"  \u0301e", {220, 220, 136, 223, 68}},       // a combining accent
  };
  for (const auto& [text, tokens] : known) {
    INFO(text);
    CHECK(encoded(pairs, text) == tokens);
  }
  // encoder.json has the same numbers for the same tokens.
  const auto names = nlohmann::json::parse(read_file(shared("gpt2-bpe/encoder.json")));
  REQUIRE(names.size() == 50257);
  std::size_t different = 0;
  for (std::size_t token = 0; token < 50256; ++token) {
    std::string name;
    for (const char c : pairs.bytes(token)) name += byte_letter(static_cast<unsigned char>(c));
    different += !names.contains(name) || names.at(name).get<std::size_t>() != token;
  }
  CHECK(different == 0);
  // Long words of random letters, by definition: repeatedly, the earliest merge, everywhere.
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  std::istringstream lines(read_file(shared("gpt2-bpe/vocab.bpe")));
  std::string line;
  for (std::size_t rank = 0; std::getline(lines, line); ++rank) {
    if (rank > 0) ranks.emplace(std::pair{line.substr(0, line.find(' ')), line.substr(line.find(' ') + 1)}, rank);
  }
  std::mt19937 random(9);
  for (const std::string letters : {"abcdefghijklmnopqrstuvwxyz", "etaoin", "ab", "Aa"}) {
    for (int i = 0; i < 10; ++i) {
      std::vector<std::string> parts;
      const auto length = 33 + random() % 400;
      for (std::size_t k = 0; k < length; ++k) parts.emplace_back(1, letters[random() % letters.size()]);
      std::string word;
      for (const auto& part : parts) word += part;
      for (;;) {
        std::size_t best = ranks.size() + 1;
        for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
          const auto found = ranks.find({parts[k], parts[k + 1]});
          if (found != ranks.end()) best = std::min(best, found->second);
        }
        if (best > ranks.size()) break;
        std::vector<std::string> next;
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const auto found = k + 1 < parts.size() ? ranks.find({parts[k], parts[k + 1]}) : ranks.end();
          const bool join = found != ranks.end() && found->second == best;
          next.push_back(join ? parts[k] + parts[k + 1] : parts[k]);
          k += join;
        }
        parts = std::move(next);
      }
      INFO(word);
      CHECK(pieces(pairs, word) == parts);
    }
  }
  if (fs::exists(shared("wikitext-2/wiki.valid.raw"))) {
    const auto text = read_file(shared("wikitext-2/wiki.valid.raw"));
    const auto tokens = encoded(pairs, text);
    CHECK(tokens.size() == 249887);
    CHECK(pairs.decode(tokens) == text);
  }
}

}  // namespace yatlab
