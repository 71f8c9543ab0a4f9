#include "plugins/kernels/datasets/npy.h"

#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "data/fixtures.h"
#include "data/own_files.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

template <class T>
void check_type(const std::string& type, at::ScalarType scalar) {
  INFO(type);
  const NpyArray a = parse_npy(npy(type, "2, 3", bytes_of_numbers<T>({T(1), T(2), T(3), T(4), T(5), T(6)})), "a");
  REQUIRE(a.numbers.scalar_type() == scalar);
  REQUIRE(a.numbers.sizes() == at::IntArrayRef({2, 3}));
  CHECK(a.shape == std::vector<std::int64_t>{2, 3});
  CHECK(a.type == type);
  CHECK(a.numbers[0][2].item<double>() == 3);
  CHECK(a.numbers[1][0].item<double>() == 4);
}

}  // namespace

TEST_CASE("NumPy arrays are read in every number type", "[npy]") {
  check_type<std::uint8_t>("|u1", at::kByte);
  check_type<std::int8_t>("|i1", at::kChar);
  check_type<std::int16_t>("<i2", at::kShort);
  check_type<std::int32_t>("<i4", at::kInt);
  check_type<std::int64_t>("<i8", at::kLong);
  check_type<std::uint64_t>("<u8", at::kLong);
  check_type<float>("<f4", at::kFloat);
  check_type<double>("<f8", at::kDouble);
  // Types without a tensor type become wider ones.
  const auto u2 = parse_npy(npy("<u2", "2,", bytes_of_numbers<std::uint16_t>({1, 65535})), "a").numbers;
  CHECK(u2.scalar_type() == at::kInt);
  CHECK(u2[1].item<int>() == 65535);
  const auto u4 = parse_npy(npy("<u4", "2,", bytes_of_numbers<std::uint32_t>({7, 4294967295u})), "a").numbers;
  CHECK(u4.scalar_type() == at::kLong);
  CHECK(u4[1].item<std::int64_t>() == 4294967295);
  const auto b = parse_npy(npy("|b1", "3,", std::string("\x01\x00\x02", 3)), "a").numbers;
  CHECK(b.scalar_type() == at::kBool);
  CHECK(b.sum().item<int>() == 2);
  const auto half = parse_npy(npy("<f2", "1,", std::string("\x00\x3e", 2)), "a").numbers;  // 1.5
  CHECK(half.item<double>() == 1.5);
  const auto big = parse_npy(npy(">i4", "2,", std::string("\x00\x00\x01\x02\xff\xff\xff\xfe", 8)), "a").numbers;
  CHECK(big[0].item<int>() == 258);
  CHECK(big[1].item<int>() == -2);
  CHECK(parse_npy(npy("<f4", "", bytes_of_numbers<float>({2.5f})), "a").numbers.item<float>() == 2.5f);
  CHECK(parse_npy(npy("<f4", "0, 3", ""), "a").numbers.sizes() == at::IntArrayRef({0, 3}));
  for (const char version : {1, 2, 3}) CHECK(parse_npy(npy("|u1", "2,", "ab", false, version), "a").numbers[1].item<int>() == 'b');
}

TEST_CASE("NumPy arrays in Fortran order are transposed", "[npy]") {
  // [[1, 2, 3], [4, 5, 6]] column by column
  const auto a = parse_npy(npy("<f4", "2, 3", bytes_of_numbers<float>({1, 4, 2, 5, 3, 6}), true), "a").numbers;
  CHECK(at::equal(a, at::tensor({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}).view({2, 3})));
  CHECK(a.is_contiguous());
}

TEST_CASE("NumPy string arrays are read as UTF-8", "[npy]") {
  const auto s = parse_npy(npy("|S4", "3,", std::string("oak\0elm\0fir?", 12)), "a");
  CHECK_FALSE(s.numbers.defined());
  CHECK(s.strings == std::vector<std::string>{"oak", "elm", "fir?"});
  const auto wide = bytes_of_numbers<std::uint32_t>({'o', 0, 0xE9, 0x2D5F, 0x1F333, 'x'});
  CHECK(parse_npy(npy("<U2", "3,", wide), "a").strings == std::vector<std::string>{"o", "é\u2D5F", "\U0001F333x"});
  CHECK(parse_npy(npy(">U1", "1,", std::string("\0\0\0z", 4)), "a").strings == std::vector<std::string>{"z"});
}

