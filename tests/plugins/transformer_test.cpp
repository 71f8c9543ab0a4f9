#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/autograd.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/model/language_model.h"
#include "core/model/token_loss.h"
#include "core/ops/kernel_choice.h"
#include "core/train/task.h"

namespace yatlab {
namespace {

using at::Tensor;

std::shared_ptr<Operator> op_of(const char* name) { return Registry<Operator>::create(Node(name)); }

struct Model {
  std::shared_ptr<Architecture> module;
  LanguageModel& lm() const { return dynamic_cast<LanguageModel&>(*module); }
};

Model built(const std::string& yaml, const char* op, std::int64_t vocabulary = 50, std::int64_t context = 16, std::uint64_t seed = 1) {
  Node spec = parse_yaml("{name: transformer, layers: 2, heads: 2, width: 16, context: 16}", "test");
  const Node changes = parse_yaml("{" + yaml + "}", "test");
  for (const auto& [key, value] : changes.as_map()) spec.set(key, value);
  Model out{Registry<Architecture>::create(spec)};
  BuildContext c;
  c.op = op_of(op);
  c.input_shape = {context};
  c.num_classes = vocabulary;
  c.seed = seed;
  out.module->build(c);
  return out;
}

Tensor tokens(std::int64_t b, std::int64_t t, std::int64_t vocabulary = 50, std::uint64_t seed = 3) {
  return at::randint(0, vocabulary, {b, t}, at::make_generator<at::CPUGeneratorImpl>(seed), at::TensorOptions().dtype(at::kLong));
}

std::int64_t count(const Architecture& model) {
  std::int64_t n = 0;
  for (const auto& p : model.parameters()) n += p.numel();
  return n;
}

constexpr const char* kAether = "norm: {place: none}, attention: {scale: none}, mlp: {kind: nmn, scale: n_over_log}";

}  // namespace

TEST_CASE("GPT-2 small has the paper's numbers of parameters", "[transformer]") {
  // tab:model_comparison: 124M in total, 39M embeddings, 85M others. Without biases, as in the table.
  const auto config = [](const char* file) { return load_yaml(fs::path(YATLAB_SOURCE_DIR) / "configs/architecture" / file); };
  for (const auto& [file, op] : {std::pair{"gpt2.yaml", "dot"}, std::pair{"aether_gpt2.yaml", "yat"}}) {
    INFO(file);
    const auto model = Registry<Architecture>::create(config(file));
    BuildContext c;
    c.op = op_of(op);
    c.input_shape = {1024};
    c.num_classes = 50257;
    model->build(c);
    std::int64_t embeddings = 0;
    for (const auto& p : model->named_parameters()) embeddings += p.key() == "tokens" || p.key() == "positions" ? p.value().numel() : 0;
    CHECK(embeddings == 50257 * 768 + 1024 * 768);
    CHECK(std::llround(static_cast<double>(count(*model)) / 1e6) == 124);
    CHECK(std::llround(static_cast<double>(embeddings) / 1e6) == 39);
    CHECK(std::llround(static_cast<double>(count(*model) - embeddings) / 1e6) == 85);
  }
}

TEST_CASE("every variant runs, learns something, and never looks ahead", "[transformer]") {
  for (const auto& [yaml, op] : std::vector<std::pair<std::string, const char*>>{
           {"", "dot"},
           {"norm: {place: post, kind: rms}, bias: true", "dot"},
           {"tied: false, attention: {scale: learned}", "cosine"},
           {kAether, "yat"},
           {"norm: {place: pre}, attention: {scale: none, normalizer: softermax, block: 3}, mlp: {kind: nmn, operator: {name: yat, "
            "epsilon: 1.0e-4}}",
            "yat"},
           {"norm: {place: post}, attention: {normalizer: soft_sigmoid}, mlp: {kind: nmn}", "yat"},
           {"attention: {scale: sqrt}", "euclidean"}}) {
    INFO(op << " " << yaml);
    const auto model = built(yaml, op);
    const Tensor x = tokens(3, 9), y = tokens(3, 9, 50, 4);
    const Tensor logits = model.module->forward(x);
    REQUIRE(logits.sizes() == at::IntArrayRef({3, 9, 50}));
    // The future of a sequence cannot change its past.
    Tensor other = x.clone();
    other.narrow(1, 6, 3).fill_(7);
    CHECK(at::allclose(model.module->forward(other).narrow(1, 0, 6), logits.narrow(1, 0, 6), 1e-5, 1e-6));
    // Every parameter gets a gradient, and a step along it lowers the loss.
    const auto task = Registry<Task>::create(Node("language_modeling"));
    const Tensor loss = task->training_loss(*model.module, x, y);
    loss.backward();
    {
      const at::NoGradGuard no_grad;
      for (const auto& p : model.module->named_parameters()) {
        INFO(p.key());
        REQUIRE(p.value().grad().defined());
        CHECK(at::isfinite(p.value().grad()).all().item<bool>());
        p.value().sub_(p.value().grad(), 0.05);
      }
    }
    CHECK(task->training_loss(*model.module, x, y).item<double>() < loss.item<double>());
  }
}

TEST_CASE("a standard transformer block agrees with its formula", "[transformer]") {
  const auto model = built("layers: 1, heads: 1", "dot");
  std::map<std::string, Tensor> p;
  for (const auto& entry : model.module->named_parameters()) p[entry.key()] = entry.value().detach();
  const Tensor x = tokens(1, 5);
  const auto norm = [](const Tensor& h, const Tensor& gain) {
    const Tensor centred = h - h.mean(-1, true);
    return centred / (centred.pow(2).mean(-1, true) + 1e-5).sqrt() * gain;
  };
  Tensor h = p["tokens"].index_select(0, x[0]) + p["positions"].narrow(0, 0, 5);
  const Tensor qkv = norm(h, p["block0.norm1.weight"]).matmul(p["block0.attention.qkv.weight"].t());
  const Tensor q = qkv.narrow(1, 0, 16), k = qkv.narrow(1, 16, 16), v = qkv.narrow(1, 32, 16);
  Tensor mixed = at::zeros({5, 16});
  for (int i = 0; i < 5; ++i) {
    const Tensor w = at::softmax(k.narrow(0, 0, i + 1).matmul(q[i]) / 4.0, 0);
    mixed[i] = w.matmul(v.narrow(0, 0, i + 1));
  }
  h = h + mixed.matmul(p["block0.attention.out.weight"].t());
  const Tensor up = norm(h, p["block0.norm2.weight"]).matmul(p["block0.mlp.up.weight"].t());
  h = h + (up * 0.5 * (1 + at::erf(up / std::sqrt(2.0)))).matmul(p["block0.mlp.down.weight"].t());
  const Tensor expected = norm(h, p["norm.weight"]).matmul(p["tokens"].t());
  CHECK(at::allclose(model.module->forward(x)[0], expected, 1e-4, 1e-5));
}

TEST_CASE("Aether's block has no normalisation and an nmn layer with the paper's scale", "[transformer]") {
  const auto model = built(std::string("layers: 1, heads: 1, ") + kAether, "yat");
  std::map<std::string, Tensor> p;
  for (const auto& entry : model.module->named_parameters()) p[entry.key()] = entry.value().detach();
  for (const auto& [name, value] : p) CHECK(name.find("norm") == std::string::npos);
  const Tensor x = tokens(1, 4);
  const auto yat = [](const Tensor& a, const Tensor& b) {
    const Tensor s = a.matmul(b.t());
    return s.pow(2) / ((a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(-1) + 1e-5);
  };
  Tensor h = p["tokens"].index_select(0, x[0]) + p["positions"].narrow(0, 0, 4);
  const Tensor qkv = h.matmul(p["block0.attention.qkv.weight"].t());
  const Tensor scores = yat(qkv.narrow(1, 0, 16), qkv.narrow(1, 16, 16));
  const Tensor future = at::ones({4, 4}, at::kBool).triu(1);
  h = h + at::softmax(scores.masked_fill(future, -1e30), 1).matmul(qkv.narrow(1, 32, 16)).matmul(p["block0.attention.out.weight"].t());
  const double scale = 64 / std::log1p(64.0);  // alpha starts at 1
  h = h + (scale * yat(h, p["block0.mlp.nmn.weight"])).matmul(p["block0.mlp.down.weight"].t());
  CHECK(at::allclose(model.module->forward(x)[0], h.matmul(p["tokens"].t()), 1e-4, 1e-5));
}

TEST_CASE("dropout depends on seed and pass alone and is off in evaluation", "[transformer]") {
  const Tensor x = tokens(2, 8);
  const auto a = built("dropout: 0.5", "dot"), b = built("dropout: 0.5", "dot");
  const Tensor first = a.module->forward(x), second = a.module->forward(x);
  CHECK_FALSE(at::equal(first, second));
  CHECK(at::equal(b.module->forward(x), first));
  CHECK(at::equal(b.module->forward(x), second));
  a.module->eval();
  CHECK(at::equal(a.module->forward(x), a.module->forward(x)));
}

TEST_CASE("bfloat16 activations stay near float32", "[transformer]") {
  const Tensor x = tokens(2, 8);
  for (const auto& [yaml, op] : {std::pair{std::string(), "dot"}, std::pair{std::string(kAether), "yat"}}) {
    const auto exact = built(yaml, op), rounded = built((yaml.empty() ? "" : yaml + ", ") + "precision: bfloat16", op);
    const auto task = Registry<Task>::create(Node("language_modeling"));
    const Tensor y = tokens(2, 8, 50, 4);
    const Tensor loss = task->training_loss(*rounded.module, x, y);
    CHECK(loss.item<double>() == Approx(task->training_loss(*exact.module, x, y).item<double>()).epsilon(0.01));
    loss.backward();
    for (const auto& p : rounded.module->named_parameters()) {
      CHECK(p.value().scalar_type() == at::kFloat);
      CHECK(p.value().grad().scalar_type() == at::kFloat);
    }
  }
}

TEST_CASE("tokens are read in the type that shards store", "[transformer]") {
  const Tensor stored = at::tensor(std::vector<std::int16_t>{0, 1, -1, -15280});
  CHECK(at::equal(token_numbers(stored), at::tensor(std::vector<std::int64_t>{0, 1, 65535, 50256}, at::kLong)));
  const auto model = built("", "dot");
  const Tensor x = tokens(2, 8);
  CHECK(at::equal(model.module->forward(x), model.module->forward(x.to(at::kShort))));
}

TEST_CASE("wrong shapes are reported", "[transformer]") {
  CHECK_THROWS_WITH(built("heads: 3", "dot"), Catch::Matchers::ContainsSubstring("width 16 is not divisible by 3 heads"));
  CHECK_THROWS_WITH(built("", "dot", 50, 17), Catch::Matchers::ContainsSubstring("samples of 17 tokens do not fit a context of 16"));
  CHECK_THROWS_WITH(built("attention: {normalizer: softermax}", "dot"),
                    Catch::Matchers::ContainsSubstring("cannot be used with this operator's scores"));
}

TEST_CASE("token_loss is cross-entropy, in blocks and with its gradients", "[transformer]") {
  const auto options = at::TensorOptions().dtype(at::kDouble);
  auto generator = at::make_generator<at::CPUGeneratorImpl>(5);
  const Tensor h = at::randn({10, 6}, generator, options).requires_grad_(true),
               w = at::randn({20, 6}, generator, options).requires_grad_(true);
  const Tensor y = at::randint(0, 20, {10}, generator, at::TensorOptions().dtype(at::kLong));
  const Tensor plain = at::nll_loss(at::log_softmax(h.matmul(w.t()), 1), y);
  const auto expected = torch::autograd::grad({3 * plain}, {h, w});
  for (const std::int64_t block : {0, 1, 4, 100}) {
    const Tensor loss = token_loss(h, w, y, block);
    CHECK(loss.item<double>() == Approx(plain.item<double>()).epsilon(1e-12));
    const auto got = torch::autograd::grad({3 * loss}, {h, w});
    CHECK((got[0] - expected[0]).abs().max().item<double>() < 1e-14);
    CHECK((got[1] - expected[1]).abs().max().item<double>() < 1e-14);
  }
  const auto scores = token_scores(h.detach(), w.detach(), y, 3);
  const Tensor p = at::softmax(h.detach().matmul(w.detach().t()), 1);
  CHECK(at::allclose(scores.loss, -p.gather(1, y.unsqueeze(1)).squeeze(1).log()));
  CHECK(at::allclose(scores.confidence, std::get<0>(p.max(1))));
  CHECK(at::equal(scores.correct, std::get<1>(p.max(1)).eq(y)));
}

TEST_CASE("token_loss and whole models composed of tensor operations give the same results", "[transformer]") {
  const auto options = at::TensorOptions().dtype(at::kDouble);
  auto generator = at::make_generator<at::CPUGeneratorImpl>(6);
  const Tensor h = at::randn({10, 6}, generator, options).requires_grad_(true),
               w = at::randn({20, 6}, generator, options).requires_grad_(true);
  const Tensor y = at::randint(0, 17, {10}, generator, at::TensorOptions().dtype(at::kLong));
  for (const std::int64_t vocabulary : {0, 17}) {
    const auto both = [&] {
      const Tensor loss = token_loss(h, w, y, 4, vocabulary);
      auto out = torch::autograd::grad({3 * loss}, {h, w});
      out.push_back(loss.detach());
      const auto scores = token_scores(h.detach(), w.detach(), y, 4, vocabulary);
      out.insert(out.end(), {scores.loss, scores.confidence, scores.correct.to(at::kFloat)});
      return out;
    };
    const auto fast = both();
    const ForceGenericKernels general;
    const auto composed = both();
    for (std::size_t i = 0; i < fast.size(); ++i) CHECK(at::allclose(composed[i], fast[i], 1e-6, 1e-12));
  }
  // 150 tokens: attention in parts.
  for (const auto& [yaml, op] : {std::pair{std::string(), "dot"},
                                 std::pair{std::string(kAether), "yat"},
                                 {"norm: {place: pre}, attention: {scale: none, normalizer: softermax}", "yat"}}) {
    INFO(op << " " << yaml);
    const auto model = built((yaml.empty() ? "" : yaml + ", ") + "context: 150", op, 50, 150);
    const auto task = Registry<Task>::create(Node("language_modeling"));
    const Tensor x = tokens(2, 150), target = tokens(2, 150, 50, 4);
    const auto parameters = model.module->parameters();
    const auto gradients = [&] { return torch::autograd::grad({task->training_loss(*model.module, x, target)}, parameters); };
    const auto fast = gradients();
    const ForceGenericKernels general;
    const auto composed = gradients();
    for (std::size_t i = 0; i < fast.size(); ++i) {
      CHECK((composed[i] - fast[i]).abs().max().item<double>() <= 2e-5 * (1e-3 + fast[i].abs().max().item<double>()));
    }
  }
}

TEST_CASE("recomputation changes only memory", "[transformer]") {
  for (const auto& [yaml, op] : std::vector<std::pair<std::string, const char*>>{{"dropout: 0.3", "dot"},
                                                                                 {std::string(kAether) + ", dropout: 0.2", "yat"},
                                                                                 {"norm: {place: post}, precision: bfloat16", "dot"}}) {
    INFO(yaml);
    const auto task = Registry<Task>::create("language_modeling");
    const auto gradients = [&, y = yaml, o = op](bool recompute) {
      const auto model = built(y, o);
      model.lm().recompute(recompute);
      model.module->train();
      std::vector<Tensor> out;
      for (int pass = 0; pass < 2; ++pass) {  // the second pass drops others
        for (auto& p : model.module->parameters()) p.mutable_grad().reset();
        const Tensor loss = task->training_loss(*model.module, tokens(3, 12), tokens(3, 12, 50, 4));
        loss.backward();
        out.push_back(loss.detach());
        for (const auto& p : model.module->parameters()) out.push_back(p.grad());
      }
      return out;
    };
    const auto kept = gradients(false), again = gradients(true);
    REQUIRE(kept.size() == again.size());
    for (std::size_t i = 0; i < kept.size(); ++i) CHECK(at::equal(kept[i], again[i]));
  }
}

TEST_CASE("recomputation gives gradients to learned operator parameters", "[transformer]") {
  const auto run = [](bool recompute) {
    Node spec = parse_yaml("{name: yat, epsilon: 0.1, learn_epsilon: true}", "test");
    Node model_spec = parse_yaml(std::string("{name: transformer, layers: 2, heads: 2, width: 16, context: 16, ") + kAether + "}", "test");
    auto model = Registry<Architecture>::create(model_spec);
    BuildContext c;
    c.op = Registry<Operator>::create(spec);
    c.input_shape = {16};
    c.num_classes = 50;
    model->build(c);
    dynamic_cast<LanguageModel&>(*model).recompute(recompute);
    model->train();
    Registry<Task>::create("language_modeling")->training_loss(*model, tokens(3, 12), tokens(3, 12, 50, 4)).backward();
    for (const auto& p : model->named_parameters()) {
      if (p.key().rfind("operator", 0) == 0) return p.value().grad().clone();
    }
    return Tensor();
  };
  const Tensor kept = run(false);
  REQUIRE(kept.defined());
  CHECK(kept.abs().sum().item<double>() > 0);
  CHECK(run(true).item<double>() == Approx(kept.item<double>()).epsilon(1e-5));
}

TEST_CASE("a padded vocabulary gives the same predictions as an unpadded one", "[transformer]") {
  for (const std::string tied : {"true", "false"}) {
    const auto plain = built("tied: " + tied, "dot"), padded = built("vocabulary_multiple: 64, tied: " + tied, "dot");
    CHECK(padded.lm().head().size(0) == 64);
    CHECK(padded.lm().vocabulary() == 50);
    const Tensor x = tokens(2, 12), y = tokens(2, 12, 50, 4);
    CHECK(padded.module->forward(x).size(2) == 50);
    CHECK(at::allclose(plain.module->forward(x), padded.module->forward(x), 1e-5, 1e-6));
    const auto task = Registry<Task>::create("language_modeling");
    const Tensor a = task->training_loss(*plain.module, x, y), b = task->training_loss(*padded.module, x, y);
    CHECK(a.item<double>() == Approx(b.item<double>()).epsilon(1e-6));
    a.backward();
    b.backward();
    const char* name = tied == "true" ? "tokens" : "head";
    const Tensor g = padded.module->named_parameters()[name].grad();
    CHECK(at::allclose(plain.module->named_parameters()[name].grad(), g.narrow(0, 0, 50), 1e-4, 1e-7));
    CHECK(g.narrow(0, 50, 14).abs().max().item<double>() == 0);
    const Split split{x, y};
    CHECK(task->evaluate(*plain.module, split, 2).at("loss") == Approx(task->evaluate(*padded.module, split, 2).at("loss")).epsilon(1e-6));
  }
}

TEST_CASE("token_loss ignores padding rows of the head", "[transformer]") {
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
    auto g = at::make_generator<at::CPUGeneratorImpl>(5);
    const Tensor hidden = at::randn({7, 4}, g).to(type).requires_grad_(), head = at::randn({12, 4}, g).to(type).requires_grad_();
    const Tensor targets = at::randint(0, 9, {7}, g, at::TensorOptions().dtype(at::kLong));
    const Tensor few = head.detach().narrow(0, 0, 9).clone().requires_grad_();
    const Tensor again = hidden.detach().clone().requires_grad_();
    const Tensor a = token_loss(hidden, head, targets, 3, 9), b = token_loss(again, few, targets, 3);
    CHECK(a.item<double>() == b.item<double>());
    a.backward();
    b.backward();
    CHECK(at::allclose(hidden.grad(), again.grad()));
    CHECK(at::allclose(head.grad().narrow(0, 0, 9), few.grad()));
    CHECK(head.grad().narrow(0, 9, 3).abs().max().item<double>() == 0);
  }
}

}  // namespace yatlab
