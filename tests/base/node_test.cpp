#include "core/base/node.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <type_traits>
#include <utility>

#include "catch.h"
#include "core/base/error.h"

namespace yatlab {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Node sample() {
  Node node = Node::map();
  node.set("a", 1);
  node.set("b", Node::List{true, 2.5, Node::Map{{"c", "deep"}}});
  node.set("none", Node());
  return node;
}

}  // namespace

TEST_CASE("each value has one type", "[node]") {
  const std::pair<Node, const char*> cases[] = {{Node(), "null"},
                                                {nullptr, "null"},
                                                {true, "bool"},
                                                {1, "integer"},
                                                {std::int64_t{1} << 40, "integer"},
                                                {1.0, "float"},
                                                {"x", "string"},
                                                {std::string(), "string"},
                                                {Node::List{}, "list"},
                                                {Node::Map{}, "map"}};
  for (const auto& [node, type] : cases) {
    CHECK(std::string(node.type_name()) == type);
    CHECK(node.is_null() + node.is_bool() + node.is_int() + node.is_float() + node.is_string() + node.is_list() + node.is_map() == 1);
  }
  CHECK(Node(1).is_number());
  CHECK(Node(1.5).is_number());
  CHECK_FALSE(Node("1").is_number());
}

TEST_CASE("typed access converts integers to floats and rejects everything else", "[node]") {
  CHECK(Node(3).as_double() == 3.0);
  CHECK(Node(std::numeric_limits<std::int64_t>::min()).as_int() == std::numeric_limits<std::int64_t>::min());
  Node one(1.0);
  one.set_origin({"x.yaml", 3, 5, {}});
  CHECK_THROWS_WITH(one.as_int(), "expected an integer, found float 1.0\n  at: x.yaml:3:5");
  CHECK_THROWS_WITH(Node("a b").as_bool(), "expected a bool, found string a b");
  CHECK_THROWS_WITH(Node().as_double(), "expected a number, found null");
  CHECK_THROWS_WITH(Node(1).as_string(), "expected a string, found integer 1");
  CHECK_THROWS_WITH(Node(1).as_list(), "expected a list, found integer 1");
  CHECK_THROWS_WITH(Node(Node::List{1}).as_map(), "expected a map, found list [1]");
}

// References into a node are unavailable from a temporary.
template <class T, class = void>
struct GivesPointers : std::false_type {};
template <class T>
struct GivesPointers<T, std::void_t<decltype(std::declval<T>().find("a"))>> : std::true_type {};
template <class T, class = void>
struct GivesPathPointers : std::false_type {};
template <class T>
struct GivesPathPointers<T, std::void_t<decltype(std::declval<T>().find_path("a.b"))>> : std::true_type {};
template <class T, class = void>
struct GivesItsChild : std::false_type {};
template <class T>
struct GivesItsChild<T, std::void_t<decltype(std::declval<T>().set("a", 1))>> : std::true_type {};

