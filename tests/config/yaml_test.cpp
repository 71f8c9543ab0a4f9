#include "core/config/yaml.h"

#include <limits>

#include "catch.h"
#include "config/support.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("plain YAML scalars have the same types as in OmegaConf") {
  struct Case {
    const char* text;
    const char* value;
    const char* warning;  // part of it, or empty
  };
  static const Case kCases[] = {
      {"null", "null", ""},
      {"~", "null", ""},
      {"Null", "null", ""},
      {"NULL", "null", ""},
      {"", "null", ""},
      {"nULL", R"("nULL")", ""},
      {"true", "true", ""},
      {"True", "true", ""},
      {"yes", "true", ""},
      {"On", "true", ""},
      {"ON", "true", ""},
      {"no", "false", ""},
      {"off", "false", ""},
      {"FALSE", "false", ""},
      {"y", R"("y")", ""},
      {"n", R"("n")", ""},
      {"tRue", R"("tRue")", ""},
      {"0", "0", ""},
      {"-0", "0", ""},
      {"+12", "12", ""},
      {"-12", "-12", ""},
      {"1_000", "1000", ""},
      {"1_000_", "1000", ""},
      {"0x1F", "31", ""},
      {"-0x10", "-16", ""},
      {"0xZZ", R"("0xZZ")", ""},
      {"0b101", "5", ""},
      {"0o17", R"("0o17")", ""},
      {"017", "17", "'017' is read as the decimal 17; YAML 1.1 would read it as octal"},
      {"-017", "-17", "octal"},
      {"018", R"("018")", ""},
      {"00", "0", ""},
      {"12:30:45", R"("12:30:45")", "'12:30:45' is read as a string; YAML 1.1 would read it as a number in base 60"},
      {"1:30", R"("1:30")", "base 60"},
      {"1:99", R"("1:99")", ""},
      {"1:30.5", R"("1:30.5")", "base 60"},
      {"2021-01-01", R"("2021-01-01")", ""},
      {"1.0", "1.0", ""},
      {"1.", "1.0", ""},
      {".5", "0.5", ""},
      {"-.5", "-0.5", ""},
      {"1e-3", "0.001", ""},
      {"1e3", "1000.0", ""},
      {"1E+3", "1000.0", ""},
      {"1.5e-7", "1.5e-07", ""},
      {"1_0.5", "10.5", ""},
      {".inf", "inf", ""},
      {"-.INF", "-inf", ""},
      {".nan", "nan", ""},
      {"inf", R"("inf")", ""},
      {"nan", R"("nan")", ""},
      {"1.2.3", R"("1.2.3")", ""},
      {"1e", R"("1e")", ""},
      {".", R"(".")", ""},
      {"-", R"("-")", ""},
      {"+", R"("+")", ""},
      {"_1", R"("_1")", ""},
      {"abc", R"("abc")", ""},
      {"ⵟ", R"("ⵟ")", ""},
      {"${a.b}", R"("${a.b}")", ""},
      {"???", R"("???")", ""},
      {"-9223372036854775808", "-9223372036854775808", ""},
  };
  for (const auto& c : kCases) {
    INFO("'" << c.text << "'");
    std::string warning;
    CHECK(show(type_plain_scalar(c.text, &warning)) == c.value);
    if (*c.warning == '\0') {
      CHECK(warning.empty());
    } else {
      CHECK(warning.find(c.warning) != std::string::npos);
    }
  }
}

