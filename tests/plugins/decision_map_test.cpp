#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "core/base/error.h"
#include "core/measure/analysis.h"
#include "helpers.h"
#include "plugins/kernels/studies/plane.h"

using namespace yatlab;

namespace {

using testing::spec;

std::shared_ptr<Architecture> model(const Node& node, const char* op, std::int64_t classes = 2) {
  auto out = Registry<Architecture>::create(node);
  BuildContext build;
  build.op = Registry<Operator>::create(spec(op));
  build.input_shape = {2};
  build.num_classes = classes;
  build.seed = 3;
  out->build(build);
  return out;
}

// Two clusters for each class: class 0 left and right, class 1 above and below.
Split cross() {
  std::vector<float> x;
  std::vector<std::int64_t> y;
  for (int i = 0; i < 40; ++i) {
    const float wobble = 0.05f * static_cast<float>(i % 5 - 2), far = i % 4 < 2 ? 2.f : -2.f;
    x.insert(x.end(), {i % 2 == 0 ? far : wobble, i % 2 == 0 ? wobble : far});
    y.push_back(i % 2);
  }
  return {at::tensor(x).view({-1, 2}), at::tensor(y)};
}

Findings look(Architecture& m, const std::string& dataset = "moons", const Node& analysis = spec("decision_map", {{"resolution", 21}})) {
  const std::map<std::string, Split> splits = {{"train", cross()}, {"test", cross()}};
  const auto data = Registry<Dataset>::create(spec(dataset));
  const auto task = Registry<Task>::create(spec("classification"));
  return Registry<Analysis>::create(analysis)->analyse({m, {}, splits, *data, *task, nullptr, 0, 100});
}

}  // namespace

TEST_CASE("several prototypes per class are combined by maximum or logsumexp", "[prototype_classifier]") {
  at::manual_seed(4);
  const Tensor x = at::randn({7, 2});
  const auto plain = model(spec("prototype_classifier"), "yat", 6);
  const auto best = model(spec("prototype_classifier", {{"per_class", 3}}), "yat", 2);
  const auto soft = model(spec("prototype_classifier", {{"per_class", 3}, {"combine", "logsumexp"}}), "yat", 2);
  REQUIRE(best->prototypes().sizes() == at::IntArrayRef({6, 2}));
  REQUIRE(best->prototypes().equal(plain->prototypes()));  // the same draws
  const Tensor scores = plain->forward(x);                 // one class per prototype
  for (std::int64_t c = 0; c < 2; ++c) {
    const Tensor mine = scores.narrow(1, 3 * c, 3);
    CHECK(best->forward(x).select(1, c).equal(std::get<0>(mine.max(1))));
    CHECK(at::allclose(soft->forward(x).select(1, c), mine.exp().sum(1).log(), 1e-5, 1e-5));
  }
  CHECK_THROWS_AS(model(spec("prototype_classifier", {{"per_class", 0}}), "yat"), Error);
}

TEST_CASE("decision_map: a class without training points is refused before the training", "[decision_map]") {
  ArmParts parts;
  parts.model = model(spec("prototype_classifier"), "yat");
  const auto data = Registry<Dataset>::create(spec("moons"));
  std::map<std::string, Split> splits = {{"train", cross()}, {"test", cross()}};
  const auto check = [&](const Node& analysis) { Registry<Analysis>::create(analysis)->check_data(parts, {*data, splits}); };
  check(spec("decision_map"));
  splits.at("train").targets.fill_(0);
  CHECK_THROWS_WITH(check(spec("decision_map")), Catch::Matchers::ContainsSubstring("class '1' has no training points"));
  check(spec("decision_map", {{"hand_set", false}}));
}