TEST_CASE("a temporary node moves its contents out", "[node]") {
  static_assert(GivesPointers<Node&>::value && GivesPointers<const Node&>::value);
  static_assert(!GivesPointers<Node>::value && !GivesPointers<const Node>::value);
  static_assert(GivesPathPointers<Node&>::value && GivesPathPointers<const Node&>::value);
  static_assert(!GivesPathPointers<Node>::value && !GivesPathPointers<const Node>::value);
  static_assert(GivesItsChild<Node&>::value && !GivesItsChild<Node>::value);
  static_assert(std::is_same_v<decltype(std::declval<Node>().as_list()), Node::List>);
  static_assert(std::is_same_v<decltype(std::declval<const Node>().as_list()), Node::List>);
  static_assert(std::is_same_v<decltype(std::declval<Node>().as_map()), Node::Map>);
  static_assert(std::is_same_v<decltype(std::declval<const Node>().as_map()), Node::Map>);
  static_assert(std::is_same_v<decltype(std::declval<Node>().as_string()), std::string>);
  static_assert(std::is_same_v<decltype(std::declval<const Node>().as_string()), std::string>);
  static_assert(std::is_same_v<decltype(std::declval<Node>().at("a")), Node>);
  static_assert(std::is_same_v<decltype(std::declval<const Node>().at("a")), Node>);
  static_assert(std::is_same_v<decltype(std::declval<Node>().origin()), Origin>);
  static_assert(std::is_same_v<decltype(std::declval<const Node>().origin()), Origin>);
  static_assert(std::is_same_v<decltype(std::declval<Node>().set_origin({})), Node>);
  static_assert(std::is_same_v<decltype(std::declval<Node>().set_origin_deep({})), Node>);
  static_assert(std::is_same_v<decltype(std::declval<Node>().set_default(true)), Node>);

  std::string joined;
  for (const auto& item : Node(Node::List{"long enough to be on the heap, a", "long enough to be on the heap, b"}).as_list()) {
    joined += item.as_string().back();
  }
  CHECK(joined == "ab");
  for (const auto& [key, value] : Node(Node::Map{{"c", "deep"}}).as_map()) joined = key + value.as_string();
  CHECK(joined == "cdeep");
  CHECK(sample().set_origin({"x.yaml", 1, 2, {}}).set_default(true).origin().describe() == "x.yaml:1:2");
  CHECK_THROWS_WITH(sample().at("z"), "there is no key 'z'");
  CHECK_THROWS_WITH(sample().as_list(), "expected a list, found map {a: 1, b: [true, 2.5, {c: deep}], none: null}");
}

TEST_CASE("maps keep insertion order", "[node]") {
  Node map;  // null becomes a map
  map.set("z", 1);
  map.set("a", 2);
  map.set("ⵟ", 3);
  map.set("a", 4);  // replaced in place
  CHECK(map.to_flow() == "{z: 1, a: 4, ⵟ: 3}");
  CHECK(map.has("ⵟ"));
  CHECK_FALSE(map.has("y"));
  CHECK(map.erase("z"));
  CHECK_FALSE(map.erase("z"));
  CHECK(map.size() == 2);
  CHECK_THROWS_WITH(map.at("z"), "there is no key 'z'");
  const Node no_map(1);
  CHECK(no_map.find("x") == nullptr);
  CHECK_FALSE(Node(1).erase("x"));
  Node number(1);
  CHECK_THROWS_AS(number.set("x", 1), Error);
}

TEST_CASE("dotted paths go through maps and lists", "[node]") {
  Node node = sample();
  REQUIRE(node.find_path("b.2.c"));
  CHECK(*node.find_path("b.2.c") == Node("deep"));
  CHECK(*node.find_path("") == node);
  CHECK(node.find_path("b.-3") == node.find_path("b.0"));
  CHECK(node.find_path("b.-1.c")->as_string() == "deep");
  node.set("c.d", Node::Map{{"e.f", 5}});
  CHECK(node.find_path("c.d.e.f")->as_int() == 5);
  CHECK(node.find_path("c.d.e") == nullptr);
  node.erase("c.d");
  for (const char* absent : {"b.3", "b.-4", "b.--1", "b.x", "b.2.c.d", "a.b", "q", "b.", "b.2x", "none.x"}) {
    INFO(absent);
    CHECK(node.find_path(absent) == nullptr);
  }
  // Keys that contain dots: the shortest key that leads to a result wins.
  const Node dots(Node::Map{{"yat_0.01", Node(Node::List{1, 2})}, {"yat_0.1", 3}, {"yat_0", Node(Node::Map{{"1", 4}})}});
  CHECK(*dots.find_path("yat_0.01") == Node(Node::List{1, 2}));
  CHECK(*dots.find_path("yat_0.01.1") == Node(2));
  CHECK(*dots.find_path("yat_0.1") == Node(4));
  CHECK(dots.find_path("yat_0.01.2") == nullptr);
  CHECK(dots.find_path("yat_0.02") == nullptr);
  CHECK(dots.find_path("yat_0.01.") == nullptr);
  *node.find_path("b.0") = Node(false);
  CHECK(node.at("b").to_flow() == "[false, 2.5, {c: deep}]");
}

