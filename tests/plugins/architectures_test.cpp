#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/model/architecture.h"
#include "helpers.h"
#include "ops/gradients.h"
#include "ops/slow_reference.h"

using at::Tensor;
using gradients::relative_error;
using yatlab::Architecture;
using yatlab::BuildContext;
using yatlab::Node;
using yatlab::Operator;
using yatlab::Registry;
using yatlab::testing::spec;

namespace {

BuildContext context(Node op, std::vector<std::int64_t> shape = {4, 4}, std::int64_t classes = 3, std::uint64_t seed = 5) {
  BuildContext c;
  c.op = Registry<Operator>::create(std::move(op));
  c.input_shape = std::move(shape);
  c.num_classes = classes;
  c.seed = seed;
  return c;
}

std::shared_ptr<Architecture> built(const Node& node, const BuildContext& c) {
  auto a = Registry<Architecture>::create(node);
  a->build(c);
  return a;
}

std::set<std::string> parameter_names(const Architecture& a) {
  std::set<std::string> names;
  for (const auto& p : a.named_parameters()) names.insert(p.key());
  return names;
}

}  // namespace

TEST_CASE("prototype_classifier: inputs are flattened and scored against prototypes", "[architectures]") {
  at::manual_seed(51);
  const auto model = built(spec("prototype_classifier"), context(spec("yat")));
  const Tensor x = at::randn({5, 4, 4});
  const Tensor y = model->forward(x);
  REQUIRE(y.sizes() == at::IntArrayRef({5, 3}));
  REQUIRE(y.scalar_type() == at::kFloat);
  CHECK(relative_error(y, slow::yat(x.flatten(1), model->prototypes())) < 1e-4);
  CHECK(parameter_names(*model) == std::set<std::string>{"layer.weight"});
  CHECK_FALSE(model->may_be_negative());
  CHECK(built(spec("prototype_classifier"), context(spec("dot")))->may_be_negative());
}

TEST_CASE("prototype_classifier: the NMN scale, biases and a learned epsilon work", "[architectures]") {
  at::manual_seed(52);
  Node learned = spec("yat", {{"learn_epsilon", true}, {"epsilon", 0.5}});
  Node bias_init = spec("constant", {{"value", 0.7}});
  const auto model =
      built(spec("prototype_classifier", {{"scale", "n_over_log"}, {"alpha_init", 1.5}, {"bias", true}, {"bias_init", bias_init}}),
            context(learned));
  CHECK(parameter_names(*model) == std::set<std::string>{"layer.alpha", "layer.bias", "layer.weight", "operator.free_epsilon"});
  const Tensor x = at::randn({5, 16});
  slow::Problem p;
  p.epsilon = 0.5;
  p.scale = std::pow(3 / std::log(4.0), 1.5);
  CHECK(relative_error(model->forward(x), slow::yat(x, model->prototypes(), at::full({3}, 0.7), p)) < 1e-4);
  const auto seen = model->observables();
  CHECK(seen.at("model/alpha") == Approx(1.5));
  CHECK(seen.at("model/epsilon") == Approx(0.5));
  CHECK(seen.at("prototypes/norm") == Approx(model->prototypes().square().sum(1).sqrt().mean().item<double>()));
  model->forward(x).sum().backward();
  for (const auto& parameter : model->named_parameters()) {
    INFO(parameter.key());
    REQUIRE(parameter.value().grad().defined());
    CHECK(parameter.value().grad().abs().max().item<double>() > 0);
  }
}

TEST_CASE("prototype_classifier: prototypes can be replaced", "[architectures]") {
  at::manual_seed(53);
  const auto model = built(spec("prototype_classifier"), context(spec("dot")));
  const Tensor x = at::randn({5, 16});
  const Tensor before = model->forward(x).detach(), w = model->prototypes().clone();
  model->set_prototypes(-w);
  CHECK(at::equal(model->prototypes(), -w));
  CHECK(relative_error(model->forward(x), -before) < 1e-6);
  CHECK(model->parameters()[0].requires_grad());
}

TEST_CASE("architectures: initial weights depend on the seed but not on the operator", "[architectures]") {
  for (const char* name : {"prototype_classifier", "mlp", "single_unit"}) {
    const auto start = [&](const char* op, std::uint64_t seed) {
      for (const Tensor& p : built(spec(name), context(spec(op), {4}, 2, seed))->parameters()) {
        if (p.dim() == 2) return p;
      }
      return Tensor();
    };
    CHECK(at::equal(start("yat", 1), start("dot", 1)));
    CHECK_FALSE(at::equal(start("yat", 1), start("yat", 2)));
  }
}

