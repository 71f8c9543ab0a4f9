#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cstdlib>

#include "catch.h"
#include "core/base/hash.h"
#include "core/config/compose.h"
#include "core/config/yaml.h"
#include "core/data/catalog.h"
#include "core/data/git_blob.h"
#include "core/data/sparse_rows.h"
#include "data/fixtures.h"
#include "plugins/extreme/datasets/xc_cache.h"
#include "plugins/extreme/datasets/xc_files.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

const std::string kTrain = "6 4 3\n0,2 0:1 1:0.5\n1 2:2\n 3:1\n2 0:3\n0 1:1\n1,2 2:1 3:1\n";
const std::string kTest = "2 4 3\n0 0:1\n2 3:4\n";

Node file(const std::string& name, const std::string& bytes) {
  Node n = Node::map();
  n.set("file", name);
  n.set("sha256", sha256(bytes));
  return n;
}

// A data set of the generic kind, with its files in `folder`.
Node tiny_xc(const fs::path& folder, const std::string& train = kTrain, const std::string& test = kTest,
             const std::string& title = "tiny") {
  put(folder / "train.txt", train);
  put(folder / "test.txt", test);
  Node files = Node::map(), spec = Node::map();
  files.set("train", file("train.txt", train));
  files.set("test", file("test.txt", test));
  spec.set("name", "xc");
  spec.set("title", title);
  spec.set("files", files);
  return spec;
}

std::map<std::string, Split> load(const Node& spec, const DataContext& context) { return Registry<Dataset>::create(spec)->load(context); }

bool same(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.crow_indices().equal(b.crow_indices()) && a.col_indices().equal(b.col_indices()) &&
         a.values().equal(b.values());
}
bool same(const std::map<std::string, Split>& a, const std::map<std::string, Split>& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, split] : a) {
    if (!b.count(name) || !same(split.inputs, b.at(name).inputs) || !same(split.targets, b.at(name).targets)) return false;
  }
  return true;
}

// The `dataset:` node that an experiment with `dataset: NAME` gets.
Node composed(const std::string& name, const fs::path& folder) {
  put(folder / "e.yaml", "defaults:\n  - /dataset: " + name + "\n");
  const Composer composer({kSource / "configs"});
  return composer.compose(folder / "e.yaml").config.at("dataset");
}

