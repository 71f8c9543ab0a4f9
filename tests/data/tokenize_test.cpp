#include "plugins/language/tokenizers/tokenize.h"

#include <lzma.h>
#include <zstd.h>

#include <cstring>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/token_shard.h"
#include "data/fixtures.h"
#include "helpers.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

using testing::error_of;
using testing::holds;
using testing::put;
using testing::zstd;
using Tokens = std::vector<Token>;

Tokens tokens_of(const fs::path& shard) {
  const auto opened = TokenShard::open(shard);
  return Tokens(opened.data(), opened.data() + opened.size());
}

std::shared_ptr<Tokenizer> bytes() { return Registry<Tokenizer>::create("bytes"); }

/// The byte tokenizer's tokens of documents, each after its end-of-text token.
Tokens expected(const std::vector<std::string>& documents) {
  Tokens out;
  for (const auto& document : documents) {
    out.push_back(256);
    for (const char c : document) out.push_back(static_cast<unsigned char>(c));
  }
  return out;
}

std::vector<std::string> documents_of(const fs::path& path, DocumentRule rule) {
  DocumentReader reader(path, rule);
  std::vector<std::string> out;
  while (auto document = reader.next()) out.push_back(std::move(*document));
  return out;
}

}  // namespace

TEST_CASE("documents in files larger than the read buffer are complete", "[tokens]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "large";
  constexpr std::size_t kPiece = 1 << 20;
  // Lines of 1 to 99 letters, longer than three pieces; then sizes at which a line ends with a piece, or with the second byte of the next.
  for (const std::size_t size : {3 * kPiece + 12345, 2 * kPiece, 2 * kPiece + 1, 2 * kPiece + 2}) {
    std::vector<std::string> lines;
    std::string text, json, blocks;
    while (text.size() < size) {
      const std::size_t room = size - text.size(), n = std::min(1 + (lines.size() * 37) % 99, room > 101 ? 99 : room > 2 ? room - 1 : 1);
      lines.emplace_back(n, static_cast<char>('a' + lines.size() % 26));
      text += lines.back() + "\n";
      json += "{\"text\": \"" + lines.back() + "\"}\n";
      blocks += lines.back() + "\n\n";
    }
    INFO(size << ", " << text.size());
    write_file_atomic(path, text);
    CHECK((documents_of(path, DocumentRule::kLines) == lines));
    CHECK((documents_of(path, DocumentRule::kFile) == std::vector<std::string>{text}));
    write_file_atomic(path, blocks);
    CHECK((documents_of(path, DocumentRule::kBlankLines) == lines));
    write_file_atomic(path, json);
    CHECK((documents_of(path, DocumentRule::kJsonLines) == lines));
  }
}

TEST_CASE("shards are identical to llm.c's", "[tokens]") {
  const TemporaryFolder folder;
  TokenShardWriter writer(folder.path(), "x_train", 1, 100);
  const Tokens tokens = {50256, 1, 258};
  writer.append(tokens.data(), tokens.size());
  CHECK_FALSE(fs::exists(folder.path() / "x_train_000001.bin"));  // not before it is complete
  writer.finish();
  const auto bytes = read_file(folder.path() / "x_train_000001.bin");
  REQUIRE(bytes.size() == 1024 + 6);
  CHECK(bytes.substr(0, 12) == std::string("\x88\xd8\x34\x01\x01\0\0\0\x03\0\0\0", 12));  // 20240520 = 0x0134D888
  CHECK(bytes.substr(12, 1012) == std::string(1012, '\0'));
  CHECK(bytes.substr(1024) == std::string("\x50\xc4\x01\0\x02\x01", 6));
  CHECK(tokens_of(folder.path() / "x_train_000001.bin") == tokens);
}

TEST_CASE("shards are cut at their size, and an unfinished one is dropped", "[tokens]") {
  const TemporaryFolder folder;
  Tokens tokens(25);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<Token>(i);
  {
    TokenShardWriter writer(folder.path(), "x_train", 1, 10);
    writer.append(tokens.data(), 7);
    writer.append(tokens.data() + 7, 18);
    CHECK(writer.files().size() == 2);
    CHECK(writer.tokens() == 25);
  }
  CHECK(tokens_of(folder.path() / "x_train_000002.bin") == Tokens(tokens.begin() + 10, tokens.begin() + 20));
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++left;
  CHECK(left == 2);
}

