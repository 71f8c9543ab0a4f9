#include "core/registry/fields.h"

#include <cmath>
#include <functional>
#include <limits>

#include "catch.h"
#include "core/base/error.h"
#include "registry/probe.h"

namespace yatlab {
namespace {

enum class Form { kSquared, kPlain };

struct Inner {
  double rate = 0.5;
  bool on = true;
  static void declare(Fields& f, Inner& p) {
    f.field("rate", p.rate, "inner rate").range(0, 1);
    f.field("on", p.on, "switch");
  }
};

struct Everything {
  bool flag = false;
  std::int64_t count = 3;
  double epsilon = 1e-5;
  std::string text = "hello";
  std::optional<double> limit;
  std::optional<std::string> label = "x";
  std::vector<std::int64_t> sizes = {1, 2};
  std::vector<std::string> words;
  Form form = Form::kPlain;
  ComponentRef probe = "fields_probe";
  ComponentRef maybe;
  Inner inner;
  Node arms;
  Node anything;
  std::string must;
  static void declare(Fields& f, Everything& p) {
    f.field("flag", p.flag, "a switch");
    f.field("count", p.count, "how many").range(1, 10);
    f.field("epsilon", p.epsilon, "stabiliser").positive();
    f.field("text", p.text, "some text");
    f.field("limit", p.limit, "an upper limit").non_negative();
    f.field("label", p.label, "a label");
    f.field("sizes", p.sizes, "some sizes").min(1);
    f.field("words", p.words, "some words");
    f.choice("form", p.form, {{"squared", Form::kSquared}, {"plain", Form::kPlain}}, "which form");
    f.component("probe", p.probe, "probe", "a probe");
    f.component("maybe", p.maybe, "probe", "perhaps a probe");
    f.group("inner", p.inner, "a nested struct");
    f.map("arms", p.arms, "free keys");
    f.field("anything", p.anything, "free value");
    f.field("must", p.must, "has no default").required();
  }
};

class FieldsProbe final : public Probe {
 public:
  struct Params {
    std::int64_t value = 5;
    static void declare(Fields& f, Params& p) { f.field("value", p.value, "the answer").max(100); }
  };
  explicit FieldsProbe(const Params& p) : p_(p) {}
  std::int64_t answer() const override { return p_.value; }

 private:
  Params p_;
};
class FieldsOtherProbe final : public Probe {
 public:
  struct Params {
    double scale = 2;
    static void declare(Fields& f, Params& p) { f.field("scale", p.scale, "a scale"); }
  };
  explicit FieldsOtherProbe(const Params& p) : p_(p) {}
  std::int64_t answer() const override { return static_cast<std::int64_t>(p_.scale); }

