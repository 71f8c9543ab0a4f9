// Limits on the cost of external files. CPU times are generous, as the machine may be busy; docs/measurements/reliability.md has measured ones.
#include <fmt/format.h>

#include <fstream>
#include <random>

#include "catch.h"
#include "core/base/error.h"
#include "core/data/byte_pairs.h"
#include "core/data/byte_stream.h"
#include "core/data/safetensors.h"
#include "core/data/token_shard.h"
#include "core/registry/registry.h"
#include "cost.h"
#include "data/fixtures.h"
#include "holds.h"
#include "plugins/extreme/datasets/xc_text.h"
#include "plugins/kernels/datasets/csv_file.h"
#include "plugins/kernels/datasets/idx.h"
#include "plugins/language/datasets/documents.h"
#include "plugins/language/tokenizers/tokenize.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

constexpr std::size_t kTen = 10'000'000;

std::string many(const std::string& part, std::size_t bytes = kTen) {
  std::string out;
  while (out.size() + part.size() <= bytes) out += part;
  return out;
}
std::string random_of(const std::string& letters, std::size_t bytes = kTen) {
  std::mt19937 random(5);
  std::string out(bytes, ' ');
  for (char& c : out) c = letters[random() % letters.size()];
  return out;
}

/// Ten MB of any data need at most 20 times their size, and seconds.
Cost check_bounded(const std::function<void()>& work) {
  const auto cost = cost_of(work);
  INFO(cost);
  CHECK(cost.outcome.find("signal") == std::string::npos);
  CHECK(cost.outcome.find("no answer") == std::string::npos);
  if (cost_is_distorted()) return cost;
  CHECK(cost.seconds < 10);
  CHECK(cost.bytes < 20 * kTen);
  return cost;
}

std::size_t read_all(const fs::path& file) {
  const auto stream = open_byte_stream(file);
  std::vector<char> buffer(1 << 20);
  std::size_t all = 0;
  for (auto n = buffer.size(); n == buffer.size(); all += n) n = stream->read(buffer.data(), buffer.size());
  return all;
}

struct Packed {
  const char* name;
  std::string bytes;
};

std::vector<Packed> packed(const std::string& bytes) { return {{"gz", gzip(bytes, 6)}, {"xz", xz(bytes, 0)}, {"zst", zstd(bytes)}}; }

std::string safetensors(std::string header, const std::string& data = {}) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}

}  // namespace