TEST_CASE("the shard size is between 1 and the largest count of the header", "[tokens]") {
  const TemporaryFolder folder;
  const auto error = [&](std::size_t limit) { return error_of([&] { TokenShardWriter(folder.path(), "x_train", 1, limit); }); };
  for (const std::size_t limit : {std::size_t{0}, std::size_t{0x80000000}}) CHECK(holds(error(limit), "between 1 and 2147483647 tokens"));
  for (const std::size_t limit : {std::size_t{1}, std::size_t{0x7FFFFFFF}}) CHECK(error(limit) == "no error");
}

TEST_CASE("files that are not shards are rejected with a reason", "[tokens]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.bin";
  const auto error = [&](const std::string& bytes) {
    put(file, bytes);
    return error_of([&] { TokenShard::open(file); });
  };
  std::string good(1024 + 4, '\0');
  const std::int32_t head[3] = {20240520, 1, 2};
  std::memcpy(good.data(), head, sizeof head);
  CHECK(error(good) == "no error");
  CHECK(holds(error("short"), "it has 5 bytes"));
  CHECK(holds(error(good.substr(0, 1026)), "its header says 2 tokens"));
  CHECK(holds(error(good + "more"), "but it has 1032"));
  std::string other = good;
  other[0] = 1;
  CHECK(holds(error(other), "not 20240520"));
  other = good;
  other[4] = 2;
  CHECK(holds(error(other), "its version is 2"));
  CHECK_THROWS_AS(TokenShard::open(folder.path() / "absent.bin"), Error);
}

TEST_CASE("documents are split by each rule", "[tokens]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.txt";
  put(file, "Title\nline two\n\n\nSecond\r\n\r\nThird");
  using Strings = std::vector<std::string>;
  CHECK(documents_of(file, DocumentRule::kFile) == Strings{"Title\nline two\n\n\nSecond\r\n\r\nThird"});
  CHECK(documents_of(file, DocumentRule::kBlankLines) == Strings{"Title\nline two", "Second", "Third"});
  CHECK(documents_of(file, DocumentRule::kLines) == Strings{"Title", "line two", "Second", "Third"});
  put(file, "{\"text\": \"a\\nb\"}\n\n{\"id\": 1, \"text\": \"c\"}\n{\"text\": \"\"}\n");
  CHECK(documents_of(file, DocumentRule::kJsonLines) == Strings{"a\nb", "c"});
  put(file, "{\"text\": \"a\"}\n{\"body\": \"c\"}\n");
  CHECK(holds(error_of([&] { documents_of(file, DocumentRule::kJsonLines); }), "a.txt:2"));
  put(file, "{\"text\": ");
  CHECK(holds(error_of([&] { documents_of(file, DocumentRule::kJsonLines); }), "not JSON"));
  put(file, "");
  CHECK(documents_of(file, DocumentRule::kFile).empty());
}

TEST_CASE("documents are UTF-8, without the file's byte order mark", "[tokens]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.txt";
  using Strings = std::vector<std::string>;
  for (const auto rule : {DocumentRule::kFile, DocumentRule::kBlankLines, DocumentRule::kLines, DocumentRule::kJsonLines}) {
    const bool json = rule == DocumentRule::kJsonLines;
    INFO(static_cast<int>(rule));
    const auto line = [&](const std::string& text) { return json ? "{\"text\": \"" + text + "\"}" : text; };
    put(file, "\xEF\xBB\xBF" + line("Zo\xC3\xAB"));
    CHECK(documents_of(file, rule) == Strings{"Zo\xC3\xAB"});
    put(file, "\xEF\xBB\xBF");
    CHECK(documents_of(file, rule).empty());
    put(file, line("one") + "\n" + line("Zo\xEB") + "\n");
    const auto error = error_of([&] { documents_of(file, rule); });
    INFO(error);
    CHECK(holds(error, "a.txt' is not text in UTF-8"));
    CHECK(holds(error, json ? "a.txt:2:13\n" : "a.txt:2:3\n"));
    CHECK(holds(error, "iconv -f WINDOWS-1252 -t UTF-8"));
    put(file, std::string("o\0n\0e\0\n\0", 8));
    CHECK(holds(error_of([&] { documents_of(file, rule); }), "it looks like UTF-16LE"));
  }
}

