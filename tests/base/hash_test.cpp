#include "core/base/hash.h"

#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "temporary_folder.h"

namespace yatlab {

// FIPS 180-4 and NIST's example values.
TEST_CASE("SHA-256 of the published vectors", "[hash]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a file has the sum of its bytes", "[hash]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "bytes";
  // Around the size of the buffer, and with bytes that text modes would change.
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, (std::size_t{1} << 20) - 1,
                                 std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
    std::string bytes(size, '\n');
    if (size > 2) bytes[1] = '\0', bytes[2] = '\x1a';
    write_file_atomic(path, bytes);
    CHECK(sha256_file(path) == sha256(bytes));
  }
}

TEST_CASE("what cannot be read has no sum", "[hash]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(sha256_file(folder.path() / "absent"),
                    "cannot read '" + (folder.path() / "absent").string() + "'\n  why: No such file or directory");
  CHECK_THROWS_WITH(sha256_file(folder.path()), "cannot read '" + folder.path().string() + "'\n  why: Is a directory");
}

TEST_CASE("seeds depend on root, purpose and index, and on nothing else", "[hash]") {
  // By its definition: the first 8 bytes, big-endian, of SHA-256("yatlab:<root>:<purpose>:<index>").
  CHECK(derive_seed(7, "init", 0) ==
        std::stoull(sha256("yatlab:7:init:0").substr(0, 16), nullptr, 16));
  CHECK(derive_seed(7, "init") == derive_seed(7, "init", 0));
  std::set<std::uint64_t> seen;
  for (std::uint64_t root = 0; root < 10; ++root) {
    for (const char* purpose : {"init", "shuffle", "dropout", "data"}) {
      for (std::uint64_t index = 0; index < 25; ++index) seen.insert(derive_seed(root, purpose, index));
    }
  }
  CHECK(seen.size() == 1000);
}

}  // namespace yatlab
