// Analyses of trained arms, against closed forms and loops over plain numbers.

#include "core/measure/analysis.h"

#include <ATen/ATen.h>

#include <cmath>
#include <functional>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/data/safetensors.h"
#include "experiment/support.h"

namespace yatlab {
namespace {

Node spec(const char* name, const std::vector<std::pair<std::string, Node>>& parameters = {}) {
  Node out = Node::map();
  out.set("name", name);
  for (const auto& [key, value] : parameters) out.set(key, value);
  return out;
}

/// A prototype classifier on 60 generated digits, as if it had been trained.
struct Arm {
  std::shared_ptr<Dataset> dataset = Registry<Dataset>::create(spec("synthetic_digits", {{"train_size", 20}, {"test_size", 60}}));
  std::map<std::string, Split> splits = dataset->load({});
  std::shared_ptr<Task> task = Registry<Task>::create("classification");
  std::shared_ptr<Operator> op;
  std::shared_ptr<Architecture> model;

  explicit Arm(const Node& op_spec) : op(Registry<Operator>::create(op_spec)), model(build()) {}

  std::shared_ptr<Architecture> build() const {
    auto out = Registry<Architecture>::create("prototype_classifier");
    BuildContext context;
    context.op = op;
    context.input_shape = dataset->input_shape();
    context.num_classes = 10;
    context.seed = 5;
    out->build(context);
    return out;
  }
  TrainedArm trained() const {
    return {*model, [this] { return build(); }, splits, *dataset, *task, op, 5, 7};
  }
  Findings analyse(const Node& analysis) const { return Registry<Analysis>::create(analysis)->analyse(trained()); }

  std::string bytes() const {
    NamedTensors all;
    for (const auto& p : model->named_parameters()) all.emplace_back(p.key(), p.value().detach());
    for (const auto& b : model->named_buffers()) all.emplace_back("buffer." + b.key(), b.value());
    return dump_safetensors(all);
  }
};

/// Share of the test images whose largest score is their class's; score(x, w) over plain doubles.
template <class Score>
double accuracy(const Arm& arm, const Tensor& prototypes, const Score& score) {
  const Split& test = arm.splits.at("test");
  const Tensor x = test.inputs.flatten(1).to(at::kDouble).contiguous(), w = prototypes.to(at::kDouble).contiguous();
  int correct = 0;
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    std::int64_t best = 0;
    double best_score = -1e300;
    for (std::int64_t c = 0; c < w.size(0); ++c) {
      const double s = score(x.data_ptr<double>() + i * x.size(1), w.data_ptr<double>() + c * x.size(1), x.size(1));
      if (s > best_score) best_score = s, best = c;
    }
    correct += best == test.targets[i].item<std::int64_t>();
  }
  return correct / static_cast<double>(x.size(0));
}

double dot(const double* x, const double* w, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * w[i];
  return sum;
}
double distance2(const double* x, const double* w, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += (x[i] - w[i]) * (x[i] - w[i]);
  return sum;
}

/// Prototypes that recognise digits moderately well: class means, so that inversion can lose accuracy.
Tensor class_means(const Arm& arm) {
  const Split& test = arm.splits.at("test");
  Tensor w = at::zeros({10, 784});
  for (std::int64_t c = 0; c < 10; ++c) {
    const Tensor of_class = test.inputs.flatten(1).index({test.targets == c});
    if (of_class.size(0) > 0) w[c].copy_(of_class.mean(0));
  }
  return w - w.mean(0);
}

}  // namespace

TEST_CASE("prototype_inversion: the largest logit of a linear unit becomes its smallest", "[analyses]") {
  Arm arm(spec("dot"));
  const Tensor w = class_means(arm);
  arm.model->set_prototypes(w);
  const auto before = arm.task->evaluate(*arm.model, arm.splits.at("test"), 60);
  const auto found = arm.analyse(spec("prototype_inversion"));
  // argmax of -logits is argmin of logits.
  const double smallest = accuracy(arm, w, [](const double* x, const double* p, std::int64_t n) { return -dot(x, p, n); });
  CHECK(before.at("accuracy") >= 0.5);
  CHECK(found.metrics.at("inverted/accuracy") == Approx(smallest));
  CHECK(found.metrics.at("inverted/accuracy") < 0.2);
  CHECK(found.metrics.count("inverted/loss"));
}