TEST_CASE("unpaired surrogates in JSON become U+FFFD and are counted", "[tokens]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.jsonl";
  const std::string gone = "\xEF\xBF\xBD";
  put(file, R"({"text": "a\ud83d b"}
{"text": "\uDE00\uD83D\uD83D\uDE00!"}
{"text": "\\ud83d \\\ud83d\u00e9"}
{"id": "\udc00", "text": "plain"}
)");
  DocumentReader reader(file, DocumentRule::kJsonLines);
  CHECK(reader.next() == "a" + gone + " b");
  CHECK(reader.replaced() == 1);
  CHECK(reader.next() == gone + gone + "\xF0\x9F\x98\x80!");
  CHECK(reader.replaced() == 3);
  CHECK(reader.next() == "\\ud83d \\" + gone + "\xC3\xA9");  // an escaped backslash starts no escape
  CHECK(reader.replaced() == 4);
  CHECK(reader.next() == "plain");
  CHECK_FALSE(reader.next());
  const auto result = tokenize_files({file}, folder.path() / "out", *bytes(), [] {
    TokenizeOptions o;
    o.documents = DocumentRule::kJsonLines;
    return o;
  }());
  CHECK(result.replaced == 5);
  CHECK(holds(replaced_text(5), "5 lone surrogates"));
}

TEST_CASE("invalid JSON lines are reported with their column", "[tokens]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.jsonl";
  const auto error = [&](const std::string& line) {
    put(file, "{\"text\": \"a\"}\n" + line + "\n");
    return error_of([&] { documents_of(file, DocumentRule::kJsonLines); });
  };
  CHECK(holds(error(R"({"score": NaN, "text": "b"})"), "a.jsonl:2:11\n"));
  CHECK(holds(error(R"({"score": NaN, "text": "b"})"), "invalid literal"));
  CHECK(holds(error("{\"text\": \"Zo\xC3\xAB\x01\"}"), "a.jsonl:2:14\n"));  // columns are characters
  CHECK(error("{\"text\": \"\x1b[31m\"}").find('\x1b') == std::string::npos);
  CHECK(holds(error("{}"), "has no text under 'text'"));
}

TEST_CASE("splitting off every k-th document must leave documents in both parts", "[tokens]") {
  const TemporaryFolder folder;
  put(folder.path() / "a.txt", "one\ntwo\nthree\n");
  const auto error = [&](DocumentRule rule, std::int64_t every) {
    TokenizeOptions o;
    o.documents = rule;
    o.validation_every = every;
    const auto out = folder.path() / ("out" + std::to_string(every));
    const auto said = error_of([&] { tokenize_files({folder.path() / "a.txt"}, out, *bytes(), o); });
    if (said != "no error") {
      for ([[maybe_unused]] const auto& left : fs::directory_iterator(out)) FAIL("a file was left behind");
    }
    return said;
  };
  CHECK(holds(error(DocumentRule::kFile, 2), "there is no document for validation"));
  CHECK(holds(error(DocumentRule::kFile, 2), "try: --documents lines"));
  CHECK(holds(error(DocumentRule::kLines, 4), "there is no document for validation"));
  CHECK(holds(error(DocumentRule::kLines, 4), "try: --val-every 3"));
  CHECK(error(DocumentRule::kLines, 3) == "no error");
  CHECK(holds(error(DocumentRule::kLines, 1), "there is no document for training"));
  CHECK(holds(error(DocumentRule::kLines, 1), "try: --val-every 3"));
}