std::optional<fs::path> lab() {
  std::vector<fs::path> folders = {kSource / ".." / "shared" / "data"};
  if (const char* folder = std::getenv("YATLAB_DATA")) folders.insert(folders.begin(), folder);
  for (const auto& folder : folders) {
    if (fs::exists(folder / "eurlex4k-proxy" / "train.txt.gz")) return folder;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("An XC data set is read from its declared files", "[xc-dataset]") {
  OfflineWorld w;
  auto dataset = Registry<Dataset>::create(tiny_xc(w.dir / "data/tiny"));
  const auto splits = dataset->load(w.context);
  REQUIRE(splits.size() == 2);
  CHECK(splits.at("train").size() == 6);
  CHECK(same(splits.at("train").inputs, parse_xc(kTrain, "t").features));
  CHECK(same(splits.at("test").targets, parse_xc(kTest, "t").labels));
  CHECK(dataset->input_shape() == std::vector<std::int64_t>{4});
  CHECK(dataset->num_classes() == 3);
  CHECK(dataset->class_names() == std::vector<std::string>{"0", "1", "2"});
  const auto& p = dataset->provenance();
  CHECK(p.name == "tiny");
  CHECK(p.tier == "local");
  CHECK(p.substituted_for.empty());
  CHECK(p.files.size() == 2);
  CHECK(w.notices.empty());

  SECTION("limits and a seeded validation share are applied") {
    Node spec = tiny_xc(w.dir / "data/tiny");
    spec.set("limit", 5);
    spec.set("test_limit", 1);
    spec.set("validation", 0.4);
    const auto cut = load(spec, w.context);
    CHECK(cut.at("train").size() == 3);
    CHECK(cut.at("validation").size() == 2);
    CHECK(cut.at("test").size() == 1);
    CHECK(same(load(spec, w.context), cut));
    // Together they are the first five rows, each part in file order.
    const auto all = splits.at("train").inputs.to_dense().narrow(0, 0, 5);
    const auto rows_of = [&](const Split& part) {
      std::vector<std::int64_t> out;
      const auto dense = part.inputs.to_dense();
      for (std::int64_t r = 0; r < part.size(); ++r) {
        for (std::int64_t i = 0; i < 5; ++i) {
          if (dense[r].equal(all[i])) out.push_back(i);
        }
      }
      return out;
    };
    auto rows = rows_of(cut.at("train"));
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    for (const auto r : rows_of(cut.at("validation"))) rows.push_back(r);
    std::sort(rows.begin(), rows.end());
    CHECK(rows == std::vector<std::int64_t>{0, 1, 2, 3, 4});
    spec.set("validation", 0.05);
    CHECK(caught([&] { load(spec, w.context); }).message() == "'dataset.validation' = 0.05 leaves no validation row");
  }
  SECTION("a validation file is the validation split and excludes a share") {
    Node spec = tiny_xc(w.dir / "data/tiny");
    put(w.dir / "data/tiny/dev.txt", kTest);
    Node files = spec.at("files");
    files.set("validation", file("dev.txt", kTest));
    spec.set("files", files);
    CHECK(same(load(spec, w.context).at("validation").inputs, splits.at("test").inputs));
    spec.set("validation", 0.5);
    CHECK(caught([&] { load(spec, w.context); }).message() == "'dataset.validation' = 0.5, but the data set has its own validation split");
  }
  SECTION("label names come from a list or a table or are numbers") {
    Node spec = tiny_xc(w.dir / "data/tiny");
    const auto with = [&](const std::string& name, const std::string& bytes) {
      put(w.dir / "data/tiny" / name, bytes);
      Node files = spec.at("files");
      files.set("labels", file(name, bytes));
      spec.set("files", files);
      auto named = Registry<Dataset>::create(spec);
      named->load(w.context);
      CHECK(named->provenance().sha256 == p.sha256);  // label names do not change the data set's identity
      return named->class_names();
    };
    const std::vector<std::string> names = {"a", "b b", "c"};
    CHECK(with("labels.txt", "a\nb b\nc\n") == names);
    CHECK(with("labels.tsv", "0\t17\ta\n1\t4\tb b\n2\t9\tc\n") == names);
    CHECK(caught([&] { with("labels.txt", "a\nb\n"); }).why() == "2 lines, 3 labels");
    CHECK(caught([&] { with("labels.tsv", "0\t17\ta\n2\t4\tb\n1\t9\tc\n"); }).message() == "a label's name on the wrong line");
    fs::remove(w.dir / "data/tiny/labels.tsv");
    auto numbered = Registry<Dataset>::create(spec);
    numbered->load(w.context);
    CHECK(numbered->class_names() == std::vector<std::string>{"0", "1", "2"});
  }
  SECTION("mismatched files are an error") {
    const auto other = tiny_xc(w.dir / "data/other", kTrain, "1 5 3\n0 0:1\n", "other");
    CHECK(caught([&] { load(other, w.context); }).why() == "it has 5 features and 3 labels, the training file has 4 and 3");
    const auto bad = tiny_xc(w.dir / "data/bad", "1 4 3\n0 9:1\n", kTest, "bad");
    CHECK(caught([&] { load(bad, w.context); }).where() == (w.dir / "data/bad/train.txt").string() + ":2:3");
    const auto none = tiny_xc(w.dir / "data/none", "0 4 3\n", kTest, "none");
    CHECK(caught([&] { load(none, w.context); }).message() == "'" + (w.dir / "data/none/train.txt").string() + "' has no rows");
    Node spec = tiny_xc(w.dir / "data/tiny");
    Node files = spec.at("files");
    files.set("tset", file("test.txt", kTest));
    spec.set("files", files);
    CHECK(caught([&] { load(spec, w.context); }).hint() == "did you mean 'test'?");
    CHECK(caught([&] { load("xc", w.context); }).message() == "'dataset.files.train' is required");
  }
}

TEST_CASE("The parsed form is cached, reused and made again if damaged", "[xc-dataset]") {
  const Scratch dir;
  put(dir / "t.txt", kTrain);
  std::vector<std::string> notices;
  const auto read = [&] {
    return read_xc_cached(dir / "t.txt", dir / "cache", {}, [&](const std::string& text) { notices.push_back(text); });
  };
  const auto expected = parse_xc(kTrain, "t");
  const auto check = [&](const XcRows& rows) { return same(rows.features, expected.features) && same(rows.labels, expected.labels); };
  CHECK(check(read()));
  const auto path = xc_cache_path(dir / "cache", sha256(kTrain));
  REQUIRE(fs::exists(path));
  const auto good = read_file(path);
  CHECK(check(read()));
  CHECK(notices.empty());
  // The second time nothing was parsed: the tensors view the cached file's pages.
  const auto before = fs::last_write_time(path);
  CHECK(check(read()));
  CHECK(fs::last_write_time(path) == before);
  SECTION("every cut and every flipped byte is noticed") {
    for (std::size_t i = 0; i < good.size(); i += 31) {
      put(path, good.substr(0, i));
      REQUIRE(check(read()));
      auto bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 0x10);
      put(path, bad);
      REQUIRE(check(read()));
      REQUIRE(read_file(path) == good);  // rebuilt
    }
    put(path, good + "x");
    CHECK(check(read()));
    // Padding bytes between sections and in the header are covered as well: all damage was detected.
    CHECK(notices.size() == 2 * ((good.size() + 30) / 31) + 1);
    CHECK(notices.back() == fmt::format("'{}' is created again: expected {} bytes, found {}", path.string(), good.size(), good.size() + 1));
  }
  SECTION("another version and another file are parsed again") {
    auto bad = good;
    bad[8] = 2;
    put(path, bad);
    CHECK(check(read()));
    CHECK(notices.back() == fmt::format("'{}' is created again: its version is 2, not 1", path.string()));
    put(dir / "u.txt", kTest);
    const auto other = xc_cache_path(dir / "cache", sha256(kTest));
    put(other, good);
    CHECK(read_xc_cached(dir / "u.txt", dir / "cache", {}, [&](const std::string& text) { notices.push_back(text); }).features.size(0) ==
          2);
    CHECK(notices.back() == fmt::format("'{}' is created again: it belongs to a different file", other.string()));
  }
  SECTION("negative or too large or overflowing counts are rejected") {
    for (const std::size_t count : {80, 104, 112}) {  // numbers of rows, feature entries, label entries
      for (const unsigned char highest : {0x80, 0x01, 0x20}) {
        auto bad = good;
        bad[count + 7] = static_cast<char>(highest);
        put(path, bad);
        CHECK(check(read()));
        CHECK(notices.back() == fmt::format("'{}' is created again: its counts are invalid", path.string()));
      }
    }
  }
  SECTION("writing to a tensor changes neither the file nor the next read") {
    auto rows = read();
    rows.features.values().fill_(7);
    CHECK(read_file(path) == good);
    CHECK(check(read()));
  }
  SECTION("an unwritable cache folder is ignored") {
    put(dir / "file", "");
    CHECK(check(read_xc_cached(dir / "t.txt", dir / "file" / "cache", {}, [&](const std::string& text) { notices.push_back(text); })));
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].find("cannot be cached") != std::string::npos);
  }
}