TEST_CASE("prototype_inversion: the yat-product keeps its numerator but not its denominator", "[analyses]") {
  Arm arm(spec("yat", {{"epsilon", 0.1}}));
  const Tensor w = class_means(arm);
  arm.model->set_prototypes(w);
  const auto yat = [](const double* x, const double* p, std::int64_t n) {
    const double s = dot(x, p, n);
    return s * s / (distance2(x, p, n) + 0.1);
  };
  const auto found = arm.analyse(spec("prototype_inversion"));
  CHECK(found.metrics.at("inverted/accuracy") == Approx(accuracy(arm, -w, yat)));
  const auto on_train = arm.analyse(spec("prototype_inversion", {{"split", "train"}}));
  CHECK(on_train.metrics.at("inverted/loss") != found.metrics.at("inverted/loss"));
  try {
    arm.analyse(spec("prototype_inversion", {{"split", "validation"}}));
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(std::string(e.what()) == "prototype_inversion: no split 'validation'");
  }
}

TEST_CASE("every analysis leaves the model as it found it", "[analyses]") {
  std::set<std::string> seen;
  // Analyses of language models or of the plane are tested in tests/plugins/.
  const std::set<std::string> elsewhere = {"activation_statistics", "decision_map",     "document_losses", "ngrams",
                                           "out_of_distribution",   "throwing_analysis"};
  for (const auto& component : Registry<Analysis>::table().all()) {
    if (elsewhere.count(component.name)) continue;
    INFO(component.name);
    Arm arm(spec("yat"));
    arm.model->eval();
    const std::string before = arm.bytes();
    const auto first = arm.analyse(Node(component.name));
    CHECK(arm.bytes() == before);
    CHECK_FALSE(arm.model->is_training());
    // A second analysis gives the same result.
    const auto second = arm.analyse(Node(component.name));
    CHECK(first.metrics == second.metrics);
    CHECK(first.artifacts == second.artifacts);
    seen.insert(component.name);
  }
  for (const char* name : {"prototype_norms", "prototype_inversion", "prototype_images", "prototype_similarity", "response_table"}) {
    CHECK(seen.count(name) == 1);
  }
}

TEST_CASE("prototype_norms: mean row norms before and after training are reported", "[analyses]") {
  const Arm arm(spec("dot"));
  const auto same = arm.analyse(spec("prototype_norms"));
  CHECK(same.metrics.at("prototypes/norm_change") == Approx(0.0).margin(1e-12));
  arm.model->set_prototypes(arm.model->prototypes() * 1.5);
  const auto grown = arm.analyse(spec("prototype_norms"));
  CHECK(grown.metrics.at("prototypes/norm_change") == Approx(0.5).epsilon(1e-6));
  CHECK(grown.metrics.at("prototypes/norm_initial") == same.metrics.at("prototypes/norm_initial"));
  CHECK(grown.metrics.at("prototypes/norm_final") == Approx(1.5 * same.metrics.at("prototypes/norm_initial")));
  // Rows of norm 3 and 4 alternate: the result is their mean, not the norm of the matrix.
  Tensor w = at::zeros({10, 784});
  for (int i = 0; i < 10; ++i) w[i][i] = i % 2 == 0 ? 3 : 4;
  arm.model->set_prototypes(w);
  CHECK(arm.analyse(spec("prototype_norms")).metrics.at("prototypes/norm_final") == Approx(3.5));
}

TEST_CASE("prototype_start: cosines to the initial prototypes and signs are reported", "[analyses]") {
  const Arm arm(spec("dot"));
  const Tensor start = arm.model->prototypes().detach().clone();
  const auto same = arm.analyse(spec("prototype_start"));
  CHECK(same.metrics.at("prototypes/start_cosine") == Approx(1).epsilon(1e-9));
  CHECK(same.metrics.at("prototypes/start_positive") == same.metrics.at("prototypes/positive"));
  CHECK(same.metrics.at("prototypes/positive") == Approx(start.gt(0).to(at::kDouble).mean().item<double>()));
  arm.model->set_prototypes(-2 * start);
  const auto turned = arm.analyse(spec("prototype_start"));
  CHECK(turned.metrics.at("prototypes/start_cosine") == Approx(-1).epsilon(1e-9));
  CHECK(turned.metrics.at("prototypes/start_positive") == same.metrics.at("prototypes/start_positive"));
  CHECK(turned.metrics.at("prototypes/positive") == Approx(start.lt(0).to(at::kDouble).mean().item<double>()));
  // Half of the energy is new and orthogonal: cosine 1/sqrt 2.
  const Tensor other = start.roll(1, 1);
  const Tensor across = other - start * ((other * start).sum(-1, true) / (start * start).sum(-1, true));
  arm.model->set_prototypes(start + across * (start.norm(2, -1, true) / across.norm(2, -1, true)));
  CHECK(arm.analyse(spec("prototype_start")).metrics.at("prototypes/start_cosine") == Approx(std::sqrt(0.5)).epsilon(1e-5));
}

