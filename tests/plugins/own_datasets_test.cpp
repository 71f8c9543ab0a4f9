// Users' own data sets: arrays, tables, images.
#include <ATen/ATen.h>

#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "catch.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/config/override.h"
#include "core/data/describe_data.h"
#include "data/fixtures.h"
#include "data/own_files.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

struct Loaded {
  std::shared_ptr<Dataset> dataset;
  std::map<std::string, Split> splits;
};

Loaded load(OfflineWorld& world, Node spec) {
  Loaded out{Registry<Dataset>::create(spec), {}};
  out.splits = out.dataset->load(world.context);
  // A second load gives the same.
  const auto sum = out.dataset->provenance().sha256;
  const auto shape = out.dataset->input_shape();
  out.splits = out.dataset->load(world.context);
  CHECK(out.dataset->provenance().sha256 == sum);
  CHECK(out.dataset->input_shape() == shape);
  world.notices.resize(world.notices.size() / 2);
  return out;
}

std::string refusal(OfflineWorld& world, const Node& spec) {
  return caught([&] { load(world, spec); }).what();
}

Node table(const std::string& file = "t.csv", const std::string& label = "kind") {
  return Node(Node::Map{{"name", "table"}, {"file", file}, {"label", label}});
}

Node with(Node spec, const char* key, Node value) {
  spec.set(key, std::move(value));
  return spec;
}

/// Ten rows each of two kinds.
std::string flowers(const std::string& head = "length,colour,kind\n", const std::string& end = "") {
  std::string out = head;
  for (int i = 0; i < 10; ++i) out += std::to_string(i) + ".5,red,rose\n" + std::to_string(-i) + ",white,lily\n";
  return out + end;
}

std::string floats(std::int64_t n) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
  return bytes_of_numbers(values);
}

std::string classes(std::int64_t n, std::int64_t of = 2) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(i % of);
  return bytes_of_numbers(values);
}

/// The remedy in a message, appended to the command: shell words, each an override of the data set.
Node mended(Node spec, const std::string& error) {
  const auto at = error.rfind("\n  try: ");
  REQUIRE(at != std::string::npos);
  INFO(error);
  const auto words = run_process({"bash", "-c", "printf '%s\\n' " + error.substr(at + 8)});
  REQUIRE(words.status == 0);
  for (const auto& word : split(trim(words.output), '\n')) {
    const auto change = parse_override(word);
    REQUIRE(change.key.substr(0, 8) == "dataset.");
    REQUIRE_FALSE(change.is_sweep());
    spec.set(change.key.substr(8), change.value);
  }
  return spec;
}

}  // namespace

TEST_CASE("a table's rows are samples with numbers as they are and words one-hot encoded", "[own_data]") {
  OfflineWorld world;
  put(world.context.root / "t.csv", flowers());
  const auto a = load(world, table());
  CHECK(a.dataset->input_shape() == std::vector<std::int64_t>{3});  // length, red, white
  CHECK(a.dataset->class_names() == std::vector<std::string>{"lily", "rose"});
  CHECK(a.dataset->provenance().name == "t.csv");
  CHECK(a.dataset->provenance().sha256.size() == 64);
  const auto& train = a.splits.at("train");
  CHECK(train.size() == 16);
  CHECK(a.splits.at("test").size() == 4);
  for (std::int64_t i = 0; i < train.size(); ++i) {
    const bool rose = train.targets[i].item<int>() == 1;
    CHECK(train.inputs[i][1].item<float>() == (rose ? 1 : 0));
    CHECK(train.inputs[i][2].item<float>() == (rose ? 0 : 1));
    CHECK((train.inputs[i][0].item<float>() > 0) == rose);
  }
  put(world.context.root / "t.csv", flowers() + "1,red,rose\n");
  CHECK(load(world, table()).dataset->provenance().sha256 != a.dataset->provenance().sha256);
  // One sample is the minimum; zero is refused.
  for (const char* key : {"limit", "test_limit"}) {
    INFO(key);
    CHECK(load(world, with(table(), key, Node(1))).splits.at(std::string(key) == "limit" ? "train" : "test").size() == 1);
    CHECK_THAT(refusal(world, with(table(), key, Node(0))), Catch::Matchers::ContainsSubstring(key));
  }
  // The user may declare columns' roles.
  put(world.context.root / "t.csv", flowers("id,colour,kind\n"));
  const Node columns(Node::Map{{"id", "skip"}});
  CHECK(load(world, with(table(), "columns", columns)).dataset->input_shape() == std::vector<std::int64_t>{2});
  CHECK(load(world, with(table(), "columns", Node(Node::Map{{"id", "category"}}))).dataset->input_shape() ==
        std::vector<std::int64_t>{19 + 2 + 1 - 0});
  CHECK(load(world, with(table(), "title", Node("roses"))).dataset->provenance().name == "roses");
}

