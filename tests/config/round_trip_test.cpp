// Everything that is written can be read back: round trips of random values.
#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "config/random_values.h"
#include "config/support.h"
#include "core/config/interpolation.h"
#include "core/config/override.h"
#include "core/config/yaml.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

template <class Read>
bool reads_back(const Node& node, const std::string& written, const Read& read) {
  Node back;
  std::string error = error_of([&] { back = read(written); });
  if (error == "no error" && same(back, node)) return true;
  UNSCOPED_INFO("wrote <" << written << ">\n read " << (error == "no error" ? show(back) : error) << "\n for  " << show(node));
  return false;
}

constexpr int kTimes = 20'000;

}  // namespace

TEST_CASE("values written as YAML read back", "[round trip]") {
  RandomValues random(1);
  for (int i = 0; i < kTimes; ++i) {
    const Node node = random.value(0);
    REQUIRE(reads_back(node, emit_yaml(node), [](const std::string& text) { return parse_yaml(text, "x"); }));
    std::vector<std::string> warnings;
    parse_yaml(emit_yaml(node), "x", [&](const std::string& w) { warnings.push_back(w); });
    REQUIRE(warnings.empty());
  }
}

TEST_CASE("values written in one line read back as YAML", "[round trip]") {
  RandomValues random(2);
  for (int i = 0; i < kTimes; ++i) {
    Node node = random.value(0);
    if (node.is_float() && !std::isfinite(node.as_double())) continue;
    const auto flow = node.to_flow();
    if (flow.find("inf") != std::string::npos || flow.find("nan") != std::string::npos) continue;  // shown in readable form, not as YAML
    if (flow.size() > 900) continue;                                                               // the maximum length of keys in one line
    REQUIRE(flow.find('\n') == std::string::npos);
    REQUIRE(reads_back(node, "k: [" + flow + "]\n", [](const std::string& text) { return parse_yaml(text, "x").at("k").as_list().at(0); }));
  }
}

TEST_CASE("values written as overrides read back", "[round trip]") {
  RandomValues random(3);
  for (int i = 0; i < kTimes; ++i) {
    const Node node = random.value(0);
    REQUIRE(reads_back(node, format_override("a.b", node), [](const std::string& text) {
      const auto parsed = parse_override(text);
      if (parsed.is_sweep()) throw Error(ErrorKind::kConfig, "a sweep");
      return parsed.value;
    }));
    REQUIRE(reads_back(node, format_override_value(node), [](const std::string& text) { return parse_sweep_value(text).value; }));
  }
}

TEST_CASE("values written as JSON read back", "[round trip]") {
  RandomValues random(4);
  for (int i = 0; i < kTimes; ++i) {
    const Node node = random.value(0);
    const auto text = to_json(node).dump();
    if (text.find("inf\"") != std::string::npos || text.find("nan\"") != std::string::npos) continue;  // stored as texts
    REQUIRE(reads_back(node, text, [](const std::string& t) { return from_json(nlohmann::ordered_json::parse(t)); }));
  }
}

TEST_CASE("escaped values resolve back to themselves after YAML and overrides", "[round trip]") {
  RandomValues random(5);
  for (int i = 0; i < kTimes; ++i) {
    const Node node = random.value(0);
    REQUIRE(
        reads_back(node, emit_yaml(escape_interpolations(node)), [](const std::string& text) { return resolve(parse_yaml(text, "x")); }));
    const Node escaped = escape_interpolations(node);
    REQUIRE(reads_back(node, format_override("a.b", escaped), [](const std::string& text) { return resolve(parse_override(text).value); }));
  }
}

TEST_CASE("numbers and bools keep their spelling in YAML", "[round trip]") {
  const char* const kTyped[] = {"1.10",  "1e5",    "2e1354", "0x1F", "0b101", "1_000", "+5",
                                "-0",    "-0.0",   "0.50",   "5.",   ".5",    "-.5",   ".5e3",
                                ".INF",  "yes",    "True",   "off",  "NO",    "1E5",   "99999999999999999999",
                                "00",    "1.0",    "0.1",    "7",    "true",  "1e-05", "017",
                                "1_0.5", "-1e-400"};
  for (const std::string typed : kTyped) {
    INFO(typed);
    const Node read = parse_yaml("k: " + typed + "\n", "x").at("k");
    CHECK(text_of_scalar(read) == typed);
    CHECK(emit_yaml(read) == typed + "\n");
    const Node again = parse_yaml(emit_yaml(read), "x");
    CHECK(same(again, read));
    CHECK(again.spelling() == read.spelling());
  }
  for (const char* typed : {"1.10", "1e5", "2e1354", "inf", "-NaN", "1_000", "+5", "tRUE", "FALSE", "5.", "99999999999999999999"}) {
    INFO(typed);
    const Node read = parse_override(std::string("k=") + typed).value;
    CHECK(text_of_scalar(read) == typed);
    CHECK(same(parse_yaml(emit_yaml(read), "x"), read));
    CHECK(text_of_scalar(parse_override(std::string("k=[a, {b: ") + typed + "}]").value.as_list()[1].at("b")) == typed);
  }
  CHECK(parse_override("k=null").value.spelling().empty());
  CHECK(parse_yaml("~", "x").spelling().empty());
  CHECK(parse_override("k=str(1e5)").value == Node("100000.0"));  // as in Hydra
  CHECK(Node(1.1) == parse_override("k=1.10").value);             // the spelling is not part of the value
}