TEST_CASE("prototype_strokes: the share of connected pixels of one sign is measured", "[analyses]") {
  const Arm arm(spec("dot"));
  const auto share = [&](const std::function<double(int row, int column)>& weight, const char* what = "strokes/share") {
    Tensor w = at::zeros({10, 784});
    for (int r = 0; r < 28; ++r) {
      for (int c = 0; c < 28; ++c) w.select(1, r * 28 + c).fill_(weight(r, c));
    }
    arm.model->set_prototypes(w);
    return arm.analyse(spec("prototype_strokes")).metrics.at(what);
  };
  // A diagonal of 28 pixels is connected by its corners.
  CHECK(share([](int r, int c) { return r == c ? 1.0 : 0.0; }) == Approx(1));
  // With alternating signs it is 28 strokes of one pixel.
  CHECK(share([](int r, int c) { return r == c ? (r % 2 ? 1.0 : -1.0) : 0.0; }) == 0);
  // Isolated grid points have no neighbours.
  CHECK(share([](int r, int c) { return r % 4 == 0 && c % 4 == 0 ? 1.0 : 0.0; }) == 0);
  // Seven pixels are too few, eight are a stroke; the top tenth (78 pixels) includes both groups, and energy is measured.
  CHECK(share([](int r, int c) { return r == 3 && c < 7 ? 1.0 : 0.0; }) == 0);
  CHECK(share([](int r, int c) { return r == 3 && c < 8 ? 1.0 : r == 20 && c < 2 ? 2.0 : 0.0; }) == Approx(0.5));
  // Pixels outside the top tenth are not part of a stroke, however connected: two rows of 3 and 26 of 1.
  CHECK(share([](int r, int) { return r < 2 ? 3.0 : 1.0; }, "strokes/brightest") > 0.4);
  // Noise has hardly any strokes.
  at::manual_seed(3);
  arm.model->set_prototypes(at::randn({10, 784}));
  CHECK(arm.analyse(spec("prototype_strokes")).metrics.at("strokes/share") < 0.15);
  // Strokes added in training: the start does not count.
  const Tensor start = Arm(spec("dot")).model->prototypes().detach().clone();
  Tensor line = at::zeros({10, 784});
  line.narrow(1, 28 * 5, 28).fill_(0.5);
  arm.model->set_prototypes(start + line);
  CHECK(arm.analyse(spec("prototype_strokes")).metrics.at("strokes/added_share") == Approx(1).epsilon(1e-4));
  // Pixels that no image uses: here the drawn digits leave the corner empty and use the centre.
  CHECK(share([](int r, int c) { return r == 0 && c == 0 ? 2.0 : r == 14 && c == 14 ? 1.0 : 0.0; }, "strokes/unused") == Approx(0.8));
}

TEST_CASE("prototype_images: prototypes are exported in the inputs' shape", "[analyses]") {
  const Arm arm(spec("dot"));
  const auto found = arm.analyse(spec("prototype_images"));
  const auto& artifact = found.artifacts.at("prototypes");
  CHECK(artifact.at("shape") == nlohmann::ordered_json({10, 28, 28}));
  CHECK(artifact.at("labels").size() == 10);
  const Tensor w = arm.model->prototypes().contiguous();
  const auto text = nlohmann::ordered_json::parse(artifact.dump());  // via text, as on disk
  REQUIRE(text.at("data").size() == 7840);
  for (std::int64_t i = 0; i < 7840; ++i) {
    REQUIRE(static_cast<float>(text.at("data")[static_cast<std::size_t>(i)].get<double>()) == w.data_ptr<float>()[i]);
  }
  const auto& added = found.artifacts.at("prototypes_added");
  CHECK(added.at("shape") == artifact.at("shape"));
  for (const auto& value : added.at("data")) REQUIRE(value.get<double>() == 0);  // not trained
  arm.model->set_prototypes(w + 0.5);
  CHECK(arm.analyse(spec("prototype_images")).artifacts.at("prototypes_added").at("data")[7].get<double>() == Approx(0.5));
}

