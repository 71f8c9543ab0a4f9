#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include "catch.h"

namespace yatlab {

TEST_CASE("the text under a key, and nothing where there is none") {
  const auto json = nlohmann::ordered_json::parse(R"({"a": "x", "b": 3, "c": null, "d": ""})");
  CHECK(text_in(json, "a") == "x");
  for (const char* key : {"b", "c", "d", "e"}) CHECK(text_in(json, key).empty());
  for (const char* other : {"null", "3", "\"a\"", "[\"a\"]"}) CHECK(text_in(nlohmann::ordered_json::parse(other), "a").empty());
}

}  // namespace yatlab