TEST_CASE("decision_map: the map is complete and class means leave the model unchanged", "[decision_map]") {
  const auto m = model(spec("prototype_classifier", {{"per_class", 2}}), "euclidean");
  const Tensor before = m->prototypes().clone();
  const auto found = look(*m);
  CHECK(m->prototypes().equal(before));
  // With a prototype in each cluster, nearest-prototype makes no mistake.
  CHECK(found.metrics.at("hand_set/accuracy") == 1);
  const auto& hand = found.artifacts.at("decision_map_hand_set");
  const auto rows = hand.at("prototypes").at("data").get<std::vector<double>>();
  REQUIRE(rows.size() == 8);
  CHECK(rows[0] * rows[2] == Approx(-4).epsilon(0.01));  // left and right
  CHECK(rows[5] * rows[7] == Approx(-4).epsilon(0.01));  // above and below
  CHECK(hand.at("prototype_classes") == nlohmann::ordered_json({0, 0, 1, 1}));
  CHECK(hand.at("grid").at("values")[10] == 1);       // top, in the middle
  CHECK(hand.at("grid").at("values")[10 * 21] == 0);  // left, half way up
  CHECK(hand.at("targets").size() == 40);
  const auto& trained = found.artifacts.at("decision_map");
  CHECK(trained.at("prototypes").at("data")[0].get<double>() == Approx(before[0][0].item<double>()));
  // Biases that were trained with other prototypes are not used, and are restored.
  const auto biased = model(spec("prototype_classifier", {{"per_class", 2}, {"bias", true}}), "euclidean");
  for (auto& p : biased->named_parameters()) {
    if (p.key() == "layer.bias") p.value().detach().copy_(at::tensor({100.f, 0.f, 0.f, 0.f}));
  }
  CHECK(look(*biased).metrics.at("hand_set/accuracy") == 1);
  for (const auto& p : biased->named_parameters()) {
    if (p.key() == "layer.bias") CHECK(p.value()[0].item<float>() == 100);
  }
  // One mean per class: both are in the middle, so they cannot separate the classes.
  const auto single = model(spec("prototype_classifier"), "euclidean");
  CHECK(look(*single).metrics.at("hand_set/accuracy") < 0.8);
}

TEST_CASE("decision_map: regions that reach to infinity are counted", "[decision_map]") {
  const auto unbounded = [](const char* op, const Tensor& prototypes) {
    const auto m = model(spec("prototype_classifier", {{"per_class", prototypes.size(0) / 2}}), op);
    m->set_prototypes(prototypes);
    return look(*m).metrics.at("decision/unbounded");
  };
  CHECK(unbounded("dot", at::tensor({1.f, 0.f, -1.f, 0.f}).view({2, 2})) == 1);
  CHECK(unbounded("yat", at::tensor({1.f, 0.f, 0.f, 1.f}).view({2, 2})) == 1);
  // A class within a square of the other's prototypes.
  const Tensor around = at::tensor({0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 2.f, 0.f, -2.f, 0.f, 0.f, 2.f, 0.f, -2.f}).view({8, 2});
  CHECK(unbounded("euclidean", around) == 0.5);
}

TEST_CASE("decision_map: non-finite scores give no regions", "[decision_map][finite]") {
  const auto m = model(spec("prototype_classifier"), "euclidean");
  Tensor prototypes = m->prototypes().clone();
  prototypes[0][0] = std::nan("");
  m->set_prototypes(prototypes);
  const auto found = look(*m);
  CHECK(found.not_finite == "scores in the plane are not finite");
  CHECK(found.artifacts.empty());
  CHECK(found.metrics.empty());
  // Of single points.
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor regions =
      class_regions(at::tensor({1., 2., std::nan(""), 5., -infinity, -infinity, 3., -infinity, infinity, 1.}).view({5, 2}));
  CHECK(regions[0].item<double>() == 1);
  CHECK(std::isnan(regions[1].item<double>()));
  CHECK(std::isnan(regions[2].item<double>()));
  CHECK(regions[3].item<double>() == 0);
  CHECK(std::isnan(regions[4].item<double>()));
}

TEST_CASE("decision_map: models without prototypes work and other inputs are rejected", "[decision_map]") {
  const auto m = model(spec("mlp", {{"hidden", Node(Node::List{Node(4)})}}), "dot");
  const auto found = look(*m);
  CHECK(found.metrics.size() == 1);
  CHECK(found.metrics.count("decision/unbounded") == 1);
  CHECK(found.artifacts.size() == 1);
  CHECK_FALSE(found.artifacts.at("decision_map").contains("prototypes"));
  try {
    look(*m, "synthetic_digits");
    FAIL("images were accepted");
  } catch (const Error& e) {
    CHECK(e.message() == "analysis 'decision_map' needs inputs of two numbers");
  }
  CHECK_THROWS_AS(look(*m, "moons", spec("decision_map", {{"split", "nowhere"}})), Error);
}