TEST_CASE("YAML structure is parsed") {
  struct Case {
    const char* text;
    const char* value;
  };
  static const Case kCases[] = {
      {"", "null"},
      {"# only a comment\n", "null"},
      {"--- \n", "null"},
      {"a: 1", R"({"a": 1})"},
      {"a:\n", R"({"a": null})"},
      {"a: '1'\nb: \"2\"\n", R"({"a": "1", "b": "2"})"},
      {"a: 'null'", R"({"a": "null"})"},
      {"a: !!str 5", R"({"a": "5"})"},
      {"a: !!int '5'", R"({"a": 5})"},
      {"a: !!float 5", R"({"a": 5.0})"},
      {"- 1\n- [2, x]\n- {a: b}\n", R"([1, [2, "x"], {"a": "b"}])"},
      {"1: a\nyes: b\nnull: c\n", R"({"1": "a", "yes": "b", "null": "c"})"},
      {"größe: ⵟ", R"({"größe": "ⵟ"})"},
      {"tab:mnist: 1\ntest/accuracy: 2\n", R"({"tab:mnist": 1, "test/accuracy": 2})"},
      {"a: |\n  x\n  y\nb: >\n  x\n  y\n", "{\"a\": \"x\ny\n\", \"b\": \"x y\n\"}"},
      {"a: &x {b: 1}\nc: *x\n", R"({"a": {"b": 1}, "c": {"b": 1}})"},
      {"a: &x [1, 2]\nc: [*x, *x]\n", R"({"a": [1, 2], "c": [[1, 2], [1, 2]]})"},
      {"a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", R"({"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}})"},
      {"a: &x {p: 1}\nb: &y {p: 2, q: 3}\nc: {<<: [*x, *y]}\n", R"({"a": {"p": 1}, "b": {"p": 2, "q": 3}, "c": {"p": 1, "q": 3}})"},
      // merged keys come first; a map's own values win; the first in a list, and the last of several <<
      {"a: &x {p: 1, q: 1}\nb: &y {q: 2, r: 2}\nc: {own: 0, <<: *x, r: 9, <<: *y}\n",
       R"({"a": {"p": 1, "q": 1}, "b": {"q": 2, "r": 2}, "c": {"p": 1, "q": 2, "r": 9, "own": 0}})"},
      {"a: &x {p: 1}\nb: &y {q: 2, p: 3}\nc: {<<: [*x, *y]}\n", R"({"a": {"p": 1}, "b": {"q": 2, "p": 3}, "c": {"q": 2, "p": 1}})"},
      {"a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y, p: 5}\n", R"({"a": {"p": 1}, "b": {"p": 1, "q": 2}, "c": {"p": 5, "q": 2}})"},
      {"\xEF\xBB\xBF"
       "a: 1\n",
       R"({"a": 1})"},
      {"a: 1\r\nb: 2\r\n", R"({"a": 1, "b": 2})"},
      {"a: range(0, 5)", R"_({"a": "range(0, 5)"})_"},
      {"a: [operator=dot, operator.epsilon=1e-5]", R"({"a": ["operator=dot", "operator.epsilon=1e-5"]})"},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(show(parse_yaml(c.text, "x.yaml")) == c.value);
  }
}

TEST_CASE("every value knows its line and column") {
  const Node node = parse_yaml("a: 1\nb:\n  c: [x, 2]\n  ⵟ: ü\nd: {e: f}\n", "dir/x.yaml");
  CHECK(node.origin().describe() == "dir/x.yaml:1:1");
  CHECK(node.at("a").origin().describe() == "dir/x.yaml:1:4");
  CHECK(node.at("b").origin().describe() == "dir/x.yaml:3:3");
  CHECK(node.find_path("b.c")->origin().describe() == "dir/x.yaml:3:6");
  CHECK(node.find_path("b.c.1")->origin().describe() == "dir/x.yaml:3:10");
  CHECK(node.find_path("b.ⵟ")->origin().describe() == "dir/x.yaml:4:6");  // characters, not bytes
  CHECK(node.find_path("d.e")->origin().describe() == "dir/x.yaml:5:8");
  const Node alias = parse_yaml("a: &x 1\nb: *x\n", "x.yaml");
  CHECK(alias.at("b").origin().describe() == "x.yaml:1:4");  // where the value is written
}

