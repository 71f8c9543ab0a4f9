#include "core/config/sweep.h"

#include "catch.h"
#include "config/support.h"
#include "core/config/yaml.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

std::vector<Dimension> read(const std::string& text, const OptionLister& options = {}) {
  return read_dimensions(parse_yaml(text, "x.yaml"), options);
}

/// "a=1 b=x | a=2 b=x"
std::string points(const std::vector<Dimension>& dimensions) {
  std::string out;
  for (const auto& point : grid(dimensions)) {
    if (!out.empty()) out += " | ";
    std::string line;
    for (const auto& override : point) line += (line.empty() ? "" : " ") + override.text;
    out += line;
  }
  return out;
}

}  // namespace

TEST_CASE("sweeps in files expand to points") {
  struct Case {
    const char* yaml;
    const char* points;
  };
  static const Case kCases[] = {
      {"", ""},
      {"a: [1, 2]", "a=1 | a=2"},
      {"a: 1, 2", "a=1 | a=2"},
      {"a: choice(x, 'y z')", "a=x | a='y z'"},
      {"a: range(0, 3)", "a=0 | a=1 | a=2"},
      {"a: range(0, 0.3, 0.1)", "a=0.0 | a=0.1 | a=0.2"},
      {"a: '[1, 2]'", "a=1 | a=2"},
      {"a: x", "a=x"},
      {"a: 5", "a=5"},
      {"a: [[1, 2], [3]]", "a=[1,2] | a=[3]"},
      {"a: [1, 2]\nb: [x, y]", "a=1 b=x | a=1 b=y | a=2 b=x | a=2 b=y"},
      {"a: [1]\nb: [2, 3]\nc: [4, 5]", "a=1 b=2 c=4 | a=1 b=2 c=5 | a=1 b=3 c=4 | a=1 b=3 c=5"},
      {"operator.epsilon: [1e-5, 1e-3]", "operator.epsilon=1e-05 | operator.epsilon=0.001"},
      {"operator: glob(*t*)", "operator=dot | operator=yat"},
      {"+operator: glob(*t*)", "+operator=dot | +operator=yat"},
      {"operator@a.b: glob(*t*)", "operator@a.b=dot | operator@a.b=yat"},
      {"++a: [1, 2]", "++a=1 | ++a=2"},
      {"a: [x, null, 1.0, [p, q], {r: 's t'}]", "a=x | a=null | a=1.0 | a=[p,q] | a={r:'s t'}"},
      {"z: 'zip(operator=glob(*t*), a=[1, 2])'", "operator=dot a=1 | operator=yat a=2"},
      {"z: {zip: {+operator: [dot, yat], x@: [a, b]}}", "+operator=dot x@=a | +operator=yat x@=b"},
      {"z: zip(a=[1, 2], b=[x, y])", "a=1 b=x | a=2 b=y"},
      {"z: 'zip(a.b=[1,2], c=range(2), d=choice(p,q))'", "a.b=1 c=0 d=p | a.b=2 c=1 d=q"},
      {"z: {zip: {a: [1, 2], b: '3, 4'}}", "a=1 b=3 | a=2 b=4"},
      {"z: \"zip(a=[[1], {b: 2}], c@d = ['zip(', ')'], group/sub=choice(x, y))\"",
       "a=[1] c@d='zip(' group/sub=x | a={b:2} c@d=')' group/sub=y"},
      {"p: [7, 8]\nz: {zip: {a: [1, 2], b: [3, 4]}}", "p=7 a=1 b=3 | p=7 a=2 b=4 | p=8 a=1 b=3 | p=8 a=2 b=4"},
      {"a: tag(t, choice(1, 2))", "a=1 | a=2"},
      {"o: {nest: {sgd: {lr: [1, 2]}, adam: {lr: [3]}}}", "o=sgd lr=1 | o=sgd lr=2 | o=adam lr=3"},
      {"o: {nest: {sgd: {lr: '1, 2', m: [0, 9]}, adam: {lr: 3, m: range(2)}}}\nz: [7, 8]",
       "o=sgd lr=1 m=0 z=7 | o=sgd lr=1 m=0 z=8 | o=sgd lr=1 m=9 z=7 | o=sgd lr=1 m=9 z=8 | o=sgd lr=2 m=0 z=7 | o=sgd lr=2 m=0 z=8 | "
       "o=sgd lr=2 m=9 z=7 | o=sgd lr=2 m=9 z=8 | o=adam lr=3 m=0 z=7 | o=adam lr=3 m=0 z=8 | o=adam lr=3 m=1 z=7 | o=adam lr=3 m=1 z=8"},
      {"n: {nest: {1: {z: {zip: {a: [1, 2], b: [3, 4]}}}, 0.5: {z: {zip: {a: [5], b: [6]}}}}}",
       "n=1 a=1 b=3 | n=1 a=2 b=4 | n=0.5 a=5 b=6"},
      {"+operator: {nest: {yat: {operator.epsilon: {nest: {1: {k: [2, 3]}, 4: {k: [5]}}}}}}",
       "+operator=yat operator.epsilon=1 k=2 | +operator=yat operator.epsilon=1 k=3 | +operator=yat operator.epsilon=4 k=5"},
      {"a: sort(3, 1, 2)", "a=1 | a=2 | a=3"},
  };
  const OptionLister options = [](const std::string& group) {
    return group == "operator" ? std::vector<std::string>{"cosine", "dot", "yat"} : std::vector<std::string>{};
  };
  for (const auto& c : kCases) {
    INFO(c.yaml);
    CHECK(points(read(c.yaml, options)) == c.points);
  }
  CHECK(grid({}).size() == 1);
  const auto second = [](const char* yaml) { return read(yaml)[0].positions[1][0]; };
  CHECK(second("a: [1, 2]").origin.describe() == "x.yaml:1:8 (a=2)");
  CHECK(second("a: [1, 2]").value.origin().describe() == "x.yaml:1:8");
  CHECK(second("a: range(0, 2)").origin.describe() == "x.yaml:1:4 (a=1)");
  CHECK(second("z: {zip: {b: [1, 2]}}").origin.describe() == "x.yaml:1:18 (b=2)");
}

