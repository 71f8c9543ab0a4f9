#include "core/data/safetensors.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "catch.h"
#include "core/base/hash.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

std::string file_of(const std::string& header, const std::string& data = "") {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}

std::string why(const std::string& bytes) {
  const auto e = caught([&] { parse_safetensors(bytes, "m.safetensors"); });
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.message() == "'m.safetensors' is not a valid safetensors file");
  return e.why();
}

}  // namespace

TEST_CASE("tensors of every type, rank and layout come back bit for bit", "[safetensors]") {
  const Scratch dir;
  NamedTensors tensors;
  for (auto type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort, at::kChar, at::kByte, at::kBool}) {
    tensors.emplace_back(std::string("t.") + at::toString(type), at::arange(0, 15).to(type).view({3, 5}));
  }
  tensors.emplace_back("scalar", at::scalar_tensor(2.5));
  tensors.emplace_back("empty", at::empty({0, 7}));
  tensors.emplace_back("transposed", at::arange(6, at::kFloat).view({2, 3}).t());
  tensors.emplace_back("strided", at::arange(10, at::kFloat).slice(0, 1, 10, 3));
  tensors.emplace_back("special",
                       at::tensor({std::numeric_limits<float>::quiet_NaN(), -0.0f, std::numeric_limits<float>::infinity(), 1e-45f}));
  tensors.emplace_back("\xe2\xb5\x9f \"quoted\"\n", at::ones({1}));
  const std::map<std::string, std::string> metadata = {{"format", "pt"}, {"step", "12"}};
  const auto sum = save_safetensors(dir / "deep" / "m.safetensors", tensors, metadata);
  CHECK(sum.bytes == size_of_file(dir / "deep" / "m.safetensors"));
  CHECK(sum.sha256 == sha256_file(dir / "deep" / "m.safetensors"));
  CHECK(read_file(dir / "deep" / "m.safetensors") == dump_safetensors(tensors, metadata));
  const auto back = load_safetensors(dir / "deep" / "m.safetensors");
  CHECK(back.metadata == metadata);
  REQUIRE(back.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    CAPTURE(name);
    const auto& t = back.at(name);
    REQUIRE(t.scalar_type() == tensor.scalar_type());
    REQUIRE(t.sizes() == tensor.sizes());
    const auto flat = tensor.contiguous();
    CHECK(std::string(static_cast<const char*>(t.data_ptr()), t.nbytes()) ==
          std::string(static_cast<const char*>(flat.data_ptr()), flat.nbytes()));
  }
  CHECK(back.find("nope") == nullptr);
  CHECK(caught([&] { back.at("nope"); }).message() == "no tensor 'nope' in the file");
}

TEST_CASE("safetensors bytes follow the format and do not depend on the order", "[safetensors]") {
  const auto a = at::tensor({1.0f, 2.0f}), b = at::tensor(std::vector<std::int64_t>{7}, at::kLong);
  std::string header = R"({"__metadata__":{"k":"v"},"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                       R"("a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const auto data = std::string("\x07\0\0\0\0\0\0\0", 8) + std::string("\0\0\x80\x3f\0\0\0\x40", 8);
  CHECK(dump_safetensors({{"a", a}, {"b", b}}, {{"k", "v"}}) == file_of(header, data));
  CHECK(dump_safetensors({{"b", b}, {"a", a}}, {{"k", "v"}}) == file_of(header, data));
  CHECK(dump_safetensors({}) == file_of("{}      "));
  CHECK(parse_safetensors(file_of("{}"), "x").tensors.empty());
}

TEST_CASE("a tensor that needs a gradient is saved by value", "[safetensors]") {
  const auto w = at::ones({2}).set_requires_grad(true);
  const auto back = parse_safetensors(dump_safetensors({{"w", w}}), "x");
  CHECK_FALSE(back.at("w").requires_grad());
  CHECK(at::equal(back.at("w"), at::ones({2})));
}

