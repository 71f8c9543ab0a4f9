#include "plugins/extreme/datasets/xc_text.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <lzma.h>

#include <random>

#include "catch.h"
#include "core/data/byte_stream.h"
#include "core/data/sparse_rows.h"
#include "data/fixtures.h"
#include "train/sparse.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

// The parsed rows as text again.
std::string shown(const XcRows& rows) {
  const auto f = sparse_rows(rows.features), l = sparse_rows(rows.labels);
  std::string out = fmt::format("{} {} {}\n", f.rows, f.width, l.width);
  for (std::int64_t r = 0; r < f.rows; ++r) {
    std::vector<std::int64_t> labels(l.columns + l.starts[r], l.columns + l.starts[r + 1]);
    out += fmt::format("{}", fmt::join(labels, ","));
    for (auto i = f.starts[r]; i < f.starts[r + 1]; ++i) out += fmt::format(" {}:{}", f.columns[i], f.values[i]);
    if (out.back() == '\n') out += ' ';
    out += '\n';
  }
  return out;
}

std::string parsed(const std::string& text, const XcOptions& options = {}) { return shown(parse_xc(text, "f.txt", options)); }

bool equal(const XcRows& a, const XcRows& b) {
  for (const auto& [x, y] : {std::pair{a.features, b.features}, std::pair{a.labels, b.labels}}) {
    if (x.sizes() != y.sizes() || !x.crow_indices().equal(y.crow_indices()) || !x.col_indices().equal(y.col_indices()) ||
        !x.values().equal(y.values())) {
      return false;
    }
  }
  return true;
}