TEST_CASE("overrides of sweep points keep kind, origin and value") {
  const auto add = read("+size: [nano]")[0].positions[0][0];
  CHECK(add.kind == OverrideKind::kAdd);
  CHECK(add.key == "size");
  CHECK(add.value == Node("nano"));
  CHECK(add.has_value);
  CHECK_FALSE(add.is_sweep());
  const auto packaged = read("data@eval.x: [a]")[0];
  CHECK(packaged.name == "data@eval.x");
  CHECK(packaged.positions[0][0].key == "data");
  CHECK(packaged.positions[0][0].package == "eval.x");
  const auto force = dimension_of(parse_override("++a.b=1,2")).positions[1][0];
  CHECK(force.kind == OverrideKind::kForceAdd);
  CHECK(force.text == "++a.b=2");
  CHECK(force.origin.describe() == "command line (++a.b=2)");
  CHECK(force.value.origin().describe() == "command line (++a.b=2)");
  // A point's text parses to the point.
  for (const char* text : {"a='x y'", "+a='1'", "a@b=null", "++a={x:[1,'2']}", "a=1e-05"}) {
    const auto position = dimension_of(parse_override(text)).positions[0][0];
    INFO(text);
    CHECK(position.text == text);
    CHECK(parse_override(position.text).value == position.value);
    CHECK(parse_override(position.text).kind == position.kind);
  }
}

TEST_CASE("sweeps of the command line replace those of the file in place") {
  auto dimensions = read("a: [1, 2]\nb: [3]\n");
  merge_dimension(dimensions, dimension_of(parse_override("a=8,9")));
  merge_dimension(dimensions, dimension_of(parse_override("c=5")));
  merge_dimension(dimensions, dimension_of(parse_override("operator@x=choice(p,q)")));
  CHECK(points({dimension_of(parse_override("pairs=zip(a.b=[1, 2],c=range(3, 5))"))}) == "a.b=1 c=3 | a.b=2 c=4");
  CHECK(points(dimensions) == "a=8 b=3 c=5 operator@x=p | a=8 b=3 c=5 operator@x=q | a=9 b=3 c=5 operator@x=p | a=9 b=3 c=5 operator@x=q");
  CHECK(dimensions[0].origin.describe() == "command line (a=8,9)");
}

