#include "core/data/byte_stream.h"

#include "catch.h"
#include "core/base/hash.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

std::string unpacked(const Scratch& dir, const std::string& packed) {
  put(dir / "a.gz", packed);
  return read_unpacked(dir / "a.gz");
}

}  // namespace

TEST_CASE("packed files are read back unchanged", "[gzip]") {
  const Scratch dir;
  for (std::size_t size : {0u, 1u, 17u, 70000u, 1000000u}) {
    const auto bytes = noise(size);
    CHECK(unpacked(dir, gzip(bytes)) == bytes);
    CHECK(unpacked(dir, xz(bytes)) == bytes);
    CHECK(unpacked(dir, zstd(bytes)) == bytes);
  }
  const std::string flat(3000000, 'a');  // packs 1000:1
  CHECK(unpacked(dir, gzip(flat, 9)) == flat);
}

TEST_CASE("concatenated gzip members are read as one file", "[gzip]") {
  const Scratch dir;
  CHECK(unpacked(dir, gzip("one ") + gzip("") + gzip("two")) == "one two");
}

TEST_CASE("every kind of damage to a gzip file has its own message", "[gzip]") {
  const Scratch dir;
  const auto packed = gzip(noise(5000));
  const auto error = [&](const std::string& bytes) { return caught([&] { unpacked(dir, bytes); }); };

  // Truncated anywhere: in the header, the stream, the trailer.
  for (std::size_t size : {std::size_t{2}, std::size_t{9}, std::size_t{11}, packed.size() / 2, packed.size() - 8, packed.size() - 1}) {
    const auto e = error(packed.substr(0, size));
    CHECK(e.kind() == ErrorKind::kData);
    CHECK(e.message() == "'" + (dir / "a.gz").string() + "' is truncated");
    CHECK(e.why() == "its gzip stream is not complete after " + std::to_string(size) + " bytes");
    CHECK(e.hint() == "remove the file and fetch it again");
  }

  auto wrong_sum = packed;
  wrong_sum[packed.size() - 6] ^= 1;  // the trailer's CRC
  const auto corrupt = error(wrong_sum);
  CHECK(corrupt.message() == "'" + (dir / "a.gz").string() + "' is corrupt");
  CHECK(corrupt.why().find("incorrect data check") != std::string::npos);

  // Data was appended, or two files were mixed up.
  CHECK(error(packed + "junk").message() == "'" + (dir / "a.gz").string() + "' is corrupt");
}

TEST_CASE("unpacking stops at an implausible compression ratio", "[gzip]") {
  const Scratch dir;
  CHECK(unpacked(dir, gzip(std::string(16'000'000, 'a'), 9)).size() == 16'000'000);
  CHECK(caught([&] { unpacked(dir, gzip(std::string(20'000'000, 'a'), 9)); }).message() ==
        "'" + (dir / "a.gz").string() + "' decompresses to more than 20 times its size");
}

TEST_CASE("unpacked bytes do not depend on the size of reads", "[gzip]") {
  const Scratch dir;
  // A zstd frame of 20 bytes that declares a window of 2 GB: zstd itself accepts it if its buffer holds all of the frame.
  put(dir / "wide.zst", std::string("\x28\xb5\x2f\xfd\xc0\xa8\x14\0\0\0\0\0\0\0\xa1\0\0", 17) + std::string(20, 'a'));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{20}, std::size_t{1} << 20}) {
    const auto stream = open_byte_stream(dir / "wide.zst");
    std::string bytes, buffer(piece, 0);
    for (std::size_t n = piece; n == piece; bytes.append(buffer, 0, n)) n = stream->read(buffer.data(), piece);
    CHECK(bytes == std::string(20, 'a'));
  }
}

TEST_CASE("the content checksum is that of the unpacked bytes", "[gzip]") {
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
