#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/measure/analysis.h"
#include "core/model/language_model.h"
#include "core/train/layer_statistics.h"

using namespace yatlab;

namespace {

/// Predicts from the last token alone: token i has the logits table[i].
class Parrot final : public Architecture, public LanguageModel {
 public:
  explicit Parrot(Tensor table) : table_(std::move(table)) {}
  void build(const BuildContext&) override {}
  Tensor forward(const Tensor& tokens) override { return hidden(tokens); }
  Tensor hidden(const Tensor& tokens) override { return at::embedding(table_, token_numbers(tokens)); }
  Tensor head() const override { return at::eye(table_.size(1)); }

 private:
  Tensor table_;
};

Tensor some_tokens(std::int64_t n, std::int64_t t, std::uint64_t seed) {
  return at::randint(0, 20, {n, t}, at::make_generator<at::CPUGeneratorImpl>(seed), at::TensorOptions().dtype(at::kLong));
}

struct Look {
  std::map<std::string, Split> splits;
  std::shared_ptr<Dataset> data = Registry<Dataset>::create("generated_text");
  std::shared_ptr<Task> task = Registry<Task>::create("language_modeling");
  Findings operator()(Architecture& model, const std::string& analysis,
                      const std::function<std::shared_ptr<Architecture>()>& initial = {}) const {
    const TrainedArm arm{model, initial, splits, *data, *task, nullptr, 5, 3};
    return Registry<Analysis>::create(parse_yaml("{" + analysis + "}", "test"))->analyse(arm);
  }
};

std::shared_ptr<Architecture> transformer(const std::string& more, const char* op) {
  Node spec = parse_yaml("{name: transformer, layers: 2, heads: 2, width: 16, context: 12, init_std: 0.3, " + more + "}", "test");
  auto out = Registry<Architecture>::create(spec);
  BuildContext context;
  context.op = Registry<Operator>::create(op);
  context.input_shape = {12};
  context.num_classes = 20;
  out->build(context);
  return out;
}

}  // namespace

TEST_CASE("calibration: bins and error agree with the definition", "[calibration]") {
  // After token 0 the model gives token 1 90 %, after token 1 it gives token 0 60 %.
  const Tensor table = at::tensor({0.1, 0.9, 0.6, 0.4}, at::kFloat).view({2, 2}).log();
  Parrot model(table);
  Look look;
  const Tensor inputs = at::tensor(std::vector<std::int64_t>{0, 0, 0, 1, 0, 1, 0, 1, 1, 1}).view({5, 2});
  const Tensor targets = at::tensor(std::vector<std::int64_t>{1, 1, 0, 0, 1, 1, 1, 0, 0, 1}).view({5, 2});
  look.splits["test"] = {inputs, targets};
  const auto found = look(model, "name: calibration, bins: 10, resamples: 200");
  // Token 0: five times, right four times. Token 1: five times, right three times.
  const double ece = 0.5 * std::abs(0.9 - 0.8) + 0.5 * std::abs(0.6 - 0.6);
  CHECK(found.metrics.at("calibration/ece") == Approx(ece).epsilon(1e-5));
  CHECK(found.metrics.at("calibration/confidence") == Approx(0.75).epsilon(1e-5));
  CHECK(found.metrics.at("calibration/accuracy") == Approx(0.7).epsilon(1e-5));
  // If each confidence were true, 5 tokens of each kind would still deviate by chance.
  CHECK(found.metrics.at("calibration/ece_floor") ==
        Approx((std::sqrt(5 * 0.9 * 0.1 * 2 / M_PI) + std::sqrt(5 * 0.6 * 0.4 * 2 / M_PI)) / 10).epsilon(1e-4));
  CHECK(found.metrics.at("calibration/ece_low") <= found.metrics.at("calibration/ece_high"));
  const auto& json = found.artifacts.at("calibration");
  CHECK(json["tokens"] == 10);
  CHECK(json["samples"] == 5);
  REQUIRE(json["bins"].size() == 10);
  std::int64_t tokens = 0, filled = 0;
  for (const auto& bin : json["bins"]) {
    tokens += bin["count"].get<std::int64_t>();
    if (bin["count"] == 0) {
      CHECK_FALSE(bin.contains("accuracy"));
      continue;
    }
    ++filled;
    CHECK(bin["count"] == 5);
    const bool sure = bin["confidence"].get<double>() > 0.75;
    CHECK(bin["confidence"].get<double>() == Approx(sure ? 0.9 : 0.6).epsilon(1e-5));
    CHECK(bin["accuracy"].get<double>() == Approx(sure ? 0.8 : 0.6));
    CHECK(bin["accuracy_low"].get<double>() <= bin["accuracy"].get<double>());
    CHECK(bin["accuracy_high"].get<double>() >= bin["accuracy"].get<double>());
  }
  CHECK(tokens == 10);
  CHECK(filled == 2);
  CHECK(look(model, "name: calibration, bins: 10, resamples: 200").metrics == found.metrics);
}