TEST_CASE("compression bombs are rejected", "[cost]") {
  const Scratch dir;
  for (const auto& [name, bytes] : packed(std::string(50'000'000, '\0'))) {
    INFO(name);
    put(dir / "bomb", bytes);
    CHECK(bytes.size() < 200'000);
    for (const auto& work : std::vector<std::function<void()>>{[&] { read_all(dir / "bomb"); }, [&] { read_idx(dir / "bomb"); },
                                                               [&] { read_xc(dir / "bomb"); }, [&] { sha256_unpacked(dir / "bomb"); },
                                                               [&] { DocumentReader(dir / "bomb", DocumentRule::kFile).next(); },
                                                               [&] { DocumentReader(dir / "bomb", DocumentRule::kJsonLines).next(); }}) {
      const auto cost = check_bounded(work);
      const bool refused = holds(cost.outcome, "decompresses to more than 20 times its size") ||
                           holds(cost.outcome, "is not an IDX file") || holds(cost.outcome, "has the wrong rank") ||
                           holds(cost.outcome, "wrong type");
      CHECK(refused);
      if (!cost_is_distorted()) CHECK(cost.bytes < 80'000'000);
    }
  }
  // A header that matches the bomb after it.
  put(dir / "images.gz", gzip(idx({100'000, 1000}, std::string(100'000'000, '\0')), 9));
  CHECK(holds(check_bounded([&] { read_idx(dir / "images.gz"); }).outcome, "decompresses to more than 20 times its size"));
  put(dir / "liar.gz", gzip(idx({4'000'000'000u, 4'000'000'000u}, "")));
  CHECK(holds(check_bounded([&] { read_idx(dir / "liar.gz"); }).outcome, "is truncated"));
  put(dir / "liar", idx({65'535, 65'535}, "abc"));
  CHECK(holds(check_bounded([&] { read_idx(dir / "liar"); }).outcome, "= 4294836225 bytes, found 3 bytes of values"));
}

TEST_CASE("a table may have many columns", "[cost]") {
  std::string head, row;
  for (int i = 0; i < 100'000; ++i) head += "c" + std::to_string(i) + ",", row += "0.5,";
  std::string text = head + "y\n";
  for (int i = 0; i < 20; ++i) text += row + "a\n";
  CHECK(check_bounded([&] { parse_csv(text, "wide.csv", ',', true); }).outcome == "done");
  CHECK(holds(check_bounded([&] { parse_csv(head + "c7\n", "wide.csv", ',', true); }).outcome, "two columns are called 'c7'"));
}

TEST_CASE("highly compressible texts are still unpacked", "[cost]") {
  const Scratch dir;
  std::string text;
  std::mt19937_64 random(6);
  while (text.size() < 17'500'000)
    text += fmt::format("{:016x} some words that come again and again, as they do in logs and tables\n", random());
  for (const auto& [name, bytes] : packed(text)) {
    INFO(name << " " << bytes.size());
    CHECK(text.size() > 5 * bytes.size());
    put(dir / "file", bytes);
    CHECK(read_all(dir / "file") == text.size());
  }
  const std::string flat(16'000'000, '\0');  // small files may be packed at any ratio
  for (const auto& [name, bytes] : packed(flat)) {
    put(dir / "file", bytes);
    CHECK(read_all(dir / "file") == flat.size());
  }
}

TEST_CASE("decompressors have a memory limit", "[cost]") {
  const Scratch dir;
  const std::string text = "some text";
  std::string out(10'000, '\0');
  lzma_stream z = LZMA_STREAM_INIT;  // not in one call: the header would then hold sizes
  REQUIRE(lzma_easy_encoder(&z, 0, LZMA_CHECK_NONE) == LZMA_OK);
  z.next_in = reinterpret_cast<const std::uint8_t*>(text.data());
  z.avail_in = text.size();
  z.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  z.avail_out = out.size();
  REQUIRE(lzma_code(&z, LZMA_FINISH) == LZMA_STREAM_END);
  out.resize(z.total_out);
  lzma_end(&z);
  // After the stream header's 12 bytes comes a block's: size, flags, filter, size of its properties, the dictionary's size; CRC32 at the end.
  const std::size_t block = 12, header = (static_cast<unsigned char>(out[block]) + 1u) * 4;
  out[block + 4] = 36;  // 1 GiB
  const auto crc = lzma_crc32(reinterpret_cast<const std::uint8_t*>(out.data()) + block, header - 4, 0);
  for (int i = 0; i < 4; ++i) out[block + header - 4 + static_cast<std::size_t>(i)] = static_cast<char>(crc >> (8 * i) & 0xff);
  put(dir / "large.xz", out);
  const auto xz_error = caught([&] { read_all(dir / "large.xz"); });
  CHECK(holds(xz_error.message(), "cannot be decompressed"));
  CHECK(holds(xz_error.why(), "xz: it needs 1024 MB of memory"));
  put(dir / "nine.xz", xz(text, 9));
  CHECK(read_all(dir / "nine.xz") == text.size());

  // A zstd frame: magic, a descriptor without a size of the content, and a window of 2^30.
  put(dir / "large.zst", std::string("\x28\xb5\x2f\xfd\x00\xa0", 6) + std::string("\x01\0\0", 3));
  const auto zstd_error = caught([&] { read_all(dir / "large.zst"); });
  CHECK(holds(zstd_error.message(), "cannot be decompressed"));
  CHECK(holds(zstd_error.hint(), "the limit is 128 MB: decompress it first"));
}

TEST_CASE("ten MB of any XC text are read or refused at a bounded cost", "[cost][slow]") {
  std::string labels = "1 10 2000000000\n";
  for (int i = 0; labels.size() < kTen; ++i) labels += fmt::format("{},", i);
  labels.back() = '\n';
  std::string features = "1 2000000000 10\n";
  for (int i = 0; features.size() < kTen; ++i) features += fmt::format(" {}:1", i);
  features += '\n';
  const std::vector<Packed> texts = {{"rows of nothing", "4999990 10 10\n" + many(" \n", 4'999'990 * 2)},
                                     {"rows of a label", "4999990 10 10\n" + many("1\n", 4'999'990 * 2)},
                                     {"labels", labels},
                                     {"features", features},
                                     {"small features", "1999998 10 10\n" + many(" 1:1\n", 1'999'998 * 5)},
                                     {"a line without end", "5 10 10\n" + std::string(kTen, ' ')},
                                     {"a header", std::string(kTen, '1')},
                                     {"a blank header", std::string(kTen, ' ')},
                                     {"newlines", many("\n")},
                                     {"rows that are not there", "9223372036854775807 10 10\n \n"},
                                     {"many rows that are not there", "4000000000000000000 10 10\n" + many(" \n")},
                                     {"digits", "1 10 10\n" + std::string(kTen, '9') + "\n"},
                                     {"zeros behind a point", "1 10 10\n1:0." + std::string(kTen, '0') + "\n"},
                                     {"a value", "1 10 10\n 1:0." + std::string(kTen, '0') + "1\n"}};
  for (const auto& [name, bytes] : texts) {
    INFO(name);
    check_bounded([&, text = std::string_view(bytes)] { parse_xc(text, "f.txt"); });
  }
}

TEST_CASE("ten MB of IDX, safetensors and shards are read or refused at a bounded cost", "[cost][slow]") {
  const auto images = idx({10'000, 1000}, std::string(kTen, '\x07'));
  check_bounded([&] { parse_idx(images, "f"); });
  const auto ranks = idx(std::vector<unsigned>(255, 1), many("x"));
  check_bounded([&] { parse_idx(ranks, "f"); });

  std::string names = "{", valid = "{";
  for (int i = 0; names.size() < kTen; ++i) names += fmt::format("{}\"{}\":{{}}", i > 0 ? "," : "", i);
  for (int i = 0; valid.size() < kTen; ++i)
    valid += fmt::format(R"({}"{}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", i > 0 ? "," : "", i);
  const std::vector<Packed> files = {
      {"numbers", safetensors("{\"a\":[" + many("1,") + "1]}")},
      {"brackets", safetensors("{\"a\":" + std::string(kTen, '['))},
      {"lists in lists", safetensors("{\"a\":[" + many("[],") + "1]}")},
      {"a name", safetensors("{\"" + many("x") + "\":1}")},
      {"metadata", safetensors("{\"__metadata__\":{\"a\":\"" + many("x") + "\"}}")},
      {"names", safetensors(names + "}")},
      {"empty tensors", safetensors(valid + "}")},
      {"a long shape", safetensors(R"({"a":{"dtype":"U8","shape":[)" + many("1,") + R"(1],"data_offsets":[0,1]}})", "x")},
      {"blanks", safetensors("{" + many(" ") + "}")},
      {"no text", safetensors("{\"" + many("\xff") + "\":1}")},
      {"a tensor", safetensors(R"({"a":{"dtype":"U8","shape":[10000000],"data_offsets":[0,10000000]}})", many("x"))}};
  for (const auto& [name, bytes] : files) {
    INFO(name);
    check_bounded([&, text = std::string_view(bytes)] { parse_safetensors(text, "f"); });
  }
  const Scratch dir;
  std::string shard(1024 + 2 * 5'000'000, '\1');
  const std::int32_t head[3] = {20240520, 1, 5'000'000};
  std::memcpy(shard.data(), head, sizeof head);
  put(dir / "a.bin", shard);
  check_bounded([&] { TokenShard::open(dir / "a.bin").highest(); });
}

TEST_CASE("ten MB of any text are tokenized at a bounded cost", "[cost][slow]") {
  const Scratch dir;
  {
    std::ofstream file(dir / "vocab.bpe");
    file << "#version: 0.2\n";
    // Letters joined to pairs, pairs to fours: the largest possible number of merges.
    const std::string letters = "abcdefghijklmnopqrstuvwxyz";
    for (char a : letters) {
      for (char b : letters) file << a << ' ' << b << '\n';
    }
    for (char a : letters) {
      for (char b : letters) file << "a" << a << ' ' << "b" << b << '\n';
    }
    file << "1 1\n11 11\n1111 1111\n- -\n-- --\n\xc4\xa0 \xc4\xa0\n";
  }
  const auto pairs = BytePairs::load(dir / "vocab.bpe");
  const std::vector<Packed> texts = {{"letters", random_of("abcdefghijklmnopqrstuvwxyz")},
                                     {"one letter", std::string(kTen, 'a')},
                                     {"two letters", random_of("ab")},
                                     {"ones", std::string(kTen, '1')},
                                     {"blanks", std::string(kTen, ' ')},
                                     {"blanks and a letter", std::string(kTen, ' ') + "a"},
                                     {"newlines", std::string(kTen, '\n')},
                                     {"dashes", std::string(kTen, '-')},
                                     {"words", random_of("abcdefghij klmnop")},
                                     {"other words", random_of("abcdefghijABCDEFGHIJ0123456789.,;     ")},
                                     {"bytes", random_of("\xff\xfe"
                                                         "a ")},
                                     {"no text at all", std::string(kTen, '\xff')},
                                     {"apostrophes", many("'")}};
  for (const auto& [name, bytes] : texts) {
    INFO(name);
    check_bounded([&, text = std::string_view(bytes)] {
      std::vector<Token> out;
      pairs.encode(text, out);
    });
  }
  // Files of documents, however short.
  const std::vector<std::pair<DocumentRule, std::string>> files = {
      {DocumentRule::kFile, random_of("ab\n")},
      {DocumentRule::kLines, many("x\n")},
      {DocumentRule::kBlankLines, many("x\n\n")},
      {DocumentRule::kLines, random_of("abc ")},
      {DocumentRule::kJsonLines, many("{\"text\":\"a\"}\n")},
      {DocumentRule::kJsonLines, "{\"text\":\"" + random_of("abc ") + "\"}\n"},
      {DocumentRule::kJsonLines, "{\"x\":" + many("[") + "\n"},
      {DocumentRule::kJsonLines, "{\"x\":[" + many("1,") + "1],\"text\":\"a\"}\n"},
      {DocumentRule::kJsonLines, "{" + many("\"x\":{},") + "\"text\":\"a\"}\n"}};
  const auto tokenizer = Registry<Tokenizer>::create("bytes");
  int number = 0;
  for (const auto& [rule, text] : files) {
    INFO(number);
    put(dir / "file", text);
    TokenizeOptions options;
    options.documents = rule;
    const auto folder = dir / fmt::format("out{}", number++);
    check_bounded([&, rule = rule] { tokenize_files({dir / "file"}, folder, *tokenizer, options); });
  }
}

TEST_CASE("ten MB of a merge list are read or refused at a bounded cost", "[cost][slow]") {
  const Scratch dir;
  std::string doubling = "#version: 0.2\n";
  for (std::size_t n = 1; doubling.size() < kTen; n *= 2) doubling += std::string(n, 'a') + " " + std::string(n, 'a') + "\n";
  const std::vector<Packed> files = {{"one line", many("a")},          {"a line with a blank", many("a") + " " + many("b", 100)},
                                     {"the same line", many("a b\n")}, {"empty lines", many("\n")},
                                     {"doubling", doubling},           {"no text", many("\xff \xff\n")}};
  for (const auto& [name, bytes] : files) {
    INFO(name);
    put(dir / "vocab.bpe", bytes);
    const auto cost = check_bounded([&] { BytePairs::load(dir / "vocab.bpe"); });
    CHECK(cost.outcome.size() < 1000);
  }
}

TEST_CASE("only the text field of a JSON line is used", "[tokens]") {
  const Scratch dir;
  const auto text_of = [&](const std::string& line) -> std::string {
    put(dir / "a.jsonl", line + "\n");
    try {
      return DocumentReader(dir / "a.jsonl", DocumentRule::kJsonLines).next().value_or("nothing");
    } catch (const Error& e) {
      return e.message();
    }
  };
  CHECK(text_of(R"({"a": {"text": "inner"}, "text": "outer", "b": [{"text": "also"}]})") == "outer");
  CHECK(text_of(R"({"text": "first", "text": "last"})") == "last");
  CHECK(text_of(R"({"text": "\u2d5f\n"})") == "ⵟ\n");
  for (const char* none : {R"({"a": {"text": "inner"}})", R"(["text", "a"])", R"("text")", R"({"text": 3})", R"({"text": ["a"]})",
                           R"({"text": {"text": "a"}})", R"({"text": "a", "text": null})", R"([{"text": "a"}])"}) {
    INFO(none);
    CHECK(text_of(none) == "this line has no text under 'text'");
  }
  CHECK(text_of("{\"text\": \"\xff\"}").find("is not text in UTF-8") != std::string::npos);
  for (const char* bad : {"{\"text\": \"a\"", "{\"text\": \"a\"} x", "nonsense"}) CHECK(text_of(bad) == "this line is not JSON");
}
