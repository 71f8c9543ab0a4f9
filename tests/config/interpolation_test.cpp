#include "core/config/interpolation.h"

#include <cstdlib>

#include "catch.h"
#include "config/support.h"
#include "core/config/yaml.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

const char* kTree =
    "a: 1\n"
    "b: 2.5\n"
    "s: text\n"
    "t: true\n"
    "n: null\n"
    "big: 1000000.0\n"
    "list: [10, 20, x]\n"
    "which: yat\n"
    "op:\n"
    "  yat: {epsilon: 1e-5, name: yat}\n"
    "  dot: {name: dot}\n"
    "tables: {'tab:x': 7, test/accuracy: 0.9}\n"
    "missing: ???\n"
    "deep: {er: {own: 3, value: VALUE}}\n";

/// `text` resolved in the place of VALUE.
std::string resolved(const std::string& text) {
  Node tree = parse_yaml(kTree, "x.yaml");
  Node value(text);
  value.set_origin({"x.yaml", 99, 3, {}});
  *tree.find_path("deep.er.value") = value;
  tree.erase("missing_user");
  return show(resolve(tree).at("deep").at("er").at("value"));
}

}  // namespace

TEST_CASE("interpolations are resolved") {
  ::setenv("YATLAB_TEST_VARIABLE", "from env", 1);
  ::setenv("YATLAB_TEST_NUMBER", "12", 1);
  ::unsetenv("YATLAB_TEST_UNSET");
  struct Case {
    const char* text;
    const char* value;
  };
  static const Case kCases[] = {
      // keys keep their type, texts are joined
      {"${a}", "1"},
      {"${ a }", "1"},
      {"${b}", "2.5"},
      {"${t}", "true"},
      {"${n}", "null"},
      {"${s}", R"("text")"},
      {"${list}", R"([10, 20, "x"])"},
      {"${list.1}", "20"},
      {"${list[2]}", R"("x")"},
      {"${list.-1}", R"("x")"},
      {"${list[-3]}", "10"},
      {"${op.yat}", R"({"epsilon": 1e-05, "name": "yat"})"},
      {"${op.yat.epsilon}", "1e-05"},
      {"${op[yat].name}", R"("yat")"},
      {"${op[yat][name]}", R"("yat")"},
      {"x${a}", R"("x1")"},
      {"${a}${b}", R"("12.5")"},
      {"${a} and ${s}!", R"("1 and text!")"},
      {"${t}/${n}", R"("true/null")"},
      {"${big}x", R"("1000000.0x")"},
      {"<${list}>", R"("<[10, 20, x]>")"},
      // relative
      {"${.own}", "3"},
      {"${..er.own}", "3"},
      {"${...a}", "1"},
      {"${.own}${.own}", R"("33")"},
      // nested
      {"${op.${which}.epsilon}", "1e-05"},
      {"${op[${which}].name}", R"("yat")"},
      {"${list[${a}]}", "20"},
      {"${op.y${s2}at.name}", nullptr},
      // keys that hold special characters
      {"${tables['tab:x']}", "7"},
      {"${tables[\"test/accuracy\"]}", "0.9"},
      {"${tables.test/accuracy}", "0.9"},
      // escapes
      {R"(\${a})", R"("${a}")"},
      {R"(x \${a} ${a})", R"("x ${a} 1")"},
      {R"(\\${a})", R"("\1")"},
      {R"(\\\${a})", R"("\${a}")"},
      {R"(C:\x)", R"("C:\x")"},
      {"$a {b}", R"("$a {b}")"},
      // environment
      {"${oc.env:YATLAB_TEST_VARIABLE}", R"("from env")"},
      {"${oc.env:YATLAB_TEST_NUMBER}", R"("12")"},
      {"${oc.env:YATLAB_TEST_UNSET,default}", R"("default")"},
      {"${oc.env:YATLAB_TEST_UNSET,5}", R"("5")"},
      {"${oc.env:YATLAB_TEST_UNSET,null}", "null"},
      {"${oc.env:YATLAB_TEST_UNSET,${s}}", R"("text")"},
      {"${oc.env:YATLAB_TEST_UNSET,'a, b'}", R"("a, b")"},
      {"${oc.env:YATLAB_TEST_UNSET,a\\,b}", R"("a,b")"},
      {"${oc.env:YATLAB_TEST_UNSET,/some/path:x}", R"("/some/path:x")"},
      {"${oc.env:YATLAB_TEST_UNSET,''}", R"("")"},
      {"dir/${oc.env:YATLAB_TEST_NUMBER}", R"("dir/12")"},
      // escapes and quotes in arguments, as in overrides
      {R"(${oc.env:YATLAB_TEST_UNSET,a\(b\)\=\:c\ })", R"("a(b)=:c ")"},
      {R"(${oc.env:YATLAB_TEST_UNSET,C:\x})", R"("C:\x")"},
      {R"(${oc.env:YATLAB_TEST_UNSET,'a\,b'})", R"("a\,b")"},
      {R"(${oc.env:YATLAB_TEST_UNSET,'it\'s'})", R"("it's")"},
      {R"(${oc.env:YATLAB_TEST_UNSET,'x\\'})", R"("x\")"},
      {R"(${oc.env:YATLAB_TEST_UNSET,'<${a}> \${a}'})", R"("<1> ${a}")"},
      {R"(${oc.env:YATLAB_TEST_UNSET,${s}-\${a}})", R"("text-${a}")"},
      {"${oc.env:YATLAB_TEST_UNSET, a b }", R"("a b")"},
      {"${oc.create:[a=b, 1_000, 'x y']}", R"(["a=b", 1000, "x y"])"},
      {"${oc.create: ${list} }", R"([10, 20, "x"])"},
      {"${oc.create:[${list}, ${a} ${a}]}", R"([[10, 20, "x"], "1 1"])"},
      // decode and create
      {R"(${oc.decode:'[1, \${a}, "x\${s}"]'})", R"([1, 1, "xtext"])"},
      {R"(${oc.decode:'\${op.yat}'})", R"({"epsilon": 1e-05, "name": "yat"})"},
      {"${oc.decode:${oc.env:YATLAB_TEST_NUMBER}}", "12"},
      {"${oc.decode:'[1, 2.0, x]'}", R"([1, 2.0, "x"])"},
      {"${oc.decode:null}", "null"},
      {"${oc.decode:'{a: 1}'}", R"({"a": 1})"},
      {"${oc.create:{x: 1, y: [a, '2']}}", R"({"x": 1, "y": ["a", "2"]})"},
      {"${oc.create:[1, ${a}, {k: ${s}}]}", R"([1, 1, {"k": "text"}])"},
      // select
      {"${oc.select:a}", "1"},
      {"${oc.select:nothing}", "null"},
      {"${oc.select:nothing,5}", "5"},
      {"${oc.select:missing,fallback}", R"("fallback")"},
      {"${oc.select:.own}", "3"},
      {"${oc.select:.nothing,[1]}", "[1]"},
      {"${oc.select:.......a,7}", "7"},
      {"${oc.select:.......a}", "null"},
      // maps
      {"${oc.dict.keys:op}", R"(["yat", "dot"])"},
      {"${oc.dict.keys:${op}}", R"(["yat", "dot"])"},
      {"${oc.dict.values:op.yat}", R"([1e-05, "yat"])"},
      {"${oc.deprecated:a}", "1"},
  };
  for (const auto& c : kCases) {
    if (!c.value) continue;
    INFO(c.text);
    std::string got;
    try {
      got = resolved(c.text);
    } catch (const Error& e) {
      got = e.what();
    }
    CHECK(got == c.value);
  }
}

TEST_CASE("interpolation errors are reported") {
  ::unsetenv("YATLAB_TEST_UNSET");
  struct Case {
    const char* text;
    const char* error;
  };
  static const Case kCases[] = {
      {"${op.yat.epsilom}",
       "${op.yat.epsilom} refers to 'op.yat.epsilom', which does not exist\n  at: x.yaml:99:3\n"
       "  why: it is used by 'deep.er.value'\n  try: did you mean 'op.yat.epsilon'?"},
      {"${opp.yat}",
       "${opp.yat} refers to 'opp.yat', which does not exist\n  at: x.yaml:99:3\n  why: it is used by 'deep.er.value'\n"
       "  try: did you mean 'op.yat'?"},
      {"${epsilon}",
       "${epsilon} refers to 'epsilon', which does not exist\n  at: x.yaml:99:3\n  why: it is used by 'deep.er.value'\n  try: 'epsilon' "
       "exists at op.yat.epsilon"},
      {"${list.7}", "${list.7} refers to 'list.7', which does not exist\n  at: x.yaml:99:3\n  why: it is used by 'deep.er.value'"},
      {"x${.nope}",
       "${.nope} refers to 'deep.er.nope', which does not exist\n  at: x.yaml:99:3\n  why: it is used by 'deep.er.value'\n"
       "  try: keys of 'deep.er': own, value"},
      {"${....a}",
       "'${....a}' points above the top of the configuration\n  at: x.yaml:99:3\n  why: it is at 'deep.er.value'\n  try: use fewer dots, "
       "or the full key without leading dots"},
      {"${missing}",
       "'missing' is required\n  at: x.yaml:13:10\n  why: 'deep.er.value' uses it in ${missing}\n  try: set it, for example with "
       "missing=..."},
      {"${deep.er.value}",
       "'deep.er.value' is defined in terms of itself\n  at: x.yaml:99:3\n  why: deep.er.value -> deep.er.value\n  try: give one of these "
       "keys a plain value"},
      {"${deep}",
       "'deep.er.value' is defined in terms of itself\n  at: x.yaml:99:3\n  why: deep.er.value -> deep.er.value\n  try: give one of these "
       "keys a plain value"},
      {"${oc.env:YATLAB_TEST_UNSET}",
       "the environment variable 'YATLAB_TEST_UNSET' is not set\n  at: x.yaml:99:3\n  why: it is used by 'deep.er.value'\n  try: export "
       "YATLAB_TEST_UNSET=... or give a default: ${oc.env:YATLAB_TEST_UNSET,default}"},
      {"${oc.env:}",
       "wrong number of arguments: 0\n  at: x.yaml:99:3\n  why: it is used by 'deep.er.value'\n  try: write ${oc.env:VARIABLE} or "
       "${oc.env:VARIABLE,default}"},
      {"${oc.envv:X}",
       "there is no resolver 'oc.envv'\n  at: x.yaml:99:3\n  why: 'deep.er.value' contains ${oc.envv:X}\n  try: did you mean 'oc.env'?"},
      {"${oc.dict.keys:a}",
       "expected a map, found integer 1\n  at: x.yaml:99:3\n  why: it is used by 'deep.er.value'\n  try: write "
       "${oc.dict.keys:path.to.map}"},
      {"${oc.decode:'[1'}",
       "cannot read the interpolation '[1'\n  at: x.yaml:99:3, column 3\n  why: expected ',' or ']' to close the list opened in column 1\n "
       " try: add ']'"},
      {"${a",
       "cannot read the interpolation '${a'\n  at: x.yaml:99:3, column 4\n  why: expected '}' to close it\n"
       "  try: add '}'; write \\${ for a literal ${"},
      {"${}",
       "cannot read the interpolation '${}'\n  at: x.yaml:99:3, column 4\n  why: expected a key between the braces\n"
       "  try: write ${key} or ${resolver:arguments}"},
      {"${a..b}",
       "cannot read the interpolation '${a..b}'\n  at: x.yaml:99:3, column 5\n  why: expected a key between the dots\n"
       "  try: write ${a.b}"},
      {"${tables.'tab:x'}",
       "cannot read the interpolation '${tables.'tab:x'}'\n  at: x.yaml:99:3, column 10\n  why: ''' is not allowed in a key\n  try: write "
       "${map['key']}"},
      {"${oc.env:X,'abc}",
       "cannot read the interpolation '${oc.env:X,'abc}'\n  at: x.yaml:99:3, column 12\n  why: this quote is not closed; expected ' at the "
       "end\n"
       "  try: add the closing '"},
      {"${list.-4}", "${list.-4} refers to 'list.-4', which does not exist\n  at: x.yaml:99:3\n  why: it is used by 'deep.er.value'"},
      {"${oc.create:[a(b)]}",
       "cannot read the interpolation '${oc.create:[a(b)]}'\n  at: x.yaml:99:3, column 15\n  why: '(' is not allowed in an unquoted "
       "string\n  try: quote the text: 'a(b)'"},
      {"${oc.create:1",
       "cannot read the interpolation '${oc.create:1'\n  at: x.yaml:99:3, column 14\n  why: expected '}' to close it\n"
       "  try: add '}'; write \\${ for a literal ${"},
      {"${oc.decode:'${deep.er.value}'}",
       "'deep.er.value' is defined in terms of itself\n  at: x.yaml:99:3\n  why: deep.er.value -> deep.er.value\n  try: give one of these "
       "keys a plain value"},
      {"${oc.create:{a 1}}",
       "cannot read the interpolation '${oc.create:{a 1}}'\n  at: x.yaml:99:3, column 17\n  why: expected ':' after the key, found '}'\n  "
       "try: write {key: value}; quote keys that contain special characters"},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(error_of([&] { resolved(c.text); }) == c.error);
  }
}

TEST_CASE("chained interpolations are resolved and cycles are errors") {
  const auto all = [](const char* text) { return show(resolve(parse_yaml(text, "x.yaml"))); };
  CHECK(all("a: ${b}\nb: ${c}\nc: 3\n") == R"({"a": 3, "b": 3, "c": 3})");
  // An interpolation inside a map that is referred to is resolved where it is written.
  CHECK(all("a: ${m}\nm: {x: 1, y: '${.x}'}\nx: 9\n") == R"({"a": {"x": 1, "y": 1}, "m": {"x": 1, "y": 1}, "x": 9})");
  CHECK(all("a: ${m.sub.x}\nm: ${n}\nn: {sub: {x: 5}}\n") == R"({"a": 5, "m": {"sub": {"x": 5}}, "n": {"sub": {"x": 5}}})");
  CHECK(all("l: [1, '${.0}', '${l.0}', '${..a}']\na: 2\n") == R"({"l": [1, 1, 1, 2], "a": 2})");
  CHECK(all("a: ???\nb: 1\n") == R"({"a": "???", "b": 1})");
  CHECK(error_of([&] { all("a: ${b}\nb: x${c}\nc: ${a}\n"); }) ==
        "'a' is defined in terms of itself\n  at: x.yaml:1:4\n  why: a -> b -> c -> a\n  try: give one of these keys a plain value");
  std::string chain = "k0: 1\n";
  for (int i = 1; i < 300; ++i) chain += fmt::format("k{}: ${{k{}}}\n", i, i - 1);
  CHECK(resolve(parse_yaml(chain, "x")).at("k299").as_int() == 1);
  for (const char* open : {"${oc.create:[[[[", "${${${${"}) {
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += open;
    CHECK(error_of([&] { resolve(Node(Node::List{Node(deep)})); }).find("more than 100 levels of nesting") != std::string::npos);
  }
  std::string backwards;
  for (int i = 1; i < 300; ++i) backwards += fmt::format("k{}: ${{k{}}}\n", i, i + 1);
  CHECK(error_of([&] { resolve(parse_yaml(backwards + "k300: 1\n", "x")); }).find("more than 100 interpolations refer to each other") == 0);
  std::string laughs = "a0: [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    laughs += fmt::format("a{0}: ['${{a{1}}}', '${{a{1}}}', '${{a{1}}}', '${{a{1}}}', '${{a{1}}}', '${{a{1}}}']\n", i, i - 1);
  }
  CHECK(error_of([&] { resolve(parse_yaml(laughs, "x")); }).find("expand to more than 500000 values") != std::string::npos);
}