 private:
  Params p_;
};
YATLAB_REGISTER(Probe, FieldsProbe, "fields_probe", "answers its parameter");
YATLAB_REGISTER(Probe, FieldsOtherProbe, "fields_other", "answers its scale");

Node map_of(Node::Map entries) { return Node(std::move(entries)); }

// Completed with defaults, with `must` given.
Node completed(Node node = Node::map()) {
  if (!node.has("must")) node.set("must", "given");
  Schema::of<Everything>().complete(node, "thing/everything");
  return node;
}

// The message for `{key: value}`.
std::string error_for(const std::string& key, Node value, bool resolved = true) {
  value.set_origin_deep({"x.yaml", 2, 3, {}});
  Node node = map_of({{key, std::move(value)}});
  node = completed(std::move(node));
  try {
    Schema::of<Everything>().check(node, "thing", resolved);
  } catch (const Error& e) {
    CHECK(e.exit_code() == 2);
    return e.what();
  }
  return "no error";
}

constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("types, bounds and choices have a text form", "[fields]") {
  const auto schema = Schema::of<Everything>();
  const std::pair<const char*, const char*> expected[] = {{"flag", "bool"},
                                                          {"count", "integer in [1, 10]"},
                                                          {"epsilon", "float > 0"},
                                                          {"text", "string"},
                                                          {"limit", "float >= 0 or null"},
                                                          {"label", "string or null"},
                                                          {"sizes", "list of integers >= 1"},
                                                          {"words", "list of strings"},
                                                          {"form", "one of squared, plain"},
                                                          {"probe", "probe"},
                                                          {"maybe", "probe or null"},
                                                          {"inner", "group"},
                                                          {"arms", "map"},
                                                          {"anything", "any value"},
                                                          {"must", "string"}};
  for (const auto& [name, text] : expected) {
    REQUIRE(schema.find(name));
    CHECK(schema.find(name)->type_text() == text);
  }
  CHECK(schema.names().size() == 15);
  CHECK(schema.find("absent") == nullptr);
}

/// The error message about a value of a field; "" for none.
template <class P>
std::string refusal_of(const char* key, const Node& value) {
  Node node = Node::map();
  node.set(key, value);
  try {
    read_checked<P>(node, "p");
    return "";
  } catch (const Error& e) {
    return e.message();
  }
}

TEST_CASE("numbers must be finite and products of integers must not overflow by default", "[fields]") {
  struct P {
    double v = 0.5, any = 1;
    std::int64_t n = 1, seed = 0, tokens = 1;
    std::vector<double> list;
    std::optional<double> perhaps;
    static void declare(Fields& f, P& p) {
      f.field("v", p.v, "a value");
      f.field("any", p.any, "any value").positive().unlimited();
      f.field("n", p.n, "how many");
      f.field("seed", p.seed, "a seed").unlimited();
      f.field("tokens", p.tokens, "how many").range(1, 1e12);
      f.field("list", p.list, "values");
      f.field("perhaps", p.perhaps, "a value").max(1);
    }
  };
  constexpr auto kLargestNumber = std::numeric_limits<std::int64_t>::max();
  const auto said = refusal_of<P>;
  CHECK(said("v", Node(kInf)) == "'p.v' is inf, but must be finite");
  CHECK(said("v", Node(-kInf)) == "'p.v' is -inf, but must be finite");
  CHECK(said("v", Node(std::nan(""))) == "'p.v' is nan, but must be a number");
  CHECK(said("v", Node(1e38)).empty());
  CHECK(said("v", Node(-1e39)) == "'p.v' is -1e+39, but must be finite in float32 (magnitude at most 3.4e38)");
  CHECK(said("v", Node(1e-60)).empty());
  CHECK(said("any", Node(1e300)).empty());
  CHECK(said("v", Node(kLargestNumber)).empty());
  CHECK(said("list", Node(Node::List{1.0, kInf})) == "'p.list.1' is inf, but must be finite");
  CHECK(said("perhaps", Node(-kInf)) == "'p.perhaps' is -inf, but must be finite");
  CHECK(said("any", Node(kInf)).empty());
  CHECK(said("any", Node(-kInf)) == "'p.any' is -inf, but must be > 0");
  CHECK(said("n", Node(std::int64_t(2147483647))).empty());
  CHECK(said("n", Node(std::int64_t(2147483648))) == "'p.n' is 2147483648, but must be <= 2147483647");
  CHECK(said("n", Node(-kLargestNumber)) == "'p.n' is -9223372036854775807, but must be >= -2147483647");
  CHECK(said("seed", Node(kLargestNumber)).empty());
  CHECK(said("tokens", Node(std::int64_t(1'000'000'000'000))).empty());
  CHECK(said("tokens", Node(kLargestNumber)) == "'p.tokens' is 9223372036854775807, but must be in [1, 1000000000000]");
}

TEST_CASE("values that float32 rounds out of their range are rejected", "[fields]") {
  struct P {
    double epsilon = 1e-5, beta = 0.9;
    static void declare(Fields& f, P& p) {
      f.field("epsilon", p.epsilon, "added").positive();
      f.field("beta", p.beta, "decay").non_negative().below(1);
    }
  };
  const auto said = refusal_of<P>;
  CHECK(said("epsilon", 1e-44).empty());
  CHECK(said("epsilon", 1e-46) == "'p.epsilon' is 1e-46, but must be > 0 in float32 (at least 1e-45)");
  CHECK(said("epsilon", 0.0) == "'p.epsilon' is 0.0, but must be > 0");
  CHECK(said("beta", 0.0).empty());
  CHECK(said("beta", 0.9999).empty());
  CHECK(said("beta", 1.0) == "'p.beta' is 1.0, but must be in [0, 1)");
}

TEST_CASE("an open lower bound is shown in a range", "[fields]") {
  struct P {
    double v = 0.5;
    static void declare(Fields& f, P& p) { f.field("v", p.v, "").positive().max(1); }
  };
  CHECK(Schema::of<P>().find("v")->type_text() == "float in (0, 1]");
}

TEST_CASE("defaults are filled in, marked, and name their schema", "[fields]") {
  const Node node = completed();
  CHECK(node.at("epsilon") == Node(1e-5));
  CHECK(node.at("epsilon").is_default());
  CHECK(node.at("epsilon").origin().describe() == "default of thing/everything");
  CHECK(node.at("sizes").to_flow() == "[1, 2]");
  CHECK(node.at("form") == Node("plain"));
  CHECK(node.at("limit").is_null());
  CHECK(node.at("inner").to_flow() == "{rate: 0.5, 'on': true}");
  CHECK(node.at("probe").to_flow() == "{name: fields_probe, value: 5}");
  CHECK(node.at("probe").at("value").origin().describe() == "default of probe/fields_probe");
  CHECK(node.at("maybe").is_null());
  CHECK(node.at("arms") == Node(Node::Map{}));
  CHECK_FALSE(node.at("must").is_default());
  CHECK_NOTHROW(Schema::of<Everything>().check(node, "thing", true));
}

TEST_CASE("default settings in a map stay beside given entries but default entries are replaced", "[fields]") {
  struct Drawn {
    Node figures;
    static void declare(Fields& f, Drawn& p) {
      if (p.figures.is_null()) {
        p.figures.set("format", Node("svg"));
        p.figures.set("first", Node::map());
      }
      f.map("figures", p.figures, "what is drawn");
    }
  };
  const auto with = [](const Node& figures) {
    Node node = Node::map();
    if (!figures.is_null()) node.set("figures", figures);
    Schema::of<Drawn>().complete(node, "the test");
    return node.at("figures").to_flow();
  };
  Node mine = Node::map(), given = Node::map();
  mine.set("mine", Node::map());
  given.set("format", Node("pdf"));
  CHECK(with({}) == "{format: svg, first: {}}");
  CHECK(with(mine) == "{mine: {}, format: svg}");
  CHECK(with(given) == "{format: pdf}");
}

TEST_CASE("completing twice changes nothing", "[fields]") {
  const Node once = completed();
  CHECK(completed(once) == once);
}

TEST_CASE("a component reference may be a name, a map or only parameters", "[fields]") {
  CHECK(completed(map_of({{"probe", Node("fields_other")}})).at("probe").to_flow() == "{name: fields_other, scale: 2.0}");
  CHECK(completed(map_of({{"probe", map_of({{"value", Node(9)}})}})).at("probe").to_flow() == "{name: fields_probe, value: 9}");
  CHECK(completed(map_of({{"maybe", Node("fields_probe")}})).at("maybe").at("value") == Node(5));
}

TEST_CASE("changing a component drops its old defaults but keeps given values", "[fields]") {
  Node node = completed();
  node.at("probe");
  node.find("probe")->set("name", "fields_other");
  node = completed(std::move(node));
  CHECK(node.at("probe").to_flow() == "{name: fields_other, scale: 2.0}");

  Node written = map_of({{"probe", map_of({{"name", Node("fields_other")}, {"value", Node(1)}})}});
  CHECK_THROWS_WITH(Schema::of<Everything>().check(completed(std::move(written)), "", true),
                    "unknown key 'probe.value'\n  try: choices: scale");
}

TEST_CASE("values are read into the struct", "[fields]") {
  const Node node = completed(map_of({{"flag", Node(true)},
                                      {"count", Node(7)},
                                      {"epsilon", Node(1)},  // an integer is a valid float
                                      {"limit", Node(2.5)},
                                      {"label", Node()},
                                      {"sizes", Node(Node::List{Node(4)})},
                                      {"words", Node(Node::List{Node("a"), Node("ⵟ")})},
                                      {"form", Node("squared")},
                                      {"inner", map_of({{"rate", Node(0.25)}})},
                                      {"arms", map_of({{"x", Node(1)}})},
                                      {"anything", Node(Node::List{Node(1), Node("b")})}}));
  Schema::of<Everything>().check(node, "thing", true);
  const auto p = read_params<Everything>(node);
  CHECK(p.flag);
  CHECK(p.count == 7);
  CHECK(p.epsilon == 1.0);
  CHECK(p.text == "hello");
  CHECK(p.limit == 2.5);
  CHECK_FALSE(p.label.has_value());
  CHECK(p.sizes == std::vector<std::int64_t>{4});
  CHECK(p.words == std::vector<std::string>{"a", "ⵟ"});
  CHECK(p.form == Form::kSquared);
  CHECK(p.inner.rate == 0.25);
  CHECK(p.inner.on);
  CHECK(p.probe.name() == "fields_probe");
  CHECK(Registry<Probe>::create(p.probe)->answer() == 5);
  CHECK(p.maybe.empty());
  CHECK(p.maybe.name() == "");
  CHECK(p.arms.at("x") == Node(1));
  CHECK(p.anything.size() == 2);
  CHECK(p.must == "given");
}

TEST_CASE("a struct can be read from a part of its keys", "[fields]") {
  const auto p = read_params<Everything>(map_of({{"inner", map_of({{"on", Node(false)}})}}));
  CHECK(p.inner.rate == 0.5);
  CHECK_FALSE(p.inner.on);
  CHECK(p.count == 3);
}

TEST_CASE("wrong values are reported with key, place, reason and suggestion", "[fields]") {
  const std::pair<std::pair<const char*, Node>, const char*> cases[] = {
      {{"epsilom", 1.0}, "unknown key 'thing.epsilom'\n  at: x.yaml:2:3\n  try: did you mean 'epsilon'?"},
      {{"count", 11}, "'thing.count' is 11, but must be in [1, 10]\n  at: x.yaml:2:3\n  why: how many"},
      {{"count", 0}, "'thing.count' is 0, but must be in [1, 10]\n  at: x.yaml:2:3\n  why: how many"},
      {{"count", 2.0}, "'thing.count' must be integer in [1, 10], found float 2.0\n  at: x.yaml:2:3\n  why: how many"},
      {{"count", "2"},
       "'thing.count' must be integer in [1, 10], found string '2'\n  at: x.yaml:2:3\n  why: how many\n  try: write count: 2, without "
       "quotes"},
      {{"epsilon", 0}, "'thing.epsilon' is 0, but must be > 0\n  at: x.yaml:2:3\n  why: stabiliser"},
      {{"epsilon", std::nan("")}, "'thing.epsilon' is nan, but must be > 0\n  at: x.yaml:2:3\n  why: stabiliser"},
      {{"epsilon", Node()}, "'thing.epsilon' must be float > 0, found null\n  at: x.yaml:2:3\n  why: stabiliser"},
      {{"flag", 1}, "'thing.flag' must be bool, found integer 1\n  at: x.yaml:2:3\n  why: a switch"},
      {{"limit", -1.0}, "'thing.limit' is -1.0, but must be >= 0\n  at: x.yaml:2:3\n  why: an upper limit"},
      {{"sizes", 3},
       "'thing.sizes' must be list of integers >= 1, found integer 3\n  at: x.yaml:2:3\n  why: some sizes\n  try: 'thing.sizes=[3]'"},
      {{"sizes", "None"},
       "'thing.sizes' must be list of integers >= 1, found string None\n  at: x.yaml:2:3\n  why: some sizes\n  try: write sizes: []"},
      {{"epsilon", Node::List{0.1, 0.2}},
       "'thing.epsilon' must be float > 0, found list [0.1, 0.2]\n  at: x.yaml:2:3\n  why: stabiliser\n"
       "  try: to try each value, write sweep: {thing.epsilon: [0.1, 0.2]}"},
      {{"limit", "None"},
       "'thing.limit' must be float >= 0 or null, found string None\n  at: x.yaml:2:3\n  why: an upper limit\n  try: write limit: null"},
      {{"sizes", Node::List{1, 0}}, "'thing.sizes.1' is 0, but must be >= 1\n  at: x.yaml:2:3\n  why: some sizes"},
      {{"sizes", Node::List{"a"}}, "'thing.sizes.0' must be integer, found string a\n  at: x.yaml:2:3\n  why: some sizes"},
      {{"form", "square"}, "'thing.form' cannot be 'square'\n  at: x.yaml:2:3\n  try: did you mean 'squared'?"},
      {{"form", "zzzzzzz"}, "'thing.form' cannot be 'zzzzzzz'\n  at: x.yaml:2:3\n  try: choices: squared, plain"},
      {{"probe", "fields_prob"},
       "unknown probe 'fields_prob'\n  at: x.yaml:2:3\n"
       "  try: did you mean 'fields_probe'? ('yatlab list probe' shows all)"},
      {{"probe", Node()}, "'thing.probe' must be probe, found null\n  at: x.yaml:2:3\n  why: a probe"},
      {{"maybe", Node::Map{{"value", 3}}},
       "'thing.maybe' has no 'name'\n  at: x.yaml:2:3\n  why: it must be the name of a probe\n  try: 'yatlab list probe' shows the "
       "choices"},
      {{"maybe", Node::Map{{"name", "???"}}},
       "'thing.maybe.name' is required\n  at: x.yaml:2:3\n  why: perhaps a probe\n  try: 'yatlab list probe' shows the choices"},
      {{"probe", Node::Map{{"value", 101}}}, "'thing.probe.value' is 101, but must be <= 100\n  at: x.yaml:2:3\n  why: the answer"},
      {{"probe", Node::Map{{"valu", 1}}}, "unknown key 'thing.probe.valu'\n  at: x.yaml:2:3\n  try: did you mean 'value'?"},
      {{"inner", 4}, "'thing.inner' must be group, found integer 4\n  at: x.yaml:2:3\n  why: a nested struct"},
      {{"inner", Node::Map{{"rate", 1.5}}}, "'thing.inner.rate' is 1.5, but must be in [0, 1]\n  at: x.yaml:2:3\n  why: inner rate"},
      {{"inner", Node::Map{{"rat", 1}}}, "unknown key 'thing.inner.rat'\n  at: x.yaml:2:3\n  try: did you mean 'rate'?"},
      {{"arms", Node::List{}}, "'thing.arms' must be map, found list []\n  at: x.yaml:2:3\n  why: free keys"},
      {{"must", "???"},
       "'thing.must' is required\n  at: x.yaml:2:3\n  why: has no default\n  try: set it, for example with thing.must=..."},
  };
  for (const auto& [given, expected] : cases) {
    INFO(given.first << ": " << given.second.to_flow());
    CHECK(error_for(given.first, given.second) == expected);
  }
}

TEST_CASE("messages quote only the beginning of a huge value", "[fields]") {
  const std::string text(1'000'000, 'x');
  const Node list = Node::List(100'000, Node("long"));
  const std::pair<const char*, Node> cases[] = {{"count", text},
                                                {"count", list},
                                                {"flag", list},
                                                {"form", text},
                                                {"probe", text},
                                                {"inner", list},
                                                {"arms", text},
                                                {"sizes", Node::List{text}},
                                                {"sizes", Node::List{list}},
                                                {"label", list},
                                                {"maybe", Node::Map{{"name", text}}}};
  for (const auto& [key, value] : cases) {
    INFO(key << ": " << value.type_name());
    const auto message = error_for(key, value);
    CHECK(message.size() < 1000);
    CHECK(message.find("...") != std::string::npos);
  }
  const auto message_of = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(message_of([&] { Schema::of<Inner>().check(Node(text), "inner", true); }) ==
        "'inner' must be a map, found " + text.substr(0, 400) + "...");
  CHECK(message_of([&] { component_table("probe").complete(list); }).size() < 1000);
  CHECK(message_of([&] { component_table("probe").complete(Node(text)); }).size() < 1000);
  CHECK(message_of([&] { component_table("probe").at(text); }).size() < 1000);
}

TEST_CASE("valid boundary values are accepted", "[fields]") {
  const std::pair<const char*, Node> cases[] = {{"count", 1},
                                                {"count", 10},
                                                {"epsilon", 1e-45},
                                                {"limit", 0},
                                                {"limit", Node()},
                                                {"sizes", Node::List{}},
                                                {"anything", Node()},
                                                {"label", Node()},
                                                {"maybe", Node()},
                                                {"text", ""},
                                                {"text", true},
                                                {"label", 3},
                                                {"probe", Node::Map{{"value", 100}}}};
  for (const auto& [key, value] : cases) {
    INFO(key << ": " << value.to_flow());
    CHECK(error_for(key, value) == "no error");
  }
}

TEST_CASE("interpolations and missing values are checked only when resolved", "[fields]") {
  CHECK(error_for("count", "${other}", false) == "no error");
  CHECK(error_for("must", "???", false) == "no error");
  CHECK(error_for("probe", "${other}", false) == "no error");
  CHECK(error_for("probe", Node::Map{{"name", "???"}}, false) == "no error");
  CHECK(error_for("sizes", Node::List{"${a}"}, false) == "no error");
  CHECK(error_for("count", "${other}", true) ==
        "'thing.count' must be integer in [1, 10], found string '${other}'\n  at: x.yaml:2:3\n  why: how many");
}

TEST_CASE("the root of a config has no prefix and listed extra keys are allowed", "[fields]") {
  const auto schema = Schema::of<Inner>();
  Node node = map_of({{"rte", Node(1)}});
  CHECK_THROWS_WITH(schema.check(node, "", true), "unknown key 'rte'\n  try: did you mean 'rate'?");
  node = map_of({{"name", Node("x")}, {"rate", Node(1)}});
  CHECK_NOTHROW(schema.check(node, "", true, {"name"}));
  CHECK_THROWS_WITH(schema.check(Node(3), "inner", true), "'inner' must be a map, found 3");
}

TEST_CASE("read_checked completes, checks and reads", "[fields]") {
  CHECK(read_checked<Inner>(map_of({{"rate", Node(1)}}), "inner").rate == 1.0);
  CHECK(read_checked<Inner>(Node(), "inner").on);
  CHECK_THROWS_WITH(read_checked<Inner>(map_of({{"rate", Node(2)}}), "inner"),
                    "'inner.rate' is 2, but must be in [0, 1]\n  why: inner rate");
}

TEST_CASE("a schema does not refer to the struct that it was made from", "[fields]") {
  const auto schema = Schema::of<Everything>();
  for (const auto& field : schema.fields) CHECK_FALSE(static_cast<bool>(field.assign));
  for (const auto& field : schema.find("inner")->fields) CHECK_FALSE(static_cast<bool>(field.assign));
}

namespace {
struct Free {
  double rate = 0.5;
  Node numbers = Node::map();
  static void declare(Fields& f, Free& p) {
    f.field("rate", p.rate, "a rate");
    f.map("numbers", p.numbers, "name -> number").rest();
  }
};
}  // namespace

TEST_CASE("a map may accept undeclared keys", "[fields]") {
  const auto free =
      read_checked<Free>(map_of({{"name", Node("x")}, {"rate", Node(1)}, {"a", Node(2)}, {"numbers", map_of({{"b", Node(3)}})}}), "free");
  CHECK(free.rate == 1.0);
  CHECK(free.numbers.to_flow() == "{b: 3, a: 2}");
  CHECK(read_checked<Free>(Node(), "free").numbers.size() == 0);
  Node twice = map_of({{"b", Node(2)}, {"numbers", map_of({{"b", Node(3)}})}});
  twice.find("b")->set_origin({"x.yaml", 2, 3, {}});
  CHECK_THROWS_WITH(read_checked<Free>(twice, "free"), Catch::Matchers::StartsWith("'b' is given twice\n  at: x.yaml:2:3\n"));
  const auto schema = Schema::of<Free>();
  CHECK(schema.rest() == schema.find("numbers"));
  CHECK(Schema::of<Inner>().rest() == nullptr);
  // Leftovers of another component's defaults do not count.
  Node left = map_of({{"momentum", Node(Node(1)).set_default(true)}, {"a", Node(2)}});
  schema.complete(left, "free");
  CHECK(left.find("momentum") == nullptr);
  CHECK(left.find("a") != nullptr);
}

}  // namespace yatlab