TEST_CASE("Files can be identified by git blob and found in a renamed folder", "[xc-dataset]") {
  OfflineWorld w;
  put(w.dir / "hello", "hello\n");
  CHECK(git_blob_id(w.dir / "hello") == "ce013625030ba8dba906f756967f9e9ca394464a");
  put(w.dir / "empty", "");
  CHECK(git_blob_id(w.dir / "empty") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  Node entry = Node::map(), files = Node::map();
  entry.set("file", "hello");
  entry.set("git_blob", "ce013625030ba8dba906f756967f9e9ca394464a");
  files.set("a", entry);
  auto set = declare_files("d", files, {}, {}, "dataset", "elsewhere");
  put(w.dir / "data/elsewhere/hello", "hello\n");
  CHECK(look_up(set.files[0], set, w.context).path == w.dir / "data/elsewhere/hello");
  put(w.dir / "data/elsewhere/hello", "hallo\n");
  const auto state = look_up(set.files[0], set, w.context);
  CHECK(state.kind == FileState::kWrong);
  CHECK(state.why == "expected git blob ce013625030ba8dba906f756967f9e9ca394464a, found " + git_blob_id(w.dir / "data/elsewhere/hello"));
  entry.set("git_blob", "ce01");
  files.set("a", entry);
  CHECK(caught([&] { declare_files("d", files); }).message() == "'dataset.files.a.git_blob' is not a git blob id");
  CHECK_THROWS_AS(declare_files("d", Node::map(), {}, {}, "dataset", "a/b"), Error);
}

TEST_CASE("Eurlex-4K declares its canonical files and its substitutes in order", "[xc-dataset]") {
  OfflineWorld w;
  const auto spec = composed("eurlex4k", w.dir.path());
  CHECK(spec.at("name").as_string() == "eurlex4k");
  CHECK(spec.find_path("files.train.git_blob")->as_string() == "002fcbb4dfe516224f91c311f4940a8be9215188");
  CHECK(spec.find_path("substitute.name")->as_string() == "eurlex4k_proxy");
  CHECK(spec.find_path("substitute.folder")->as_string() == "eurlex4k-proxy");
  const Node* last = spec.find_path("substitute.substitute");
  REQUIRE(last);
  CHECK((last->is_map() ? last->at("name") : *last).as_string() == "synthetic_xc");
  // 'yatlab data list' names the substitute too.
  CHECK(dataset_status(load_yaml(kSource / "configs/dataset/eurlex4k.yaml"), w.context).summary() ==
        "missing: eurlex_train.txt, eurlex_test.txt; substitute: eurlex4k_proxy");

  SECTION("the generated set is used with a warning if no files exist") {
    Node small = spec;
    Node& made = *small.find_path("substitute");
    Node generator = Node::map();
    generator.set("name", "synthetic_xc");
    generator.set("train_size", 300);
    generator.set("test_size", 100);
    made.set("substitute", generator);
    small.set("limit", 200);
    auto dataset = Registry<Dataset>::create(small);
    const auto splits = dataset->load(w.context);
    CHECK(splits.at("train").size() == 200);
    CHECK(dataset->provenance().name == "synthetic_xc");
    CHECK(dataset->provenance().tier == "embedded");
    CHECK(dataset->provenance().substituted_for == "eurlex4k");
    std::vector<std::string> warnings;
    for (const auto& text : w.notices) {
      if (text.rfind("WARNING", 0) == 0) warnings.push_back(text);
    }
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0].find("'eurlex4k_proxy' is used instead: other data, NOT eurlex4k.") != std::string::npos);
    CHECK(warnings[1].find("'synthetic_xc' is used instead: other data, NOT eurlex4k_proxy.") != std::string::npos);
    w.context.require_real = true;
    CHECK(caught([&] { load(small, w.context); }).message() == "the data set 'eurlex4k' is not available");
  }
}