TEST_CASE("unsupported tensors are not saved", "[safetensors]") {
  CHECK(caught([] { dump_safetensors({{"a", at::ones({1})}, {"a", at::ones({1})}}); }).why() == "the name is given twice");
  CHECK(caught([] { dump_safetensors({{"__metadata__", at::ones({1})}}); }).why() == "the name is reserved");
  CHECK(caught([] { dump_safetensors({{"a", at::Tensor()}}); }).why() == "it is undefined");
  CHECK(caught([] { dump_safetensors({{"a", at::ones({1}, at::kComplexFloat)}}); }).why() == "safetensors has no such dtype");
  CHECK(caught([] { dump_safetensors({{"\xff", at::ones({1})}}); }).why() == "a name or a metadata value is not UTF-8");
}

TEST_CASE("each violation of the format has its own message", "[safetensors]") {
  const std::string four(4, '\0'), eight(8, '\0');
  CHECK(why("") == "expected 8 bytes of header length, found 0 bytes");
  CHECK(why("1234567") == "expected 8 bytes of header length, found 7 bytes");
  CHECK(why(std::string(8, '\xff') + "{}") == "the header is too long: 18446744073709551615 bytes; the limit is 100000000");
  CHECK(why(std::string("\x10\0\0\0\0\0\0\0{}", 10)) == "it is truncated in the header: expected 16 bytes, found 2");
  CHECK(why(file_of("")) == "the header does not begin with '{'");
  CHECK(why(file_of(" {}")) == "the header does not begin with '{'");
  CHECK(why(file_of("{\"a\":")).find("the header is not valid JSON: ") == 0);
  CHECK(why(file_of("{} x")).find("the header is not valid JSON: ") == 0);
  CHECK(why(file_of("{\"\xff\":1}")).find("the header is not valid JSON: ") == 0);
  CHECK(why(file_of("{\"a\":" + std::string(50, '[') + std::string(50, ']') + "}")) == "the header is not valid JSON: nested too deeply");
  const auto many = [](std::size_t n) {
    std::string out = "{\"a\":[1";
    for (std::size_t i = 1; i < n; ++i) out += ",1";
    return out + "]}";
  };
  CHECK(why(file_of(many(300))) == "the header is not valid JSON: too many values for descriptions of tensors");
  CHECK(why(file_of(many(100))) == "tensor 'a' is not described by a map");
  const std::string good = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  CHECK(why(file_of("{\"a\":" + good + ",\"a\":" + good + "}", four)) == "the header contains 'a' twice");
  const std::string none = R"({"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  CHECK(why(file_of("{\"\":" + none + ",\"\":" + none + "}")) == "the header contains '' twice");
  CHECK(why(file_of(R"({"__metadata__":{"":"a","":"b"}})")) == "the header contains '' twice");
  CHECK(why(file_of("{\"" + std::string(1'000'000, 'x') + "\":1}")).size() < 500);
  CHECK(why(file_of(R"({"a":{"dtype":"F32","dtype":"F16"}})")) == "the header contains 'dtype' twice");
  CHECK(why(file_of(R"({"__metadata__":[]})")) == "__metadata__ is not a map");
  CHECK(why(file_of(R"({"__metadata__":{"k":1}})")) == "__metadata__.k is not a string");
  CHECK(why(file_of(R"({"a":3})")) == "tensor 'a' is not described by a map");

  const auto one = [&](const std::string& dtype, const std::string& shape, const std::string& offsets, const std::string& more = "") {
    return why(file_of(fmt::format(R"({{"a":{{"dtype":{},"shape":{},"data_offsets":{}{}}}}})", dtype, shape, offsets, more), four));
  };
  CHECK(one("\"F32\"", "[1]", "[0,4]", ",\"x\":1") == "tensor 'a' has the unknown key 'x'");
  CHECK(why(file_of(R"({"a":{"dtype":"F32","shape":[1]}})")) == "tensor 'a' has no 'data_offsets'");
  CHECK(why(file_of(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})")) == "tensor 'a' has no 'shape'");
  CHECK(one("\"F8\"", "[1]", "[0,4]") == "tensor 'a' has the unknown dtype \"F8\"");
  CHECK(one("4", "[1]", "[0,4]") == "tensor 'a' has the unknown dtype 4");
  CHECK(one("\"F32\"", "[-1]", "[0,4]") == "tensor 'a' has the invalid shape [-1]");
  CHECK(one("\"F32\"", "[1.0]", "[0,4]") == "tensor 'a' has the invalid shape [1.0]");
  CHECK(one("\"F32\"", "1", "[0,4]") == "tensor 'a' has the invalid shape 1");
  CHECK(one("\"F32\"", "[4611686018427387904,4]", "[0,4]") == "tensor 'a' is impossibly large: shape [4611686018427387904,4]");
  CHECK(one("\"F32\"", "[0,4611686018427387904,16]", "[0,0]") == "tensor 'a' is impossibly large: shape [0,4611686018427387904,16]");
  CHECK(one("\"F32\"", "[1]", "[0]") == "tensor 'a' has the invalid data_offsets [0]");
  CHECK(one("\"F32\"", "[1]", "[0,-4]") == "tensor 'a' has the invalid data_offsets [0,-4]");
  CHECK(one("\"F32\"", "[1]", "[4,0]") == "tensor 'a' ends before it begins: [4,0]");
  CHECK(one("\"F32\"", "[2]", "[0,4]") == "tensor 'a' has 4 bytes, but F32 [2] needs 8");
  CHECK(one("\"BOOL\"", "[4]", "[0,4]", ",\"y\":0") == "tensor 'a' has the unknown key 'y'");
  CHECK(why(file_of(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "\x02")) ==
        "tensor 'a' is BOOL, but contains a byte other than 0 and 1");

  const std::string late = R"({"dtype":"F32","shape":[1],"data_offsets":[8,12]})";
  const std::string mid = R"({"dtype":"F32","shape":[1],"data_offsets":[2,6]})";
  CHECK(why(file_of("{\"a\":" + good + ",\"b\":" + late + "}", four + eight)) == "there is a gap before tensor 'b': bytes 4 to 8");
  CHECK(why(file_of("{\"b\":" + late + "}", four + eight)) == "there is a gap before tensor 'b': bytes 0 to 8");
  CHECK(why(file_of("{\"a\":" + good + ",\"b\":" + mid + "}", eight)) == "tensor 'b' overlaps the one before it: it begins at 2, not 4");
  CHECK(why(file_of("{\"a\":" + good + ",\"b\":" + good + "}", four)) == "tensor 'b' overlaps the one before it: it begins at 0, not 4");
  CHECK(why(file_of("{\"a\":" + good + "}", "123")) == "it is truncated: the tensors need 4 bytes, found 3");
  CHECK(why(file_of("{\"a\":" + good + "}", "12345")) == "there are 1 bytes after the last tensor");
}

TEST_CASE("a header that lies about its size causes no allocation", "[safetensors]") {
  // 4 EiB of floats in a file of 100 bytes: refused by arithmetic, not by the allocator.
  CHECK(why(file_of(R"({"a":{"dtype":"U8","shape":[4611686018427387904],"data_offsets":[0,4611686018427387904]}})")) ==
        "it is truncated: the tensors need 4611686018427387904 bytes, found 0");
}

TEST_CASE("truncated or corrupted files never cause a crash", "[safetensors]") {
  const auto bytes = dump_safetensors({{"a", at::ones({2, 2})}, {"b", at::ones({3}, at::kLong)}}, {{"k", "v"}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THROWS_AS(parse_safetensors(bytes.substr(0, size), "x"), Error);
  }
  int accepted = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x20);
    try {
      parse_safetensors(changed, "x");
      ++accepted;  // a value, a name or a blank changed
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kData);
    }
  }
  CHECK(accepted >= 40);  // the 40 bytes of values at least
}

TEST_CASE("unreadable files are data errors that name them", "[safetensors]") {
  const Scratch dir;
  const auto path = dir / "none.safetensors";
  const auto e = caught([&] { load_safetensors(path); });
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.message() == "cannot read '" + path.string() + "'");
  CHECK(e.why() == "No such file or directory");
  CHECK(caught([&] { load_safetensors(dir.path()); }).why() == "not a regular file");
  put(path, "");
  CHECK(caught([&] { load_safetensors(path); }).why() == "expected 8 bytes of header length, found 0 bytes");
}