TEST_CASE("errors in malformed NumPy files give the reason", "[npy]") {
  struct Case {
    std::string bytes, message;
  };
  const auto good = npy("<f4", "2,", "12345678");
  auto version = good, header = good;
  version[6] = 9;
  header[8] = '\x7f', header[9] = '\x7f';
  const std::vector<Case> cases = {
      {"", "is not a NumPy array"},
      {"PK\x03\x04 something", "is not a NumPy array"},
      {version, "has an unknown format"},
      {header, "is truncated"},
      {good.substr(0, good.size() - 1), "is truncated"},
      {good + "x", "is longer than its header says"},
      {npy("|O", "2,", "12345678"), "contains values of type '|O'"},
      {npy("<c8", "1,", "12345678"), "contains values of type '<c8'"},
      {npy("<M8[s]", "1,", "12345678"), "contains values of type '<M8[s]'"},
      {npy("f4", "2,", "12345678"), "contains values of type 'f4'"},
      {npy("<f4", "2, x", "12345678"), "does not have a valid NumPy header"},
      {npy("<f4", "-2,", "12345678"), "does not have a valid NumPy header"},
      {npy("<u8", "1,", std::string(8, '\xff')), "contains numbers above 9223372036854775807"},
      {npy("<U1", "1,", std::string(4, '\xff')), "contains a string that is not Unicode"},
      {npy("<f4", "4294967296, 4294967296, 4", ""), "is truncated"},  // 2^66 wraps to 0
      {npy("<f4", "4294967296, 4294967296, 0", ""), "is truncated"},
      {npy("<U0", "65537,", ""), "contains only empty strings"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.message);
    const auto e = caught([&] { parse_npy(c.bytes, "a.npy"); });
    CHECK(e.kind() == ErrorKind::kData);
    CHECK(e.message() == "'a.npy' " + c.message);
  }
}

TEST_CASE(".npz files are read, packed or not", "[npy]") {
  const Scratch dir;
  const std::vector<std::pair<std::string, std::string>> files = {{"x.npy", npy("<f4", "2, 2", bytes_of_numbers<float>({1, 2, 3, 4}))},
                                                                  {"y.npy", npy("|S1", "2,", "ab")}};
  for (const bool packed : {false, true}) {
    put(dir / "a.npz", zip(files, packed));
    const auto arrays = read_npz(dir / "a.npz");
    REQUIRE(arrays.size() == 2);
    CHECK(at::equal(arrays.at("x").numbers, at::tensor({1.f, 2.f, 3.f, 4.f}).view({2, 2})));
    CHECK(arrays.at("y").strings == std::vector<std::string>{"a", "b"});
  }
  put(dir / "b.npy.gz", gzip(files[0].second));
  CHECK(read_npy(dir / "b.npy.gz").numbers[1][1].item<float>() == 4);

  const auto whole = zip(files, true);
  put(dir / "short.npz", whole.substr(0, whole.size() / 3));
  CHECK(caught([&] { read_npz(dir / "short.npz"); }).kind() == ErrorKind::kData);
  put(dir / "text.npz", "this is not an archive");
  CHECK(caught([&] { read_npz(dir / "text.npz"); }).kind() == ErrorKind::kData);
  CHECK(caught([&] { read_npz(dir / "none.npz"); }).kind() == ErrorKind::kData);
  put(dir / "other.npz", zip({{"readme.txt", "hello"}}));
  CHECK_THAT(caught([&] { read_npz(dir / "other.npz"); }).what(),
             Catch::Matchers::ContainsSubstring("contains 'readme.txt', which is not an array"));
  auto damaged = zip(files, false);
  damaged[damaged.find("NUMPY") + 130] ^= 1;  // a value: its sum no longer agrees
  put(dir / "damaged.npz", damaged);
  CHECK_THAT(caught([&] { read_npz(dir / "damaged.npz"); }).what(), Catch::Matchers::ContainsSubstring("is damaged in 'x.npy'"));
}

TEST_CASE("an archive that unpacks to hundreds of times its size is rejected", "[npy]") {
  const Scratch dir;
  put(dir / "bomb.npz", zip({{"x.npy", npy("|u1", "60000000,", std::string(60000000, '\0'))}}, true));
  CHECK(fs::file_size(dir / "bomb.npz") < 100000);
  CHECK_THAT(caught([&] { read_npz(dir / "bomb.npz"); }).what(), Catch::Matchers::ContainsSubstring("decompresses to more than"));
}
