// Limits on the cost of external texts. CPU times are generous, as the machine may be busy; docs/measurements/reliability.md has measured ones.
#include <sstream>

#include "catch.h"
#include "config/support.h"
#include "core/config/interpolation.h"
#include "core/config/limits.h"
#include "core/config/override.h"
#include "core/config/sweep.h"
#include "core/config/yaml.h"
#include "cost.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

constexpr std::size_t kMB = 1'000'000;
constexpr std::size_t kTenMB = 10 * kMB;

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string out;
  while (out.size() + part.size() <= bytes) out += part;
  return out;
}

/// Every text of at most 10 MB needs at most 200 MB, and seconds.
void check_bounded(const Cost& cost) {
  INFO(cost);
  CHECK(cost.outcome.find("signal") == std::string::npos);
  CHECK(cost.outcome.find("no answer") == std::string::npos);
  if (cost_is_distorted()) return;
  CHECK(cost.seconds < 10);
  CHECK(cost.bytes < 20 * kTenMB);
}

struct Shape {
  const char* name;
  std::string text;
};

std::vector<Shape> yaml_shapes(std::size_t bytes) {
  const auto numbered = [&](const char* before, const char* after) {
    std::string out;
    for (int i = 0; out.size() + 40 < bytes; ++i) out += before + std::to_string(i) + after;
    return out;
  };
  const auto stairs = [&] {
    std::string out;
    for (std::size_t i = 0; out.size() + i + 4 < bytes; ++i) out += std::string(i, ' ') + "a:\n";
    return out;
  };
  return {{"a list in one line", "[" + repeated("x,", bytes - 3) + "x]"},
          {"a list in many lines", repeated("- x\n", bytes)},
          {"a map", numbered("k", ": 1\n")},
          {"a map in one line", "{" + numbered("k", ": 1,") + "}"},
          {"pairs in a list", "[" + repeated("a: b,", bytes - 2) + "]"},
          {"empty maps", "[" + repeated("{},", bytes - 2) + "]"},
          {"a block of text", "a: |\n" + repeated("  a line of text\n", bytes - 5)},
          {"a folded text", "a: >\n" + repeated("  x\n\n", bytes - 5)},
          {"a quoted text", "a: \"" + repeated("x", bytes - 6) + "\"\n"},
          {"escapes", "a: \"" + repeated("\\N", bytes - 6) + "\"\n"},
          {"plain words", "a: " + repeated("word ", bytes - 4) + "\n"},
          {"comments", repeated("# comment\n", bytes)},
          {"empty lines", repeated("\n", bytes)},
          {"a key", repeated("k", bytes - 4) + ": 1\n"},
          {"open brackets", repeated("[", bytes)},
          {"closed brackets", repeated("[", bytes / 2) + repeated("]", bytes / 2)},
          {"open braces with keys", repeated("{a: ", bytes)},
          {"dashes", repeated("- ", bytes)},
          {"maps in maps", stairs()},
          {"anchors", numbered("- &a", " x\n")},
          {"anchors in anchors", repeated("&a [", 190 * 4) + repeated("1,", bytes - 1000) + repeated("]", 190)},
          {"aliases of a list", "- &a [x,x,x,x,x,x,x,x]\n" + repeated("- *a\n", bytes - 30)},
          {"aliases of a text", "- &a " + std::string(bytes / 10, 'x') + "\n" + repeated("- *a\n", bytes / 2)},
          {"aliases of a key", "? &a " + std::string(900, 'x') + "\n: [" + repeated("*a ,", bytes - 920) + "]"},
          {"merges", "a: &a {x: 1}\nb:\n" + repeated("  <<: *a\n", bytes - 20)},
          {"quotes in a list", "[" + repeated("'x',", bytes - 3) + "x]"},
          {"quotes that stay open", repeated("- \"\n", bytes)},
          {"numbers with a warning", repeated("- 017\n", bytes)},
          {"documents", repeated("---\n", bytes)},
          {"stars", repeated("*", bytes)}};
}

}  // namespace