TEST_CASE("lists grow and null becomes a list", "[node]") {
  Node list;
  list.push_back(1);
  list.push_back("x");
  CHECK(list.to_flow() == "[1, x]");
  CHECK(list.size() == 2);
  CHECK(Node(5).size() == 0);
  CHECK_THROWS_AS(Node("x").push_back(1), Error);
}

TEST_CASE("copies of a frozen value share it until one of them changes", "[node]") {
  Node tree = Node::map();
  tree.set("a", Node(Node::List{1, Node(Node::List{2})})).set_origin({"x.yaml", 1, 2, {}});
  tree.set("m", Node::map()).set("k", 1);
  tree.freeze();
  Node copy = tree;
  CHECK(&std::as_const(copy).at("a") == &std::as_const(tree).at("a"));
  copy.find_path("a.1.0")->set_origin({"y", 3, 4, {}});
  *copy.find_path("a.1.0") = Node(7);
  copy.find_path("m")->set("l", 2);
  CHECK(tree.to_flow() == "{a: [1, [2]], m: {k: 1}}");
  CHECK(copy.to_flow() == "{a: [1, [7]], m: {k: 1, l: 2}}");
  CHECK(copy.at("a").origin().describe() == "x.yaml:1:2");
  // References stay valid, and a copy that is no longer frozen is independent.
  Node third = copy;
  Node& item = *third.find_path("a.1");
  const Node fourth = third;
  item.push_back(8);
  CHECK(fourth.to_flow() == "{a: [1, [7]], m: {k: 1, l: 2}}");
  CHECK(third.to_flow() == "{a: [1, [7, 8]], m: {k: 1, l: 2}}");
  CHECK(copy.find("none") == nullptr);
  CHECK(copy.find_path("a.5") == nullptr);
  Node moved = std::move(third);
  third = Node::map();
  CHECK(third.size() == 0);
}

TEST_CASE("equality compares types and values but not key order or origin", "[node]") {
  CHECK(Node(1) != Node(1.0));
  CHECK(Node("1") != Node(1));
  CHECK(Node() == Node(nullptr));
  CHECK(Node(std::nan("")) == Node(std::nan("")));
  CHECK(Node(0.0) == Node(-0.0));
  CHECK(Node(Node::Map{{"a", 1}, {"b", 2}}) == Node(Node::Map{{"b", 2}, {"a", 1}}));
  CHECK(Node(Node::Map{{"a", 1}}) != Node(Node::Map{{"b", 1}}));
  CHECK(Node(Node::Map{{"a", 1}}) != Node(Node::Map{{"a", 1}, {"b", 1}}));
  CHECK(Node(Node::List{1, 2}) != Node(Node::List{2, 1}));
  Node moved = sample();
  moved.set_origin_deep({"elsewhere", 0, 0, {}});
  CHECK(moved == sample());
}

TEST_CASE("origins are described in readable form", "[node]") {
  CHECK(Origin{"experiments/x.yaml", 3, 5, {}}.describe() == "experiments/x.yaml:3:5");
  CHECK((Origin{"command line", 0, 0, "operator.epsilon=1e-3"}.describe()) == "command line (operator.epsilon=1e-3)");
  CHECK(Origin{"default of operator/yat", 0, 0, {}}.describe() == "default of operator/yat");
  Node node = sample();
  node.set_origin_deep({"f", 1, 2, {}});
  CHECK(node.find_path("b.2.c")->origin().describe() == "f:1:2");
}

TEST_CASE("interpolations and missing values are recognised", "[node]") {
  for (const char* text : {"${a}", "x ${a.b} y", "\\\\${a}", "\\${a} ${b}"}) {
    INFO(text);
    CHECK(Node(text).is_interpolation());
  }
  for (const char* text : {"", "$a", "{a}", "\\${a}", "\\\\\\${a}"}) {
    INFO(text);
    CHECK_FALSE(Node(text).is_interpolation());
  }
  CHECK(Node("???").is_missing());
  CHECK_FALSE(Node("??").is_missing());
  CHECK_FALSE(Node(3).is_interpolation());
}

