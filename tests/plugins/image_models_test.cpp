// cnn and resnet against the same networks built from LibTorch's convolutions, and mlp's operators layer by layer.
#include <ATen/ATen.h>

#include "catch.h"
#include "core/base/files.h"
#include "core/config/yaml.h"
#include "core/model/stacked_architecture.h"
#include "helpers.h"
#include "ops/gradients.h"

namespace yatlab {
namespace {

using gradients::relative_error;
using testing::error_of;
using testing::spec;

std::shared_ptr<Architecture> image_model(const std::string& yaml, const Node& op, std::vector<std::int64_t> shape = {3, 32, 32},
                                          std::int64_t classes = 10) {
  auto out = Registry<Architecture>::create(parse_yaml(yaml, "test"));
  BuildContext c;
  c.op = Registry<Operator>::create(op);
  c.input_shape = std::move(shape);
  c.num_classes = classes;
  c.seed = 5;
  out->build(c);
  return out;
}

std::int64_t count_of(const Architecture& model) {
  std::int64_t out = 0;
  for (const auto& p : model.parameters()) out += p.numel();
  return out;
}

/// A model's layer computed with LibTorch's functions, on [B, C, H, W].
struct Layers {
  std::map<std::string, Tensor> of;
  bool batch = false;  ///< normalise

