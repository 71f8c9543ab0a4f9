// How reliable a classifier's confidence is, against values computed by hand.

#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/measure/analysis.h"
#include "core/ops/nmn.h"
#include "plugins/calibration/scores/class_scores.h"

using namespace yatlab;

namespace {

/// Scores are rows of a table: sample i has inputs [i, 0].
class Table final : public Architecture {
 public:
  explicit Table(Tensor rows) : rows_(std::move(rows)) {}
  void build(const BuildContext&) override {}
  Tensor forward(const Tensor& inputs) override { return rows_.index_select(0, inputs.select(1, 0).to(at::kLong)); }

 private:
  Tensor rows_;
};

/// One layer, with doubled scores.
class OneLayer final : public Architecture {
 public:
  void build(const BuildContext& context) override {
    NmnOptions o;
    o.inputs = 2;
    o.units = 2;
    layer_ = register_module("layer", std::make_shared<Nmn>(context.op, o));
    layer_->weight.set_data(at::eye(2));
  }
  Tensor forward(const Tensor& inputs) override { return at::tensor({2.0f, -1.0f}) * layer_->forward(inputs); }

 private:
  std::shared_ptr<Nmn> layer_;
};

class Points final : public Dataset {
 public:
  explicit Points(Provenance provenance, std::vector<std::int64_t> shape = {2})
      : provenance_(std::move(provenance)), shape_(std::move(shape)) {}
  std::map<std::string, Split> load(const DataContext&) override { return {}; }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return shape_; }
  std::int64_t num_classes() const override { return 2; }

 private:
  Provenance provenance_;
  std::vector<std::int64_t> shape_;
};

struct Look {
  std::map<std::string, Split> splits;
  Points data{{"points", "", "local", "", {}}};
  std::shared_ptr<Task> task = Registry<Task>::create("classification");
  std::shared_ptr<Dataset> other = std::make_shared<Points>(Provenance{"others", "abc", "local", "", {}});
  std::map<std::string, Split> others;
  Findings operator()(Architecture& model, const std::string& analysis) const {
    const auto other_data = [this](const Node&) { return OtherData{other, others}; };
    const TrainedArm arm{model, {}, splits, data, *task, nullptr, 5, 3, {}, nullptr, other_data};
    return Registry<Analysis>::create(parse_yaml("{" + analysis + "}", "test"))->analyse(arm);
  }
  /// Before the training.
  void check(const std::string& analysis) const {
    const auto other_data = [this](const Node&) { return OtherData{other, others}; };
    Registry<Analysis>::create(parse_yaml("{" + analysis + "}", "test"))->check_data({}, {data, splits, other_data});
  }
};

/// Samples 0 to n-1 of a table, with these classes.
Split rows_of_table(const std::vector<std::int64_t>& classes) {
  const auto n = static_cast<std::int64_t>(classes.size());
  return {at::stack({at::arange(n), at::zeros({n}, at::kLong)}, 1).to(at::kFloat), at::tensor(classes)};
}

/// ln p and ln(1 - p) for class 0, ten samples, of which `right` have class 0.
void add_ten(double p, int right, std::vector<double>& scores, std::vector<std::int64_t>& classes) {
  for (int i = 0; i < 10; ++i) {
    scores.insert(scores.end(), {std::log(p), std::log(1 - p)});
    classes.push_back(i < right ? 0 : 1);
  }
}

Error caught(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return e;
  }
  return Error(ErrorKind::kInternal, "no error");
}

}  // namespace

TEST_CASE("proper scores agree with three samples worked out by hand", "[calibration]") {
  const Tensor p = at::tensor({0.7, 0.2, 0.1, 0.3, 0.3, 0.4, 1.0 / 3, 1.0 / 3, 1.0 / 3}).view({3, 3});
  const Tensor classes = at::tensor(std::vector<std::int64_t>{0, 1, 2});
  const Tensor log_weights = log_class_weights(p.log() + 5, nullptr);  // a constant does not change the weights
  CHECK(negative_log_likelihood(log_weights, classes) == Approx(-(std::log(0.7) + std::log(0.3) + std::log(1.0 / 3)) / 3));
  const double brier = (0.09 + 0.04 + 0.01) + (0.09 + 0.49 + 0.16) + (1.0 / 9 + 1.0 / 9 + 4.0 / 9);
  CHECK(brier_score(log_weights, classes) == Approx(brier / 3));
  // Divided by 2, weights become proportional to their square roots.
  const Tensor halved = log_class_weights(p.log(), nullptr, 2).exp();
  CHECK(halved[0][0].item<double>() == Approx(std::sqrt(0.7) / (std::sqrt(0.7) + std::sqrt(0.2) + std::sqrt(0.1))));
  const auto softermax = Registry<Normalizer>::create("softermax");
  const Tensor scores = at::tensor({1.0, 3.0}).view({1, 2});
  CHECK(at::allclose(log_class_weights(scores, softermax.get(), 2), softermax->log_normalize(scores / 2, -1)));
}