TEST_CASE("fixing the key of a nested sweep keeps only that value's sweep") {
  const auto set = [](const char* override) {
    auto dimensions = read("o: {nest: {sgd: {lr: [1, 2], m: [5]}, 0.5: {lr: [3], m: [6]}}}\nz: [7, 8]\n");
    set_key(dimensions, parse_override(override));
    return points(dimensions);
  };
  CHECK(set("o=sgd") == "lr=1 m=5 z=7 | lr=1 m=5 z=8 | lr=2 m=5 z=7 | lr=2 m=5 z=8");
  CHECK(set("o=0.50") == "lr=3 m=6 z=7 | lr=3 m=6 z=8");
  CHECK(set("z=1") == "o=sgd lr=1 m=5 | o=sgd lr=2 m=5 | o=0.5 lr=3 m=6");
  CHECK(set("m=1") == "o=sgd lr=1 z=7 | o=sgd lr=1 z=8 | o=sgd lr=2 z=7 | o=sgd lr=2 z=8 | o=0.5 lr=3 z=7 | o=0.5 lr=3 z=8");
  CHECK(set("lr=9") == "o=sgd m=5 z=7 | o=sgd m=5 z=8 | o=0.5 m=6 z=7 | o=0.5 m=6 z=8");
  CHECK(error_of([&] { set("o=adam"); }) ==
        "the nested sweep over 'o' has no values for adam\n  at: command line (o=adam)\n  why: it has values for sgd, 0.5\n  try: choose "
        "one of these, or add it there");
}

TEST_CASE("invalid nested sweeps are rejected") {
  const auto refused = [](const char* yaml) { return error_of([&] { grid(read(yaml)); }); };
  CHECK(testing::holds(
      refused("o: {nest: [1, 2]}"),
      "cannot nest a sweep in 'o'\n  at: x.yaml:1:11\n  why: a nested sweep must contain values of its key, each with its own sweep"));
  CHECK(testing::holds(refused("o: {nest: {a: [1, 2]}}"), "why: 'a' needs its own sweep"));
  CHECK(testing::holds(refused("o: {nest: {a: {}}}"), "why: 'a' needs its own sweep"));
  CHECK(testing::holds(refused("o: {nest: {a: {x: [1], where: 'x > 0'}}}"),
                       "why: 'where' applies to the whole sweep: write it next to the outermost keys"));
  CHECK(testing::holds(refused("o: {nest: {a: {x: 'interval(0, 1)'}}}"), "why: 'x' is an interval; a nested sweep needs a list of values"));
  CHECK(testing::holds(refused("o: {nest: {a: {x: [1]}, b: {y: [1]}}}"), "why: 'b' sets o, y, but the first sets o, x"));
  CHECK(testing::holds(refused("o: {nest: {a: {o: [1]}}}"), "two dimensions of the sweep set 'o'"));
  CHECK(testing::holds(refused("o: {nest: {a: {x: [1, 1]}}}"), "x"));
}

TEST_CASE("fixing a swept key removes it from the sweep or its zip") {
  auto dimensions = read("a: [1, 2]\nz: {zip: {b: [3, 4], c: [5, 6]}}\n");
  drop_key(dimensions, "a");
  CHECK(points(dimensions) == "b=3 c=5 | b=4 c=6");
  merge_dimension(dimensions, dimension_of(parse_override("b=7,8")));
  CHECK(points(dimensions) == "c=5 b=7 | c=5 b=8 | c=6 b=7 | c=6 b=8");
  drop_key(dimensions, "c");
  CHECK(points(dimensions) == "b=7 | b=8");
  drop_key(dimensions, "nosuch");
  drop_key(dimensions, "b");
  CHECK(dimensions.empty());
}