TEST_CASE("resolved values keep the origin of the interpolated text") {
  const Node node = resolve(parse_yaml("a: {x: 1}\nb: ${a}\nc: pre${a.x}\n", "x.yaml"));
  CHECK(node.find_path("b.x")->origin().describe() == "x.yaml:2:4");
  CHECK(node.at("c").origin().describe() == "x.yaml:3:4");
  CHECK(node.find_path("a.x")->origin().describe() == "x.yaml:1:8");
}

TEST_CASE("a single value can be resolved on its own") {
  const Node tree = parse_yaml("a: {x: '${b}'}\nb: 4\nbroken: ${nothing}\nm: ???\n", "x.yaml");
  CHECK(resolve_at(tree, "a.x").as_int() == 4);
  CHECK(error_of([&] { resolve_at(tree, "a.y"); }) == "there is no key 'a.y'\n  at: x.yaml:1:1\n  try: keys of 'a': x");
  CHECK(error_of([&] { resolve_at(tree, "m"); }) == "'m' is required\n  at: x.yaml:4:4\n  try: set it, for example with m=...");
}

TEST_CASE("a text that decodes to itself ends in an error") {
  ::setenv("YATLAB_TEST_LOOP", "${oc.decode:${oc.env:YATLAB_TEST_LOOP}}", 1);
  CHECK(error_of([] { resolved("${oc.decode:${oc.env:YATLAB_TEST_LOOP}}"); }).find("more than 100 levels of nesting") != std::string::npos);
  std::string deep = "${oc.create:";
  for (int i = 0; i < 60; ++i) deep += "[${oc.create:";
  CHECK(error_of([&] { resolved(deep); }).find("more than 100 levels of nesting") != std::string::npos);
}