TEST_CASE("flow style quotes strings that would be read as another type", "[node]") {
  const std::pair<const char*, const char*> cases[] = {{"plain", "plain"},
                                                       {"a b", "a b"},
                                                       {"ⵟ", "ⵟ"},
                                                       {"experiments/x.yaml", "experiments/x.yaml"},
                                                       {"1", "'1'"},
                                                       {"1e-3", "'1e-3'"},
                                                       {"true", "'true'"},
                                                       {"No", "'No'"},
                                                       {"null", "'null'"},
                                                       {"", "''"},
                                                       {" a", "' a'"},
                                                       {"it's", "'it''s'"},
                                                       {"a: b", "'a: b'"},
                                                       {"a, b", "'a, b'"},
                                                       {"[x]", "'[x]'"},
                                                       {"${x}", "'${x}'"},
                                                       {"-", "'-'"},
                                                       {"nan", "'nan'"},
                                                       {"~", "'~'"},
                                                       {"# no", "'# no'"},
                                                       {"???", "'?\?\?'"},
                                                       {"a\nb", "\"a\\nb\""},
                                                       {"tab\t\"q\"", "\"tab\\t\\\"q\\\"\""}};
  for (const auto& [text, flow] : cases) CHECK(Node(text).to_flow() == flow);
  CHECK(sample().to_flow() == "{a: 1, b: [true, 2.5, {c: deep}], none: null}");
  CHECK(Node(Node::Map{{"1", 2}}).to_flow() == "{'1': 2}");
  CHECK(Node::map().to_flow() == "{}");
  CHECK(Node::list().to_flow() == "[]");
}

TEST_CASE("doubles are written so that they read back, and stay floats", "[node]") {
  CHECK(format_double(1) == "1.0");
  CHECK(format_double(-0.0) == "-0.0");
  CHECK(format_double(0.1) == "0.1");
  CHECK(format_double(1e-5) == "1e-05");
  CHECK(format_double(1e22) == "1e+22");
  CHECK(format_double(kInf) == "inf");
  CHECK(format_double(-kInf) == "-inf");
  CHECK(format_double(std::nan("")) == "nan");
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const auto text = format_double(value);
    CHECK(std::strtod(text.c_str(), nullptr) == value);
    CHECK(text.find_first_of(".e") != std::string::npos);
  }
}

TEST_CASE("JSON integers beyond 64 bits become floats", "[node]") {
  CHECK(from_json(nlohmann::ordered_json::parse("9223372036854775807")).as_int() == INT64_MAX);
  CHECK(from_json(nlohmann::ordered_json::parse("9223372036854775808")).as_double() == 9223372036854775808.0);
  CHECK(from_json(nlohmann::ordered_json::parse("18446744073709551615")).is_float());
}

TEST_CASE("JSON that nests too deeply is rejected", "[node]") {
  const auto nested = [](std::size_t levels) { return nlohmann::ordered_json::parse(std::string(levels, '[') + std::string(levels, ']')); };
  CHECK(from_json(nested(500)).size() == 1);
  CHECK_THROWS_AS(from_json(nested(1'000'000)), Error);
}

TEST_CASE("JSON round trips keep everything except inf and nan", "[node]") {
  const Node node = sample();
  CHECK(to_json(node).dump() == R"({"a":1,"b":[true,2.5,{"c":"deep"}],"none":null})");
  CHECK(from_json(to_json(node)) == node);
  CHECK(from_json(nlohmann::ordered_json::parse(R"({"z":1,"a":1.0})")).to_flow() == "{z: 1, a: 1.0}");
  CHECK(to_json(Node(kInf)) == "inf");
  CHECK(to_json(Node(-kInf)) == "-inf");
  CHECK(to_json(Node(std::nan(""))) == "nan");
}

}  // namespace yatlab
