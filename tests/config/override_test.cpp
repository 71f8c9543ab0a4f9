#include "core/config/override.h"

#include <algorithm>
#include <limits>

#include "catch.h"
#include "config/support.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

struct Typed {
  const char* text;   // after "a="
  const char* value;  // as show() prints it
};

}  // namespace

TEST_CASE("override values have the same types as in Hydra") {
  static const Typed kCases[] = {
      // empty, null, bool
      {"", R"("")"},
      {"   ", R"("")"},
      {"null", "null"},
      {"NULL", "null"},
      {"Null", "null"},
      {"None", R"("None")"},
      {"~x", nullptr},
      {"true", "true"},
      {"TRUE", "true"},
      {"False", "false"},
      {"truex", R"("truex")"},
      {"yes", R"("yes")"},
      {"on", R"("on")"},
      // integers
      {"0", "0"},
      {"10", "10"},
      {"-3", "-3"},
      {"+3", "3"},
      {"1_000", "1000"},
      {"1__000", R"("1__000")"},
      {"1_", R"("1_")"},
      {"_1", R"("_1")"},
      {"007", R"("007")"},
      {"-01", R"("-01")"},
      {"0x1F", R"("0x1F")"},
      {"0o17", R"("0o17")"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      // floats
      {"1.0", "1.0"},
      {"5.", "5.0"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"+1.5", "1.5"},
      {"1e-3", "0.001"},
      {"1E5", "1e+05"},
      {"1.e3", "1000.0"},
      {".5e1", "5.0"},
      {"1e+2", "100.0"},
      {"1_0.2_5", "10.25"},
      {"1e", R"("1e")"},
      {"1e-", R"("1e-")"},
      {".", R"(".")"},
      {"1.2.3", R"("1.2.3")"},
      {"01.5", R"("01.5")"},
      {"inf", "inf"},
      {"-inf", "-inf"},
      {"+INF", "inf"},
      {"nan", "nan"},
      {"NaN", "nan"},
      {"infinity", R"("infinity")"},
      // words and texts
      {"abc", R"("abc")"},
      {"a-b_c", R"("a-b_c")"},
      {"2021-01-01", R"("2021-01-01")"},
      {"10:20:30", R"("10:20:30")"},
      {"/abs/path.txt", R"("/abs/path.txt")"},
      {"C:\\dir\\x", R"("C:\dir\x")"},
      {"http://host:80/x?y", R"("http://host:80/x?y")"},
      {"50%", R"("50%")"},
      {"a@b.c", R"("a@b.c")"},
      {"a|b", R"("a|b")"},
      {"*.txt", R"("*.txt")"},
      {"$x", R"("$x")"},
      {"hello world", R"("hello world")"},
      {"  hello   world  ", R"("hello   world")"},
      {"1 2", R"("1 2")"},
      {"1 ", "1"},
      {"true false", R"("true false")"},
      {"???", R"("???")"},
      // beyond Hydra: no quotes outside ASCII
      {"ⵟ", R"("ⵟ")"},
      {"Größe 1", R"("Größe 1")"},
      {"日本語", R"("日本語")"},
      // escapes
      {R"(a\,b)", R"("a,b")"},
      {R"(a\=b)", R"("a=b")"},
      {R"(\[a\])", R"("[a]")"},
      {R"(\(x\))", R"_("(x)")_"},
      {R"(\{x\})", R"("{x}")"},
      {R"(a\:b)", R"("a:b")"},
      {R"(a\\)", R"("a\")"},
      {R"(a\ )", R"("a ")"},
      {R"(\ a)", R"(" a")"},
      {R"(a\nb)", R"("a\nb")"},
      {R"(\,1)", R"(",1")"},
      // quotes
      {"'abc'", R"("abc")"},
      {"\"abc\"", R"("abc")"},
      {"''", R"("")"},
      {"'1'", R"("1")"},
      {"'null'", R"("null")"},
      {"'a,b'", R"("a,b")"},
      {"'a=b'", R"("a=b")"},
      {"' a '", R"(" a ")"},
      {"  'a'  ", R"("a")"},
      {R"('it\'s')", R"("it's")"},
      {R"("say \"x\"")", R"("say "x"")"},
      {R"('a"b')", R"("a"b")"},
      {R"('C:\x')", R"("C:\x")"},
      {R"('C:\\')", R"("C:\")"},
      {R"('\\\'')", R"("\'")"},
      {R"('a\\b')", R"("a\\b")"},
      {"'[1,2]'", R"("[1,2]")"},
      // interpolations stay texts
      {"${a.b}", R"("${a.b}")"},
      {"x_${a}_y", R"("x_${a}_y")"},
      {"${oc.env:HOME,'}'}", R"("${oc.env:HOME,'}'}")"},
      {"${a[${b}]}", R"("${a[${b}]}")"},
      {"'${a}'", R"("${a}")"},
      // lists
      {"[]", "[]"},
      {"[ ]", "[]"},
      {"[1]", "[1]"},
      {"[1,2.0,x,true,null]", R"([1, 2.0, "x", true, null])"},
      {"[ 1 , 2 ]", "[1, 2]"},
      {"[[1,2],[3]]", "[[1, 2], [3]]"},
      {"['a,b',c d]", R"(["a,b", "c d"])"},
      {"[a:b]", R"(["a:b"])"},
      {"[${x},y]", R"(["${x}", "y"])"},
      // maps
      {"{}", "{}"},
      {"{a:1}", R"({"a": 1})"},
      {"{a: 1, b: [x, y]}", R"({"a": 1, "b": ["x", "y"]})"},
      {"{a:{b:{c:1.5}}}", R"({"a": {"b": {"c": 1.5}}})"},
      {"{a:b:c}", R"({"a": "b:c"})"},
      {"{1:a,true:b}", R"({"1": "a", "true": "b"})"},
      {"{a b: 1}", R"({"a b": 1})"},
      {R"({a\:b: 1})", R"({"a:b": 1})"},
      {"{'x=y': 1}", R"({"x=y": 1})"},
      {"{test/accuracy: 0.9}", R"({"test/accuracy": 0.9})"},
      {"{ⵟ: yat}", R"({"ⵟ": "yat"})"},
      {"{a: ${b}}", R"({"a": "${b}"})"},
      // casts
      {"int(3.7)", "3"},
      {"int(-3.7)", "-3"},
      {"int('12')", "12"},
      {"int(true)", "1"},
      {"int([1.5,'2'])", "[1, 2]"},
      {"float(1)", "1.0"},
      {"float('1e3')", "1000.0"},
      {"float(inf)", "inf"},
      {"float({a:1})", R"({"a": 1.0})"},
      {"str(1)", R"("1")"},
      {"str(1e6)", R"("1000000.0")"},
      {"str(1e-5)", R"("1e-05")"},
      {"str(1e16)", R"("1e+16")"},
      {"str(true)", R"("true")"},
      {"str(null)", R"("null")"},
      {"str([1,2.5])", R"(["1", "2.5"])"},
      {"bool(0)", "false"},
      {"bool(2.5)", "true"},
      {"bool('True')", "true"},
      {"bool(false)", "false"},
      {"bool([0,1])", "[false, true]"},
      {"json_str([1,a])", R"("[1, "a"]")"},
      {"json_str({a:null,b:[true]})", R"("{"a": null, "b": [true]}")"},
      {"int( 3 )", "3"},
      {"int (3)", "3"},
      {"[int(1.5),str(2)]", R"([1, "2"])"},
      {"int(float(2))", "2"},
      // sort and shuffle of lists give lists
      {"sort([3,1,2])", "[1, 2, 3]"},
      {"sort(3)", "3"},
      {"sort([3,1,2],reverse=true)", "[3, 2, 1]"},
      {"sort(list=[b,a])", R"(["a", "b"])"},
      {"shuffle([7])", "[7]"},
  };
  for (const auto& c : kCases) {
    if (!c.value) continue;
    INFO("a=" << c.text);
    std::string got;
    try {
      const auto o = parse_override(std::string("a=") + c.text);
      got = o.sweep ? "a sweep" : show(o.value);
    } catch (const Error& e) {
      got = e.what();
    }
    CHECK(got == c.value);
  }
}

TEST_CASE("sweeps expand to their values in order") {
  static const Typed kCases[] = {
      {"1,2,3", "[1, 2, 3]"},
      {"a, b ,c", R"(["a", "b", "c"])"},
      {"'a,b',c", R"(["a,b", "c"])"},
      {"[1,2],[3]", "[[1, 2], [3]]"},
      {"{a:1},{a:2}", R"([{"a": 1}, {"a": 2}])"},
      {"null,1.0", "[null, 1.0]"},
      {"int(1.5),2", "[1, 2]"},
      {"choice(1)", "[1]"},
      {"choice(a,1,[x],{k:v})", R"(["a", 1, ["x"], {"k": "v"}])"},
      {"choice(yat,ⵟ)", R"(["yat", "ⵟ"])"},
      {"range(3)", "[0, 1, 2]"},
      {"range(1,3)", "[1, 2]"},
      {"range(0,10,4)", "[0, 4, 8]"},
      {"range(3,0,-1)", "[3, 2, 1]"},
      {"range(stop=2)", "[0, 1]"},
      {"range(4,step=2)", "[0, 2]"},
      {"range(start=2)", "[0, 1]"},
      {"range(start=1,stop=3)", "[1, 2]"},
      {"range(1,3,step=0.5)", "[1.0, 1.5, 2.0, 2.5]"},
      {"range(0,1,0.1)", "[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]"},
      {"range(0.3,0,-0.1)", "[0.3, 0.2, 0.1]"},
      {"range(1e-3,4e-3,1e-3)", "[0.001, 0.002, 0.003]"},
      {"range(-1.5,0)", "[-1.5, -0.5]"},
      {"int(range(0,3))", "[0, 1, 2]"},
      {"float(range(2))", "[0.0, 1.0]"},
      {"float(choice(1,2))", "[1.0, 2.0]"},
      {"str(choice(1,true))", R"(["1", "true"])"},
      {"json_str(choice([1],a))", R"(["[1]", ""a""])"},
      {"sort(3,1,2)", "[1, 2, 3]"},
      {"int(1.5,2)", "[1, 2]"},
      {"sort(choice(b,a,c),reverse=true)", R"(["c", "b", "a"])"},
      {"sort(range(3,0,-1))", "[1, 2, 3]"},
      {"tag(choice(1,2))", "[1, 2]"},
      {"tag(t1,t2,range(2))", "[0, 1]"},
      {"tag(t1,sweep=range(2))", "[0, 1]"},
      {"tag(sweep=choice(1,2))", "[1, 2]"},
      {"shuffle(choice(5,5))", "[5, 5]"},
  };
  for (const auto& c : kCases) {
    INFO("a=" << c.text);
    std::string got;
    try {
      const auto o = parse_override(std::string("a=") + c.text);
      REQUIRE(o.sweep);
      got = show(expand_sweep(o));
    } catch (const Error& e) {
      got = e.what();
    }
    CHECK(got == c.value);
  }

  const auto tagged = parse_override("a=tag(t1,t2,choice(1,2))");
  CHECK(tagged.sweep->tags == std::vector<std::string>{"t1", "t2"});
  CHECK(tagged.sweep->kind == SweepKind::kChoice);
  CHECK(parse_override("a=1,2").sweep->kind == SweepKind::kSimpleChoice);
  CHECK(parse_override("a=range(2)").sweep->kind == SweepKind::kRange);
}

TEST_CASE("shuffle keeps the values and is deterministic") {
  const auto once = expand_sweep(parse_override("a=shuffle(range(20))"));
  CHECK(once == expand_sweep(parse_override("a=shuffle(range(20))")));
  auto sorted = once;
  std::sort(sorted.begin(), sorted.end(), [](const Node& a, const Node& b) { return a.as_int() < b.as_int(); });
  CHECK(sorted == expand_sweep(parse_override("a=range(20)")));
  CHECK(once != sorted);
}

TEST_CASE("glob selects options of the group") {
  const std::vector<std::string> options{"cosine", "dot", "euclidean", "yat", "yat_after"};
  const auto select = [&](const char* text) { return show(expand_sweep(parse_override(text), options)); };
  CHECK(select("operator=glob(*)") == R"(["cosine", "dot", "euclidean", "yat", "yat_after"])");
  CHECK(select("operator=glob(yat*)") == R"(["yat", "yat_after"])");
  CHECK(select("operator=glob(?ot)") == R"(["dot"])");
  CHECK(select("operator=glob('[cd]*')") == R"(["cosine", "dot"])");
  CHECK(select("operator=glob('[!cd]*',exclude=yat)") == R"(["euclidean", "yat_after"])");
  CHECK(select("operator=glob([dot,c*],exclude=[*x*])") == R"(["cosine", "dot"])");
  CHECK(error_of([&] { select("operator=glob(z*)"); }) ==
        "glob(z*) matches no option\n  at: command line (operator=glob(z*))\n"
        "  try: options: cosine, dot, euclidean, yat, yat_after");
  CHECK(error_of([&] { expand_sweep(parse_override("a=glob(*)")); }) ==
        "glob(*) matches no option\n  at: command line (a=glob(*))\n  try: glob selects options of a config group, but this key is not a "
        "config group");
}

TEST_CASE("an interval cannot be listed") {
  const auto o = parse_override("a=interval(0,1.5)");
  CHECK(o.sweep->kind == SweepKind::kInterval);
  CHECK(o.sweep->begin == 0.0);
  CHECK(o.sweep->end == 1.5);
  CHECK(parse_override("a=int(interval(0.5,3.7))").sweep->end == 3.0);
  CHECK(error_of([&] { expand_sweep(o); }) ==
        "a grid cannot list interval(0.0, 1.5)\n  at: command line (a=interval(0,1.5))\n  why: it means every number between its ends, but "
        "a grid needs a finite list\n  try: search it with sweeper=tpe (or random, sobol, cmaes); or use range(start, stop, step), "
        "logspace(...) or choice(...)");
}

TEST_CASE("overrides are parsed into kind, key and package") {
  struct Case {
    const char* text;
    OverrideKind kind;
    const char* key;
    bool has_package;
    const char* package;
    bool has_value;
  };
  static const Case kCases[] = {
      {"a=1", OverrideKind::kChange, "a", false, "", true},
      {"a.b.c=1", OverrideKind::kChange, "a.b.c", false, "", true},
      {"a.0.b=1", OverrideKind::kChange, "a.0.b", false, "", true},
      {"arms.yat_0.01=1", OverrideKind::kChange, "arms.yat_0.01", false, "", true},
      {"a.10=1", OverrideKind::kChange, "a.10", false, "", true},
      {"+a=1", OverrideKind::kAdd, "a", false, "", true},
      {"++a.b=1", OverrideKind::kForceAdd, "a.b", false, "", true},
      {"~a", OverrideKind::kDelete, "a", false, "", false},
      {"~a=1", OverrideKind::kDelete, "a", false, "", true},
      {"~a=", OverrideKind::kDelete, "a", false, "", true},
      {"~a/b", OverrideKind::kDelete, "a/b", false, "", false},
      {"a/b=c", OverrideKind::kChange, "a/b", false, "", true},
      {"a/b/c@x.y=d", OverrideKind::kChange, "a/b/c", true, "x.y", true},
      {"a@=b", OverrideKind::kChange, "a", true, "", true},
      {"a@_global_=b", OverrideKind::kChange, "a", true, "_global_", true},
      {"+a@b=c", OverrideKind::kAdd, "a", true, "b", true},
      {"$a-b=1", OverrideKind::kChange, "$a-b", false, "", true},
      {"_a=1", OverrideKind::kChange, "_a", false, "", true},
      {"größe.ⵟ=1", OverrideKind::kChange, "größe.ⵟ", false, "", true},
      {"a=extend_list(1,2)", OverrideKind::kExtend, "a", false, "", true},
      {"operator=ⵟ", OverrideKind::kChange, "operator", false, "", true},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    const auto o = parse_override(c.text, "arm x");
    CHECK(o.kind == c.kind);
    CHECK(o.key == c.key);
    CHECK(o.has_package == c.has_package);
    CHECK(o.package == c.package);
    CHECK(o.has_value == c.has_value);
    CHECK(o.text == c.text);
    CHECK(o.origin.describe() == fmt::format("arm x ({})", c.text));
    if (c.has_value) CHECK(o.value.origin().describe() == o.origin.describe());
  }
  CHECK(show(parse_override("a=extend_list(1,[x])").value) == R"([1, ["x"]])");
  CHECK(parse_override("a@b=c").address() == "a@b");
}

TEST_CASE("override errors quote the text and its column and suggest a fix") {
  struct Case {
    const char* text;
    const char* column;
    const char* why;
    const char* hint;
  };
  static const Case kCases[] = {
      {"", "1", "the override is empty", "write key=value, +key=value, ++key=value or ~key"},
      {"a", "2", "expected '=' after the key", "write a=value, or ~a to delete it"},
      {"+a.b", "5", "expected '=' after the key", "write a.b=value, or ~a.b to delete it"},
      {"=1", "1", "expected a key", "write key=value, for example trainer.epochs=5"},
      {"+=1", "2", "expected a key", "write key=value, for example trainer.epochs=5"},
      {"+++a=1", "3", "at most two '+' are allowed before a key", "'+key' adds, '++key' adds or replaces"},
      {"a b=1", "2", "a key must not contain spaces", "write key=value without spaces around the key"},
      {"a =1", "2", "a key must not contain spaces", "write key=value without spaces around the key"},
      {"a..b=1", "3", "expected a name between the '.'", "remove the extra separator"},
      {"a.=1", "3", "expected a name between the '.'", "remove the extra separator"},
      {"/a/b=1", "1", "groups on the command line are already absolute", "remove the leading '/'"},
      {"a/b.c=1", "4", "a key cannot contain both '.' (a value) and '/' (a config group)",
       "write a.b.c=value or group/sub=option; to set a key that contains '/', give the map around it: outer={'a/b': 1}"},
      {"1a=1", "1", "'1a' is not a name", "names begin with a letter or '_'"},
      {"5=1", "1", "'5' is not a name", "names begin with a letter or '_'"},
      {"a.0x=1", "3", "'0x' is not a name", "names begin with a letter or '_'"},
      {"a@b:c=1", "4", "':' is not allowed in a key",
       "a package cannot be renamed with group@old:new; to set a key that contains ':', give the map around it: outer={'a:b': 1}"},
      {"ⵟ#=1", "2", "expected a letter, digit, '_', '-', '.', '/', '@' or '=' in the key, found '#'",
       "to set a key that contains other characters, give the map around it: outer={'a b': 1}"},
      {"a=a=b", "4", "'=' is not allowed in an unquoted string", "quote the text: 'a=b'; the whole argument: \"a='a=b'\""},
      {"a=~", "3", "'~' is not allowed in an unquoted string", "quote the text: '~'; the whole argument: \"a='~'\""},
      {"a=x#y", "4", "'#' is not allowed in an unquoted string", "quote the text: 'x#y'; the whole argument: \"a='x#y'\""},
      {"a=x;y", "4", "';' is not allowed in an unquoted string", "quote the text: 'x;y'; the whole argument: \"a='x;y'\""},
      {"a=ⵟ!", "4", "'!' is not allowed in an unquoted string", "quote the text: 'ⵟ!'; the whole argument: 'a='\\''ⵟ!'\\'''"},
      {"a=it's", "5", "a quote is not allowed in an unquoted string", "quote the text: \"it's\"; the whole argument: 'a=\"it'\\''s\"'"},
      {"a='x'y", "6", "unexpected 'y' after the closing quote", "quote the whole text: \"'x'y\""},
      {"a='x", "3", "this quote is not closed; expected ' at the end",
       "add the closing '; the shell removes one level of quotes, so put the whole override into the other kind of quotes"},
      {"a=[1,2", "7", "expected ',' or ']' to close the list opened in column 3", "add ']'; in a shell, put the override into quotes"},
      {"a=[1 2]]", "8", "unmatched ']'", "remove it, or quote the text"},
      {"a=1)", "4", "unmatched ')'", "remove it, or quote the text"},
      {"a=[1,,2]", "6", "expected a value, found ','", "give a value; for an empty string write ''"},
      {"a=[1,]", "6", "expected a value, found ']'", "give a value; for an empty string write ''"},
      {"a=,1", "3", "expected a value, found ','", "give a value; for an empty string write ''"},
      {"a=1,", "5", "expected a value after ','", "remove the comma, or quote the text"},
      {"a={b}", "5", "expected ':' after the key, found '}'", "write {key: value}; quote keys that contain special characters"},
      {"a={b:1", "7", "expected ',' or '}' to close the map opened in column 3", "add '}'; in a shell, put the override into quotes"},
      {"a={b:1,b:2}", "8", "the key 'b' is given twice", "keep one of them"},
      {"a={${b}:1}", "4", "a key cannot be an interpolation", "only values can be interpolated"},
      {"a={:1}", "4", "expected a key before ':'", "write {key: value}"},
      {"a=${b", "3", "this interpolation is not closed; expected '}' at the end",
       "close it; in a shell, put the override into single quotes"},
      {"a=x[1]", "4", "'[' is not allowed in an unquoted string", "quote the text: 'x[1]'; the whole argument: \"a='x[1]'\""},
      {"a=1(2)", "4", "'(' is not allowed in an unquoted string", "quote the text: '1(2)'; the whole argument: \"a='1(2)'\""},
      {"a=uniform(1,2)", "3", "'uniform' is not a function", "write interval(1,2), with sweeper=random or sweeper=tpe"},
      {"a=loguniform(1,2)", "3", "'loguniform' is not a function", "write tag(log,interval(1,2)), with sweeper=random or sweeper=tpe"},
      {"a=rang(3)", "3", "'rang' is not a function", "did you mean 'range'? or quote the text: 'rang(3)'"},
      {"a=range(3", "10", "expected ',' or ')' to close the call opened in column 8", "add ')'; in a shell, put the override into quotes"},
      {"a=range()", "3", "range needs a stop", "write range(stop), range(start, stop) or range(start, stop, step)"},
      {"a=range(0,1,0)", "3", "the step of a range cannot be 0", "give a positive or negative step"},
      {"a=range(5,0)", "3", "this range is empty", "the stop is excluded, and the step must lead from start to stop"},
      {"a=range(x)", "9", "range takes numbers", "write range(stop), range(start, stop) or range(start, stop, step)"},
      {"a=range(1,2,3,4)", "15", "range takes at most 3 arguments", "write range(stop), range(start, stop) or range(start, stop, step)"},
      {"a=range(0,stop=3,stop=4)", "18", "the argument 'stop' is given twice", "keep one of them"},
      {"a=range(0,end=3)", "11", "range has no argument named 'end'", "write range(stop), range(start, stop) or range(start, stop, step)"},
      {"a=range(start=1,3)", "17", "a positional argument cannot follow a named one",
       "name this argument too, or move it before the named ones"},
      {"a=range(0,1e9)", "3", "the range has more than 100000 items", "use a larger step"},
      {"a=choice()", "3", "choice needs at least one value", "write choice(a, b, ...)"},
      {"a=choice(1,choice(2))", "12", "a sweep is not allowed inside choice", "list all the values in one choice(...)"},
      {"a=choice(x=1)", "10", "choice has no argument named 'x'", "write choice(a, b, ...)"},
      {"a=[choice(1,2)]", "4", "a sweep is not allowed inside a list", "sweep over whole lists: choice(first list, second list)"},
      {"a={b:range(2)}", "6", "a sweep is not allowed inside a map", "sweep over whole maps: choice(first map, second map)"},
      {"a=1,choice(2)", "5", "a sweep is not allowed inside a comma-separated list", "write one choice(...) with all the values"},
      {"a=interval(1)", "3", "interval needs a start and an end", "write interval(start, end)"},
      {"a=int(abc)", "7", "string abc cannot become int: the string is not an integer", "correct the value or remove the cast"},
      {"a=int('1.5')", "7", "string '1.5' cannot become int: the string is not an integer", "correct the value or remove the cast"},
      {"a=int(null)", "7", "null cannot become int: null is not a number", "correct the value or remove the cast"},
      {"a=int(1e30)", "7", "float 1e+30 cannot become int: it does not fit in 64 bits", "correct the value or remove the cast"},
      {"a=bool(maybe)", "8", "string maybe cannot become bool: only numbers and the words true and false can be bools",
       "correct the value or remove the cast"},
      {"a=int()", "3", "int takes a value", "write int(value)"},
      {"a=int(1,choice(2))", "9", "a sweep is not allowed inside a list of values", "list all the values in one choice(...)"},
      {"a=sort(extend_list(1))", "8", "sort cannot be applied to extend_list", "write extend_list(sort(...))"},
      {"a=str(range(3))", "7", "a range can only be cast to int or float", "list the values: str(choice(...))"},
      {"a=str(interval(0,1))", "7", "an interval can only be cast to int or float", "list the values: str(choice(...))"},
      {"a=int(range(0,1,0.5))", "7", "the step of a range cannot be 0", "give a positive or negative step"},
      {"a=sort(1,x)", "3", "sort cannot compare numbers with strings", "use values of one type"},
      {"a=sort()", "3", "sort needs values", "write sort(3, 1, 2), sort([3, 1, 2]) or sort(choice(3, 1, 2)), with reverse=true if wanted"},
      {"+a=[x={y: 1}]", "7", "'{' is not allowed in an unquoted string",
       "quote the text: 'x={y: 1}'; the whole argument: \"+a=['x={y: 1}']\""},
      {"a=[rang(1), 2]", "4", "'rang' is not a function", "did you mean 'range'? or quote the text: 'rang(1)'"},
      {"a={b=1}", "5", "'=' is not allowed in an unquoted key", "write {key: value}"},
      {"a=choice(b c=1)", "13", "'=' is not allowed in an unquoted string",
       "quote the text: 'b c=1'; the whole argument: \"a=choice('b c=1')\""},
      {"a=tag(x,name=choice(1,2))", "9", "tag has no argument named 'name'", "write tag(name, ..., sweep)"},
      {"a=tag(sweep=x,choice(1,2))", "15", "a positional argument cannot follow a named one",
       "name this argument too, or move it before the named ones"},
      {"a=zip()", "3", "zip needs keys with lists", "write zip(key=[1, 2], other.key=[3, 4])"},
      {"a=zip([1,2])", "7", "each argument of zip must be a key with its values", "write zip(key=[1, 2], other.key=[3, 4])"},
      {"a=zip(b.c=1)", "7", "'b.c' is not a list of values", "write zip(key=[1, 2], other.key=[3, 4])"},
      {"a=zip(b=[1],b=[2])", "13", "'b' is given twice", "keep one of them"},
      {"a=int(zip(b=[1]))", "7", "int cannot be applied to a zip", "cast inside it: zip(key=int([1, 2]))"},
      {"a=range(step=2)", "3", "range needs a stop", "write range(stop), range(start, stop) or range(start, stop, step)"},
      {"a=tag(x)", "7", "the last argument of tag must be a sweep", "write tag(name, ..., choice(a, b))"},
      {"a=tag(1,choice(2))", "7", "tags must be strings", "write tag(name, ..., choice(a, b))"},
      {"a=glob()", "3", "glob needs a pattern", "write glob(pattern) or glob([patterns], exclude=[patterns])"},
      {"~a=1,2", "4", "a deletion takes one value, not a sweep", "write ~a"},
      {"+a=extend_list(1)", "4", "extend_list needs a key without '+' or '~'", "write a=extend_list(...)"},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(
        error_of([&] { parse_override(c.text); }) ==
        fmt::format("cannot read the override '{}'\n  at: command line, column {}\n  why: {}\n  try: {}", c.text, c.column, c.why, c.hint));
    const std::string hint = c.hint;
    const auto proposal = hint.find("text: ");
    if (proposal != std::string::npos)
      CHECK(parse_override("a=" + hint.substr(proposal + 6, hint.find("; the whole argument") - proposal - 6)).value.is_string());
  }
  CHECK(error_of([] { parse_override("a=\xFF"); }) ==
        "cannot read the override 'a=\\xff'\n  at: command line, column 3\n  why: this byte is not UTF-8\n"
        "  try: use a UTF-8 terminal");
  std::string deep = "a=";
  for (int i = 0; i < 200; ++i) deep += "[";
  CHECK(error_of([&] { parse_override(deep); }).find("more than 100 levels of nesting") != std::string::npos);
}

TEST_CASE("a sweep given for a single value is rejected with alternatives") {
  CHECK(error_of([] { throw_not_a_sweep(parse_override("a.b=1,2")); }) ==
        "'a.b=1,2' gives several values for 'a.b', but only one is allowed here\n  at: command line\n  why: the values are a sweep, but "
        "this is a single run\n  try: 1. to sweep over the values, put it into the 'sweep:' of the experiment or use --multirun; 2. for "
        "one string with commas, quote it: \"a.b='1,2'\"; 3. for a list, write 'a.b=[1,2]'");
  CHECK(error_of([] { throw_not_a_sweep(parse_override("a=range(3)")); }) ==
        "'a=range(3)' gives several values for 'a', but only one is allowed here\n  at: command line\n  why: the values are a sweep, but "
        "this is a single run\n  try: to sweep, put it into the 'sweep:' of the experiment or use --multirun; for one string, quote it: "
        "\"a='range(3)'\"");
}

TEST_CASE("formatted values read back with the same type and value") {
  const double inf = std::numeric_limits<double>::infinity();
  Node map = Node::map();
  map.set("a", 1);
  map.set("a b", "x");
  map.set("tab:x", Node::list());
  map.set("it's", Node(nullptr));
  map.set("null", -0.25);
  static const std::vector<Node> kValues = {Node(),
                                            true,
                                            false,
                                            0,
                                            -7,
                                            1.0,
                                            0.1,
                                            1e-5,
                                            1e22,
                                            -1e300,
                                            inf,
                                            -inf,
                                            "",
                                            "abc",
                                            "1",
                                            "1.0",
                                            "true",
                                            "null",
                                            "nan",
                                            "a b",
                                            " a ",
                                            "a,b",
                                            "a=b",
                                            "it's",
                                            "\"x\"",
                                            "C:\\dir\\",
                                            "\\'",
                                            "\\\\'\\",
                                            "x'",
                                            "[1]",
                                            "{a}",
                                            "(x)",
                                            "ⵟ",
                                            "~",
                                            "#",
                                            "range(3)",
                                            "${a.b}",
                                            "tab\there",
                                            "007",
                                            "1e-3",
                                            "???",
                                            "-",
                                            "a/b.c",
                                            "$x",
                                            Node::list(),
                                            Node::map(),
                                            Node(Node::List{1, "2", Node::List{3.0, "a,b"}, Node()}),
                                            map};
  for (const auto& value : kValues) {
    const auto text = format_override_value(value);
    INFO(text);
    CHECK(show(parse_sweep_value(text).value) == show(value));
    CHECK(show(parse_override(format_override("a.b", value)).value) == show(value));
  }
  CHECK(format_override("operator", Node("yat")) == "operator=yat");
  CHECK(format_override("operator.epsilon", Node(1e-3)) == "operator.epsilon=0.001");
  CHECK(format_override("x", Node("1")) == "x='1'");
  CHECK(format_override("x", Node(Node::List{1, "a b"})) == "x=[1,'a b']");
}

TEST_CASE("sweep values in files use the override grammar") {
  const Origin origin{"x.yaml", 3, 8, {}};
  const auto range = parse_sweep_value("range(0, 3)", origin);
  REQUIRE(range.sweep);
  CHECK(show(range.sweep->values) == "[0, 1, 2]");
  CHECK(range.sweep->values[1].origin().describe() == "x.yaml:3:8");
  CHECK(show(parse_sweep_value("[1, x]", origin).value) == R"([1, "x"])");
  CHECK(error_of([&] { parse_sweep_value("range(0,,5)", origin); }) ==
        "cannot read the value 'range(0,,5)'\n  at: x.yaml:3:8, column 9\n  why: expected a value, found ','\n  try: give a value; for an "
        "empty string write ''");
  CHECK(error_of([&] { parse_sweep_value("extend_list(1)", origin); }).find("write a list: [a, b]") != std::string::npos);
}

TEST_CASE("ranges have no rounding error in decimal") {
  CHECK(decimal_range(0, 1, 0.1).size() == 10);
  CHECK(decimal_range(0, 1, 0.001).size() == 1000);
  CHECK(decimal_range(0.0, 0.3, 0.1).size() == 3);  // 0.1 + 0.1 + 0.1 > 0.3 in binary
  CHECK(show(decimal_range(1e-12, 3e-12, 1e-12)) == "[1e-12, 2e-12]");
  CHECK(show(decimal_range(1e20, 3e20, 1e20)) == "[1e+20, 2e+20]");
  CHECK(show(decimal_range(5, 5, 1)) == "[]");
  CHECK(error_of([] { decimal_range(0, std::numeric_limits<double>::infinity(), 1); }) == "range needs finite numbers, found inf");
  CHECK(error_of([] { decimal_range(1e300, 2e300, 1e-300); }).find("differ too much in size") != std::string::npos);
}