TEST_CASE("the fitted temperature recovers a known scaling of scores", "[calibration]") {
  std::vector<double> scores;
  std::vector<std::int64_t> classes;
  add_ten(0.9, 9, scores, classes);
  add_ten(0.6, 6, scores, classes);
  add_ten(0.8, 8, scores, classes);
  const Tensor z = at::tensor(scores, at::kDouble).view({30, 2}), y = at::tensor(classes);
  for (const double t : {0.05, 0.5, 1.0, 2.5, 40.0}) CHECK(fitted_temperature(z * t, y, nullptr) == Approx(t).epsilon(1e-6));
  // No temperature fits: all correct drives it to 0, all wrong to infinity.
  CHECK(fitted_temperature(at::tensor({1.0, 0.0}).view({1, 2}), at::zeros({1}, at::kLong), nullptr) < 0.02);
  CHECK(fitted_temperature(at::tensor({1.0, 0.0}).view({1, 2}), at::ones({1}, at::kLong), nullptr) == Approx(1000).epsilon(1e-6));
}

TEST_CASE("AUROC counts ties as half and the threshold keeps its promised rate", "[calibration]") {
  const auto t = [](std::vector<double> v) { return at::tensor(v, at::kDouble); };
  // Of nine pairs (known, unknown) 3 > 2 twice and 3 > 1; 2 = 2 twice and 2 > 1; 0 none: (3 + 2 * 0.5 + 1) / 9.
  CHECK(auroc(t({3, 0, 2}), t({2, 1, 2})) == Approx(5.0 / 9));
  CHECK(auroc(t({1, 1}), t({1, 1, 1})) == Approx(0.5));
  CHECK(auroc(t({2, 3}), t({0, 1})) == Approx(1));
  CHECK(auroc(t({0, 1}), t({2, 3})) == Approx(0));
  std::vector<double> known;
  for (int i = 1; i <= 20; ++i) known.push_back(i);  // 19 of 20 are at or above 2
  CHECK(false_positive_rate(t(known), t({0, 1, 2, 2.5}), 0.95) == Approx(0.5));
  CHECK(false_positive_rate(t(known), t({0, 1, 2, 2.5}), 1) == Approx(0.75));
  CHECK(false_positive_rate(t(known), t({0, 1, 2, 2.5}), 0.96) == Approx(0.75));  // 19 would not reach the share
}

TEST_CASE("calibration of classes: bins, floor and temperature are right", "[calibration]") {
  std::vector<double> scores, sure;
  std::vector<std::int64_t> classes, held_back;
  add_ten(0.95, 8, scores, classes);
  add_ten(0.55, 5, scores, classes);
  add_ten(0.95, 9, sure, held_back);  // fits ln 9 / ln 19
  Table model(at::tensor(scores, at::kDouble).view({20, 2}));
  Look look;
  look.splits["test"] = rows_of_table(classes);
  look.splits["validation"] = {look.splits["test"].inputs.narrow(0, 0, 10), at::tensor(held_back)};
  const auto found = look(model, "name: calibration, bins: 10, resamples: 50, temperature: validation");
  const auto at = [&](const char* name) { return found.metrics.at(std::string("calibration/") + name); };
  CHECK(at("accuracy") == Approx(0.65));
  CHECK(at("confidence") == Approx(0.75));
  CHECK(at("ece") == Approx((0.15 + 0.05) / 2));
  CHECK(at("ece_floor") == Approx((std::sqrt(10 * 0.95 * 0.05 * 2 / M_PI) + std::sqrt(10 * 0.55 * 0.45 * 2 / M_PI)) / 20));
  CHECK(at("nll") == Approx(-(8 * std::log(0.95) + 2 * std::log(0.05) + 5 * std::log(0.55) + 5 * std::log(0.45)) / 20));
  CHECK(at("brier") == Approx((8 * 2 * 0.0025 + 2 * 2 * 0.9025 + 5 * 2 * 0.2025 + 5 * 2 * 0.3025) / 20));
  const double t = std::log(19.0) / std::log(9.0), low = 1 / (1 + std::pow(0.45 / 0.55, 1 / t));
  CHECK(at("temperature") == Approx(t).epsilon(1e-6));
  CHECK(at("scaled_confidence") == Approx((0.9 + low) / 2).epsilon(1e-6));
  CHECK(at("scaled_ece") == Approx((0.1 + low - 0.5) / 2).epsilon(1e-6));
  CHECK(at("scaled_nll") ==
        Approx(-(8 * std::log(0.9) + 2 * std::log(0.1) + 5 * std::log(low) + 5 * std::log(1 - low)) / 20).epsilon(1e-6));
  const auto& json = found.artifacts.at("calibration");
  CHECK(json["predicted"] == "class");
  CHECK(json["samples"] == 20);
  CHECK(json["bins"][9]["count"] == 10);
  CHECK(json["bins"][9]["accuracy"].get<double>() == Approx(0.8));
  CHECK(found.artifacts.at("calibration_scaled")["temperature"].get<double>() == at("temperature"));
  const auto without = look(model, "name: calibration, bins: 10, resamples: 50");
  CHECK(without.metrics.at("calibration/ece") == at("ece"));
  CHECK(without.metrics.count("calibration/temperature") == 0);
  CHECK(without.artifacts.count("calibration_scaled") == 0);
}