TEST_CASE("an interval is a separate dimension that a grid cannot list") {
  const auto dimensions =
      read_dimensions(parse_yaml("{a: 'interval(0, 3)', b: 'tag(log, interval(1e-4, 1))', c: 'int(interval(1, 8))', d: [1, 2]}", "x.yaml"));
  REQUIRE(dimensions.size() == 4);
  REQUIRE((dimensions[0].range && dimensions[1].range && dimensions[2].range));
  CHECK_FALSE(dimensions[3].range);
  CHECK((dimensions[0].range->low == 0 && dimensions[0].range->high == 3 && !dimensions[0].range->log && !dimensions[0].range->whole));
  CHECK((dimensions[1].range->log && !dimensions[1].range->whole));
  CHECK((dimensions[2].range->whole && dimensions[2].range->high == 8));
  // The middle of the interval, for checking arms.
  CHECK(dimensions[0].positions.front().front().text == "a=1.5");
  CHECK(dimensions[1].positions.front().front().text == "b=0.01");
  CHECK(dimensions[2].positions.front().front().text == "c=4");
  const auto at = dimensions[1].at(0.25);
  REQUIRE(at.size() == 1);
  CHECK(at.front().text == "b=0.25");
  CHECK(dimensions[2].at(3).front().value.is_int());
  CHECK(error_of([&] { grid(dimensions); }) ==
        "a grid cannot list interval(0.0, 3.0)\n  at: x.yaml:1:5\n  why: it means every number between its ends, but a grid needs a finite "
        "list\n  try: search it with sweeper=tpe (or random, sobol, cmaes); or use range(start, stop, step), logspace(...) or choice(...)");
  const auto overridden = dimension_of(parse_override("b=tag(log,interval(1,100))"));
  REQUIRE(overridden.range);
  CHECK((overridden.range->log && overridden.range->high == 100));
  CHECK(overridden.positions.front().front().text == "b=10.0");
}

