// Data sets of one's own: arrays, tables, images.
#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
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
  // Once more: the same.
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

/// Ten rows of each of two kinds.
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

}  // namespace

TEST_CASE("a table's rows are samples: numbers as they are, words as one input each", "[own_data]") {
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
  // One sample is the fewest; none is refused.
  for (const char* key : {"limit", "test_limit"}) {
    INFO(key);
    CHECK(load(world, with(table(), key, Node(1))).splits.at(std::string(key) == "limit" ? "train" : "test").size() == 1);
    CHECK_THAT(refusal(world, with(table(), key, Node(0))), Catch::Matchers::ContainsSubstring(key));
  }
  // Columns are what one says they are.
  put(world.context.root / "t.csv", flowers("id,colour,kind\n"));
  const Node columns(Node::Map{{"id", "skip"}});
  CHECK(load(world, with(table(), "columns", columns)).dataset->input_shape() == std::vector<std::int64_t>{2});
  CHECK(load(world, with(table(), "columns", Node(Node::Map{{"id", "category"}}))).dataset->input_shape() ==
        std::vector<std::int64_t>{19 + 2 + 1 - 0});
  CHECK(load(world, with(table(), "title", Node("roses"))).dataset->provenance().name == "roses");
}

TEST_CASE("a table's other forms: no header, tabs, packed, a file or a column for the test samples", "[own_data]") {
  OfflineWorld world;
  const auto at = [&](const char* name) { return world.context.root / name; };
  put(at("plain.csv.gz"), gzip(flowers("")));
  CHECK(load(world, with(table("plain.csv.gz", "2"), "header", Node(false))).splits.at("train").size() == 16);
  put(at("t.tsv"), "a\tkind\n1,5\tx\n");
  CHECK_THAT(refusal(world, table("t.tsv")),
             Catch::Matchers::ContainsSubstring("one class alone") || Catch::Matchers::ContainsSubstring("leaves no"));
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

TEST_CASE("what is wrong with a table is said with its line and column", "[own_data]") {
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
             ContainsSubstring("t.csv:22") && ContainsSubstring("column 'length' holds numbers, and '5x'"));
  CHECK_THAT(says("kind\na\nb\n"), ContainsSubstring("no column but the label is left"));
  std::string names = "who,kind\n";
  for (int i = 0; i < 40; ++i) names += "person" + std::to_string(i) + "," + (i % 2 ? "a" : "b") + "\n";
  CHECK_THAT(says(names), ContainsSubstring("column 'who' holds 40 different words") && ContainsSubstring("dataset.columns={who: skip}"));
  CHECK(load(world, with(table(), "most_words", Node(40))).dataset->input_shape() == std::vector<std::int64_t>{40});
  CHECK_THAT(says(flowers(), with(table(), "columns", Node(Node::Map{{"lenght", "skip"}}))),
             ContainsSubstring("there is no column 'lenght'") && ContainsSubstring("length"));
  CHECK_THAT(says(flowers(), with(table(), "columns", Node(Node::Map{{"length", "text"}}))),
             ContainsSubstring("'dataset.columns.length' cannot be text"));
  CHECK_THAT(says(flowers(), with(table(), "columns", Node(Node::Map{{"colour", "number"}}))),
             ContainsSubstring("t.csv:2") && ContainsSubstring("column 'colour' holds numbers, and 'red'"));
  CHECK_THAT(says("x,kind,part\n1,a,train\n2,b,hold\n", with(table(), "split_column", Node("part"))),
             ContainsSubstring("t.csv:3") && ContainsSubstring("column 'part' says 'hold'"));
  CHECK_THAT(says(flowers(), with(table(), "test_file", Node("none.csv"))), ContainsSubstring("'none.csv' is not there"));
  put(world.context.root / "other.csv", "length,kind\n1,rose\n");
  CHECK_THAT(says(flowers(), with(table(), "test_file", Node("other.csv"))), ContainsSubstring("has no column 'colour'"));
  CHECK_THAT(says(flowers(), with(table(), "separator", Node(";;"))), ContainsSubstring("'dataset.separator' cannot be ';;'"));
}