TEST_CASE("non-finite scores make an analysis undecided", "[calibration]") {
  Table model(at::tensor({0.0, 1.0, std::nan(""), 1.0}, at::kDouble).view({2, 2}));
  Look look;
  look.splits["test"] = rows_of_table({0, 1});
  look.splits["validation"] = {look.splits["test"].inputs.narrow(0, 0, 1), look.splits["test"].targets.narrow(0, 0, 1)};
  look.others["test"] = look.splits["validation"];
  CHECK(look(model, "name: calibration, resamples: 5").not_finite == "scores on 'test' are not finite");
  const auto held_back = look(model, "name: calibration, split: validation, temperature: test, resamples: 5");
  CHECK(held_back.not_finite == "scores on 'test' are not finite");
  CHECK(held_back.metrics.empty());
  CHECK(look(model, "name: out_of_distribution, dataset: moons, known: validation").not_finite.empty());
  CHECK(look(model, "name: out_of_distribution, dataset: moons").not_finite == "scores on 'test' are not finite");
}

TEST_CASE("out of distribution: confidences, scores and activations are compared", "[calibration]") {
  OneLayer model;
  BuildContext context;
  context.op = Registry<Operator>::create("dot");
  model.build(context);
  Look look;
  // Units are the coordinates (x, y), scores (2 x, -y).
  look.splits["test"] = {at::tensor({3.0f, 0.0f, 1.0f, 0.0f, 0.0f, -1.0f}).view({3, 2}), at::zeros({3}, at::kLong)};
  look.others["test"] = {at::tensor({0.5f, 9.0f, 1.0f, -2.0f}).view({2, 2}), at::zeros({2}, at::kLong)};
  const auto found = look(model, "name: out_of_distribution, dataset: moons, label: far");
  const auto at = [&](const char* name) { return found.metrics.at(std::string("ood/far/") + name); };
  // Known scores 6, 2, 1 and unknown 1, 2. Their leads 6, 2, 1 and 10, 0. Units 3, 1, 0 and 9, 1.
  CHECK(at("auroc_score") == Approx((2 + 1.5 + 0.5) / 6));
  CHECK(at("auroc_confidence") == Approx(3.0 / 6));
  CHECK(at("auroc_unit") == Approx(1.5 / 6));
  CHECK(at("fpr_score") == Approx(1));
  CHECK(at("fpr_confidence") == Approx(0.5));
  const double certain = 1 / (1 + std::exp(-10.0));
  CHECK(at("confidence") == Approx((certain + 0.5) / 2));
  CHECK(at("sure") == Approx(0.5));
  CHECK(found.artifacts.at("ood_far")["sha256"] == "abc");
  CHECK(found.artifacts.at("ood_far")["samples"] == 2);
  const auto first = look(model, "name: out_of_distribution, dataset: moons, limit: 1");
  CHECK(first.metrics.at("ood/moons/auroc_score") == 1);
  CHECK(first.artifacts.at("ood_moons")["known"] == 1);
}

TEST_CASE("out of distribution: other shapes and substitutes are rejected", "[calibration]") {
  Table model(at::eye(2));
  Look look;
  look.splits["test"] = look.others["test"] = rows_of_table({0, 1});
  look.other = std::make_shared<Points>(Provenance{"digits", "", "local", "", {}}, std::vector<std::int64_t>{28, 28});
  const auto shape = caught([&] { look(model, "name: out_of_distribution, dataset: mnist"); });
  CHECK(shape.message() == "analysis 'out_of_distribution': samples of 'mnist' have shape [28, 28], the arm's have [2]");
  CHECK(caught([&] { look.check("name: out_of_distribution, dataset: mnist"); }).message() == shape.message());
  look.other = std::make_shared<Points>(Provenance{"synthetic_digits", "", "embedded", "mnist", {}});
  const auto substitute = caught([&] { look(model, "name: out_of_distribution, dataset: moons"); });
  CHECK(substitute.message() == "'synthetic_digits' would replace 'mnist'");
  CHECK(substitute.exit_code() == 3);
  CHECK(caught([&] { look.check("name: out_of_distribution, dataset: moons"); }).message() == substitute.message());
  look.other = std::make_shared<Points>(Provenance{"others", "", "local", "", {}});
  look.check("name: out_of_distribution, dataset: moons");
  CHECK(caught([&] { look.check("name: out_of_distribution, dataset: moons, split: unseen"); }).message() ==
        "out_of_distribution: no split 'unseen'");
}
