#include "core/base/hash.h"

#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "temporary_folder.h"

namespace yatlab {

// FIPS 180-4 and NIST's example values.
TEST_CASE("SHA-256 matches the published test vectors", "[hash]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// RFC 3174, RFC 1321, RFC 4648.
TEST_CASE("other hashes and encodings match the published test vectors", "[hash]") {
  const auto of = [](Hash::Kind kind, std::string_view bytes) {
    Hash hash(kind);
    hash.update(bytes);
    return hash.hex();
  };
  CHECK(of(Hash::Kind::kSha1, "abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(of(Hash::Kind::kMd5, "message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(hex(std::string_view("\0\x7f\xff", 3)) == "007fff");
  const std::pair<const char*, const char*> encoded[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                                         {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : encoded) CHECK(base64(plain) == text);
}

TEST_CASE("a hash can be continued also after the first bytes of a file", "[hash]") {
  const TemporaryFolder folder;
  write_file_atomic(folder.path() / "file", "abcdef");
  Hash hash;
  hash.update("ab");
  CHECK(hash.hex() == sha256("ab"));
  hash.update("c");
  CHECK(hash.hex() == sha256("abc"));
  CHECK(hash.bytes().size() == 32);
  Hash start;
  start.update_from(folder.path() / "file", 3);
  CHECK(start.hex() == sha256("abc"));
  start.update_from(folder.path() / "file");
  CHECK(start.hex() == sha256("abcabcdef"));
}

TEST_CASE("a file's checksum is that of its bytes", "[hash]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "bytes";
  // Around the size of the buffer, and with bytes that text modes would change.
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{3}, (std::size_t{1} << 20) - 1, std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
    std::string bytes(size, '\n');
    if (size > 2) bytes[1] = '\0', bytes[2] = '\x1a';
    write_file_atomic(path, bytes);
    CHECK(sha256_file(path) == sha256(bytes));
  }
}

TEST_CASE("an unreadable file has no checksum", "[hash]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(sha256_file(folder.path() / "absent"),
                    "cannot read '" + (folder.path() / "absent").string() + "'\n  why: No such file or directory");
  CHECK_THROWS_WITH(sha256_file(folder.path()), "cannot read '" + folder.path().string() + "'\n  why: Is a directory");
}

TEST_CASE("derived seeds depend only on root, purpose and index", "[hash]") {
  // By definition: the first 8 bytes, big-endian, of SHA-256("yatlab:<root>:<purpose>:<index>").
  CHECK(derive_seed(7, "init", 0) == std::stoull(sha256("yatlab:7:init:0").substr(0, 16), nullptr, 16));
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