TEST_CASE("YAML of maximal size is read or rejected at bounded cost", "[cost][slow]") {
  for (const auto& shape : yaml_shapes(limits::kText)) {
    INFO(shape.name);
    REQUIRE(shape.text.size() <= limits::kText);
    check_bounded(cost_of([&] { parse_yaml(shape.text, "experiments/x.yaml", [](const std::string&) {}); }));
  }
}

TEST_CASE("10 MB of YAML are rejected quickly with the limit in the message", "[cost]") {
  for (const auto& shape : {Shape{"list", "[" + repeated("x,", kTenMB) + "x]"}, Shape{"text", "a: |\n" + repeated("  text\n", kTenMB)}}) {
    INFO(shape.name);
    const auto cost = cost_of([&] { parse_yaml(shape.text, "x.yaml"); });
    check_bounded(cost);
    CHECK(holds(cost.outcome, "cannot read 'x.yaml'"));
    CHECK(holds(cost.outcome, "the limit for a YAML file is 1000000"));
  }
}

TEST_CASE("columns are found in one pass over a line", "[cost]") {
  std::string line = "[";
  for (int i = 0; i < 50'000; ++i) line += fmt::format("{}ⵟ{}", i > 0 ? ", " : "", i);
  line += "]";
  const auto cost = cost_of([&] {
    const Node list = parse_yaml(line, "x.yaml");
    if (list.as_list().back().origin().column != static_cast<int>(2 + 49'999 * 3 + (10 + 90 * 2 + 900 * 3 + 9'000 * 4 + 39'999 * 5)))
      throw Error(ErrorKind::kJob, "wrong column");
  });
  INFO(cost);
  CHECK(cost.outcome == "done");
  if (!cost_is_distorted()) CHECK(cost.seconds < 2);  // formerly 5 and more
}

TEST_CASE("aliases and anchors are limited in values, bytes and depth", "[cost]") {
  const auto why = [](const std::string& text) { return error_of([&] { parse_yaml(text, "x.yaml"); }); };
  CHECK(holds(why("- &a " + std::string(100'000, 'x') + "\n" + repeated("- *a\n", 1'000)), "more than 10000000 bytes of text"));
  std::string deeper = "- &a0 [x]\n";
  for (int i = 1; i < 300; ++i) deeper += fmt::format("- &a{} [*a{}]\n", i, i - 1);
  CHECK(holds(why(deeper), "more than 200 levels of nesting"));
  CHECK(holds(why(std::string(150, '[') + std::string(150, ']')), "no error"));
  std::string keys;
  for (int i = 0; i < 10'001; ++i) keys += fmt::format("k{}: 1\n", i);
  CHECK(holds(why(keys), "x.yaml:10001:1\n  why: this map has more than 10000 keys"));
  CHECK(holds(why("? " + std::string(5'000, 'k') + "\n: 1\n"), "more than 4096 characters"));
  std::vector<std::string> warnings;
  parse_yaml(repeated("- 017\n", 6'000), "x.yaml", [&](const std::string& w) { warnings.push_back(w); });
  REQUIRE(warnings.size() == 100);
  CHECK(holds(warnings.back(), "Further warnings for this file are not shown"));
}

TEST_CASE("nodes expanded from aliases are independent copies", "[cost]") {
  Node tree = parse_yaml("a: &a {x: {y: 1}}\nb: *a\nc: {<<: *a, z: 2}\n", "x.yaml");
  *tree.find_path("b.x.y") = Node(5);
  tree.find_path("c.x")->set("new", 6);
  CHECK(show(tree) == R"({"a": {"x": {"y": 1}}, "b": {"x": {"y": 5}}, "c": {"x": {"y": 1, "new": 6}, "z": 2}})");
}

TEST_CASE("interpolations are limited in values and bytes even when nested", "[cost]") {
  const auto cost = [](const Node& tree) {
    const auto out = cost_of([&] { resolve(tree); });
    check_bounded(out);
    return out.outcome;
  };
  const auto doubling = [](const char* pattern, int times) {
    Node out = Node::map();
    out.set("k0", std::string(1000, 'x'));
    for (int i = 1; i < times; ++i) out.set(fmt::format("k{}", i), fmt::format(fmt::runtime(pattern), i - 1));
    return out;
  };
  CHECK(holds(cost(doubling("${{k{0}}}${{k{0}}}", 60)), "expand to more than 10000000 bytes of text"));
  CHECK(holds(cost(doubling("${{oc.create:[${{k{0}}},${{k{0}}}]}}", 60)), "expand to more than"));
  // Formerly 108 kB became 5.2 GB.
  Node many = Node::map();
  many.set("text", std::string(50'000, 'x'));
  Node uses = Node::list();
  for (int i = 0; i < 10'000; ++i) uses.push_back("${text}");
  many.set("uses", uses);
  CHECK(holds(cost(many), "expand to more than 10000000 bytes of text"));
  // Levels that add up through already known values, and recursion that does.
  Node levels = Node::map();
  levels.set("k0", "x");
  for (int i = 1; i < 5'000; ++i) levels.set(fmt::format("k{}", i), fmt::format("${{oc.create:[[[[[${{k{}}}]]]]]}}", i - 1));
  CHECK(holds(cost(levels), "more than 200 levels of nesting"));
  Node backwards = Node::map();
  for (int i = 0; i < 99; ++i) {
    backwards.set(fmt::format("k{}", i),
                  "${oc.create:" + std::string(95, '[') + fmt::format("${{k{}}}", i + 1) + std::string(95, ']') + "}");
  }
  backwards.set("k99", 1);
  CHECK(holds(cost(backwards), "nested more than 400 levels deep"));
  Node steps = Node::map();
  for (int i = 0; i < 90; ++i) {
    Node deep(fmt::format("${{k{}}}", i + 1));
    for (int k = 0; k < 150; ++k) deep = Node(Node::List{deep});
    steps.set(fmt::format("k{}", i), deep);
  }
  steps.set("k90", 1);
  CHECK(holds(cost(steps), "more than"));
  // One path per value, and a text that is decoded repeatedly.
  Node wide = Node::map();
  Node inner = Node::list();
  for (int i = 0; i < 100'000; ++i) inner.push_back("${a}");
  wide.set("a", 1);
  wide.set(std::string(4'000, 'k'), inner);
  CHECK(holds(cost(wide), "expand to more than 10000000 bytes of text"));
  Node decoded = Node::map();
  decoded.set("a", "[" + repeated("1,", 400'000) + "1]");
  Node list = Node::list();
  for (int i = 0; i < 10'000; ++i) list.push_back("${oc.decode:${a}}");
  decoded.set("list", list);
  cost(decoded);
}

TEST_CASE("environment variables count towards the limits and must be UTF-8", "[cost]") {
  ::setenv("YATLAB_TEST_LONG", std::string(100'000, 'x').c_str(), 1);
  ::setenv("YATLAB_TEST_BYTES", "a\xff", 1);
  Node list = Node::list();
  for (int i = 0; i < 1'000; ++i) list.push_back("${oc.env:YATLAB_TEST_LONG}");
  CHECK(holds(error_of([&] { resolve(list); }), "expand to more than 10000000 bytes of text"));
  CHECK(holds(error_of([] { resolve(Node(Node::List{"${oc.env:YATLAB_TEST_BYTES}"})); }), "'YATLAB_TEST_BYTES' is not UTF-8"));
}

TEST_CASE("overrides of maximal length are read or rejected at bounded cost", "[cost][slow]") {
  const auto numbered = [](const char* before, const char* after) {
    std::string out;
    for (int i = 0; out.size() < kMB - 100; ++i) out += before + std::to_string(i) + after;
    return out;
  };
  const Shape shapes[] = {
      {"a list", "a=[" + repeated("1,", kMB - 10) + "1]"},
      {"a map", "a={" + numbered("k", ":1,") + "k:1}"},
      {"choices", "a=" + repeated("1,", kMB - 10) + "1"},
      {"a text", "a=" + repeated("x", kMB - 10)},
      {"blanks", "a=" + repeated(" ", kMB - 10)},
      {"quotes", "a='" + repeated("\\'", kMB - 10) + "'"},
      {"quotes that stay open", "a=" + repeated("'", kMB - 11)},
      {"brackets", "a=" + repeated("[", kMB - 10)},
      {"interpolations", "a=" + repeated("${", kMB - 10)},
      {"closed interpolations", "a=" + repeated("${x}", kMB - 10)},
      {"words in brackets", "a=[" + repeated("word word,", kMB - 10) + "x]"},
      {"backslashes", "a=" + repeated("\\", kMB - 10)},
      {"a key", repeated("k", kMB - 10) + "=1"},
      {"a dotted key", repeated("k.", kMB - 10) + "k=1"},
      {"functions", "a=" + repeated("int(", 360) + "[" + repeated("1,", kMB - 1000) + "1]" + repeated(")", 90)},
      {"casts of a long list", "a=" + repeated("int(", 280) + "[" + repeated("1,", kMB - 1000) + "1]" + repeated(")", 70)},
      {"zips of ranges", "a=zip(" + numbered("k", "=range(100000),") + "z=range(100000))"},
      {"zips of lists", "a=zip(" + numbered("k", "=[1],") + "z=[1])"},
      {"a range", "a=range(1e12)"},
      {"a long range", "a=range(0,1e15,1e-3)"},
      {"a range of a large number of digits", "a=range(" + repeated("9", kMB - 20) + ")"},
      {"ten MB", "a=[" + repeated("1,", kTenMB) + "1]"}};
  for (const auto& shape : shapes) {
    INFO(shape.name);
    check_bounded(cost_of([&] { dimension_of(parse_override(shape.text)); }));
  }
  CHECK(holds(error_of([] { parse_override("a=" + std::string(kTenMB, 'x')); }), "it has 10000002 bytes; the limit is 1000000"));
  CHECK(holds(error_of([] { parse_override("a=range(1e12)"); }), "the range has more than 100000 items"));
  CHECK(error_of([] { parse_override("a=" + std::string(kMB - 10, '(')); }).size() <
        2'000);  // the message quotes only the text near the error
  CHECK(holds(error_of([] { parse_override("a" + repeated(".a", 400) + "=1"); }), "the key has more than 100 parts"));
}

TEST_CASE("sweeps with too many points are rejected before they are listed", "[cost]") {
  std::string sweep;
  for (int i = 0; i < 3'000; ++i) sweep += fmt::format("k{}: range(0, 100000)\n", i);
  const Node axes = parse_yaml(sweep, "x.yaml");
  const auto cost = cost_of([&] { read_dimensions(axes); });
  check_bounded(cost);
  CHECK(holds(cost.outcome, "the sweep has more than 100000 points"));
  std::string twos;
  for (int i = 0; i < 64; ++i) twos += fmt::format("k{}: [0, 1]\n", i);
  CHECK(holds(error_of([&] { read_dimensions(parse_yaml(twos, "x.yaml")); }), "the sweep has more than 100000 points\n  at: x.yaml:17:6"));
}

TEST_CASE("the cost of a long range grows linearly with its points", "[cost]") {
  const auto range = parse_override("a=range(0,5e4)");
  const auto cost = cost_of([&] { dimension_of(range, {}); });
  INFO(cost);
  CHECK(cost.outcome == "done");
  if (!cost_is_distorted()) CHECK(cost.seconds < 5);  // 40 s when each point copied everything
  const auto points = dimension_of(range, {}).positions;
  REQUIRE(points.size() == 50'000);
  CHECK(points.back().front().value.as_double() == 49'999);
}

TEST_CASE("many seeds are checked for duplicates quickly", "[cost]") {
  std::string list = "[0";
  for (int i = 1; i < 99'999; ++i) list += fmt::format(",{}", i);
  const Node seeds = parse_yaml(list + "]", "x.yaml");
  const auto cost = cost_of([&] { parse_seeds(seeds); });
  INFO(cost);
  CHECK(cost.outcome == "done");
  if (!cost_is_distorted()) CHECK(cost.seconds < 1);
  CHECK(holds(error_of([&] { parse_seeds(parse_yaml(list + ",77]", "x.yaml")); }), "the seed 77 is given twice"));
  CHECK(holds(error_of([&] { parse_seeds(parse_yaml(list + ",99999,100000]", "x.yaml")); }), "there are more than 100000 seeds"));
}