  explicit Layers(const Architecture& model) {
    for (const auto& p : model.named_parameters()) of[p.key()] = p.value().detach();
  }
  Tensor get(const std::string& name) const { return of.count(name) ? of.at(name) : Tensor(); }
  Tensor convolution(const Tensor& x, int i, std::int64_t stride) const {
    const auto name = "layer" + std::to_string(i);
    const Tensor w = get(name + ".weight");
    const Tensor y = at::conv2d(x, w.view({w.size(0), x.size(1), 3, 3}), get(name + ".bias"), stride, 1);
    if (!batch) return y;
    const auto norm = "norm" + std::to_string(i);
    return at::batch_norm(y, get(norm + ".weight"), get(norm + ".bias"), {}, {}, true, 0.1, 1e-5, false);
  }
  Tensor readout(const Tensor& x, int i) const {
    const auto name = "layer" + std::to_string(i);
    return at::linear(x, get(name + ".weight"), get(name + ".bias"));
  }
};

TEST_CASE("ResNet-20 has the published number of parameters and layers", "[resnet]") {
  const auto model = image_model(read_file(std::filesystem::path(YATLAB_SOURCE_DIR) / "configs/architecture/resnet20.yaml"), spec("dot"));
  CHECK(count_of(*model) == 269722);
  at::manual_seed(31);
  const at::NoGradGuard no_grad;
  for (const auto& p : model->named_parameters()) {
    if (p.key().find("norm") == 0) p.value().add_(at::rand_like(p.value()), 0.5);
  }
  Layers layers(*model);
  layers.batch = true;
  const Tensor inputs = at::randn({2, 3, 32, 32});
  int next = 0;
  Tensor x = at::relu(layers.convolution(inputs, next++, 1));
  for (int stage = 0; stage < 3; ++stage) {
    for (int block = 0; block < 3; ++block) {
      const bool halves = stage > 0 && block == 0;
      Tensor y = at::relu(layers.convolution(x, next++, halves ? 2 : 1));
      y = layers.convolution(y, next++, 1);
      if (halves) {
        const auto added = x.size(1) / 2;  // channels of zeros on either side
        x = at::constant_pad_nd(at::avg_pool2d(x, 1, 2), {0, 0, 0, 0, added, added});
      }
      x = at::relu(x + y);
    }
  }
  REQUIRE(next == 19);
  CHECK(x.sizes() == at::IntArrayRef({2, 64, 8, 8}));
  const Tensor expected = layers.readout(x.mean(at::IntArrayRef{2, 3}), next);
  CHECK(relative_error(model->forward(inputs), expected) < 1e-3);  // of float, through 20 layers
}

TEST_CASE("cnn with the dot product equals the standard network", "[cnn]") {
  at::manual_seed(32);
  for (const char* normalization : {"none", "batch"}) {
    const auto model =
        image_model("{name: cnn, channels: [4, 6], operators: [operator], bias_init: {name: normal, std: 0.3}, normalization: " +
                        std::string(normalization) + "}",
                    spec("dot"), {11, 9});
    Layers layers(*model);
    layers.batch = std::string(normalization) == "batch";
    CHECK(layers.get("layer0.bias").defined() != layers.batch);
    CHECK(layers.get("layer2.bias").defined());
    const Tensor inputs = at::randn({5, 11, 9});
    Tensor x = inputs.unsqueeze(1);
    for (int i = 0; i < 2; ++i) x = at::max_pool2d(at::relu(layers.convolution(x, i, 1)), 2);
    REQUIRE(x.sizes() == at::IntArrayRef({5, 6, 2, 2}));
    const Tensor expected = layers.readout(x.permute({0, 2, 3, 1}).flatten(1), 2);
    CHECK(relative_error(model->forward(inputs), expected) < 1e-5);
  }
}

TEST_CASE("image models train with every operator and report their declared metrics", "[cnn][resnet]") {
  at::manual_seed(33);
  const Tensor x = at::randn({4, 3, 8, 8}), targets = at::tensor(std::vector<std::int64_t>{0, 1, 2, 0});
  for (const char* op : {"dot", "yat", "cosine", "euclidean"}) {
    for (const char* yaml :
         {"{name: cnn, channels: [4, 4], scale: n_over_log}", "{name: resnet, width: 2, blocks: 1, scale: n_over_log}",
          "{name: resnet, width: 2, blocks: 1, normalization: none, scale: multiply, alpha_init: 0.1, activation: tanh}"}) {
      INFO(op << " " << yaml);
      const auto model = image_model(yaml, spec(op), {3, 8, 8}, 3);
      at::cross_entropy_loss(model->forward(x), targets).backward();
      for (const auto& p : model->named_parameters()) {
        INFO(p.key());
        REQUIRE(p.value().grad().defined());
        CHECK(at::isfinite(p.value().grad()).all().item<bool>());
      }
      const auto seen = model->observables();
      CHECK(seen.count(std::string(yaml).find("cnn") != std::string::npos ? "model/alpha0" : "model/alpha") == 1);
      CHECK(seen.count("model/alpha2") == 0);  // the readout is a dot product, without scale
    }
  }
  const auto learned = image_model("{name: cnn, channels: [2]}", spec("yat", {{"learn_epsilon", true}}));
  CHECK(learned->observables().count("model/epsilon") == 1);
  CHECK(learned->named_parameters().contains("operator.free_epsilon"));
}

TEST_CASE("a miniature resnet declares the same metrics as the full one", "[resnet]") {
  const auto large = Registry<Architecture>::create(parse_yaml("{name: resnet, scale: n_over_log}", "test"));
  auto small = large->miniature();
  BuildContext c;
  c.op = Registry<Operator>::create(spec("yat"));
  c.input_shape = {3, 32, 32};
  c.num_classes = 10;
  small->build(c);
  CHECK(count_of(*small) < 2000);
  CHECK(small->observables().count("model/alpha") == 1);
  const auto names = "[dot, dot, dot, dot, dot, dot, dot, dot, operator]";  // more than the smallest network has layers
  small = Registry<Architecture>::create(parse_yaml(std::string("{name: resnet, operators: ") + names + "}", "test"))->miniature();
  CHECK_NOTHROW(small->build(c));
}

TEST_CASE("image models reject unsupported inputs", "[cnn][resnet][errors]") {
  CHECK_THAT(error_of([] { image_model("{name: cnn}", spec("dot"), {784}); }), Catch::Matchers::ContainsSubstring("'cnn' needs images"));
  CHECK_THAT(error_of([] { image_model("{name: resnet}", spec("dot"), {784}); }),
             Catch::Matchers::ContainsSubstring("'resnet' needs images"));
  CHECK_THAT(error_of([] { image_model("{name: cnn, kernel: 4}", spec("dot")); }), Catch::Matchers::ContainsSubstring("has no center"));
  CHECK_THAT(error_of([] {
               image_model("{name: cnn, channels: [1, 1, 1]}", spec("dot"), {4, 9});
             }),
             Catch::Matchers::ContainsSubstring("4 x 9 pixels are too small for 3 halvings"));
  CHECK_THAT(error_of([] { image_model("{name: cnn, operators: [dot, dot, dot, dot]}", spec("dot")); }),
             Catch::Matchers::ContainsSubstring("4 operators for 3 layers"));
}

TEST_CASE("mlp: operators can be set for each layer at any depth", "[mlp]") {
  at::manual_seed(34);
  const auto model = image_model(
      "{name: mlp, hidden: [6, 5], repeat: 2, operators: [operator, euclidean, dot], activation: tanh, scale: n_over_log, "
      "bias_init: {name: normal, std: 0.3}}",
      spec("yat", {{"epsilon", 0.5}}), {4}, 3);
  std::map<std::string, Tensor> p;
  for (const auto& item : model->named_parameters()) p[item.key()] = item.value().detach();
  REQUIRE(p.size() == 2 * 5 + 3);
  const auto yat = Registry<Operator>::create(spec("yat", {{"epsilon", 0.5}})), distance = Registry<Operator>::create(spec("euclidean"));
  const Tensor inputs = at::randn({7, 4});
  Tensor x = inputs;
  const std::vector<std::int64_t> units = {6, 5, 6, 5, 3};
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto name = "layer" + std::to_string(i);
    const auto &w = p.at(name + ".weight"), &b = p.at(name + ".bias");
    REQUIRE(w.sizes() == at::IntArrayRef({units[i], x.size(1)}));
    CHECK(p.count(name + ".alpha") == (i < 3 ? 1 : 0));
    const auto n = static_cast<double>(units[i]);
    x = i < 3 ? yat->scores(x, w, b) * (n / std::log1p(n)) : i == 3 ? distance->scores(x, w, b) : at::linear(x, w, b);
    if (i < 4) x = x.tanh();
  }
  CHECK(relative_error(model->forward(inputs), x) < 1e-5);
  CHECK(model->observables().count("model/alpha2") == 1);
  CHECK_FALSE(as_stacked(*model));
  CHECK(as_stacked(*image_model("{name: mlp}", spec("yat"), {4}, 3)));
  CHECK_FALSE(as_stacked(*image_model("{name: mlp, normalization: batch}", spec("yat"), {4}, 3)));
}

TEST_CASE("mlp: batch normalisation precedes each activation", "[mlp]") {
  at::manual_seed(35);
  const auto model = image_model("{name: mlp, hidden: [6, 5], normalization: batch}", spec("dot"), {4}, 3);
  std::map<std::string, Tensor> p;
  for (const auto& item : model->named_parameters()) p[item.key()] = item.value().detach();
  const Tensor inputs = at::randn({7, 4});
  Tensor x = inputs;
  for (int i = 0; i < 3; ++i) {
    const auto name = "layer" + std::to_string(i);
    CHECK(p.count(name + ".bias") == (i < 2 ? 0 : 1));  // normalisation has its own shift
    x = at::linear(x, p.at(name + ".weight"));
    if (i < 2) x = at::relu((x - x.mean(0)) / (x.var(0, false) + 1e-5).sqrt());
  }
  CHECK(relative_error(model->forward(inputs), x) < 1e-4);
}

}  // namespace
}  // namespace yatlab
