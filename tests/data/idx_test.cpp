#include "plugins/kernels/datasets/idx.h"

#include <ATen/ATen.h>

#include "catch.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("IDX files of any rank are read, plain or gzip", "[idx]") {
  const Scratch dir;
  const auto bytes = idx({2, 3, 2}, std::string("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\xfe\xff", 12));
  put(dir / "a", bytes);
  put(dir / "a.gz", gzip(bytes));
  for (const char* name : {"a", "a.gz"}) {
    const auto t = read_idx(dir / name, 3);
    REQUIRE(t.sizes() == at::IntArrayRef({2, 3, 2}));
    REQUIRE(t.scalar_type() == at::kByte);
    CHECK(t[0][2][1].item<int>() == 5);
    CHECK(t[1][2][0].item<int>() == 254);
    CHECK(t[1][2][1].item<int>() == 255);
  }
  CHECK(parse_idx(idx({3}, "abc"), "x")[1].item<int>() == 'b');
  CHECK(parse_idx(idx({1, 1, 1, 1}, "z"), "x").sizes() == at::IntArrayRef({1, 1, 1, 1}));
  CHECK(parse_idx(idx({0}, ""), "x").numel() == 0);
  CHECK(parse_idx(idx({0, 28, 28}, ""), "x", 3).sizes() == at::IntArrayRef({0, 28, 28}));
}

TEST_CASE("every malformed IDX file has its own message", "[idx]") {
  struct Case {
    std::string bytes;
    std::int64_t rank;
    std::string message, why;
  };
  const std::vector<Case> cases = {
      {"", -1, "'f' is truncated", "an IDX header has at least 4 bytes, found 0"},
      {std::string("\0\0\x08", 3), -1, "'f' is truncated", "an IDX header has at least 4 bytes, found 3"},
      {"GIF89a", -1, "'f' is not an IDX file", "bad magic number: expected 00 00 08 <rank>, found 47 49 46 38"},
      {idx({1}, "aaaa", 0x0D), -1, "'f' has values of the wrong type", "expected type 0x08 (unsigned byte), found 0x0d (32-bit float)"},
      {idx({1}, "a", 0x42), -1, "'f' has values of the wrong type", "expected type 0x08 (unsigned byte), found 0x42 (unknown type)"},
      {idx({}, ""), -1, "'f' has the wrong rank", "the header says 0 dimensions"},
      {idx({3}, "abc"), 3, "'f' has the wrong rank", "expected 3 dimensions, the header says 1"},
      {idx({2, 2, 2}, "").substr(0, 10), -1, "'f' is truncated", "a header with 3 dimensions has 16 bytes, found 10"},
      {idx({2, 2}, "abc"), -1, "'f' is truncated", "the header says 2 x 2 = 4 bytes, found 3 bytes of values"},
      {idx({2, 2}, "abcde"), -1, "'f' is longer than its header says", "the header says 2 x 2 = 4 bytes, found 5 bytes of values"},
      {idx({0}, "a"), -1, "'f' is longer than its header says", "the header says 0 = 0 bytes, found 1 bytes of values"},
      {idx({4294967295u, 4294967295u, 4294967295u}, "a"), -1, "'f' is truncated",
       "the header says 4294967295 x 4294967295 x 4294967295, found 1 bytes of values"},
      {idx({4000000000u, 4000000000u, 4000000000u, 0}, ""), -1, "'f' is truncated",
       "the header says 4000000000 x 4000000000 x 4000000000 x 0, found 0 bytes of values"},
      // 2^31 * 2^31 * 4 would wrap to 0 and agree with an empty file.
      {idx({2147483648u, 2147483648u, 4u}, ""), -1, "'f' is truncated",
       "the header says 2147483648 x 2147483648 x 4, found 0 bytes of values"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.why);
    const auto e = caught([&] { parse_idx(c.bytes, "f", c.rank); });
    CHECK(e.kind() == ErrorKind::kData);
    CHECK(e.message() == c.message);
    CHECK(e.why() == c.why);
    CHECK_FALSE(e.hint().empty());
  }
}

TEST_CASE("a truncated gzip around an IDX file is named and left alone", "[idx]") {
  const Scratch dir;
  const auto bytes = gzip(idx({100}, noise(100))).substr(0, 60);
  put(dir / "cut.gz", bytes);
  CHECK(caught([&] { read_idx(dir / "cut.gz"); }).message() == "'" + (dir / "cut.gz").string() + "' is truncated");
  CHECK(read_file(dir / "cut.gz") == bytes);
}