TEST_CASE("the resolvers now and deprecated work") {
  const auto stamp = [] { return resolve(parse_yaml("a: ${now:%Y-%m-%d_%H-%M-%S}\n", "x")).at("a").as_string(); };
  const auto first = stamp();
  CHECK(first.size() == 19);
  CHECK(first[4] == '-');
  CHECK(first == stamp());

  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& w) { warnings.push_back(w); };
  const Node node = resolve(parse_yaml("lr: ${oc.deprecated:trainer.lr}\ntrainer: {lr: 0.1}\n", "x.yaml"), warn);
  CHECK(node.at("lr").as_double() == 0.1);
  CHECK(warnings == std::vector<std::string>{"x.yaml:1:5: 'lr' is deprecated; use 'trainer.lr'"});
  resolve(parse_yaml("lr: \"${oc.deprecated:b,'$OLD_KEY went to $NEW_KEY'}\"\nb: 1\n", "x.yaml"), warn);
  CHECK(warnings.back() == "x.yaml:1:5: lr went to b");
}

TEST_CASE("empty parts of keys are ignored also in hints") {
  const Node tree = parse_yaml(kTree, "x.yaml");
  CHECK(resolve_at(tree, "deep..er..own").as_int() == 3);
  for (const char* key : {"nothing..", "..nothing", "deep..er..ownn", "op..yot", "a..b", "...opp...", "deep....erx", "list..9"}) {
    INFO(key);
    CHECK_THROWS_AS(resolve_at(tree, key), Error);
  }
}