TEST_CASE("YAML errors name the place, the cause and the remedy") {
  struct Case {
    const char* text;
    const char* error;
  };
  static const Case kCases[] = {
      {"a: 1\nb: 2\na: 3\n",
       "cannot read 'x.yaml'\n  at: x.yaml:3:1\n  why: the key 'a' is given twice; the first is in line 1\n  try: keep one of them"},
      {"o:\n  e: 1\n  e: 1\n",
       "cannot read 'x.yaml'\n  at: x.yaml:3:3\n  why: the key 'e' is given twice; the first is in line 2\n  try: keep one of them"},
      {"a: {b: 1, b: 2}",
       "cannot read 'x.yaml'\n  at: x.yaml:1:11\n  why: the key 'b' is given twice; the first is in line 1\n  try: keep one of them"},
      {"a:\n\tb: 1\n",
       "cannot read 'x.yaml'\n  at: x.yaml:2:3\n  why: illegal map value\n  try: indent with spaces; YAML does not allow tabs there"},
      {"a: [1, 2\nb: 3\n",
       "cannot read 'x.yaml'\n  at: x.yaml:2:2\n  why: end of sequence flow not found\n"
       "  try: check the indentation and the quotes of this line and the one before"},
      {"a: {b: \?\?\?}\n",
       "cannot read 'x.yaml'\n  at: x.yaml:1:8\n  why: unknown token\n  try: inside [...] and {...} put ??? into quotes"},
      {"a: b: c\n",
       "cannot read 'x.yaml'\n  at: x.yaml:1:5\n  why: illegal map value\n"
       "  try: check the indentation and the quotes of this line and the one before"},
      {"a: @b\n", "cannot read 'x.yaml'\n  at: x.yaml:1:4\n  why: unknown token\n  try: quote values that begin with '@', '`' or '%'"},
      {"a: 'b\nc: 1\n",
       "cannot read 'x.yaml'\n  at: x.yaml:1:4\n  why: the quote that opens here is not closed\n  try: add the closing quote, or remove "
       "this one"},
      {"- \"b\\\"\n",
       "cannot read 'x.yaml'\n  at: x.yaml:1:3\n  why: the quote that opens here is not closed\n  try: add the closing quote, or remove "
       "this one"},
      {"? [a, b]\n: 1\n",
       "cannot read 'x.yaml'\n  at: x.yaml:1:3\n  why: a key must be a single value, not a list or a map\n  try: quote the key"},
      {"a: 1\n---\nb: 2\n",
       "cannot read 'x.yaml'\n  at: x.yaml:3:1\n  why: a second document starts here ('---')\n  try: keep one document per file"},
      {"a: !!binary aGk=\n",
       "cannot read 'x.yaml'\n  at: x.yaml:1:4\n  why: the tag 'tag:yaml.org,2002:binary' is not supported\n"
       "  try: use plain values; !!str, !!int, !!float, !!bool and !!null are known"},
      {"a: !thing {b: 1}\n",
       "cannot read 'x.yaml'\n  at: x.yaml:1:4\n  why: the tag '!thing' is not supported\n"
       "  try: use plain values; !!str, !!int, !!float, !!bool and !!null are known"},
      {"a: !!int x\n",
       "cannot read 'x.yaml'\n  at: x.yaml:1:4\n  why: 'x' cannot be read as !!int\n  try: correct the value or remove the tag"},
      {"a: {<<: 1}\n", "cannot read 'x.yaml'\n  at: x.yaml:1:9\n  why: '<<' merges maps only\n  try: quote the key if it is a string"},
      {"a: 1\nb: \xFF\n", "cannot read 'x.yaml'\n  at: x.yaml:2:4\n  why: byte 9 is not UTF-8\n  try: save the file as UTF-8"},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(error_of([&] { parse_yaml(c.text, "x.yaml"); }) == c.error);
  }
  // yaml-cpp 0.8 (Debian 13) names the anchor, 0.7 does not.
  CHECK_THAT(error_of([] { parse_yaml("a: *nothing\n", "x.yaml"); }),
             Catch::Matchers::StartsWith("cannot read 'x.yaml'\n  at: x.yaml:1:4\n  why: the referenced anchor is not defined") &&
                 Catch::Matchers::EndsWith("\n  try: check the indentation and the quotes of this line and the one before"));
}