TEST_CASE("The substitute for Eurlex-4K is marked as one", "[xc-dataset]") {
  OfflineWorld w;
  const auto folder = lab();
  if (!folder) {
    // Without the real data, the config's declarations still hold.
    CHECK(composed("eurlex4k_proxy", w.dir.path()).at("files").at("train").at("sha256").as_string().size() == 64);
    return;
  }
  w.context.search_path = {*folder};
  auto dataset = Registry<Dataset>::create(composed("eurlex4k", w.dir.path()));
  const auto splits = dataset->load(w.context);
  CHECK(dataset->provenance().name == "eurlex4k_proxy");
  CHECK(dataset->provenance().substituted_for == "eurlex4k");
  CHECK(dataset->provenance().tier == "local");
  CHECK(splits.at("train").inputs.sizes() == at::IntArrayRef({15539, 5000}));
  CHECK(splits.at("test").targets.sizes() == at::IntArrayRef({3809, 3460}));
  CHECK(sparse_rows(splits.at("train").inputs).entries() == Approx(137.0 * 15539).epsilon(1e-3));
  CHECK(dataset->class_names()[1] == "State trading");
  const auto counts = column_counts(splits.at("train").targets);
  CHECK(counts.gt(0).sum().item<std::int64_t>() == 3267);
  // Used by its own name it is not a substitute.
  auto itself = Registry<Dataset>::create(composed("eurlex4k_proxy", w.dir.path()));
  CHECK(same(itself->load(w.context), splits));  // from the cache
  CHECK(itself->provenance().name == "eurlex4k_proxy");
  CHECK(itself->provenance().substituted_for.empty());

  auto delicious = Registry<Dataset>::create(composed("delicious", w.dir.path()));
  const auto tags = delicious->load(w.context);
  CHECK(tags.at("train").inputs.sizes() == at::IntArrayRef({12920, 500}));
  CHECK(delicious->num_classes() == 983);
  const auto rows = sparse_rows(tags.at("train").targets);
  std::int64_t without = 0;
  for (std::int64_t r = 0; r < rows.rows; ++r) without += rows.length(r) == 0;
  CHECK(without == 10);
  auto bibtex = Registry<Dataset>::create(composed("bibtex", w.dir.path()));
  CHECK(bibtex->load(w.context).at("test").inputs.sizes() == at::IntArrayRef({2515, 1836}));
}