TEST_CASE("zstd files with several frames are unpacked and truncated ones are errors", "[tokens]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.zst";
  const std::string text(300'000, 'x');
  put(file, zstd(text) + zstd("end"));
  CHECK(documents_of(file, DocumentRule::kFile) == std::vector<std::string>{text + "end"});
  const auto packed = zstd(text);
  put(file, packed.substr(0, packed.size() - 3));
  CHECK(holds(error_of([&] { documents_of(file, DocumentRule::kFile); }), "is truncated"));
  put(file, packed.substr(0, 4) + "nonsense");
  CHECK(holds(error_of([&] { documents_of(file, DocumentRule::kFile); }), "corrupt"));
}

TEST_CASE("files become shards, the same for any number of threads", "[tokens]") {
  const TemporaryFolder folder;
  std::string lines;
  std::vector<std::string> train, validation;
  for (int i = 0; i < 50; ++i) {
    // Some are longer than one write, and all of them are several times as long.
    const std::string document = "document " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 7 == 3 ? i * 2000 : i), '.');
    lines += document + "\n";
    (i % 5 == 4 ? validation : train).push_back(document);
  }
  put(folder.path() / "a.txt", lines);
  for (const std::size_t threads : {1, 4}) {
    TokenizeOptions o;
    o.documents = DocumentRule::kLines;
    o.name = "mine";
    o.validation_every = 5;
    o.threads = threads;
    const auto out = folder.path() / std::to_string(threads);
    const auto result = tokenize_files({folder.path() / "a.txt"}, out, *bytes(), o);
    CHECK(result.documents == 50);
    CHECK(result.validation_documents == 10);
    CHECK(result.files == std::vector<fs::path>{out / "mine_train_000001.bin", out / "mine_val_000000.bin"});
    CHECK(tokens_of(out / "mine_train_000001.bin") == expected(train));
    CHECK(tokens_of(out / "mine_val_000000.bin") == expected(validation));
    CHECK(result.train_tokens + result.validation_tokens == expected(train).size() + expected(validation).size());
  }
  put(folder.path() / "empty.txt", "\n\n");
  TokenizeOptions o;
  o.documents = DocumentRule::kLines;
  CHECK(holds(error_of([&] { tokenize_files({folder.path() / "empty.txt"}, folder.path() / "e", *bytes(), o); }), "no text"));
}

TEST_CASE("<|endoftext|> in a text is read as text or as its token", "[tokens]") {
  const TemporaryFolder folder;
  put(folder.path() / "a.txt", "one<|endoftext|>two\n<|endoftext|>\n<|endoftext|><|endoftext|>three\n<|endoftex|>\nno mark\n");
  const std::vector<std::string> documents = {"one<|endoftext|>two", "<|endoftext|>", "<|endoftext|><|endoftext|>three", "<|endoftex|>",
                                              "no mark"};
  TokenizeOptions o;
  o.documents = DocumentRule::kLines;
  for (const std::size_t threads : {1, 3}) {
    o.threads = threads;
    o.marks_are_tokens = false;
    auto result = tokenize_files({folder.path() / "a.txt"}, folder.path() / "text", *bytes(), o);
    CHECK(result.marks == 4);
    CHECK(tokens_of(result.files.at(0)) == expected(documents));
    o.marks_are_tokens = true;
    result = tokenize_files({folder.path() / "a.txt"}, folder.path() / "token", *bytes(), o);
    CHECK(result.marks == 4);
    CHECK(tokens_of(result.files.at(0)) == expected({"one", "two", "", "", "", "", "three", "<|endoftex|>", "no mark"}));
  }
}

TEST_CASE("the FineWeb sample gives its published tokens", "[tokens][slow]") {
  const auto shared = fs::path(YATLAB_SOURCE_DIR) / "../shared/data";
  if (!fs::exists(shared / "gpt2-bpe/vocab.bpe") || !fs::exists(shared / "fineweb-sample/fineweb_sample.jsonl.xz")) {
    WARN("skipped: the FineWeb sample is missing");
    return;
  }
  const auto pairs = BytePairs::load(shared / "gpt2-bpe/vocab.bpe");
  const auto published = tokens_of(shared / "fineweb-sample/fineweb_sample_val_000000.bin");
  DocumentReader reader(shared / "fineweb-sample/fineweb_sample.jsonl.xz", DocumentRule::kJsonLines);
  Tokens ours;
  std::size_t documents = 0;
  for (std::size_t i = 1; const auto document = reader.next(); ++i) {
    if (i % 20 != 0) continue;  // the held-out ones
    ours.push_back(pairs.end_of_text());
    pairs.encode(*document, ours);
    ++documents;
  }
  CHECK((ours == published));
  CHECK(documents == 140);
}

}  // namespace yatlab