TEST_CASE("tables without header, with tabs, packed or with test samples are read", "[own_data]") {
  OfflineWorld world;
  const auto at = [&](const char* name) { return world.context.root / name; };
  put(at("plain.csv.gz"), gzip(flowers("")));
  CHECK(load(world, with(table("plain.csv.gz", "2"), "header", Node(false))).splits.at("train").size() == 16);
  put(at("t.tsv"), "a\tkind\n1.5\tx\n");
  CHECK_THAT(refusal(world, table("t.tsv")),
             Catch::Matchers::ContainsSubstring("only one class") || Catch::Matchers::ContainsSubstring("leaves no"));
  put(at("train.csv"), flowers());
  put(at("test.csv"), "kind,colour,length\nrose,white,7\n");  // in another order
  const auto two = load(world, with(table("train.csv"), "test_file", Node("test.csv")));
  CHECK(two.splits.at("train").size() == 20);
  CHECK(two.splits.at("test").inputs.flatten().equal(at::tensor({7.f, 0.f, 1.f})));
  CHECK(two.splits.at("test").targets[0].item<int>() == 1);
  put(at("parts.csv"), "x,kind,part\n1,a,train\n2,b,Train\n3,a,test\n4,b,val\n");
  const auto parts = load(world, with(table("parts.csv"), "split_column", Node("part")));
  CHECK(parts.splits.at("train").size() == 2);
  CHECK(parts.splits.at("test").inputs.item<float>() == 3);
  CHECK(parts.splits.at("validation").inputs.item<float>() == 4);
  put(at("holes.csv"), flowers() + "?,red,rose\n,white,lily\n");
  CHECK_THAT(refusal(world, table("holes.csv")), Catch::Matchers::ContainsSubstring("holes.csv:22, column 'length'"));
  const auto filled = load(world, with(table("holes.csv"), "missing", Node("mean")));
  CHECK(filled.splits.at("train").size() + filled.splits.at("test").size() == 22);
  for (const auto& [name, split] : filled.splits) CHECK(split.inputs.isfinite().all().item<bool>());
  CHECK(load(world, with(table("holes.csv"), "missing", Node("drop"))).splits.at("train").size() == 16);
}

TEST_CASE("mistakes in a table are reported with line and column", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto says = [&](const std::string& text, const Node& spec = table()) {
    put(world.context.root / "t.csv", text);
    return refusal(world, spec);
  };
  CHECK_THAT(says(flowers(), table("t.csv", "knd")), ContainsSubstring("there is no column 'knd'") &&
                                                         ContainsSubstring("length, colour, kind") &&
                                                         ContainsSubstring("did you mean 'kind'"));
  CHECK_THAT(says(flowers() + "5,red,\n"), ContainsSubstring("t.csv:22") && ContainsSubstring("a sample without a class"));
  CHECK_THAT(says(flowers() + "5x,red,rose\n"),
             ContainsSubstring("t.csv:22") && ContainsSubstring("column 'length' contains numbers and '5x'"));
  CHECK_THAT(says("kind\na\nb\n"), ContainsSubstring("no column except the label remains"));
  std::string names = "who,kind\n";
  for (int i = 0; i < 40; ++i) names += "person" + std::to_string(i) + "," + (i % 2 ? "a" : "b") + "\n";
  CHECK_THAT(says(names), ContainsSubstring("column 'who' contains 40 different words") && ContainsSubstring("dataset.columns={who:skip}"));
  CHECK(load(world, with(table(), "most_words", Node(40))).dataset->input_shape() == std::vector<std::int64_t>{40});
  CHECK_THAT(says(flowers(), with(table(), "columns", Node(Node::Map{{"lenght", "skip"}}))),
             ContainsSubstring("there is no column 'lenght'") && ContainsSubstring("length"));
  CHECK_THAT(says(flowers(), with(table(), "columns", Node(Node::Map{{"length", "text"}}))),
             ContainsSubstring("'dataset.columns.length' cannot be text"));
  CHECK_THAT(says(flowers(), with(table(), "columns", Node(Node::Map{{"colour", "number"}}))),
             ContainsSubstring("t.csv:2") && ContainsSubstring("column 'colour' contains numbers and 'red'"));
  CHECK_THAT(says("x,kind,part\n1,a,train\n2,b,hold\n", with(table(), "split_column", Node("part"))),
             ContainsSubstring("t.csv:3") && ContainsSubstring("column 'part' contains 'hold'"));
  CHECK_THAT(says(flowers(), with(table(), "test_file", Node("none.csv"))), ContainsSubstring("'none.csv' does not exist"));
  put(world.context.root / "other.csv", "length,kind\n1,rose\n");
  CHECK_THAT(says(flowers(), with(table(), "test_file", Node("other.csv"))), ContainsSubstring("has no column 'colour'"));
  CHECK_THAT(says(flowers(), with(table(), "separator", Node(";;"))), ContainsSubstring("'dataset.separator' cannot be ';;'"));
  put(world.context.root / "other.csv", "length,colour,weight,kind\n1,red,2,rose\n");
  CHECK_THAT(says(flowers(), with(table(), "test_file", Node("other.csv"))),
             ContainsSubstring("other.csv' has a column 'weight'") && ContainsSubstring("the training file does not have it"));
  CHECK_THAT(says(flowers(), table("t.csv", "2")),
             ContainsSubstring("there is no column '2'") && ContainsSubstring("try: dataset.header=false"));
}