// A valid random file of `rows` rows.
std::string generated(int rows, unsigned seed, int features = 50, int labels = 20) {
  std::mt19937 random(seed);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::string out = fmt::format("{} {} {}\n", rows, features, labels);
  for (int r = 0; r < rows; ++r) {
    std::vector<int> chosen;
    for (int l = draw(4); l < labels; l += 1 + draw(12)) chosen.push_back(l);
    if (draw(5) == 0) chosen.clear();
    out += fmt::format("{}", fmt::join(chosen, ","));
    if (chosen.empty()) out += ' ';
    bool first = chosen.empty();
    for (int f = draw(6); f < features; f += 1 + draw(9)) {
      out += fmt::format("{}{}:{:.6f}", first ? "" : " ", f, draw(1000000) * 1e-6);
      first = false;
    }
    out += '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("XC text is read as written", "[xc]") {
  const auto rows = parse_xc("4 5 3\n2,0 0:0.5 3:-2e-3\n 4:1\n1\n \n", "f.txt");
  REQUIRE(rows.features.sizes() == at::IntArrayRef({4, 5}));
  REQUIRE(rows.labels.sizes() == at::IntArrayRef({4, 3}));
  CHECK(rows.features.crow_indices().equal(at::tensor(std::vector<std::int64_t>{0, 2, 3, 3, 3}, at::kLong)));
  CHECK(rows.features.col_indices().equal(at::tensor(std::vector<std::int64_t>{0, 3, 4}, at::kLong)));
  CHECK(rows.features.values().equal(at::tensor({0.5f, -2e-3f, 1.f})));
  CHECK(rows.labels.crow_indices().equal(at::tensor(std::vector<std::int64_t>{0, 2, 2, 3, 3}, at::kLong)));
  CHECK(rows.labels.col_indices().equal(at::tensor(std::vector<std::int64_t>{0, 2, 1}, at::kLong)));
  CHECK(rows.labels.values().equal(at::ones({3})));

  SECTION("unordered indices are sorted along with their values") {
    CHECK(parsed("1 9 9\n5,3,8 7:7 0:0.25 3:3\n") == "1 9 9\n3,5,8 0:0.25 3:3 7:7\n");
  }
  SECTION("blanks between and after entries are ignored") { CHECK(parsed("2 9 9 \n1  2:1   3:1 \n  4:2\n") == "2 9 9\n1 2:1 3:1\n 4:2\n"); }
  SECTION("zeros are kept and tiny values underflow to 0 and every digit counts") {
    CHECK(parsed("1 9 1\n 0:0 1:0.0 2:1e-60 3:0.1 4:16777217 5:3.4e38\n") == "1 9 1\n 0:0 1:0 2:0 3:0.1 4:16777216 5:3.4e+38\n");
  }
  SECTION("rows have any number of entries") {
    const std::size_t lengths[] = {1, 254, 255, 0, 256, 257, 70'000, 3, 65'536};
    std::string text = "9 70000 70000\n";
    for (const auto n : lengths) {
      for (std::size_t i = 0; i < n; ++i) text += fmt::format("{}{}", i > 0 ? "," : "", i);
      for (std::size_t i = 0; i < n + 2; ++i) text += i < 70'000 ? fmt::format(" {}:1", i) : "";
      text += '\n';
    }
    const auto read = parse_xc(text, "f.txt");
    const auto labels = sparse_rows(read.labels), features = sparse_rows(read.features);
    for (std::int64_t row = 0; row < 9; ++row) {
      const auto n = static_cast<std::int64_t>(lengths[row]);
      CHECK(labels.length(row) == n);
      CHECK(features.length(row) == std::min<std::int64_t>(n + 2, 70'000));
    }
  }
  SECTION("a file may have no rows") { CHECK(parsed("0 5 4\n") == "0 5 4\n"); }
}

TEST_CASE("A malformed XC line is named with file, line and column", "[xc]") {
  const auto what = [](const std::string& row) { return caught([&] { parse_xc("2 10 5\n1 2:1\n" + row + "\n", "f.txt"); }); };
  struct Case {
    const char *row, *what, *where, *why, *hint;
  };
  constexpr const char* kRow = "a row is 'label,label,... feature:value feature:value ...'";
  constexpr const char* kFinite = "values are decimal numbers in the range of float32";
  const std::vector<Case> cases = {
      {"x 2:1", "a label index that is not a number", "f.txt:3:1", "found 'x'", kRow},
      {"1,,2 2:1", "a label index that is not a number", "f.txt:3:3", "found ',2'", kRow},
      {"1, 2:1", "a label index that is not a number", "f.txt:3:3", "found ''", kRow},
      {"1;2 2:1", "labels are not separated by commas", "f.txt:3:2", "found '1;2'", kRow},
      {"1\t2:1", "labels are not separated by commas", "f.txt:3:2", "found '1?2:1'", kRow},
      {"1\x1f~\x7f\x80:1", "labels are not separated by commas", "f.txt:3:2", "found '1?~??:1'", kRow},
      {"5 2:1", "a label index out of range", "f.txt:3:1", "found 5; the header says 5 labels, so 0 to 4",
       "indices begin at 0; correct the line or the header"},
      {"1,-1 2:1", "a label index out of range", "f.txt:3:3", "found -1; the header says 5 labels, so 0 to 4",
       "indices begin at 0; correct the line or the header"},
      {"1 10:1", "a feature index out of range", "f.txt:3:3", "found 10; the header says 10 features, so 0 to 9",
       "indices begin at 0; correct the line or the header"},
      {"1 99999999999999999999:1", "a feature index out of range", "f.txt:3:3",
       "found 99999999999999999999; the header says 10 features, so 0 to 9", "indices begin at 0; correct the line or the header"},
      {"3:0.5 4:1", "a feature where labels are expected", "f.txt:3:1", "found '3:0.5'", "a row without labels begins with a space"},
      {"7:0.5 4:1", "a feature where labels are expected", "f.txt:3:1", "found '7:0.5'", "a row without labels begins with a space"},
      {"1 a:1", "a feature index that is not a number", "f.txt:3:3", "found 'a:1'", kRow},
      {"1 2:1 3", "a feature without a value", "f.txt:3:7", "found '3'", "write feature:value"},
      {"1 2.5:1", "a feature without a value", "f.txt:3:3", "found '2.5:1'", "write feature:value"},
      {"1 2:", "a value that is not a finite number", "f.txt:3:3", "found '2:'", kFinite},
      {"1 2:nan", "a value that is not a finite number", "f.txt:3:3", "found '2:nan'", kFinite},
      {"1 2:-inf", "a value that is not a finite number", "f.txt:3:3", "found '2:-inf'", kFinite},
      {"1 2:1e39", "a value that is not a finite number", "f.txt:3:3", "found '2:1e39'", kFinite},
      {"1 2:1e999", "a value that is not a finite number", "f.txt:3:3", "found '2:1e999'", kFinite},
      {"1 2:+1", "a value that is not a finite number", "f.txt:3:3", "found '2:+1'", kFinite},
      {"1 2:1,5", "unexpected text after a value", "f.txt:3:3", "found '2:1,5'", "features are separated by spaces"},
      {"1 2:0x1p3", "unexpected text after a value", "f.txt:3:3", "found '2:0x1p3'", "features are separated by spaces"},
      {"1 4:1 2:1 4:2", "a row contains a feature twice", "f.txt:3", "feature 4", "keep one of them"},
      {"3,1,3 4:1", "a row contains a label twice", "f.txt:3", "label 3", "keep one of them"},
      {"1 2:1\r", "a line that ends in CR LF", "f.txt:3:6", "lines must end in LF only", "convert the file: tr -d '\\r'"},
      {"", "an empty line", "f.txt:3:1", "every line is a row", "write a row without labels and features as one space, or delete the line"},
  };
  for (const auto& c : cases) {
    INFO("row: " << c.row);
    const auto e = what(c.row);
    CHECK(e.kind() == ErrorKind::kData);
    CHECK(e.message() == c.what);
    CHECK(e.where() == c.where);
    CHECK(e.why() == c.why);
    CHECK(e.hint() == c.hint);
  }
  // Of several errors the first.
  CHECK(what("3,1,3 4:1\nx 2:1").message() == "a row contains a label twice");
  CHECK(what("1 4:1 2:1 4:2\nx 2:1").message() == "a row contains a feature twice");
  CHECK(what("3,1,3 4:1 2:1 4:2").message() == "a row contains a label twice");
  CHECK(what("x 2:1\n3,1,3 4:1").message() == "a label index that is not a number");
}

TEST_CASE("A wrong XC header or row count is reported", "[xc]") {
  for (const char* header : {"", "3", "3 4", "a 4 5", "3 4 5 6", "-1 4 5", "3,4,5", "3 4 5x", "1 2:3", "\x1f\x8b"}) {
    INFO("header: " << header);
    const auto e = caught([&] { parse_xc(std::string(header) + "\n1 2:1\n", "f.txt"); });
    CHECK(e.message() == "not the header of an XC text file");
    CHECK(e.where() == "f.txt:1");
  }
  CHECK(caught([] { parse_xc("2 10 0\n \n \n", "f.txt"); }).message() == "a header with counts out of range");
  CHECK(caught([] { parse_xc("2 3000000000 5\n \n \n", "f.txt"); }).message() == "a header with counts out of range");
  CHECK(caught([] { parse_xc("9223372036854775807 3 5\n \n \n", "f.txt"); }).message() == "a header with counts out of range");
  CHECK(caught([] { parse_xc("1 3 5\r\n \n", "f.txt"); }).message() == "a line that ends in CR LF");
  CHECK(caught([] { parse_xc("", "f.txt"); }).message() == "'f.txt' is empty");

  const auto fewer = caught([] { parse_xc("3 10 5\n1 2:1\n2 3:1\n", "f.txt"); });
  CHECK(fewer.message() == "fewer rows than the header says");
  CHECK(fewer.where() == "f.txt:3");
  CHECK(fewer.why() == "the header says 3, the file ends after 2");
  const auto more = caught([] { parse_xc("1 10 5\n1 2:1\n2 3:1\n2 x\n", "f.txt"); });
  CHECK(more.message() == "more rows than the header says");
  CHECK(more.where() == "f.txt:3");
  // The same at every block boundary, whether the surplus is complete or not.
  for (std::size_t block = 1; block < 40; ++block) {
    XcOptions options;
    options.block_bytes = block;
    for (const char* surplus : {"2 3:1\n", "2 3:1\n2 x\n", "2 3:1"}) {
      INFO(block << " " << surplus);
      CHECK(caught([&] { parse_xc(std::string("2 10 5\n1 2:1\n0 4:1\n") + surplus, "f.txt", options); }).message() == more.message());
    }
    CHECK(caught([&] { parse_xc("3 10 5\n1 2:1\n2 3:1\n", "f.txt", options); }).message() == fewer.message());
  }
  // A count that no memory could hold allocates nothing.
  CHECK(caught([] { parse_xc("4000000000000000000 10 5\n1 2:1\n", "f.txt"); }).message() == "fewer rows than the header says");
}

TEST_CASE("A missing last newline means a truncated file unless the checksum is right", "[xc]") {
  const std::string text = "2 10 5\n1 2:1\n2 3:0.25";
  const auto e = caught([&] { parse_xc(text, "f.txt"); });
  CHECK(e.message() == "the last line has no newline");
  CHECK(e.where() == "f.txt:3");
  CHECK(e.why() == "the file may be truncated");
  XcOptions options;
  options.open_end = true;
  CHECK(parsed(text, options) == "2 10 5\n1 2:1\n2 3:0.25\n");
}

TEST_CASE("Threads and block sizes change neither parsed XC data nor reported lines", "[xc]") {
  auto text = generated(700, 5);
  const auto whole = parse_xc(text, "f.txt");
  for (const std::size_t block : {1u, 7u, 100u, 4096u}) {
    for (const int threads : {1, 3}) {
      XcOptions options;
      options.block_bytes = block;
      options.threads = threads;
      CHECK(equal(parse_xc(text, "f.txt", options), whole));
    }
  }
  // Two bad lines: the first is named, in whichever blocks they are.
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts.push_back(i + 1);
  }
  text[starts[600]] = 'y';
  text[starts[401]] = 'x';
  for (const std::size_t block : {1u, 100u, 4096u, 1u << 20}) {
    XcOptions options;
    options.block_bytes = block;
    options.threads = 3;
    CHECK(caught([&] { parse_xc(text, "f.txt", options); }).where() == "f.txt:402:1");
  }
}

TEST_CASE("XC files are read plain, as gzip and as xz", "[xc]") {
  const Scratch dir;
  const auto text = generated(300, 9);
  put(dir / "plain.txt", text);
  put(dir / "one.gz", gzip(text));
  put(dir / "two.gz", gzip(text.substr(0, 1000)) + gzip(text.substr(1000)));  // consecutive members, as made by cat
  put(dir / "one.xz", xz(text));
  put(dir / "two.xz", xz(text.substr(0, 1000)) + xz(text.substr(1000)));
  const auto expected = parse_xc(text, "f.txt");
  XcOptions options;
  options.block_bytes = 500;
  for (const char* name : {"plain.txt", "one.gz", "two.gz", "one.xz", "two.xz"}) {
    INFO(name);
    CHECK(equal(read_xc(dir / name), expected));
    CHECK(equal(read_xc(dir / name, options), expected));
  }

  SECTION("truncated and damaged packed files are named") {
    const auto message = [&](const std::string& bytes) {
      put(dir / "bad", bytes);
      auto text_of = caught([&] { read_xc(dir / "bad"); }).message();
      text_of.replace(text_of.find(dir.path().string()), dir.path().string().size(), "");
      return text_of;
    };
    const auto gz = gzip(text), packed = xz(text);
    CHECK(message(gz.substr(0, gz.size() - 3)) == "'/bad' is truncated");
    CHECK(message(packed.substr(0, packed.size() - 3)) == "'/bad' is truncated");
    auto flipped = gz;
    flipped[gz.size() - 6] ^= 1;  // of the checksum
    CHECK(message(flipped) == "'/bad' is corrupt");
    CHECK(message(gz + "junk") == "'/bad' is corrupt");
    flipped = packed;
    flipped[packed.size() - 1] ^= 1;
    CHECK(message(flipped) == "'/bad' is corrupt");
    CHECK(message(packed + "sixteen bytes...") == "'/bad' is corrupt");
  }
  CHECK(caught([&] { read_xc(dir / "nothing"); }).message() == "cannot read '" + (dir / "nothing").string() + "'");
}

TEST_CASE("Mutated XC files are either parsed or rejected", "[xc]") {
  const auto text = generated(12, 3);
  std::mt19937 random(17);
  const auto draw = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::string alphabet = "0123456789.,: \n\r\t-+eEnaifx\xff";
  int refused = 0, accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    auto mutant = text;
    for (std::size_t edits = 1 + draw(3); edits > 0 && !mutant.empty(); --edits) {
      const auto at = draw(mutant.size());
      switch (draw(5)) {
        case 0:
          mutant[at] = alphabet[draw(alphabet.size())];
          break;
        case 1:
          mutant.insert(at, 1, alphabet[draw(alphabet.size())]);
          break;
        case 2:
          mutant.erase(at, 1 + draw(5));
          break;
        case 3:
          mutant.resize(at);
          break;
        default:
          mutant.insert(at, mutant.substr(draw(mutant.size()), 1 + draw(20)));
      }
    }
    XcOptions options;
    options.block_bytes = 1 + draw(200);
    options.threads = 1;
    options.open_end = draw(2) == 0;
    try {
      const auto rows = parse_xc(mutant, "f.txt", options);
      ++accepted;
      // Accepted input is valid, and a round trip gives the same.
      const auto again = shown(rows);
      REQUIRE(equal(parse_xc(again, "again"), rows));
      const auto f = sparse_rows(rows.features);
      for (std::int64_t r = 0; r < f.rows; ++r) {
        for (auto e = f.starts[r]; e < f.starts[r + 1]; ++e) {
          REQUIRE((f.columns[e] >= 0 && f.columns[e] < f.width && std::isfinite(f.values[e])));
          REQUIRE((e == f.starts[r] || f.columns[e] > f.columns[e - 1]));
        }
      }
    } catch (const Error& e) {
      ++refused;
      REQUIRE(e.kind() == ErrorKind::kData);
      REQUIRE(std::string(e.what()).find("f.txt") != std::string::npos);
    }
  }
  CHECK(refused > 2000);
  CHECK(accepted > 300);
}

TEST_CASE("Rows of CSR matrices can be selected, sliced and normalised", "[xc]") {
  const auto rows = parse_xc(generated(40, 2), "f.txt").features;
  const auto dense = rows.to_dense();
  const std::vector<std::int64_t> chosen = {39, 0, 0, 17};
  CHECK(select_sparse_rows(rows, chosen).to_dense().equal(dense.index_select(0, at::tensor(chosen, at::kLong))));
  CHECK(select_sparse_rows(rows, {}).sizes() == at::IntArrayRef({0, 50}));
  CHECK(narrow_sparse_rows(rows, 5, 20).to_dense().equal(dense.narrow(0, 5, 20)));
  CHECK(narrow_sparse_rows(narrow_sparse_rows(rows, 5, 20), 3, 4).to_dense().equal(dense.narrow(0, 8, 4)));
  const auto parts =
      concatenate_sparse_rows({narrow_sparse_rows(rows, 5, 20), rows, narrow_sparse_rows(rows, 0, 0), narrow_sparse_rows(rows, 7, 1)});
  CHECK(parts.to_dense().equal(at::cat({dense.narrow(0, 5, 20), dense, dense.narrow(0, 7, 1)})));
  CHECK_THROWS_AS(concatenate_sparse_rows({rows, csr_of(at::ones({2, 3}))}), Error);
  CHECK(column_counts(narrow_sparse_rows(rows, 5, 20)).equal(dense.narrow(0, 5, 20).ne(0).sum(0)));
  const auto unit = normalize_sparse_rows(parse_xc("3 4 1\n 0:3 2:4\n \n 1:0\n", "f.txt").features).to_dense();
  CHECK(unit.equal(at::tensor({0.6f, 0.f, 0.8f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f}).view({3, 4})));
  CHECK_THROWS_AS(select_sparse_rows(rows, {40}), Error);
  CHECK_THROWS_AS(narrow_sparse_rows(rows, 30, 11), Error);
  CHECK_THROWS_AS(sparse_rows(dense), Error);
  CHECK_FALSE(is_sparse_rows(dense));
}
