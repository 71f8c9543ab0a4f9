#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include "catch.h"

namespace yatlab {

TEST_CASE("text_in returns the text under a key or an empty string") {
  const auto json = nlohmann::ordered_json::parse(R"({"a": "x", "b": 3, "c": null, "d": ""})");
  CHECK(text_in(json, "a") == "x");
  for (const char* key : {"b", "c", "d", "e"}) CHECK(text_in(json, key).empty());
  for (const char* other : {"null", "3", "\"a\"", "[\"a\"]"}) CHECK(text_in(nlohmann::ordered_json::parse(other), "a").empty());
}

TEST_CASE("JSON with too deep nesting or too many keys is not parsed") {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  CHECK(why_unbounded(nested(500)).empty());
  CHECK(why_unbounded(nested(501)) == "it is nested more than 500 levels deep");
  CHECK(why_unbounded(std::string(100000, '{')) == "it is nested more than 500 levels deep");
  const auto keys = [](int n) {
    std::string out = "{";
    for (int i = 0; i < n; ++i) out += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":{\"a\":1}";
    return out + "}";
  };
  CHECK(why_unbounded(keys(20000)).empty());
  CHECK(why_unbounded(keys(20001)) == "an object in it has more than 20000 keys");
  // The contents of texts do not count.
  CHECK(why_unbounded("{\"a\": \"" + std::string(1000, '[') + "\\\"" + std::string(30000, ':') + "\"}").empty());
  CHECK(why_unbounded("[" + keys(15000) + "," + keys(15000) + "]").empty());
}

}  // namespace yatlab
