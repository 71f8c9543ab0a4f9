#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

#include "catch.h"
#include "core/base/hash.h"
#include "core/config/yaml.h"
#include "core/data/batches.h"
#include "data/fixtures.h"
#include "helpers.h"
#include "plugins/kernels/datasets/idx_images.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

Node config_of(const std::string& name) { return load_yaml(kSource / "configs" / "dataset" / (name + ".yaml")); }

// A tiny data set in MNIST's layout, in `folder`, and its `files:`.
Node tiny_idx(const fs::path& folder, const std::vector<unsigned>& train_shape = {6, 28, 28}, unsigned labels = 6, char label = 0) {
  Node files = Node::map();
  const auto add = [&](const char* key, const char* file, const std::string& bytes) {
    const auto packed = gzip(bytes);
    put(folder / file, packed);
    Node entry = Node::map();
    entry.set("file", file).set_origin({"tiny.yaml", 1, 1, {}});
    entry.set("sha256", sha256(packed));
    files.set(key, entry);
  };
  std::size_t pixels = 1;
  for (unsigned n : train_shape) pixels *= n;
  std::string digits;
  for (unsigned i = 0; i < labels; ++i) digits += static_cast<char>((i + static_cast<unsigned>(label)) % 256);
  add("train_images", "train-images.gz", idx(train_shape, noise(pixels)));
  add("train_labels", "train-labels.gz", idx({labels}, digits));
  add("test_images", "test-images.gz", idx({2, 28, 28}, noise(2 * 784, 5)));
  add("test_labels", "test-labels.gz", idx({2}, std::string("\x03\x04", 2)));
  return files;
}

// Softmax regression with Adam (1e-3, batches of 64): its accuracy on `test`.
double linear_accuracy(const Split& train, const Split& test, int epochs) {
  const auto d = train.inputs[0].numel();
  auto w = at::zeros({d + 1, 10}), m = at::zeros_like(w), v = at::zeros_like(w);
  const auto ones = at::ones({64, 1});
  Batches batches(train.inputs.reshape({train.size(), d}), train.targets, 64, true);
  for (int epoch = 0, step = 1; epoch < epochs; ++epoch) {
    batches.start_epoch(true, static_cast<std::uint64_t>(epoch));
    for (std::int64_t b = 0; b < batches.count(); ++b, ++step) {
      const auto batch = batches.get(b);
      const auto x = at::cat({batch.inputs, ones}, 1);
      auto p = at::softmax(x.mm(w), 1);
      p.scatter_add_(1, batch.targets.unsqueeze(1), at::full({64, 1}, -1.0f));
      const auto g = x.t().mm(p) / 64;
      m.mul_(0.9).add_(g, 0.1);
      v.mul_(0.999).addcmul_(g, g, 0.001);
      w.sub_(m / ((v / (1 - std::pow(0.999, step))).sqrt() + 1e-8), 1e-3 / (1 - std::pow(0.9, step)));
    }
  }
  const auto scores = test.inputs.reshape({test.size(), d}).mm(w.narrow(0, 0, d)) + w[d];
  return scores.argmax(1).eq(test.targets).to(at::kDouble).mean().item<double>();
}

bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.nbytes() == b.nbytes() && std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

