#include "core/model/start_weights.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "catch.h"
#include "core/base/hash.h"
#include "core/config/yaml.h"
#include "core/model/build_model.h"
#include "core/model/language_model.h"
#include "helpers.h"
#include "holds.h"
#include "temporary_folder.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

struct Layer final : torch::nn::Module {
  explicit Layer(bool with_bias) {
    weight = register_parameter("weight", at::zeros({2, 3}));
    if (with_bias) bias = register_parameter("bias", at::zeros({2}));
  }
  Tensor weight, bias;
};

/// A weight, a bias and a counter of its passes.
class Plain final : public Architecture {
 public:
  explicit Plain(bool with_bias = true) : layer(register_module("layer", std::make_shared<Layer>(with_bias))) {
    register_buffer("passes", at::full({1}, 7, at::kLong));
  }
  void build(const BuildContext&) override {}
  Tensor forward(const Tensor& x) override { return x.matmul(layer->weight.t()); }
  std::shared_ptr<Layer> layer;
};

/// Tokens in `rows` rows, positions in `context`.
class Words final : public Architecture, public LanguageModel {
 public:
  Words(std::int64_t rows, std::int64_t context) {
    tokens = register_parameter("tokens", at::full({rows, 2}, -1.0));
    positions = register_parameter("positions", at::zeros({context, 2}));
  }
  void build(const BuildContext&) override {}
  Tensor forward(const Tensor& x) override { return hidden(x).matmul(tokens.t()); }
  Tensor hidden(const Tensor& x) override { return tokens.index_select(0, x.flatten()); }
  Tensor head() const override { return tokens; }
  Tensor tokens, positions;
};

NamedTensors plain_weights() {
  return {{"layer.weight", at::arange(6, at::kFloat).view({2, 3})},
          {"layer.bias", at::full({2}, 0.5)},
          {"passes", at::full({1}, 99, at::kLong)}};
}

NamedTensors words(std::int64_t rows, std::int64_t context, std::int64_t of_tokens) {
  Tensor tokens = at::arange(2 * rows, at::kFloat).view({rows, 2}) + 1;
  tokens.narrow(0, of_tokens, rows - of_tokens).zero_();
  return {{"tokens", tokens}, {"positions", at::ones({context, 2})}};
}

std::string refusal(Architecture& model, const NamedTensors& given, std::int64_t classes = 2) {
  return error_of([&] { give_weights(model, given, classes, "w.safetensors"); });
}

}  // namespace

TEST_CASE("a model starts from exactly the weights that it is given", "[start_weights]") {
  Plain model;
  give_weights(model, plain_weights(), 2, "w");
  CHECK(at::equal(model.layer->weight, at::arange(6, at::kFloat).view({2, 3})));
  CHECK(at::equal(model.layer->bias, at::full({2}, 0.5)));
  // The other model's number of passes is not taken over.
  CHECK(model.named_buffers()["passes"].item<std::int64_t>() == 7);
  // In any order, and without that counter.
  auto given = plain_weights();
  given.pop_back();
  std::reverse(given.begin(), given.end());
  Plain again;
  give_weights(again, given, 2, "w");
  CHECK(at::equal(again.layer->weight, model.layer->weight));
  CHECK(model.layer->weight.requires_grad());
}

TEST_CASE("weights that do not fit are rejected with the mismatch", "[start_weights]") {
  Plain model;
  auto missing = plain_weights();
  missing.erase(missing.begin() + 1);
  CHECK(holds(refusal(model, missing), "the weights have no tensor 'layer.bias', which this model has\n  at: w.safetensors"));
  auto wide = plain_weights();
  wide[0].second = at::zeros({2, 4});
  CHECK(holds(refusal(model, wide), "'layer.weight' is [2, 4] in the weights and [2, 3] in this model"));
  // The same number of values in another shape does not match.
  auto turned = plain_weights();
  turned[0].second = at::zeros({3, 2});
  CHECK(holds(refusal(model, turned), "'layer.weight' is [3, 2] in the weights and [2, 3] in this model"));
  auto more = plain_weights();
  more.emplace_back("second.weight", at::zeros({1}));
  CHECK(holds(refusal(model, more), "the weights have a tensor 'second.weight', which this model does not have"));
}

TEST_CASE("a zero bias may be dropped but any other bias needs a parameter", "[start_weights]") {
  Plain model(false);
  auto given = plain_weights();
  CHECK(holds(refusal(model, given), "the weights have a tensor 'layer.bias', which this model does not have"));
  given[1].second = at::zeros({2});
  give_weights(model, given, 2, "w");
  CHECK(at::equal(model.layer->weight, given[0].second));
  // A weight of zeros still counts.
  given[1].first = "other.weight";
  CHECK(holds(refusal(model, given), "'other.weight'"));
}

TEST_CASE("vocabulary padding rows are accepted on both sides", "[start_weights]") {
  const std::int64_t classes = 5;
  for (const std::int64_t theirs : {5, 8}) {
    for (const std::int64_t ours : {5, 6, 8}) {
      INFO(theirs << " rows for a model of " << ours);
      Words model(ours, 4);
      const auto given = words(theirs, 4, classes);
      give_weights(model, given, classes, "w");
      CHECK(at::equal(model.tokens.narrow(0, 0, classes), given[0].second.narrow(0, 0, classes)));
      CHECK(at::equal(model.positions, at::ones({4, 2})));
    }
  }
  Words model(6, 4);
  // Non-zero rows beyond the data's tokens belong to tokens of another vocabulary.
  CHECK(holds(refusal(model, words(8, 4, 7), classes),
              "'tokens' is [8, 2] in the weights and [6, 2] in this model\n  at: w.safetensors\n  why: the data has 5 tokens"));
  CHECK(holds(refusal(model, words(4, 4, 4), classes), "'tokens' is [4, 2] in the weights and [6, 2] in this model"));
  CHECK(holds(refusal(model, words(6, 9, 5), classes),
              "'positions' is [9, 2] in the weights and [4, 2] in this model\n  at: w.safetensors\n"
              "  why: they were trained with architecture.context=9; dataset.context may be less"));
}

TEST_CASE("a config's weights are read from its file with the planned checksum", "[start_weights]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "model.safetensors";
  save_safetensors(file, plain_weights());
  const auto config = [&](const std::string& more) { return parse_yaml("{name: plain" + more + "}", "x.yaml"); };
  const auto start = [&](const std::string& more) {
    Plain model;
    start_from_weights(model, config(more), 2);
    return model.layer->weight.sum().item<double>();
  };
  CHECK(start("") == 0);
  CHECK(start(", weights: null") == 0);
  CHECK(start(", weights: " + file.string()) == 15);
  CHECK(start(", weights: " + file.string() + ", weights_sha256: '" + sha256_file(file) + "'") == 15);
  CHECK(start(", weights: " + file.string() + ", weights_sha256: null") == 15);
  const auto error = error_of([&] { start(", weights: " + file.string() + ", weights_sha256: '" + std::string(64, '0') + "'"); });
  CHECK(holds(error, "these are not the weights that the job was planned with"));
  CHECK(holds(error, "their SHA-256 is " + sha256_file(file)));
  CHECK(holds(error_of([&] { start(", weights: " + (folder.path() / "none").string()); }), "none"));
}