TEST_CASE("single_unit: logits (0, gain K - threshold)", "[architectures]") {
  const auto model = built(spec("single_unit", {{"gain", 2.0}, {"threshold", 0.5}}), context(spec("yat"), {2}, 2));
  model->set_prototypes(at::tensor({1.0F, -1.0F}).view({1, 2}));
  const Tensor x = at::tensor({0.0F, 0.0F, 0.0F, 1.0F, 1.0F, 0.0F, 1.0F, 1.0F}).view({4, 2});
  const Tensor y = model->forward(x);
  REQUIRE(y.sizes() == at::IntArrayRef({4, 2}));
  CHECK(y.select(1, 0).abs().max().item<double>() == 0);
  CHECK(y[0][1].item<double>() == Approx(-0.5));
  CHECK(y[1][1].item<double>() == Approx(2.0 / (5 + 1e-5) - 0.5));
  CHECK(y[2][1].item<double>() == Approx(2.0 / (1 + 1e-5) - 0.5));
  CHECK(parameter_names(*model) == std::set<std::string>{"gain", "threshold", "unit.weight"});
  CHECK(model->observables().at("model/threshold") == Approx(0.5));
  const auto fixed =
      built(spec("single_unit", {{"learn_gain", false}, {"learn_threshold", false}, {"bias", true}}), context(spec("yat"), {2}, 2));
  CHECK(parameter_names(*fixed) == std::set<std::string>{"unit.bias", "unit.weight"});
  try {
    built(spec("single_unit"), context(spec("yat"), {2}, 3));
    FAIL("no error");
  } catch (const yatlab::Error& e) {
    CHECK(e.message() == "single_unit needs two classes");
    CHECK(e.why() == "the dataset has 3");
  }
}

TEST_CASE("mlp: outputs equal those of the network written out", "[architectures]") {
  at::manual_seed(54);
  Node hidden = Node::list();
  hidden.push_back(8);
  hidden.push_back(6);
  for (const char* name : {"relu", "gelu", "tanh", "none"}) {
    const auto model = built(spec("mlp", {{"hidden", hidden}, {"activation", name}}), context(spec("dot")));
    const auto p = model->named_parameters();
    REQUIRE(p.size() == 6);
    const auto act = [&](const Tensor& t) -> Tensor {
      const std::string a = name;
      return a == "relu" ? t.clamp_min(0) : a == "gelu" ? at::gelu(t) : a == "tanh" ? t.tanh() : t;
    };
    const Tensor x = at::randn({5, 4, 4});
    Tensor h = x.flatten(1);
    h = act(at::mm(h, p["layer0.weight"].t()) + p["layer0.bias"]);
    h = act(at::mm(h, p["layer1.weight"].t()) + p["layer1.bias"]);
    h = at::mm(h, p["layer2.weight"].t()) + p["layer2.bias"];
    CHECK(relative_error(model->forward(x), h) < 1e-5);
  }
  const auto nmn = built(spec("mlp", {{"activation", "none"}, {"scale", "n_over_log"}}), context(spec("yat")));
  CHECK(nmn->observables().count("model/alpha0") == 1);
  CHECK(nmn->observables().count("model/alpha1") == 1);
  CHECK_FALSE(nmn->may_be_negative());
}

TEST_CASE("architectures: a prototype classifier learns with any operator", "[architectures]") {
  at::manual_seed(55);
  const Tensor centres = at::randn({3, 8}) * 2;
  const Tensor labels = at::arange(60).remainder(3);
  const Tensor x = centres.index_select(0, labels) + at::randn({60, 8}) * 0.3;
  for (const char* op : {"yat", "dot", "cosine", "euclidean"}) {
    const auto model = built(spec("prototype_classifier"), context(spec(op), {8}));
    const auto loss = [&] { return at::nll_loss(at::log_softmax(model->forward(x), 1), labels); };
    const double first = loss().item<double>();
    for (int step = 0; step < 100; ++step) {
      const auto g = torch::autograd::grad({loss()}, model->parameters());
      at::NoGradGuard no_grad;
      // Only the sign: the operators' gradients differ by orders of magnitude.
      for (std::size_t i = 0; i < g.size(); ++i) model->parameters()[i].sub_(g[i].sign() * 0.02);
    }
    const double last = loss().item<double>();
    const Tensor right = model->forward(x).argmax(1) == labels;
    INFO(op << " " << first << " -> " << last);
    CHECK(last < first);
    CHECK(right.to(at::kFloat).mean().item<double>() > 0.95);
  }
}