// The real files, if a lab's folder holds them.
std::optional<fs::path> real_mnist() {
  std::vector<fs::path> folders = {kSource / ".." / "shared" / "data"};
  if (const char* folder = std::getenv("YATLAB_DATA")) folders.insert(folders.begin(), folder);
  for (const auto& folder : folders) {
    if (fs::exists(folder / "mnist" / "train-images-idx3-ubyte.gz")) return folder;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("xor is the four points, the same in train and test", "[dataset]") {
  auto points = Registry<Dataset>::create(config_of("xor"));
  const auto splits = points->load({});
  REQUIRE(splits.size() == 2);
  for (const char* name : {"train", "test"}) {
    const auto& split = splits.at(name);
    REQUIRE(split.inputs.sizes() == at::IntArrayRef({4, 2}));
    REQUIRE(split.inputs.scalar_type() == at::kFloat);
    REQUIRE(split.targets.scalar_type() == at::kLong);
    std::set<std::pair<float, float>> seen;
    for (int i = 0; i < 4; ++i) {
      const auto a = split.inputs[i][0].item<float>(), b = split.inputs[i][1].item<float>();
      seen.insert({a, b});
      CHECK(split.targets[i].item<std::int64_t>() == (a != b ? 1 : 0));
    }
    CHECK(seen == std::set<std::pair<float, float>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  }
  CHECK(points->provenance().tier == "embedded");
  CHECK(points->provenance().substituted_for.empty());
  CHECK(points->provenance().sha256.size() == 64);
  CHECK(points->input_shape() == std::vector<std::int64_t>{2});
  CHECK(points->num_classes() == 2);
  CHECK(points->class_names() == std::vector<std::string>{"0", "1"});
}

TEST_CASE("MNIST is read from the declared files", "[dataset]") {
  OfflineWorld w;
  Node mnist = spec("mnist");
  mnist.set("files", tiny_idx(w.dir / "data/mnist"));
  auto dataset = Registry<Dataset>::create(mnist);
  const auto splits = dataset->load(w.context);
  const auto& train = splits.at("train");
  REQUIRE(train.inputs.sizes() == at::IntArrayRef({6, 28, 28}));
  const auto bytes = noise(6 * 784);
  for (std::size_t i : {0u, 27u, 28u, 784u, 4703u}) {
    CHECK(train.inputs.data_ptr<float>()[i] == static_cast<float>(static_cast<unsigned char>(bytes[i])) / 255.0f);
  }
  for (int i = 0; i < 6; ++i) CHECK(train.targets[i].item<std::int64_t>() == i);
  CHECK(splits.at("test").targets[1].item<std::int64_t>() == 4);
  const auto& p = dataset->provenance();
  CHECK(p.name == "mnist");
  CHECK(p.tier == "local");
  CHECK(p.substituted_for.empty());
  CHECK(p.files.size() == 4);
  CHECK(p.files[0] == (w.dir / "data/mnist/test-images.gz").string());
  CHECK(w.notices.empty());

  mnist.set("limit", 4);
  mnist.set("validation", 0.5);
  mnist.set("pixels", "symmetric");
  const auto shaped = Registry<Dataset>::create(mnist)->load(w.context);
  CHECK(shaped.at("train").size() == 2);
  CHECK(shaped.at("validation").size() == 2);
  CHECK(shaped.at("test").inputs.min().item<float>() >= -1);
  CHECK(shaped.at("test").inputs.min().item<float>() < -0.9);
}

TEST_CASE("mismatched files have their own messages", "[dataset]") {
  const auto message = [](const std::function<Node(const fs::path&)>& make) {
    OfflineWorld w;
    Node mnist = spec("mnist");
    mnist.set("files", make(w.dir / "data/mnist"));
    const auto e = caught([&] { Registry<Dataset>::create(mnist)->load(w.context); });
    CHECK(e.kind() == ErrorKind::kData);
    auto text = e.message() + " | " + e.why();
    for (std::size_t at; (at = text.find(w.dir.path().string())) != text.npos;) text.erase(at, w.dir.path().string().size());
    return text;
  };
  CHECK(message([](const fs::path& d) {
          return tiny_idx(d, {6, 28, 28}, 5);
        }) == "'/data/mnist/train-images.gz' and '/data/mnist/train-labels.gz' have different lengths | 6 images, 5 labels");
  CHECK(message([](const fs::path& d) {
          return tiny_idx(d, {6, 28, 27});
        }) == "'/data/mnist/train-images.gz' contains images of the wrong size | expected 28 x 28, found 28 x 27");
  CHECK(message([](const fs::path& d) {
          return tiny_idx(d, {6, 784});
        }) == "'/data/mnist/train-images.gz' has the wrong rank | expected 3 dimensions, the header says 2");
  CHECK(message([](const fs::path& d) {
          return tiny_idx(d, {6, 28, 28}, 6, 5);
        }) == "'/data/mnist/train-labels.gz' contains a label out of range | expected 0 to 9, found 10");
  CHECK(message([](const fs::path& d) { return tiny_idx(d, {0, 28, 28}, 0); }) == "'/data/mnist/train-images.gz' contains no images | ");
}

TEST_CASE("a missing data set reports where its files can be put", "[dataset]") {
  OfflineWorld w;
  const auto e = caught([&] { Registry<Dataset>::create(spec("mnist"))->load(w.context); });
  CHECK(e.kind() == ErrorKind::kConfig);
  CHECK(e.message() == "'dataset.files.train_images' is required");
  CHECK(e.hint() == "configs/dataset/mnist.yaml has it: use dataset=mnist");
}

TEST_CASE("a substitute is used with a warning unless real data are required", "[dataset]") {
  for (const char* name : {"mnist", "fashion_mnist"}) {
    OfflineWorld w;
    Node real = config_of(name);
    real.erase("system_paths");
    real.set("limit", 50);
    real.set("pixels", "symmetric");
    Node digits = spec("synthetic_digits");
    digits.set("train_size", 100);
    digits.set("test_size", 20);
    real.set("substitute", digits);
    auto dataset = Registry<Dataset>::create(real);
    const auto splits = dataset->load(w.context);
    CHECK(splits.at("train").size() == 50);
    CHECK(splits.at("test").size() == 20);
    CHECK(splits.at("train").inputs.min().item<float>() == -1);
    const auto& p = dataset->provenance();
    CHECK(p.name == "synthetic_digits");
    CHECK(p.tier == "embedded");
    CHECK(p.substituted_for == name);
    CHECK(p.sha256.size() == 64);
    CHECK(dataset->class_names()[9] == "9");
    REQUIRE_FALSE(w.notices.empty());
    const auto& loud = w.notices.back();
    CHECK(loud.find(fmt::format("WARNING: '{}' is not available (cannot download", name)) == 0);
    CHECK(loud.find(fmt::format("'synthetic_digits' is used instead: generated data, NOT {}.", name)) != loud.npos);

    w.context.require_real = true;
    const auto e = caught([&] { Registry<Dataset>::create(real)->load(w.context); });
    CHECK(e.exit_code() == 3);
    CHECK(e.message() == fmt::format("the data set '{}' is not available", name));
    CHECK(e.why().find("not tried: offline") != std::string::npos);
    w.context.require_real = false;
    real.set("substitute", nullptr);
    CHECK(caught([&] { Registry<Dataset>::create(real)->load(w.context); }).exit_code() == 3);
    real.set("substitute", "xor");
    CHECK(caught([&] { Registry<Dataset>::create(real)->load(w.context); }).message() ==
          fmt::format("'xor' cannot be used instead of '{}'", name));
  }
}

TEST_CASE("a wrong file is an error even where a substitute is declared", "[dataset]") {
  OfflineWorld w;
  put(w.dir / "data/mnist/t10k-labels-idx1-ubyte.gz", "mine");
  for (const char* other : {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz"}) {
    put(w.dir / "data/mnist" / other, "mine");
  }
  const auto e = caught([&] { Registry<Dataset>::create(config_of("mnist"))->load(w.context); });
  CHECK(e.exit_code() == 3);
  CHECK(e.message() ==
        fmt::format("'{}/data/mnist/train-images-idx3-ubyte.gz' is not the file declared by 'mnist'", w.dir.path().string()));
  CHECK(read_file(w.dir / "data/mnist/t10k-labels-idx1-ubyte.gz") == "mine");
}

TEST_CASE("Fashion-MNIST has class names", "[dataset]") {
  const auto names = Registry<Dataset>::create(config_of("fashion_mnist"))->class_names();
  CHECK(names.size() == 10);
  CHECK(names[0] == "T-shirt/top");
  CHECK(names[9] == "Ankle boot");
}

TEST_CASE("generated digits depend on the seed but not on threads or size", "[synthetic_digits]") {
  const auto draw = [](std::uint64_t seed, std::int64_t size) {
    Node n = spec("synthetic_digits");
    n.set("train_size", size);
    n.set("test_size", 300);
    DataContext context;
    context.seed = seed;
    auto dataset = Registry<Dataset>::create(n);
    return std::make_pair(dataset->load(context), dataset->provenance());
  };
  const int threads = at::get_num_threads();
  const auto [one, p] = draw(1, 1000);
  at::set_num_threads(1);
  const auto [again, q] = draw(1, 1000);
  at::set_num_threads(threads);
  for (const char* split : {"train", "test"}) {
    CHECK(same_bytes(one.at(split).inputs, again.at(split).inputs));
    CHECK(same_bytes(one.at(split).targets, again.at(split).targets));
  }
  CHECK(p.sha256 == q.sha256);
  CHECK(p.tier == "embedded");
  CHECK(p.substituted_for.empty());

  const auto [longer, r] = draw(1, 1500);
  CHECK(same_bytes(longer.at("train").inputs.narrow(0, 0, 1000).contiguous(), one.at("train").inputs));
  CHECK(r.sha256 != p.sha256);
  const auto [other, s] = draw(2, 1000);
  CHECK_FALSE(same_bytes(other.at("train").inputs, one.at("train").inputs));
  CHECK(s.sha256 != p.sha256);
  // train and test are different draws, and no image occurs twice
  CHECK_FALSE(same_bytes(one.at("train").inputs.narrow(0, 0, 300).contiguous(), one.at("test").inputs));
  CHECK(std::get<0>(at::unique_dim(one.at("train").inputs.view({1000, 784}), 0)).size(0) == 1000);
}

TEST_CASE("generated digits have statistics similar to MNIST's", "[synthetic_digits]") {
  Node n = spec("synthetic_digits");
  n.set("train_size", 4000);
  n.set("test_size", 10);
  const auto split = Registry<Dataset>::create(n)->load({}).at("train");
  CHECK(split.inputs.min().item<float>() == 0);
  CHECK(split.inputs.max().item<float>() > 0.95);
  CHECK(split.inputs.mean().item<double>() == Approx(0.13).margin(0.04));      // MNIST: 0.1307
  CHECK(split.inputs.std(false).item<double>() == Approx(0.31).margin(0.04));  // MNIST: 0.3081
  for (int digit = 0; digit < 10; ++digit) {
    const auto share = split.targets.eq(digit).to(at::kDouble).mean().item<double>();
    CHECK(share == Approx(0.1).margin(5 * std::sqrt(0.09 / 4000)));
  }
  // The border is nearly empty, and every image has ink.
  CHECK(split.inputs.select(1, 0).mean().item<double>() < 0.015);
  CHECK(split.inputs.select(2, 27).mean().item<double>() < 0.01);
  CHECK(split.inputs.sum({1, 2}).min().item<double>() > 10);
}

TEST_CASE("a linear classifier is about as accurate on generated digits as on MNIST", "[synthetic_digits]") {
  Node n = spec("synthetic_digits");
  n.set("train_size", 12000);
  n.set("test_size", 3000);
  const auto splits = Registry<Dataset>::create(n)->load({});
  const double accuracy = linear_accuracy(splits.at("train"), splits.at("test"), 6);
  CHECK(accuracy > 0.86);
  CHECK(accuracy < 0.94);
}

TEST_CASE("the real MNIST is recognised in any folder", "[dataset]") {
  const auto folder = real_mnist();
  OfflineWorld w;
  if (folder) w.context.search_path = {*folder};
  Node mnist = config_of("mnist");
  mnist.set("limit", 3000);
  auto dataset = Registry<Dataset>::create(mnist);
  const auto splits = dataset->load(w.context);
  CHECK(splits.at("train").size() == 3000);
  CHECK(splits.at("test").size() == 10000);
  if (folder) {
    CHECK(dataset->provenance().tier == "local");
    CHECK(dataset->provenance().sha256 == "a259c3a48815a7f086bea40aa430e035c0c13e335664c867e561abfacf25198b");
    const std::vector<std::int64_t> first = {5, 0, 4, 1, 9, 2, 1, 3, 1, 4};
    for (std::size_t i = 0; i < 10; ++i) {
      CHECK(splits.at("train").targets[static_cast<std::int64_t>(i)].item<std::int64_t>() == first[i]);
    }
    CHECK(splits.at("test").targets[0].item<std::int64_t>() == 7);
  } else {
    CHECK(dataset->provenance().substituted_for == "mnist");
  }
  CHECK(linear_accuracy(splits.at("train"), splits.at("test"), 5) > 0.8);
}

namespace {

/// A tar header for a plain file, and its bytes in blocks of 512.
std::string tar_member(const std::string& name, const std::string& bytes) {
  std::string head(512, '\0');
  head.replace(0, name.size(), name);
  head.replace(100, 7, "0000644");
  head.replace(124, 11, fmt::format("{:011o}", bytes.size()));
  head.replace(136, 11, "00000000000");
  head.replace(148, 8, 8, ' ');
  head[156] = '0';
  head.replace(257, 8, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  head.replace(148, 7, fmt::format("{:06o}", sum) + std::string(1, '\0'));
  return head + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

/// `images` records with labels first, first + 1, ...: random pixels.
std::string cifar_batch(std::size_t images, char first, unsigned seed) {
  std::string out;
  const auto pixels = noise(images * 3072, seed);
  for (std::size_t i = 0; i < images; ++i) {
    out += static_cast<char>(first + static_cast<char>(i));
    out += pixels.substr(i * 3072, 3072);
  }
  return out;
}

/// A config whose archive, in `folder`, has those bytes.
Node cifar_of(const fs::path& folder, const std::string& bytes) {
  const auto packed = gzip(bytes);
  put(folder / "tiny.tar.gz", packed);
  Node entry = Node::map(), files = Node::map(), out = spec("cifar10");
  entry.set("file", "tiny.tar.gz");
  entry.set("sha256", sha256(packed));
  files.set("archive", entry);
  out.set("files", files);
  return out;
}

}  // namespace

TEST_CASE("CIFAR-10's binary version is read from its archive", "[dataset][cifar10]") {
  OfflineWorld w;
  const std::string end(1024, '\0');
  std::vector<std::string> batches;
  std::string tar = tar_member("cifar-10-batches-bin/batches.meta.txt", "airplane\n");
  for (unsigned i = 0; i < 6; ++i) batches.push_back(cifar_batch(i == 5 ? 3 : 2, static_cast<char>(i), i + 1));
  for (unsigned i : {4u, 2u, 3u, 0u, 1u}) {  // another order than the batches'
    tar += tar_member("cifar-10-batches-bin/data_batch_" + std::to_string(i + 1) + ".bin", batches[i]);
  }
  const auto test = tar_member("cifar-10-batches-bin/test_batch.bin", batches[5]);
  auto dataset = Registry<Dataset>::create(cifar_of(w.dir / "data/cifar10", tar + test + end));
  const auto splits = dataset->load(w.context);
  REQUIRE(splits.at("train").inputs.sizes() == at::IntArrayRef({10, 3, 32, 32}));
  REQUIRE(splits.at("test").inputs.sizes() == at::IntArrayRef({3, 3, 32, 32}));
  for (std::int64_t i = 0; i < 10; ++i) {
    CHECK(splits.at("train").targets[i].item<std::int64_t>() == i / 2 + i % 2);
    const auto& batch = batches[static_cast<std::size_t>(i / 2)];
    const auto at = static_cast<std::size_t>(i % 2) * 3073 + 1;
    // Channel 2, row 7, column 30 of the image.
    const auto byte = static_cast<unsigned char>(batch[at + 2 * 1024 + 7 * 32 + 30]);
    CHECK(splits.at("train").inputs[i][2][7][30].item<float>() == static_cast<float>(byte) / 255.0f);
  }
  CHECK(splits.at("test").targets[2].item<std::int64_t>() == 7);
  CHECK(dataset->provenance().name == "cifar10");
  CHECK(dataset->provenance().tier == "local");
  CHECK(dataset->class_names()[8] == "ship");

  const auto error_with = [&](const std::string& bytes) {
    return caught([&] { Registry<Dataset>::create(cifar_of(w.dir / "data/cifar10", bytes))->load(w.context); });
  };
  CHECK_THAT(error_with(tar + end).message(), Catch::Matchers::ContainsSubstring("does not contain 'test_batch.bin'"));
  CHECK(error_with(tar + tar_member("test_batch.bin", batches[5].substr(1)) + end).why() == "9218 bytes are not a multiple of 3073");
  CHECK(error_with(tar + tar_member("test_batch.bin", "") + end).exit_code() == 3);
  auto wrong = batches[5];
  wrong[3073] = 10;
  CHECK(error_with(tar + tar_member("test_batch.bin", wrong) + end).why() == "expected 0 to 9, found 10");
  CHECK(error_with("no archive, or not one of tar").exit_code() == 3);
  CHECK(error_with((tar + test).substr(0, tar.size() + 3000)).exit_code() == 3);
}

TEST_CASE("generated shapes replace CIFAR-10 with a warning", "[dataset][cifar10]") {
  OfflineWorld w;
  Node real = config_of("cifar10");
  CHECK(real.at("files").at("archive").at("bytes").as_int() == 170052171);
  real.set("substitute", spec("synthetic_shapes", {{"train_size", 30}, {"test_size", 20}}));
  auto dataset = Registry<Dataset>::create(real);
  CHECK(dataset->load(w.context).at("train").inputs.sizes() == at::IntArrayRef({30, 3, 32, 32}));
  CHECK(dataset->provenance().substituted_for == "cifar10");
  CHECK(dataset->class_names()[7] == "crescent");
  CHECK_THAT(w.notices.back(), Catch::Matchers::ContainsSubstring("'synthetic_shapes' is used instead: generated data, NOT cifar10."));
  w.context.require_real = true;
  CHECK(caught([&] { Registry<Dataset>::create(real)->load(w.context); }).exit_code() == 3);
  w.context.require_real = false;
  real.set("substitute", spec("synthetic_digits", {{"train_size", 10}, {"test_size", 10}}));
  CHECK(caught([&] { Registry<Dataset>::create(real)->load(w.context); }).message() ==
        "'synthetic_digits' cannot be used instead of 'cifar10'");
}

TEST_CASE("generated shapes depend on the seed and no single pixel gives the class", "[synthetic_shapes]") {
  const auto draw = [](std::uint64_t seed, std::int64_t size) {
    DataContext context;
    context.seed = seed;
    return Registry<Dataset>::create(spec("synthetic_shapes", {{"train_size", size}, {"test_size", 400}}))->load(context);
  };
  const auto one = draw(1, 2000), again = draw(1, 2000), longer = draw(1, 2100), other = draw(2, 10);
  CHECK(same_bytes(one.at("train").inputs, again.at("train").inputs));
  CHECK(same_bytes(longer.at("train").inputs.narrow(0, 0, 2000).contiguous(), one.at("train").inputs));
  CHECK_FALSE(same_bytes(other.at("train").inputs, one.at("train").inputs.narrow(0, 0, 10).contiguous()));
  const auto counts = at::bincount(one.at("train").targets, {}, 10);
  CHECK(counts.min().item<std::int64_t>() > 140);
  CHECK(linear_accuracy(one.at("train"), one.at("test"), 1) < 0.3);
}