TEST_CASE("calibration: intervals resample whole samples and shrink with their number", "[calibration]") {
  const Tensor table = at::randn({20, 20}, at::make_generator<at::CPUGeneratorImpl>(1)) * 2;
  Parrot model(table);
  const auto width = [&](std::int64_t samples) {
    Look look;
    look.splits["test"] = {some_tokens(samples, 8, 2), some_tokens(samples, 8, 3)};
    const auto m = look(model, "name: calibration, resamples: 300").metrics;
    return m.at("calibration/ece_high") - m.at("calibration/ece_low");
  };
  const double few = width(20), many = width(2000);
  CHECK(many < few / 5);  // about a tenth
  CHECK(many > few / 20);
  // The same sample repeated has no sampling error.
  Look look;
  look.splits["test"] = {some_tokens(1, 8, 2).repeat({30, 1}), some_tokens(1, 8, 3).repeat({30, 1})};
  const auto m = look(model, "name: calibration").metrics;
  CHECK(m.at("calibration/ece_high") - m.at("calibration/ece_low") < 1e-9);
}

TEST_CASE("calibration: a perfectly calibrated model reaches the error floor", "[calibration]") {
  const Tensor table = at::randn({20, 20}, at::make_generator<at::CPUGeneratorImpl>(1)) * 2;
  Parrot model(table);
  double error = 0, floor = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Look look;
    const Tensor tokens = some_tokens(100, 8, seed);
    const Tensor p = at::softmax(at::embedding(table, tokens.flatten()), 1);
    look.splits["test"] = {tokens, at::multinomial(p, 1, false, at::make_generator<at::CPUGeneratorImpl>(seed + 100)).view({100, 8})};
    const auto m = look(model, "name: calibration, resamples: 1").metrics;
    error += m.at("calibration/ece") / 30;
    floor += m.at("calibration/ece_floor") / 30;
  }
  CHECK(floor == Approx(error).epsilon(0.1));
}

TEST_CASE("document losses: only whole documents count, each with its end token", "[document_losses]") {
  // Every token's probability depends on its position in the table alone: token i costs i nats plus a constant.
  const Tensor table = -at::arange(20, at::kFloat).repeat({20, 1});
  Parrot model(table);
  const double norm = std::log(at::exp(table[0].to(at::kDouble)).sum().item<double>());
  const auto cost = [&](std::initializer_list<int> tokens) {
    double out = 0;
    for (const int t : tokens) out += t + norm;
    return out;
  };
  // A text in three windows of four: the end of a document, two whole ones, the beginning of another. 19 precedes each.
  const Tensor text = at::tensor(std::vector<std::int64_t>{3, 19, 1, 2, 19, 4, 5, 6, 19, 7, 8, 9, 9});
  Look look;
  look.splits["test"] = {text.narrow(0, 0, 12).view({3, 4}), text.narrow(0, 1, 12).view({3, 4})};
  const auto found = look(model, "name: document_losses, end_of_text: 19");
  const auto& json = found.artifacts.at("documents");
  CHECK(json["tokens"].get<std::vector<int>>() == std::vector<int>{3, 4});
  REQUIRE(json["losses"].size() == 2);
  CHECK(json["losses"][0].get<double>() == Approx(cost({1, 2, 19})).epsilon(1e-6));
  CHECK(json["losses"][1].get<double>() == Approx(cost({4, 5, 6, 19})).epsilon(1e-6));
  const double loss = (cost({1, 2, 19}) + cost({4, 5, 6, 19})) / 7;
  CHECK(found.metrics.at("documents/count") == 2);
  CHECK(found.metrics.at("documents/loss") == Approx(loss).epsilon(1e-6));
  // A resample of two documents holds one twice, or both.
  CHECK(found.metrics.at("documents/loss_low") == Approx(cost({1, 2, 19}) / 3).epsilon(1e-6));
  CHECK(found.metrics.at("documents/loss_high") == Approx(cost({4, 5, 6, 19}) / 4).epsilon(1e-6));
  const auto before = [&] {
    Registry<Analysis>::create(parse_yaml("{name: document_losses, end_of_text: 19}", "test"))->check_data({}, {*look.data, look.splits});
  };
  before();
  look.splits["test"] = {text.narrow(0, 0, 3).view({1, 3}), text.narrow(0, 1, 3).view({1, 3})};
  CHECK_THROWS_WITH(look(model, "name: document_losses, end_of_text: 19"), Catch::Matchers::ContainsSubstring("no whole document"));
  CHECK_THROWS_WITH(before(), Catch::Matchers::ContainsSubstring("no whole document"));
}