TEST_CASE("suggestions for tables work when typed", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto t = [&] { return world.context.root / "t.csv"; };
  /// Rows made by `row(i)`, alternating between two kinds.
  const auto rows = [](const std::string& head, const std::function<std::string(int)>& row, const std::string& between = ",") {
    std::string out = head + between + "kind\n";
    for (int i = 0; i < 40; ++i) out += row(i) + between + (i % 2 ? "a" : "b") + "\n";
    return out;
  };
  const auto check = [&](const std::string& text, const std::string& says, std::int64_t inputs, const Node& spec = table()) {
    put(t(), text);
    const auto error = refusal(world, spec);
    INFO(text.substr(0, 200));
    CHECK_THAT(error, ContainsSubstring(says));
    const auto loaded = load(world, mended(spec, error));
    CHECK(loaded.dataset->input_shape() == std::vector<std::int64_t>{inputs});
    return loaded;
  };
  const auto number = [](int i) { return std::to_string(i * 7 % 23) + ".25"; };

  // Codes.
  check(rows("zip,x", [&](int i) { return std::string("0123") + std::to_string(i % 3) + "," + number(i); }), "t.csv:2", 1 + 3);
  check(rows("x,zip code", [&](int i) { return number(i) + (i == 30 ? ",01001" : ",2" + std::to_string(i % 4)); }),
        "column 'zip code' contains '01001'", 1 + 5);
  check(rows("x,\"a, 'b': {c}\"", [&](int i) { return number(i) + ",007" + std::to_string(i); }), "contains '0070'",
        1);  // too many words: left out
  check(rows("x,caf\xC3\xA9", [&](int i) { return number(i) + ",00" + std::to_string(i % 2); }), "column 'caf\xC3\xA9' contains '000'",
        1 + 2);
  // Declared as a number, a code is a number; 0.5, -0.5, 0 and 1e-05 are not codes.
  put(t(), rows("zip", [](int i) { return "0123" + std::to_string(i % 3); }));
  const auto numbers = load(world, with(table(), "columns", Node(Node::Map{{"zip", "number"}})));
  CHECK(numbers.splits.at("train").inputs.min().item<float>() == 1230);
  put(t(), rows("x", [](int i) { return std::vector<std::string>{"0.5", "-0.5", "0", "1e-05", "00.5"}[static_cast<std::size_t>(i) % 5]; }));
  CHECK(load(world, table()).dataset->input_shape() == std::vector<std::int64_t>{1});

  // Decimal commas: read as the intended numbers.
  const auto comma = [](int i) { return std::to_string(i) + "," + std::to_string(i % 10); };
  const auto quoted =
      check(rows("x", [&](int i) { return "\"" + comma(i) + "\""; }), "column 'x' contains '0,0', which cannot be read as a number", 1);
  CHECK(quoted.splits.at("train").inputs.max().item<float>() == 39.9f);
  // If other numbers have points, commas are not decimal commas.
  check(rows("x,p", [&](int i) { return "\"" + comma(i) + "\"," + number(i); }),
        "other numbers have decimal points: write all numbers the same way", 1);
  const auto one_separator = [&](const std::string& text) {
    put(t(), text);
    const auto first = refusal(world, table());
    CHECK_THAT(first, ContainsSubstring("is not separated by ','"));
    return mended(table(), first);
  };
  auto european = one_separator(rows(
      "\"length\";\"y\"", [&](int i) { return comma(i) + ";" + comma(2 * i); }, ";"));
  const auto second = refusal(world, european);
  CHECK_THAT(second, ContainsSubstring("column 'length' contains '0,0'") && ContainsSubstring("column 'y' contains '0,0'"));
  CHECK(load(world, mended(european, second)).dataset->input_shape() == std::vector<std::int64_t>{2});
  CHECK(load(world, one_separator(rows(
                        "x\ty", [&](int i) { return number(i) + "\t" + number(i + 1); }, "\t")))
            .dataset->input_shape() == std::vector<std::int64_t>{2});
  CHECK(load(world, one_separator(rows(
                        "x|y", [&](int i) { return number(i) + "|" + number(i + 1); }, "|")))
            .dataset->input_shape() == std::vector<std::int64_t>{2});
  put(world.context.root / "t.tsv", rows("x,y", [&](int i) { return number(i) + "," + number(i + 1); }));
  CHECK(load(world, mended(table("t.tsv"), refusal(world, table("t.tsv")))).splits.size() == 2);
  check(rows("x", [&](int i) { return i % 3 == 0 ? std::to_string(i) : "\"" + comma(i) + "\""; }), "which cannot be read as a number", 1,
        with(table(), "columns", Node(Node::Map{{"x", "number"}})));
}

