#include "plugins/wandb/log/text.h"

#include <cmath>
#include <limits>
#include <set>

#include "catch.h"

namespace yatlab::wandb {

TEST_CASE("invalid UTF-8 bytes become U+FFFD and others are kept", "[wandb][text]") {
  const std::string bad = "\xEF\xBF\xBD";
  for (const std::string good :
       {"", "plain", "\xE2\xB5\x9F = (w\xC2\xB7x)\xC2\xB2", "\xF0\x9F\x98\x80", "\xED\x9F\xBF\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    CHECK(valid_utf8(good) == good);
  }
  CHECK(valid_utf8("a\xC3") == "a" + bad);
  CHECK(valid_utf8("\xC3(") == bad + "(");
  CHECK(valid_utf8("\x80\xBF") == bad + bad);
  CHECK(valid_utf8("\xC0\xAF") == bad + bad);            // overlong
  CHECK(valid_utf8("\xED\xA0\x80") == bad + bad + bad);  // half a surrogate pair
  CHECK(valid_utf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);
  CHECK(valid_utf8("\xE2\xB5x") == bad + "x");
}

TEST_CASE("incomplete characters are distinguished from invalid ones", "[wandb][text]") {
  const std::string yat = "\xE2\xB5\x9F";
  CHECK(unfinished_character("") == 0);
  CHECK(unfinished_character("abc" + yat) == 0);
  CHECK(unfinished_character("abc" + yat.substr(0, 1)) == 1);
  CHECK(unfinished_character("abc" + yat.substr(0, 2)) == 2);
  CHECK(unfinished_character("\xF0\x9F\x98") == 3);
  CHECK(unfinished_character("\xE2x") == 0);
  CHECK(unfinished_character("\xED\xA0") == 0);
  CHECK(unfinished_character("\x80\x80\x80\x80") == 0);
}

TEST_CASE("numbers are JSON that reads back as the same double", "[wandb][text]") {
  CHECK(json_number(0.25) == "0.25");
  CHECK(json_number(std::nan("")) == "NaN");
  CHECK(json_number(HUGE_VAL) == "Infinity");
  CHECK(json_number(-HUGE_VAL) == "-Infinity");
  for (const double v : {0.1, 1e300, 5e-324, -3.0, 1700000001.5, 1.0 / 3, 1e16, 123456789012345678.0}) {
    const auto text = json_number(v);
    CHECK(nlohmann::json::parse(text).get<double>() == v);
  }
}

TEST_CASE("a tree of JSON texts is assembled", "[wandb][text]") {
  JsonTree tree;
  CHECK(tree.text() == "{}");
  tree.set({"loss"}, "NaN");
  tree.set({"_wandb", "runtime"}, "1");
  tree.set({"_wandb", "x"}, "\"y\"");
  CHECK(tree.text() == R"({"loss":NaN,"_wandb":{"runtime":1,"x":"y"}})");
  tree.set({"loss"}, "{\"max\":2}");
  tree.remove({"_wandb", "runtime"});
  CHECK(tree.text() == R"({"loss":{"max":2},"_wandb":{"x":"y"}})");
  CHECK(tree.config_text() == R"({"loss":{"value":{"max":2}},"_wandb":{"value":{"x":"y"}}})");
  tree.remove({"loss"});
  tree.set({"_wandb", "x"}, "2");
  tree.remove({"not", "there"});
  CHECK(tree.text() == R"({"_wandb":{"x":2}})");
}

TEST_CASE("encodings and ids are right", "[wandb][text]") {
  CHECK(base64("") == "");
  CHECK(base64("api:k") == "YXBpOms=");
  CHECK(hex(md5("")) == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(hex(md5("message digest")) == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(utc_time(1700000001.5) == "2023-11-14T22:13:21.500000");
  CHECK(utc_time(1699999999.9999999) == "2023-11-14T22:13:20.000000");
  std::set<std::string> ids;
  for (int i = 0; i < 200; ++i) ids.insert(random_id(8));
  CHECK(ids.size() == 200);
  for (const auto& id : ids) CHECK(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string::npos);
  CHECK(id_of("a") == id_of("a"));
  CHECK(id_of("a") != id_of("b"));
  CHECK(id_of("a", 128).size() == 128);
  CHECK(id_of("a", 128).substr(0, 16) == id_of("a", 16));
}

}  // namespace yatlab::wandb