TEST_CASE("YAML bombs are rejected") {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    laughs += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  }
  CHECK(error_of([&] { parse_yaml(laughs, "x.yaml"); }).find("with its aliases written out, the file has more than 500000 values") !=
        std::string::npos);
  CHECK(error_of([&] { parse_yaml(std::string(5000, '['), "x.yaml"); }).find("cannot read 'x.yaml'") == 0);
  CHECK(error_of([&] { parse_yaml("a: &x [*x]\n", "x.yaml"); }) ==
        "cannot read 'x.yaml'\n  at: x.yaml:1:8\n  why: an alias is used inside the value it refers to\n  try: a value cannot contain "
        "itself");
}

TEST_CASE("files must be UTF-8 without NUL characters") {
  const auto read = [](const std::string& text) {
    std::string out;
    const auto error = error_of([&] { out = parse_yaml(text, "x.yaml").at("a").as_string(); });
    return error == "no error" ? out : error;
  };
  // yaml-cpp reads the last three as bytes that are not characters.
  CHECK(read(R"(a: "\xff \u00e9 \U0001F600")") == "\u00ff \u00e9 \U0001F600");
  CHECK(read(R"(a: "x\N\_\Ny")") == "x\u0085\u00a0\u0085y");
  CHECK(read("a: 1\nb: \"x\\0y\"\n") ==
        "cannot read 'x.yaml'\n  at: x.yaml:2:4\n  why: this string contains a NUL character\n  try: remove \\0 from it");
  CHECK(read("a: 1\n\"b\\0\": 1\n").find("at: x.yaml:2:1\n  why: this string contains a NUL character") != std::string::npos);
  CHECK(read("a: 1\nb: \"\\x00\"\n").find("at: x.yaml:2:4\n  why: this string contains a NUL character") != std::string::npos);
  CHECK(read(std::string("a: ⵟ\nb: ⵟ\0\n", 15)) ==
        "cannot read 'x.yaml'\n  at: x.yaml:2:5\n  why: there is a NUL character\n  try: save the file as text");
  CHECK(read("a: 1\nⵟ: \"\\ud800\"\n").find("at: x.yaml:2:") != std::string::npos);
  CHECK(read("a: 1\nb: ⵟ\xED\xA0\x80\n").find("at: x.yaml:2:5\n  why: byte 12 is not UTF-8") != std::string::npos);
}

TEST_CASE("ambiguous YAML 1.1 scalars are reported as warnings") {
  std::vector<std::string> warnings;
  parse_yaml("a: 017\nb: [x, 12:30:45]\nc: '017'\n", "x.yaml", [&](const std::string& w) { warnings.push_back(w); });
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0] ==
        "x.yaml:1:4: '017' is read as the decimal 17; YAML 1.1 would read it as octal. Remove the leading zero, or quote it if it is a "
        "string");
  CHECK(warnings[1] == "x.yaml:2:8: '12:30:45' is read as a string; YAML 1.1 would read it as a number in base 60. Quote it");
}

TEST_CASE("a second YAML document is rejected") {
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& w) { warnings.push_back(w); };
  for (const char* text : {"a: 1\n---\nb: 017\n", "a: 1\n---\nb: 12:30:45\n"}) {
    CHECK(error_of([&] { parse_yaml(text, "x.yaml", warn); }) ==
          "cannot read 'x.yaml'\n  at: x.yaml:3:1\n  why: a second document starts here ('---')\n  try: keep one document per file");
    CHECK(error_of([&] { parse_yaml(text, "x.yaml"); }).find("a second document starts here") != std::string::npos);
  }
  CHECK(warnings.empty());
}

TEST_CASE("files are read under the given path") {
  const TempTree tree{{"dir/x.yaml", "a: 1\n"}};
  CHECK(load_yaml("dir/x.yaml").at("a").origin().describe() == "dir/x.yaml:1:4");
  CHECK(load_yaml("./dir/x.yaml").at("a").origin().describe() == "./dir/x.yaml:1:4");
  CHECK(error_of([] { load_yaml("dir/y.yaml"); }) == "cannot read 'dir/y.yaml'\n  why: No such file or directory\n  try: check the path");
  CHECK(error_of([] { load_yaml("dir"); }) == "'dir' is a folder, not a YAML file");
}