TEST_CASE("synthetic_xc is reproducible by seed and has the requested shape", "[xc-dataset]") {
  OfflineWorld w;
  Node spec = Node::map();
  spec.set("name", "synthetic_xc");
  spec.set("train_size", 3000);
  spec.set("test_size", 300);
  spec.set("features", 800);
  spec.set("labels", 400);
  auto dataset = Registry<Dataset>::create(spec);
  const auto splits = dataset->load(w.context);
  CHECK(same(load(spec, w.context), splits));
  const auto sum = dataset->provenance().sha256;
  auto other = w.context;
  other.seed = 1;
  auto reseeded = Registry<Dataset>::create(spec);
  CHECK_FALSE(same(reseeded->load(other), splits));
  CHECK(reseeded->provenance().sha256 != sum);

  const auto& train = splits.at("train");
  CHECK(train.inputs.sizes() == at::IntArrayRef({3000, 800}));
  CHECK(train.targets.sizes() == at::IntArrayRef({3000, 400}));
  CHECK(at::allclose(train.inputs.to_dense().norm(2, {1}), at::ones({3000})));
  const auto labels = sparse_rows(train.targets);
  CHECK(static_cast<double>(labels.entries()) / 3000 == Approx(5).margin(0.15));
  const auto x = sparse_rows(train.inputs);
  for (const auto& rows : {x, labels}) {
    for (std::int64_t r = 0; r < rows.rows; ++r) {
      REQUIRE(rows.length(r) > 0);
      for (auto e = rows.starts[r]; e < rows.starts[r + 1]; ++e) {
        REQUIRE((rows.columns[e] >= 0 && rows.columns[e] < rows.width && (e == rows.starts[r] || rows.columns[e] > rows.columns[e - 1])));
      }
    }
  }
  // Frequencies fall roughly like 1 / rank: the first hundred labels hold most of the mass, the last hundred little.
  const auto counts = std::get<0>(column_counts(train.targets).to(at::kDouble).sort(0, true));
  const double all = counts.sum().item<double>();
  CHECK(counts.narrow(0, 0, 100).sum().item<double>() / all > 0.5);
  CHECK(counts.narrow(0, 300, 100).sum().item<double>() / all < 0.1);
  // The data can be learned: the nearest training row shares a label far more often than a random row.
  const auto similarity = splits.at("test").inputs.to_dense().mm(train.inputs.to_dense().t());
  const auto nearest = train.targets.to_dense().index_select(0, similarity.argmax(1));
  const auto truth = splits.at("test").targets.to_dense();
  const double shared = (nearest * truth).sum(1).gt(0).to(at::kDouble).mean().item<double>();
  const double by_chance = (train.targets.to_dense().narrow(0, 0, 300) * truth).sum(1).gt(0).to(at::kDouble).mean().item<double>();
  CHECK(shared > 0.8);
  CHECK(by_chance < 0.5);
}

TEST_CASE("Every extreme classification config is complete", "[xc-dataset]") {
  OfflineWorld w;
  for (const char* name : {"eurlex4k", "eurlex4k_proxy", "eurlex57k_bow", "bibtex", "delicious", "synthetic_xc"}) {
    INFO(name);
    const auto spec = composed(name, w.dir.path());
    CHECK(spec.at("name").as_string() == name);
    CHECK_NOTHROW(Registry<Dataset>::create(spec));
    if (std::string(name) == "synthetic_xc") continue;
    // The synthetic substitute exists on any machine.
    Node last = spec;
    while (last.find("substitute") && !last.at("substitute").is_null()) last = Node(last.at("substitute"));
    CHECK((last.is_map() ? last.at("name") : last).as_string() == "synthetic_xc");
  }
}