TEST_CASE("columns of unreadable numbers are not silently treated as words", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto says = [&](const std::vector<std::string>& values) {
    std::string text = "x,y,kind\n";
    for (std::size_t i = 0; i < 40; ++i)
      text += std::to_string(i % 3) + ",\"" + values[i % values.size()] + "\"," + (i % 2 ? "a" : "b") + "\n";
    put(world.context.root / "t.csv", text);
    try {
      return "inputs: " + std::to_string(load(world, table()).dataset->input_shape()[0]);
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  for (const char* odd : {"1,5", "1.234,5", "1 234", "45%", "45 %", "$5", "5 \xE2\x82\xAC", "1,234,567", "-1,5",
                          "\xE2\x88\x92"
                          "5",
                          ",5", "1'000"}) {
    INFO(odd);
    CHECK_THAT(says({odd, "2", odd}), ContainsSubstring("cannot be read as a number"));
    CHECK(load(world, mended(table(), says({odd, "2", odd}))).splits.size() == 2);
  }
  // Words, some with digits, are not numbers.
  CHECK(says({"1.2.3", "1.3.0"}) == "inputs: 3");
  CHECK(says({"2020-01", "2020-02"}) == "inputs: 3");
  CHECK(says({"0-9", "10-19", "20-29"}) == "inputs: 4");
  CHECK(says({"A1", "B2"}) == "inputs: 3");
  CHECK(says({"5kg", "6kg"}) == "inputs: 3");
  CHECK(says({"low", "high"}) == "inputs: 3");
}

TEST_CASE("columns that count rows are not inputs unless listed", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto rows = [](const std::string& head, const std::function<std::string(int)>& id) {
    std::string out = head + ",x,kind\n";
    for (int i = 0; i < 40; ++i) out += id(i) + "," + std::to_string(i % 7) + ".5," + (i < 20 ? "a" : "b") + "\n";
    return out;
  };
  const auto load_text = [&](const std::string& text, const Node& spec = table()) {
    put(world.context.root / "t.csv", text);
    return load(world, spec);
  };
  const auto one_input = std::vector<std::int64_t>{1}, two_inputs = std::vector<std::int64_t>{2};
  for (const auto& [name, id] :
       std::map<std::string, std::function<std::string(int)>>{{"id", [](int i) { return std::to_string(i); }},
                                                              {"n", [](int i) { return std::to_string(100 + i); }},
                                                              {"shuffled", [](int i) { return std::to_string(i * 7 % 40 + 1); }},
                                                              {"ID", [](int i) { return std::to_string(1000 + 3 * i); }},
                                                              {"Unnamed: 0", [](int i) { return std::to_string(i * 13); }},
                                                              {"float", [](int i) { return std::to_string(i) + ".0"; }}}) {
    INFO(name);
    put(world.context.root / "t.csv", rows(name, id));
    const auto error = refusal(world, table());
    CHECK_THAT(error, ContainsSubstring("column '" + name + "' contains row numbers"));
    CHECK(load(world, mended(table(), error)).dataset->input_shape() == one_input);
    CHECK(load(world, with(table(), "columns", Node(Node::Map{{name, "number"}}))).dataset->input_shape() == two_inputs);
  }
  CHECK(load_text(rows("year", [](int i) { return std::to_string(1990 + i % 20); })).dataset->input_shape() == two_inputs);
  CHECK(load_text(rows("n", [](int i) { return std::to_string(2 * i); })).dataset->input_shape() == two_inputs);
  // Row numbers that restart in the test file, and ones that continue.
  for (const int begin : {0, 40}) {
    put(world.context.root / "test.csv", rows("n", [&](int i) { return std::to_string(begin + i); }));
    put(world.context.root / "t.csv", rows("n", [](int i) { return std::to_string(i); }));
    CHECK_THAT(refusal(world, with(table(), "test_file", Node("test.csv"))), ContainsSubstring("contains row numbers"));
  }
  // pandas' index, also of shuffled rows, and separators at the ends of lines, are left out with a notice.
  for (const int step : {1, 7}) {
    world.notices.clear();
    CHECK(load_text(rows("", [&](int i) { return std::to_string(i * step % 40); })).dataset->input_shape() == one_input);
    REQUIRE(world.notices.size() == 1);
    CHECK_THAT(world.notices[0], ContainsSubstring("column 1 has no name and contains row numbers: ignored"));
  }
  std::string trailing = "x,kind,\n";
  for (int i = 0; i < 20; ++i) trailing += std::to_string(i % 3) + ".5," + (i % 2 ? "a" : "b") + ",\n";
  world.notices.clear();
  CHECK(load_text(trailing).dataset->input_shape() == one_input);
  REQUIRE(world.notices.size() == 1);
  CHECK_THAT(world.notices[0], ContainsSubstring("column 3 has no name and is empty: ignored"));
  put(world.context.root / "t.csv", rows("", [](int i) { return "row" + std::to_string(i); }));
  CHECK_THAT(refusal(world, table()), ContainsSubstring("column 1 has no name") && ContainsSubstring("t.csv:1"));
  // Several such columns are corrected at once, together with earlier remedies.
  std::string text = "id,zip,name,x,kind\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i) + ",0123" + std::to_string(i % 3) + ",person" + std::to_string(i) + "," + std::to_string(i % 7) + ".5," +
            (i % 2 ? "a" : "b") + "\n";
  put(world.context.root / "t.csv", text);
  const auto spec = with(table(), "columns", Node(Node::Map{{"x", "number"}}));
  const auto error = refusal(world, spec);
  CHECK_THAT(error, ContainsSubstring("column 'zip' contains '01230'") && ContainsSubstring("column 'name' contains 40 different words"));
  CHECK(load(world, mended(spec, error)).dataset->input_shape() == std::vector<std::int64_t>{3 + 1});
}

TEST_CASE("user text must be UTF-8 in every file type and rounding is reported", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto at = [&](const char* name) { return world.context.root / name; };
  put(at("t.csv"), flowers() + "5,red,Ros\xE9\n");
  CHECK_THAT(refusal(world, table()), ContainsSubstring("t.csv:22:10") && ContainsSubstring("iconv"));
  put(at("t.csv"), flowers() + "5,r\x1b[31med,rose\n");
  CHECK_THAT(refusal(world, table()), ContainsSubstring("t.csv:22:4") && ContainsSubstring("control character"));
  put(at("t.csv"), flowers() + "5,red,\"two\nlines\"\n");
  CHECK_THAT(refusal(world, table()), ContainsSubstring("'two\\nlines' is not a valid class name") && ContainsSubstring("column 'kind'"));
  put(at("a.txt"), "1 1:2 # caf\xE9\n-1 1:3\n");
  const Node rows(Node::Map{{"name", "libsvm"}, {"file", "a.txt"}});
  CHECK_THAT(refusal(world, rows), ContainsSubstring("a.txt:1:12") && ContainsSubstring("iconv"));
  put(at("leaves/Zo\xEB/1.png"), png(2, 2, 1, 2, 3));
  put(at("leaves/oak/1.png"), png(2, 2, 1, 2, 3));
  CHECK_THAT(refusal(world, Node(Node::Map{{"name", "images"}, {"folder", "leaves"}})),
             ContainsSubstring("leaves/Zo\\xeb' is not a valid class name") && ContainsSubstring("not UTF-8"));
  put(at("x.npy"), npy("<f4", "2, 3", floats(6)));
  put(at("y.npy"), npy("|S2", "2,", "Z\xEBok"));
  const Node arrays(Node::Map{{"name", "arrays"}, {"inputs", "x.npy"}, {"targets", "y.npy"}});
  CHECK_THAT(refusal(world, arrays), ContainsSubstring("bytestring that is not UTF-8") && ContainsSubstring("Z\\xeb"));
  put(at("y.npy"), npy("<U1", "2,", bytes_of_numbers<std::uint32_t>({0xD83D, 'k'})));
  CHECK_THAT(refusal(world, arrays), ContainsSubstring("not Unicode"));
  put(at("y.npy"), npy("<U3", "2,", bytes_of_numbers<std::uint32_t>({'a', 0, 'b', 'a', 0, 'c'})));  // not both "a"
  CHECK_THAT(refusal(world, arrays), ContainsSubstring("'a\\x00b' is not a valid class name"));
  // Whole numbers that float32 cannot distinguish.
  std::string large = "time,kind\n";
  for (int i = 0; i < 40; ++i) large += std::to_string(1700000000 + 3 * i) + (i % 2 ? ",a\n" : ",b\n");
  put(at("t.csv"), large);
  world.notices.clear();
  load(world, table());
  REQUIRE(world.notices.size() == 1);
  CHECK_THAT(world.notices[0], ContainsSubstring("of the 40 different numbers of column 'time' equal a different one"));
  put(at("x.npy"), npy("<i8", "20, 1", bytes_of_numbers<std::int64_t>(std::vector<std::int64_t>(20, 16777217))));
  put(at("y.npy"), npy("<i8", "20,", classes(20)));
  world.notices.clear();
  load(world, arrays);
  REQUIRE(world.notices.size() == 1);
  CHECK_THAT(world.notices[0], ContainsSubstring("20 integers above 16777216 are rounded, because inputs are float32"));
}

TEST_CASE("arrays are found by their usual or given names", "[own_data]") {
  OfflineWorld world;
  const auto x = npy("<f4", "10, 3", floats(30)), y = npy("<i8", "10,", classes(10)), xt = npy("<f4", "4, 3", floats(12)),
             yt = npy("<i8", "4,", classes(4));
  const auto at = [&](const char* name) { return world.context.root / name; };
  const Node file(Node::Map{{"name", "arrays"}, {"file", "a.npz"}});
  put(at("a.npz"), zip({{"x_train.npy", x}, {"y_train.npy", y}, {"x_test.npy", xt}, {"y_test.npy", yt}}, true));
  auto a = load(world, file);
  CHECK(a.splits.at("train").size() == 10);
  CHECK(a.splits.at("test").size() == 4);
  CHECK(a.splits.at("train").inputs[9][2].item<float>() == 29);
  CHECK(a.splits.at("train").targets[9].item<int>() == 1);
  CHECK(a.dataset->provenance().name == "a.npz");
  CHECK(a.dataset->shape().splits.empty());  // the file defines it
  put(at("a.npz"), zip({{"x_train.npy", x}, {"y_train.npy", y}, {"x_val.npy", xt}, {"y_val.npy", yt}}, true));
  const auto validated = load(world, file);
  CHECK(validated.splits.at("train").size() == 8);
  CHECK(validated.splits.at("validation").size() == 4);
  CHECK(validated.splits.at("test").size() == 2);
  CHECK(world.notices.empty());
  put(at("a.npz"), zip({{"x_train.npy", x}, {"y_train.npy", y}, {"x_test.npy", xt}}, true));
  CHECK(load(world, file).splits.at("train").size() == 8);
  REQUIRE(world.notices.size() == 1);
  CHECK_THAT(world.notices[0], Catch::Matchers::ContainsSubstring("a.npz: not used: x_test (4 x 3, <f4)"));
  put(at("a.npz"), zip({{"X.npy", x}, {"y.npy", y}}));
  CHECK(load(world, file).splits.at("train").size() == 8);
  put(at("a.npz"), zip({{"left.npy", x}, {"right.npy", y}}));
  CHECK_THAT(refusal(world, file), Catch::Matchers::ContainsSubstring("cannot tell which arrays are the inputs and their classes") &&
                                       Catch::Matchers::ContainsSubstring("left (10 x 3, <f4), right (10, <i8)"));
  CHECK(load(world, with(with(file, "inputs", Node("left")), "targets", Node("right"))).splits.at("train").size() == 8);
  CHECK_THAT(refusal(world, with(with(file, "inputs", Node("left")), "targets", Node("rihgt"))),
             Catch::Matchers::ContainsSubstring("'dataset.targets' = 'rihgt' is not an array"));
  CHECK_THAT(refusal(world, with(file, "inputs", Node("left"))),
             Catch::Matchers::ContainsSubstring("'dataset.inputs' needs 'dataset.targets'"));
  put(at("x.npy"), npy("|u1", "10, 2, 2", std::string(40, '\x33')));
  put(at("y.npy"), npy("<U3", "10,", [] {
        std::vector<std::uint32_t> out;
        for (int i = 0; i < 10; ++i)
          out.insert(out.end(),
                     i % 2 ? std::initializer_list<std::uint32_t>{'o', 'a', 'k'} : std::initializer_list<std::uint32_t>{'e', 'l', 'm'});
        return bytes_of_numbers(out);
      }()));
  const Node files(Node::Map{{"name", "arrays"}, {"inputs", "x.npy"}, {"targets", "y.npy"}});
  a = load(world, files);
  CHECK(a.dataset->class_names() == std::vector<std::string>{"elm", "oak"});
  CHECK(a.dataset->input_shape() == std::vector<std::int64_t>{2, 2});
  CHECK(a.splits.at("train").inputs[0][0][0].item<float>() == 0.2f);  // 51 / 255
  CHECK(a.dataset->provenance().files.size() == 2);
}

TEST_CASE("mistakes in arrays are reported", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto says = [&](const std::string& x, const std::string& y) {
    put(world.context.root / "x.npy", x);
    put(world.context.root / "y.npy", y);
    return refusal(world, Node(Node::Map{{"name", "arrays"}, {"inputs", "x.npy"}, {"targets", "y.npy"}}));
  };
  const auto x = npy("<f4", "10, 3", floats(30));
  CHECK_THAT(refusal(world, Node("arrays")), ContainsSubstring("'dataset.file' is required"));
  CHECK_THAT(says(x, npy("<i8", "9,", classes(9))),
             ContainsSubstring("'x.npy' and 'y.npy' have different lengths") && ContainsSubstring("10 inputs, 9 classes"));
  CHECK_THAT(says(x, npy("<f4", "10, 2", floats(20))),
             ContainsSubstring("does not have one class for each sample") && ContainsSubstring("y.argmax(1)"));
  CHECK_THAT(says(x, npy("<f8", "2,", bytes_of_numbers<double>({1, 1.5}))), ContainsSubstring("contains 1.5, which is not a class"));
  CHECK_THAT(says(npy("|S3", "2,", "abcdef"), npy("<i8", "2,", classes(2))), ContainsSubstring("'x.npy' contains strings"));
  CHECK_THAT(says(npy("<f4", "", floats(1)), npy("<i8", "1,", classes(1))), ContainsSubstring("'x.npy' is a single value"));
  CHECK_THAT(says("nothing", npy("<i8", "1,", classes(1))), ContainsSubstring("is not a NumPy array"));
  CHECK_THAT(says(npy("<f4", "10, 0", ""), npy("<i8", "10,", classes(10))),
             ContainsSubstring("contain no values") && ContainsSubstring("10 x 0"));
  CHECK_THAT(says(npy("<f8", "2, 1", bytes_of_numbers<double>({1, std::nan("")})), npy("<i8", "2,", classes(2))),
             ContainsSubstring("'x.npy', sample 1, value 0"));
  put(world.context.root / "y.npy", npy("<i8", "10, 1", classes(10)));  // a column
  put(world.context.root / "x.npy", x);
  CHECK(load(world, Node(Node::Map{{"name", "arrays"}, {"inputs", "x.npy"}, {"targets", "y.npy"}})).splits.at("test").size() == 2);
}

TEST_CASE("LIBSVM's rows become dense inputs", "[own_data]") {
  OfflineWorld world;
  std::string text;
  for (int i = 0; i < 10; ++i) text += std::string(i % 2 ? "+1" : "-1") + " 1:" + std::to_string(i) + (i % 2 ? " 3:5" : "") + "\n";
  put(world.context.root / "a.txt", text);
  put(world.context.root / "a.t", "+1 4:2\n-1 2:1\n");
  const Node spec(Node::Map{{"name", "libsvm"}, {"file", "a.txt"}});
  const auto alone = load(world, spec);
  CHECK(alone.dataset->input_shape() == std::vector<std::int64_t>{3});
  CHECK(alone.dataset->class_names() == std::vector<std::string>{"-1", "1"});
  CHECK(alone.splits.at("test").size() == 2);
  const auto two = load(world, with(spec, "test_file", Node("a.t")));
  CHECK(two.dataset->input_shape() == std::vector<std::int64_t>{4});  // of both files
  CHECK(two.splits.at("train").inputs[3].equal(at::tensor({3.f, 0.f, 5.f, 0.f})));
  CHECK(two.splits.at("test").inputs[0].equal(at::tensor({0.f, 0.f, 0.f, 2.f})));
  CHECK(load(world, with(spec, "features", Node(9))).dataset->input_shape() == std::vector<std::int64_t>{9});
  CHECK_THAT(refusal(world, with(with(spec, "test_file", Node("a.t")), "features", Node(3))),
             Catch::Matchers::ContainsSubstring("'dataset.features' = 3 is too small"));
  CHECK(load(world,
             mended(with(spec, "test_file", Node("a.t")), refusal(world, with(with(spec, "test_file", Node("a.t")), "features", Node(3)))))
            .dataset->input_shape() == std::vector<std::int64_t>{4});
  CHECK(world.notices.empty());
  // Counted from 0, as only the test file shows.
  put(world.context.root / "b.t", "+1 0:2 3:1\n-1 2:1\n");
  const auto zero = load(world, with(spec, "test_file", Node("b.t")));
  CHECK(zero.dataset->input_shape() == std::vector<std::int64_t>{4});
  CHECK(zero.splits.at("train").inputs[3].equal(at::tensor({0.f, 3.f, 0.f, 5.f})));
  CHECK(zero.splits.at("test").inputs[0].equal(at::tensor({2.f, 0.f, 0.f, 1.f})));
  REQUIRE(world.notices.size() == 1);
  CHECK_THAT(world.notices[0], Catch::Matchers::ContainsSubstring("a.txt: indices start at 0"));
  CHECK_THAT(refusal(world, with(with(spec, "test_file", Node("b.t")), "features", Node(3))),
             Catch::Matchers::ContainsSubstring("has index 3"));
  put(world.context.root / "c.t", "+1 1:2\n-1 2:nan\n");
  CHECK_THAT(refusal(world, with(spec, "test_file", Node("c.t"))), Catch::Matchers::ContainsSubstring("c.t:2, index 2"));
  put(world.context.root / "a.txt", "1 9000000000:1\n-1 1:1\n");
  CHECK_THAT(refusal(world, spec), Catch::Matchers::ContainsSubstring("a.txt is too large for dense inputs") &&
                                       Catch::Matchers::ContainsSubstring("2 rows of 9000000000 values"));
  put(world.context.root / "a.txt", "1\n-1\n");
  CHECK_THAT(refusal(world, spec), Catch::Matchers::ContainsSubstring("a.txt has no inputs"));
}

TEST_CASE("images are read from a folder for each class", "[own_data]") {
  OfflineWorld world;
  const auto root = world.context.root / "leaves";
  for (int i = 0; i < 10; ++i) {
    put(root / "oak" / (std::to_string(i) + ".png"), png(4, 5, static_cast<std::uint8_t>(20 * i), 0, 200));
    put(root / "elm" / (std::to_string(i) + ".PNG"), png(4, 5, 0, static_cast<std::uint8_t>(20 * i), 10));
  }
  put(root / "notes.txt", "not an image");
  put(root / "oak/.hidden.png", "not an image");
  const Node spec(Node::Map{{"name", "images"}, {"folder", "leaves"}});
  const auto a = load(world, spec);
  CHECK(a.dataset->input_shape() == std::vector<std::int64_t>{3, 4, 5});
  CHECK(a.dataset->class_names() == std::vector<std::string>{"elm", "oak"});
  CHECK(a.dataset->provenance().name == "leaves");
  CHECK(a.splits.at("train").size() == 16);
  const auto& train = a.splits.at("train");
  for (std::int64_t i = 0; i < train.size(); ++i) {
    CHECK(train.inputs[i][2][3][4].item<float>() == (train.targets[i].item<int>() == 1 ? 200 : 10) / 255.0f);
    CHECK(train.inputs[i][0][0][0].item<float>() == 1);  // the first pixel is red
  }
  REQUIRE(world.notices.size() == 1);
  CHECK_THAT(world.notices[0], Catch::Matchers::ContainsSubstring("1 file that is not an image"));
  // Greys: one channel, and no dimension for it.
  const auto grey = load(world, with(spec, "channels", Node(1)));
  CHECK(grey.dataset->input_shape() == std::vector<std::int64_t>{4, 5});
  CHECK(grey.splits.at("train").inputs[0][0][0].item<float>() == 76 / 255.0f);  // 0.299 * 255
  // What identifies them is every pixel, and where it lies.
  const auto sum = a.dataset->provenance().sha256;
  const auto before = read_file(root / "oak/3.png");
  put(root / "oak/3.png", png(4, 5, 1, 2, 3));
  CHECK(load(world, spec).dataset->provenance().sha256 != sum);
  put(root / "oak/3.png", before);
  CHECK(load(world, spec).dataset->provenance().sha256 == sum);
  fs::rename(root / "oak/3.png", root / "oak/33.png");
  CHECK(load(world, spec).dataset->provenance().sha256 != sum);
  fs::rename(root / "oak/33.png", root / "oak/3.png");
  // Another size.
  put(root / "elm/large.png", png(8, 10, 50, 60, 70));
  CHECK_THAT(refusal(world, spec), Catch::Matchers::ContainsSubstring("large.png' has a different shape than the images before it") &&
                                       Catch::Matchers::ContainsSubstring("8 x 10 pixels in colour") &&
                                       Catch::Matchers::ContainsSubstring("dataset.size="));
  CHECK(load(world, mended(spec, refusal(world, spec))).splits.at("train").inputs.sizes().slice(1) == at::IntArrayRef({3, 4, 5}));
  const auto sized = load(world, with(spec, "size", Node(Node::List{Node(2), Node(3)})));
  CHECK(sized.dataset->input_shape() == std::vector<std::int64_t>{3, 2, 3});
  fs::remove(root / "elm/large.png");
  // Splits as folders.
  fs::create_directories(root / "split/train");
  fs::create_directories(root / "split/test");
  for (const char* kind : {"oak", "elm"}) {
    fs::copy(root / kind, root / "split/train" / kind);
    fs::copy(root / kind, root / "split/test" / kind);
  }
  const auto split = load(world, with(spec, "folder", Node("leaves/split")));
  CHECK(split.splits.at("train").size() == 20);
  CHECK(split.splits.at("test").size() == 20);
  CHECK_THAT(describe_data(*split.dataset, split.splits).warnings.back(),
             Catch::Matchers::ContainsSubstring("20 of 20 test samples are also training samples"));
}

TEST_CASE("image folders are splits by their usual names or classes if they contain images", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto root = world.context.root / "leaves";
  const Node spec(Node::Map{{"name", "images"}, {"folder", "leaves"}});
  const auto fill = [&](const std::string& split, int count) {
    for (const char* kind : {"oak", "elm"}) {
      for (int i = 0; i < count; ++i)
        put(root / split / kind / (std::to_string(i) + ".png"), png(2, 2, static_cast<std::uint8_t>(i), 0, *kind == 'o' ? 200 : 20));
    }
  };
  for (const auto& [train, validation, test] : {std::tuple{"train", "val", "test"}, std::tuple{"Train", "valid", "Test"},
                                                std::tuple{"training", "validation", "testing"}, std::tuple{"train", "dev", "test"}}) {
    fs::remove_all(root);
    fill(train, 5), fill(validation, 3), fill(test, 2);
    const auto loaded = load(world, spec);
    CHECK(loaded.splits.at("train").size() == 10);
    CHECK(loaded.splits.at("validation").size() == 6);
    CHECK(loaded.splits.at("test").size() == 4);
  }
  CHECK(world.notices.empty());
  fill("train", 5), fill("val", 3);
  CHECK_THAT(refusal(world, spec), ContainsSubstring("both contain validation samples"));
  fs::remove_all(root);
  fill("train", 5), fill("val", 3), fill("extra", 1);
  const auto cut = load(world, spec);
  CHECK(cut.splits.at("train").size() == 8);  // test samples are still held out
  CHECK(cut.splits.at("validation").size() == 6);
  REQUIRE(world.notices.size() == 1);
  CHECK_THAT(world.notices[0], ContainsSubstring("ignored folder beside train: extra"));
  fs::remove_all(root / "train");
  CHECK_THAT(refusal(world, spec), ContainsSubstring("contains no training samples") && ContainsSubstring("there is no folder 'train'"));
  // Vehicles.
  fs::remove_all(root);
  for (const char* kind : {"bus", "train"}) {
    for (int i = 0; i < 5; ++i)
      put(root / kind / (std::to_string(i) + ".png"), png(2, 2, static_cast<std::uint8_t>(i), 0, *kind == 'b' ? 200 : 20));
  }
  CHECK(load(world, spec).dataset->class_names() == std::vector<std::string>{"bus", "train"});
}

TEST_CASE("mistakes in image folders are reported", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto root = world.context.root / "leaves";
  const Node spec(Node::Map{{"name", "images"}, {"folder", "leaves"}});
  CHECK_THAT(refusal(world, spec), ContainsSubstring("'leaves' does not exist"));
  put(root / "a.png", png(2, 2, 0, 0, 0));
  CHECK_THAT(refusal(world, spec), ContainsSubstring("contains no folder of images"));
  put(root / "oak/readme.txt", "x");
  CHECK_THAT(refusal(world, spec), ContainsSubstring("oak' contains no images"));
  put(root / "oak/1.png", "\x89PNG but no more");
  CHECK_THAT(refusal(world, spec), ContainsSubstring("oak/1.png' is not a complete PNG image"));
  CHECK_THAT(refusal(world, with(spec, "size", Node(Node::List{Node(28)}))), ContainsSubstring("try: 'dataset.size=[28,28]'"));
  CHECK_THAT(refusal(world, with(spec, "channels", Node(2))), ContainsSubstring("'dataset.channels' cannot be 2"));
}

TEST_CASE("describe summarises data and reports likely problems", "[own_data]") {
  OfflineWorld world;
  const auto at = [&](const char* name) { return world.context.root / name; };
  std::string text = "small,large,still,kind\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(0.001 * i) + "," + std::to_string(1000 * i) + ",5," + (i < 55 ? "often" : "rare") + "\n";
  put(at("t.csv"), text + "0.001000,1000,5,rare\n");
  const auto a = load(world, table());
  const auto d = describe_data(*a.dataset, a.splits);
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(d.text, ContainsSubstring("t.csv\n") && ContainsSubstring("inputs    3 numbers each") &&
                         ContainsSubstring("classes   2: often, rare") && ContainsSubstring("train              49"));
  const auto has = [&](const std::string& what) {
    return std::any_of(d.warnings.begin(), d.warnings.end(), [&](const std::string& w) { return w.find(what) != std::string::npos; });
  };
  CHECK(has("columns' standard deviations differ by a factor of 1e+06"));
  CHECK(has("values reach"));
  CHECK(has("1 of 3 columns never change"));
  CHECK(has("train: class often has 44 samples, class rare has 5") == false);  // 44 to 5 is not yet ten times
  const auto ok = load(world, with(table(), "scale", Node("standardize")));
  for (const auto& warning : describe_data(*ok.dataset, ok.splits).warnings) CHECK_THAT(warning, !ContainsSubstring("standardize"));
  // Values and classes missing from a split; duplicates with different classes.
  std::map<std::string, Split> splits;
  splits["train"] = {at::tensor({1.f, 2.f, 1.f, 1.f}).view({4, 1}), at::tensor({0, 1, 1, 0}, at::kLong)};
  splits["test"] = {at::tensor({2.f, std::nanf("")}).view({2, 1}), at::tensor({1, 1}, at::kLong)};
  const auto bad = describe_data(*a.dataset, splits);
  CHECK(bad.warnings ==
        std::vector<std::string>{"test: 1 value is missing or infinite", "no test sample of class often",
                                 "train: 2 samples are duplicated, 1 of them with a different class",
                                 "1 of 2 test samples are also training samples: results on them partly measure memorization"});
}
