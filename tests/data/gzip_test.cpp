#include "core/data/gzip.h"

#include "catch.h"
#include "core/base/hash.h"
#include "core/data/byte_stream.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("gunzip gives back what was packed", "[gzip]") {
  for (std::size_t size : {0u, 1u, 17u, 70000u, 1000000u}) {
    const auto bytes = noise(size);
    CHECK(gunzip(gzip(bytes), "x") == bytes);
  }
  const std::string flat(3000000, 'a');  // packs 1000:1
  CHECK(gunzip(gzip(flat, 9), "x") == flat);
}

TEST_CASE("members in a row count as one file", "[gzip]") { CHECK(gunzip(gzip("one ") + gzip("") + gzip("two"), "x") == "one two"); }

TEST_CASE("every way for a gzip file to be broken has its message", "[gzip]") {
  const auto bytes = noise(5000);
  const auto packed = gzip(bytes);

  const auto foreign = caught([&] { gunzip("PK\x03\x04", "a.gz"); });
  CHECK(foreign.kind() == ErrorKind::kData);
  CHECK(foreign.message() == "'a.gz' is not a gzip file");
  CHECK(foreign.why() == "it begins with 50 4b instead of 1f 8b");
  CHECK(caught([&] { gunzip("", "a.gz"); }).why() == "it holds 0 bytes");

  // Cut anywhere: in the header, the stream, the trailer.
  for (std::size_t size : {std::size_t{2}, std::size_t{9}, std::size_t{11}, packed.size() / 2, packed.size() - 8, packed.size() - 1}) {
    const auto e = caught([&] { gunzip(packed.substr(0, size), "a.gz"); });
    CHECK(e.message() == "'a.gz' is cut off");
    CHECK(e.why() == "its gzip stream has no end after " + std::to_string(size) + " bytes");
    CHECK(e.hint() == "remove the file and fetch it again");
  }

  auto wrong_sum = packed;
  wrong_sum[packed.size() - 6] ^= 1;  // the trailer's CRC
  const auto corrupt = caught([&] { gunzip(wrong_sum, "a.gz"); });
  CHECK(corrupt.message() == "'a.gz' is corrupt");
  CHECK(corrupt.why().find("incorrect data check") != std::string::npos);

  const auto longer = caught([&] { gunzip(packed + "junk", "a.gz"); });
  CHECK(longer.message() == "'a.gz' has 4 bytes after its gzip stream");
}

TEST_CASE("unpacking stops at the limit", "[gzip]") {
  const auto packed = gzip(std::string(100000, 'a'));
  CHECK(gunzip(packed, "a.gz", 100000).size() == 100000);
  CHECK(gunzip(packed + gzip(""), "a.gz", 100000).size() == 100000);  // full before its end
  const auto e = caught([&] { gunzip(packed, "a.gz", 99999); });
  CHECK(e.message() == "'a.gz' is too large");
  CHECK(e.why() == "it unpacks to more than 99999 bytes");
}

TEST_CASE("without a limit given it is one that no text or image comes near", "[gzip]") {
  const auto packed = gzip(std::string(20'000'000, 'a'), 9);
  CHECK(caught([&] { gunzip(packed, "a.gz"); }).why() == "it unpacks to more than 16777216 bytes");
  CHECK(gunzip(packed, "a.gz", 20'000'000).size() == 20'000'000);
}

TEST_CASE("the sum of a file's content is that of what it unpacks to", "[gzip]") {
  const Scratch dir;
  put(dir / "a", "content");
  put(dir / "b", gzip("content"));
  put(dir / "c", xz("content"));
  put(dir / "d", zstd("content"));
  for (const char* name : {"a", "b", "c", "d"}) CHECK(sha256_unpacked(dir / name) == sha256("content"));
  const std::string large = noise(3'000'000);
  put(dir / "e", gzip(large));
  CHECK(sha256_unpacked(dir / "e") == sha256(large));
  CHECK(caught([&] { sha256_unpacked(dir / "f"); }).exit_code() == 3);
}