TEST_CASE("prototype_similarity: matrices and pair ranks are right for every operator", "[analyses]") {
  const Arm arm(spec("dot"));
  // Orthogonal rows, except that 7 and 9 share a direction and 3 and 5 oppose each other.
  Tensor w = at::zeros({10, 784});
  for (int i = 0; i < 10; ++i) w[i][i] = 1;
  w[9].copy_(w[7] * 0.8);
  w[9][100] = 0.6;
  w[5].copy_(-w[3]);
  arm.model->set_prototypes(w);
  const auto found = arm.analyse(spec("prototype_similarity", {{"operators", Node(Node::List{"dot", "cosine", "yat"})}}));
  const auto& matrices = found.artifacts.at("prototype_similarity").at("matrices");
  REQUIRE(matrices.size() == 3);
  CHECK(matrices.at("dot")[7][9].get<double>() == Approx(0.8));
  CHECK(matrices.at("dot")[3][5].get<double>() == Approx(-1.0));
  CHECK(matrices.at("dot")[0][1].get<double>() == 0.0);
  // yat(7, 9) = 0.8^2 / (2 - 1.6 + 1e-5); yat(3, 5) = 1 / (4 + 1e-5)
  CHECK(matrices.at("yat")[7][9].get<double>() == Approx(0.64 / 0.40001).epsilon(1e-6));
  CHECK(matrices.at("yat")[3][5].get<double>() == Approx(1 / 4.00001));
  // Under each operator no other pair is as similar.
  for (const char* name : {"dot", "cosine", "yat"}) {
    CHECK(found.metrics.at(std::string("similarity/") + name + "/7-9_percentile") == 1.0);
  }
  const auto opposed = arm.analyse(spec("prototype_similarity", {{"pair", Node(Node::List{3, 5})}}));
  CHECK(opposed.metrics.at("similarity/dot/3-5_percentile") == 0.0);
  CHECK(opposed.metrics.at("similarity/cosine/3-5_percentile") == 0.0);
  CHECK(opposed.metrics.at("similarity/yat/3-5_percentile") == Approx(43.0 / 44.0));  // only 7-9 is above
  CHECK_THROWS_AS(arm.analyse(spec("prototype_similarity", {{"pair", Node(Node::List{1, 2, 3})}})), Error);
  // A pair without a similarity has no rank.
  w[3].fill_(std::nan(""));
  arm.model->set_prototypes(w);
  CHECK(std::isnan(
      arm.analyse(spec("prototype_similarity", {{"pair", Node(Node::List{3, 5})}})).metrics.at("similarity/dot/3-5_percentile")));
}

TEST_CASE("response_table: values agree with the paper's closed form for w = [1, -1]", "[analyses]") {
  for (const double epsilon : {1e-5, 0.01, 0.1, 1.0}) {
    const Arm arm(spec("yat", {{"epsilon", epsilon}}));
    const auto found = arm.analyse(spec("response_table")).metrics;
    REQUIRE(found.size() == 4);
    CHECK(found.at("response/(0,0)") == 0.0);
    CHECK(found.at("response/(1,1)") == 0.0);
    CHECK(found.at("response/(0,1)") == Approx(1 / (5 + epsilon)).epsilon(1e-12));
    CHECK(found.at("response/(1,0)") == Approx(1 / (1 + epsilon)).epsilon(1e-12));
  }
  const Arm linear(spec("dot"));
  const auto other =
      linear.analyse(spec("response_table", {{"weight", Node(Node::List{2.0, 0.5})},
                                             {"points", Node(Node::List{Node(Node::List{1, 4}), Node(Node::List{-0.5, 0})})}}));
  CHECK(other.metrics == Metrics{{"response/(1,4)", 4.0}, {"response/(-0.5,0)", -1.0}});
  try {
    linear.analyse(spec("response_table", {{"weight", Node(Node::List{1.0})}}));
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(std::string(e.what()) == "response_table: point [0, 0] and the weight differ in length\n  try: give each point 1 numbers");
  }
}

TEST_CASE("analyses that need prototypes reject models without them", "[analyses]") {
  const testing::Workspace w(std::string("name: tiny\ndefaults:\n  - /dataset: synthetic_digits\n  - /architecture: mlp\n  - _self_\n") +
                             "dataset: {train_size: 20, test_size: 10}\noperator: dot\ntrainer: {epochs: 1}\nseeds: [0]\ntrackers: []\n");
  for (const char* name :
       {"prototype_norms", "prototype_start", "prototype_strokes", "prototype_inversion", "prototype_images", "prototype_similarity"}) {
    INFO(name);
    CHECK(w.error({std::string("analyses=[") + name + "]"}) ==
          std::string("analysis '") + name + "' needs an architecture with prototypes\n  at: arm 'main', command line (analyses=[" + name +
              "])\n  why: this architecture has none\n  try: use architecture=prototype_classifier, or remove the analysis");
  }
}

TEST_CASE("tensors in artifacts read back with the same values", "[analyses]") {
  const Tensor t = at::tensor({0.1f, 1e-30f, -3.4e38f, 16777217.f, 1.f / 3.f, 0.f}).view({2, 3});
  const auto json = nlohmann::ordered_json::parse(tensor_to_json(t.t()).dump());
  CHECK(json.at("shape") == nlohmann::ordered_json({3, 2}));
  const Tensor flat = t.t().contiguous().view(-1);
  for (std::int64_t i = 0; i < 6; ++i) {
    CHECK(static_cast<float>(json.at("data")[static_cast<std::size_t>(i)].get<double>()) == flat[i].item<float>());
  }
}

}  // namespace yatlab