TEST_CASE("activation statistics agree with the layers' outputs", "[activation_statistics]") {
  for (const auto& [yaml, op] :
       {std::pair{"", "dot"}, std::pair{"norm: {place: none}, attention: {scale: none}, mlp: {kind: nmn}", "yat"}}) {
    INFO(op);
    const auto model = transformer(yaml, op);
    Look look;
    look.splits["test"] = {some_tokens(4, 12, 2), some_tokens(4, 12, 3)};
    for (auto& p : model->parameters()) p.mutable_grad() = at::full_like(p, 2.0);
    model->train();
    const auto found = look(*model, "name: activation_statistics, samples: 4", [&, y = yaml, o = op] { return transformer(y, o); });
    const auto& json = found.artifacts.at("activation_statistics");
    REQUIRE(json["layers"].size() == 3);
    CHECK(json["initial"] == json["layers"]);  // it has not been trained
    std::map<std::string, Tensor> p;
    for (const auto& entry : model->named_parameters()) p[entry.key()] = entry.value().detach();
    const Tensor start = at::embedding(p["tokens"], look.splits["test"].inputs) + p["positions"];
    CHECK(json["layers"][0]["residual"]["rms"].get<double>() == Approx(start.square().mean().sqrt().item<double>()).epsilon(1e-5));
    CHECK(json["layers"][0]["residual"]["largest"].get<double>() ==
          Approx(start.square().mean(-1).sqrt().max().item<double>()).epsilon(1e-5));
    for (const auto& layer : json["layers"]) CHECK(layer["gradient"].get<double>() > 0);
    for (const int i : {1, 2}) {
      const auto& layer = json["layers"][static_cast<std::size_t>(i)];
      CHECK(layer["scores"]["min"].get<double>() <= layer["scores"]["mean"].get<double>());
      CHECK(layer["scores"]["mean"].get<double>() <= layer["scores"]["max"].get<double>());
      CHECK(layer["entropy"].get<double>() > 0);
      CHECK(layer["entropy"].get<double>() <= 1 + 1e-6);
    }
    CHECK(found.metrics.at("layers/residual_rms") == json["layers"][2]["residual"]["rms"].get<double>());
    CHECK(found.metrics.at("layers/gradient_embeddings") == json["layers"][0]["gradient"].get<double>());
    // The gradient of the last block's parameters, computed again by hand.
    for (auto& q : model->parameters()) {
      CHECK(at::equal(q.grad(), at::full_like(q, 2.0)));  // unchanged
      q.mutable_grad().reset();
    }
    CHECK(model->is_training());
    model->eval();
    look.task->training_loss(*model, look.splits["test"].inputs, look.splits["test"].targets).backward();
    double squares = 0;
    for (const auto& entry : model->named_parameters()) {
      if (entry.key().rfind("block1.", 0) == 0) squares += entry.value().grad().square().sum().item<double>();
    }
    CHECK(json["layers"][2]["parameter_gradient"].get<double>() == Approx(std::sqrt(squares)).epsilon(1e-4));
  }
}

TEST_CASE("uniform attention has entropy 1 and observation changes nothing", "[activation_statistics]") {
  const auto model = transformer("", "dot");
  {
    const at::NoGradGuard no_grad;
    for (auto& p : model->named_parameters()) {
      if (p.key().find("qkv") != std::string::npos) p.value().zero_();
    }
  }
  Look look;
  look.splits["test"] = {some_tokens(2, 12, 2), some_tokens(2, 12, 3)};
  const Tensor before = model->forward(look.splits["test"].inputs);
  const auto found = look(*model, "name: activation_statistics, initial: false");
  CHECK(found.metrics.at("layers/attention_entropy") == Approx(1).epsilon(1e-5));
  CHECK(found.metrics.at("layers/score_max") == 0);
  CHECK(at::equal(model->forward(look.splits["test"].inputs), before));
}

TEST_CASE("a diverged model can still be analysed", "[activation_statistics]") {
  const auto model = transformer("", "dot");
  {
    const at::NoGradGuard no_grad;
    model->named_parameters()["block1.mlp.down.weight"].fill_(std::nan(""));
  }
  Look look;
  look.splits["test"] = {some_tokens(2, 12, 2), some_tokens(2, 12, 3)};
  CHECK(Registry<Analysis>::create("activation_statistics")->of_diverged());
  CHECK_FALSE(Registry<Analysis>::create("calibration")->of_diverged());
  const auto found = look(*model, "name: activation_statistics, initial: false");
  CHECK(std::isnan(found.metrics.at("layers/residual_rms")));
  CHECK(std::isfinite(
      found.artifacts.at("activation_statistics")["layers"][1]["residual"]["rms"].get<double>()));  // it begins behind block 1
}