TEST_CASE("sweep errors are reported") {
  struct Case {
    const char* yaml;
    const char* error;
  };
  static const Case kCases[] = {
      {"[1, 2]", "'sweep' must be a map, found a list\n  at: x.yaml:1:1\n  try: write 'sweep: {operator.epsilon: [1e-5, 1e-3]}'"},
      {"a: []", "the sweep over 'a' has no values\n  at: x.yaml:1:4\n  try: give a list, choice(...) or range(...), or remove the key"},
      {"a: interval(1, 0)",
       "interval(1.0, 0.0) is not a range to search\n  at: x.yaml:1:4\n  why: its start must be smaller than its end\n  try: write "
       "interval(start, end), the smaller number first"},
      {"a: tag(log, interval(0, 1))",
       "interval(0.0, 1.0) is not a range to search\n  at: x.yaml:1:4\n  why: tag(log, ...) needs a start above 0\n  try: start above 0, "
       "or remove tag(log, ...)"},
      {"a: tag(uniform, interval(0, 1))",
       "interval(0.0, 1.0) is not a range to search\n  at: x.yaml:1:4\n  why: the tag 'uniform' has no meaning here\n  try: write tag(log, "
       "interval(1e-5, 1)) for equal factors, or no tag"},
      {"a: rnage(3)",
       "cannot read the value 'rnage(3)'\n  at: x.yaml:1:4, column 1\n  why: 'rnage' is not a function\n"
       "  try: did you mean 'range'? or quote the text: 'rnage(3)'"},
      {"z: zip(a=[1, 2], b=[3])",
       "cannot zip 'z'\n  at: x.yaml:1:4\n  why: 'a' has 2 values, but 'b' has 1\n"
       "  try: write zip(a=[1, 2], b=[3, 4]) or {zip: {a: [1, 2], b: [3, 4]}}, with lists of equal length"},
      {"z: zip(a, b)",
       "cannot read the value 'zip(a, b)'\n  at: x.yaml:1:4, column 5\n  why: each argument of zip must be a key with its values\n  try: "
       "write zip(key=[1, 2], other.key=[3, 4])"},
      {"z: zip(a=[1], a=[2])",
       "cannot read the value 'zip(a=[1], a=[2])'\n  at: x.yaml:1:4, column 12\n  why: 'a' is given twice\n  try: keep one of them"},
      {"z: {zip: {a: 1}}",
       "cannot zip 'z'\n  at: x.yaml:1:14\n  why: 'a' is not a list of values\n"
       "  try: write zip(a=[1, 2], b=[3, 4]) or {zip: {a: [1, 2], b: [3, 4]}}, with lists of equal length"},
      {"z: {zip: [1]}",
       "cannot zip 'z'\n  at: x.yaml:1:10\n  why: a zip must contain keys with lists\n  try: write zip(a=[1, 2], b=[3, 4]) or {zip: {a: "
       "[1, 2], b: [3, 4]}}, with lists of equal length"},
      {"a: [1]\nz: {zip: {a: [1], b: [2]}}", "two dimensions of the sweep set 'a'\n  at: x.yaml:2:4\n  try: keep one of them, or zip them"},
      {"a: [1, 2, 1]",
       "the sweep over 'a' has a=1 twice\n  at: x.yaml:1:4\n  why: two points would be the same\n  try: remove one of them"},
      {"z: {zip: {a: [1, 2, 1], b: [1, 2, 1]}}",
       "the sweep over 'z' has a=1, b=1 twice\n  at: x.yaml:1:4\n  why: two points would be the same\n  try: remove one of them"},
      {"a: [1]\n+a: [2]", "two dimensions of the sweep set 'a'\n  at: x.yaml:2:5\n  try: keep one of them, or zip them"},
      {"~a: [1, 2]",
       "a sweep cannot delete 'a'\n  at: x.yaml:1:6\n  why: each point must give its keys a value\n  try: use arms instead: one without "
       "the override, and one with ~a"},
      {"a=b: [1, 2]",
       "'a=b' is not a key to sweep over\n  at: x.yaml:1:7\n  why: it contains a value\n  try: write the values after ':', as a list"},
      {"a: range(0, 2000)\nb: range(0, 2000)",
       "the sweep has more than 100000 points\n  at: x.yaml:2:4\n  try: sweep over fewer values, or split the sweep into several "
       "experiments"},
  };
  for (const auto& c : kCases) {
    INFO(c.yaml);
    CHECK(error_of([&] { grid(read(c.yaml)); }) == c.error);
  }
}

TEST_CASE("seeds are read in every form") {
  struct Case {
    const char* yaml;
    std::vector<std::int64_t> seeds;
  };
  static const Case kCases[] = {
      {"3", {3}},
      {"[0, 1, 2]", {0, 1, 2}},
      {"range(0, 5)", {0, 1, 2, 3, 4}},
      {"range(3)", {0, 1, 2}},
      {"0,1,2", {0, 1, 2}},
      {"choice(7, 9)", {7, 9}},
      {"'[4, 5]'", {4, 5}},
      {"'6'", {6}},
      {"[0]", {0}},
      {"range(4, 0, -2)", {4, 2}},
  };
  for (const auto& c : kCases) {
    INFO(c.yaml);
    CHECK(parse_seeds(parse_yaml(c.yaml, "x.yaml")) == c.seeds);
  }
  const auto error = [](const char* yaml) { return error_of([&] { parse_seeds(parse_yaml(yaml, "x.yaml")); }); };
  const std::string hint = "\n  try: write seeds: 3, seeds: [0, 1, 2] or seeds: range(0, 5)";
  CHECK(error("[]") == "there are no seeds\n  at: x.yaml:1:1" + hint);
  CHECK(error("[1, x]") == "a seed must be an integer, found string x\n  at: x.yaml:1:1" + hint);
  CHECK(error("1.5") == "a seed must be an integer, found float 1.5\n  at: x.yaml:1:1" + hint);
  CHECK(error("~") == "a seed must be an integer, found null\n  at: x.yaml:1:1" + hint);
  CHECK(error("[-1]") == "a seed cannot be negative: -1\n  at: x.yaml:1:1" + hint);
  CHECK(error("[1, 2, 1]") ==
        "the seed 1 is given twice\n  at: x.yaml:1:1\n  why: two jobs with the same seed would be the same job\n  try: remove one of them");
  CHECK(error("range(0, 1, 0.5)") == "a seed must be an integer, found float 0.0\n  at: x.yaml:1:1" + hint);
}