TEST_CASE("emitted YAML is read back as the same values") {
  const double inf = std::numeric_limits<double>::infinity();
  static const std::vector<Node> kScalars = {Node(),
                                             true,
                                             false,
                                             0,
                                             -5,
                                             1.0,
                                             0.1,
                                             1e-5,
                                             1e22,
                                             -1.5e300,
                                             inf,
                                             -inf,
                                             "",
                                             " ",
                                             "a",
                                             "a b",
                                             " a",
                                             "a ",
                                             "null",
                                             "~",
                                             "true",
                                             "yes",
                                             "Off",
                                             "1",
                                             "1.0",
                                             "1e-3",
                                             "1_000",
                                             "0x1F",
                                             "017",
                                             "0o17",
                                             "12:30:45",
                                             "2021-01-01",
                                             ".inf",
                                             ".nan",
                                             "inf",
                                             "-",
                                             "- a",
                                             "-a",
                                             "?",
                                             "? a",
                                             ":",
                                             ": a",
                                             "a: b",
                                             "a:",
                                             "a:b",
                                             "a #b",
                                             "a#b",
                                             "#a",
                                             "&a",
                                             "*a",
                                             "!a",
                                             "|",
                                             ">",
                                             "'a'",
                                             "\"a\"",
                                             "it's",
                                             "%a",
                                             "@a",
                                             "`a",
                                             "[a]",
                                             "{a}",
                                             "a, b",
                                             ",",
                                             "---",
                                             "--- a",
                                             "...",
                                             "<<",
                                             "=",
                                             "${a.b}",
                                             "???",
                                             "range(0, 5)",
                                             "a\nb",
                                             "a\n",
                                             "\n",
                                             "\t",
                                             "a\tb",
                                             "a\\b",
                                             "\x01",
                                             "\x7F",
                                             "\xC2\x85",
                                             "\xE2\x80\xA8x",
                                             "\xEF\xBB\xBF"
                                             "x",
                                             "ⵟ",
                                             "日本語: x",
                                             "99999999999999999999",
                                             "C:\\x",
                                             "tab:mnist",
                                             "test/accuracy",
                                             "\r\n"};
  for (const auto& scalar : kScalars) {
    Node as_value = Node::map();
    as_value.set("k", scalar);
    Node in_list = Node(Node::List{scalar, Node(Node::List{scalar})});
    INFO(emit_yaml(scalar));
    CHECK(show(parse_yaml(emit_yaml(scalar), "x")) == show(scalar));
    CHECK(show(parse_yaml(emit_yaml(as_value), "x")) == show(as_value));
    CHECK(show(parse_yaml(emit_yaml(in_list), "x")) == show(in_list));
    std::vector<std::string> warnings;
    parse_yaml(emit_yaml(as_value), "x", [&](const std::string& w) { warnings.push_back(w); });
    CHECK(warnings.empty());
    if (scalar.is_string()) {
      Node as_key = Node::map();
      as_key.set(scalar.as_string(), Node(Node::List{1}));
      CHECK(show(parse_yaml(emit_yaml(as_key), "x")) == show(as_key));
    }
  }
  const Node nan = parse_yaml(emit_yaml(std::numeric_limits<double>::quiet_NaN()), "x");
  CHECK(nan == Node(std::numeric_limits<double>::quiet_NaN()));
  Node long_key = Node::map();
  long_key.set(std::string(3000, 'k'), 1);
  CHECK(parse_yaml(emit_yaml(long_key), "x") == long_key);
}

TEST_CASE("emitted YAML is block style") {
  const char* text =
      "a: 1\n"
      "b: 1.0\n"
      "c:\n"
      "  d: x\n"
      "  e: '1'\n"
      "f:\n"
      "  - 1\n"
      "  - g: 2\n"
      "    h:\n"
      "      - 3\n"
      "  - - 4\n"
      "    - 5\n"
      "i: {}\n"
      "j: []\n"
      "k: null\n"
      "l: 'a: b'\n"
      "m: \"x\\ny\"\n"
      "ⵟ: 1e-05\n";
  CHECK(emit_yaml(parse_yaml(text, "x")) == text);
  CHECK(emit_yaml(Node::map()) == "{}\n");
  CHECK(emit_yaml(Node()) == "null\n");
}