TEST_CASE("language model analyses report non-finite scores", "[calibration][document_losses][ngrams][finite]") {
  const auto model = transformer("", "dot");
  Look look;
  look.splits["test"] = {some_tokens(2, 12, 2), some_tokens(2, 12, 3)};
  look.splits["train"] = look.splits["test"];
  const std::vector<std::string> analyses = {"name: calibration", "name: document_losses, end_of_text: 1", "name: ngrams, orders: 1"};
  CHECK(look(*model, analyses[0]).not_finite.empty());
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const at::NoGradGuard no_grad;
    model->named_parameters()["block1.mlp.down.weight"].fill_(bad);
    for (const auto& analysis : analyses) {
      const auto found = look(*model, analysis);
      INFO(analysis);
      CHECK(found.not_finite.find("not finite") != std::string::npos);
      CHECK(found.not_finite.find("test") != std::string::npos);
      CHECK(found.metrics.empty());
    }
  }
  // Sizes and scores of a model with NaN parameters are not finite.
  model->named_parameters()["tokens"].detach().fill_(std::nan(""));
  const auto found = look(*model, "name: activation_statistics, initial: false");
  for (const auto& [name, value] : found.metrics) {
    INFO(name);
    CHECK(std::isnan(value));
  }
}

TEST_CASE("evaluations report layer statistics on request", "[language_modeling]") {
  const auto model = transformer("", "dot");
  const Split split{some_tokens(4, 12, 2), some_tokens(4, 12, 3)};
  const auto task = Registry<Task>::create(parse_yaml("{name: language_modeling, layer_statistics: 3}", "test"));
  const auto plain = Registry<Task>::create("language_modeling")->evaluate(*model, split, 2);
  auto shown = task->evaluate(*model, split, 2);
  const auto expected = layer_summary(layer_statistics(*model, *task, split.inputs.narrow(0, 0, 3), split.targets.narrow(0, 0, 3)));
  for (const auto& [name, value] : expected) {
    INFO(name);
    CHECK(shown.at("layers_" + name) == value);
    shown.erase("layers_" + name);
  }
  CHECK(shown == plain);
}

TEST_CASE("step_memory: saved memory is right and smaller with recomputation", "[step_memory]") {
  Look look;
  look.splits["test"] = {some_tokens(4, 12, 2), some_tokens(4, 12, 3)};
  const auto measure = [&](const char* yaml, const char* op, const char* samples = "4") {
    const auto model = transformer(yaml, op);
    return look(*model, std::string("name: step_memory, samples: ") + samples, [=] { return transformer(yaml, op); }).metrics;
  };
  const auto normed = measure("", "dot"), plain = measure("norm: {place: none}", "dot");
  double parameters = 0;
  for (const auto& p : transformer("", "dot")->parameters()) parameters += static_cast<double>(p.numel()) * 4;
  CHECK(normed.at("memory/parameters") == parameters);
  // Two blocks: each LayerNorm keeps its output and two numbers per row beside its input, and so does the last one.
  const double unit = 4 * 12 * 16 * 4;
  CHECK(normed.at("memory/saved") - plain.at("memory/saved") == Approx(5 * unit).epsilon(0.2));
  for (const auto* m : {&normed, &plain}) {
    CHECK(m->at("memory/saved_recomputed") < 0.5 * m->at("memory/saved"));
    CHECK(m->at("memory/peak_recomputed") < m->at("memory/peak"));
    CHECK(m->at("memory/peak") >= m->at("memory/saved"));
  }
  CHECK(measure("", "dot", "2").at("memory/saved") < 0.6 * normed.at("memory/saved"));
}

TEST_CASE("activation_statistics and calibration reject unsupported models and splits", "[calibration][activation_statistics]") {
  const auto model = Registry<Architecture>::create("prototype_classifier");
  Look look;
  look.splits["test"] = {some_tokens(2, 12, 2), some_tokens(2, 12, 3)};
  CHECK_THROWS_WITH(look(*model, "name: activation_statistics"), Catch::Matchers::ContainsSubstring("need a language model"));
  const auto right = transformer("", "dot");
  CHECK_THROWS_WITH(look(*right, "name: calibration, split: validation"), Catch::Matchers::ContainsSubstring("no split 'validation'"));
}