TEST_CASE("arrays are found by their usual names, or by those that are given", "[own_data]") {
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
  put(at("a.npz"), zip({{"X.npy", x}, {"y.npy", y}}));
  CHECK(load(world, file).splits.at("train").size() == 8);
  put(at("a.npz"), zip({{"left.npy", x}, {"right.npy", y}}));
  CHECK_THAT(refusal(world, file), Catch::Matchers::ContainsSubstring("which arrays are the inputs and their classes?") &&
                                       Catch::Matchers::ContainsSubstring("left (10 x 3, <f4), right (10, <i8)"));
  CHECK(load(world, with(with(file, "inputs", Node("left")), "targets", Node("right"))).splits.at("train").size() == 8);
  CHECK_THAT(refusal(world, with(with(file, "inputs", Node("left")), "targets", Node("rihgt"))),
             Catch::Matchers::ContainsSubstring("'dataset.targets' = 'rihgt' is no array"));
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

TEST_CASE("what is wrong with arrays is said", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto says = [&](const std::string& x, const std::string& y) {
    put(world.context.root / "x.npy", x);
    put(world.context.root / "y.npy", y);
    return refusal(world, Node(Node::Map{{"name", "arrays"}, {"inputs", "x.npy"}, {"targets", "y.npy"}}));
  };
  const auto x = npy("<f4", "10, 3", floats(30));
  CHECK_THAT(refusal(world, Node("arrays")), ContainsSubstring("'dataset.file' must be given"));
  CHECK_THAT(says(x, npy("<i8", "9,", classes(9))),
             ContainsSubstring("'x.npy' and 'y.npy' do not belong together") && ContainsSubstring("10 inputs, 9 classes"));
  CHECK_THAT(says(x, npy("<f4", "10, 2", floats(20))),
             ContainsSubstring("is not one class for each sample") && ContainsSubstring("y.argmax(1)"));
  CHECK_THAT(says(x, npy("<f8", "2,", bytes_of_numbers<double>({1, 1.5}))), ContainsSubstring("holds 1.5, which is no class"));
  CHECK_THAT(says(npy("|S3", "2,", "abcdef"), npy("<i8", "2,", classes(2))), ContainsSubstring("'x.npy' holds strings"));
  CHECK_THAT(says(npy("<f4", "", floats(1)), npy("<i8", "1,", classes(1))), ContainsSubstring("'x.npy' is a single value"));
  CHECK_THAT(says("nothing", npy("<i8", "1,", classes(1))), ContainsSubstring("is not an array of NumPy's"));
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
             Catch::Matchers::ContainsSubstring("'dataset.features' = 3 is too few"));
  put(world.context.root / "a.txt", "1 9000000000:1\n-1 1:1\n");
  CHECK_THAT(refusal(world, spec), Catch::Matchers::ContainsSubstring("a.txt is too large as dense inputs") &&
                                       Catch::Matchers::ContainsSubstring("2 rows of 9000000000 values"));
  put(world.context.root / "a.txt", "1\n-1\n");
  CHECK_THAT(refusal(world, spec), Catch::Matchers::ContainsSubstring("a.txt has no inputs"));
}

TEST_CASE("images lie in a folder for each class", "[own_data]") {
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
  CHECK_THAT(world.notices[0], Catch::Matchers::ContainsSubstring("1 file that is no image"));
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
  CHECK_THAT(refusal(world, spec), Catch::Matchers::ContainsSubstring("large.png' is not like the images before it") &&
                                       Catch::Matchers::ContainsSubstring("8 x 10 pixels in colour") &&
                                       Catch::Matchers::ContainsSubstring("dataset.size="));
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
             Catch::Matchers::ContainsSubstring("20 of 20 test samples are training samples, too"));
}

TEST_CASE("what is wrong with a folder of images is said", "[own_data]") {
  OfflineWorld world;
  using Catch::Matchers::ContainsSubstring;
  const auto root = world.context.root / "leaves";
  const Node spec(Node::Map{{"name", "images"}, {"folder", "leaves"}});
  CHECK_THAT(refusal(world, spec), ContainsSubstring("'leaves' is not there"));
  put(root / "a.png", png(2, 2, 0, 0, 0));
  CHECK_THAT(refusal(world, spec), ContainsSubstring("holds no folder of images"));
  put(root / "oak/readme.txt", "x");
  CHECK_THAT(refusal(world, spec), ContainsSubstring("oak' holds no images"));
  put(root / "oak/1.png", "\x89PNG but no more");
  CHECK_THAT(refusal(world, spec), ContainsSubstring("oak/1.png' is no whole PNG image"));
  CHECK_THAT(refusal(world, with(spec, "size", Node(Node::List{Node(28)}))), ContainsSubstring("dataset.size"));
  CHECK_THAT(refusal(world, with(spec, "channels", Node(2))), ContainsSubstring("'dataset.channels' cannot be 2"));
}

TEST_CASE("a description tells what is in data, and what would be wrong", "[own_data]") {
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
  // Values and classes that a split lacks; what is there twice, with another class.
  std::map<std::string, Split> splits;
  splits["train"] = {at::tensor({1.f, 2.f, 1.f, 1.f}).view({4, 1}), at::tensor({0, 1, 1, 0}, at::kLong)};
  splits["test"] = {at::tensor({2.f, std::nanf("")}).view({2, 1}), at::tensor({1, 1}, at::kLong)};
  const auto bad = describe_data(*a.dataset, splits);
  CHECK(bad.warnings ==
        std::vector<std::string>{"test: 1 value is missing or infinite", "no test sample of class often",
                                 "train: 2 samples are there twice, 1 of them with another class",
                                 "1 of 2 test samples are training samples, too: what is measured on them is partly memory"});
}