TEST_CASE("logspace gives logarithmically spaced numbers") {
  CHECK(points(read("a: 'logspace(1e-6, 1, 7)'")) == "a=1e-06 | a=1e-05 | a=1e-04 | a=0.001 | a=0.01 | a=0.1 | a=1.0");
  CHECK(points(read("a: 'logspace(8, 1, 4)'")) == "a=8.0 | a=4.0 | a=2.0 | a=1.0");
  CHECK(error_of([] { read("a: 'logspace(0, 1, 3)'"); }).find("ends, both above 0") != std::string::npos);
  CHECK(error_of([] { read("a: 'logspace(1, 1, 3)'"); }).find("two different ends") != std::string::npos);
  CHECK(error_of([] { read("a: 'logspace(1, 2, 1)'"); }).find("at least two numbers") != std::string::npos);
  CHECK(error_of([] { read("a: 'logspace(1, 2, 2.5)'"); }).find("at least two numbers") != std::string::npos);
  CHECK(error_of([] { read("a: 'logspace(1, 2)'"); }).find("a number of values") != std::string::npos);
}

namespace {

/// The points of a sweep that satisfy its condition.
std::string points_left(const std::string& text, const std::string& config = "{}", const std::string& arm = "yat") {
  const Node sweep = parse_yaml(text, "x.yaml");
  const auto condition = read_condition(sweep);
  REQUIRE(condition);
  std::string out;
  for (const auto& point : points_where(*condition, grid(read_dimensions(sweep)), parse_yaml(config, "c.yaml"), arm)) {
    std::string line;
    for (const auto& override : point) line += (line.empty() ? "" : " ") + override.text;
    out += (out.empty() ? "" : " | ") + line;
  }
  return out;
}

}  // namespace

TEST_CASE("where keeps the sweep points that satisfy a condition") {
  const std::string ab = "{m.a: [1, 2], m.b: [1, 2, 3], where: ";
  CHECK(points_left(ab + "'m.a < m.b'}") == "m.a=1 m.b=2 | m.a=1 m.b=3 | m.a=2 m.b=3");
  CHECK(points_left(ab + "'a * b == 2'}") == "m.a=1 m.b=2 | m.a=2 m.b=1");
  CHECK(points_left(ab + "'a + t.c > 4'}", "{t: {c: 3}}") == "m.a=2 m.b=1 | m.a=2 m.b=2 | m.a=2 m.b=3");
  CHECK(points_left("{d: [x, y], m.a: [1, 2], where: 'd == \"x\" or a > 1'}") == "d=x m.a=1 | d=x m.a=2 | d=y m.a=2");
  CHECK(error_of([&] { points_left(ab + "'a > 5'}"); }).find("no point of the sweep satisfies") != std::string::npos);
  CHECK(error_of([&] { points_left(ab + "'m.c > 5'}"); }).find("'m.c', which is neither swept nor set") != std::string::npos);
  CHECK(error_of([&] { points_left("{m.a: [1], n.a: [2], where: 'a > 0'}"); }).find("could mean m.a or n.a") != std::string::npos);
  CHECK(error_of([&] { points_left(ab + "[1]}"); }).find("must be a string") != std::string::npos);
  CHECK(error_of([&] { points_left(ab + "'t > 0'}", "{t: {c: 3}}"); }).find("cannot use") != std::string::npos);
  CHECK(points_left(ab + "'arm == \"yat\" or a * b == 2'}", "{}", "dot") == "m.a=1 m.b=2 | m.a=2 m.b=1");
  CHECK(points_left("{m.a: [1, 2], where: 'arm == \"yat\" or a > 1'}") == "m.a=1 | m.a=2");
  CHECK(points_left("{arm: [1, 2], where: 'arm > 1'}") == "arm=2");  // a swept key takes precedence over `arm`
  CHECK_FALSE(read_condition(parse_yaml("{a: [1]}", "x.yaml")));
}
