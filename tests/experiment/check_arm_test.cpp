#include "core/plan/check_arm.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "catch.h"
#include "core/base/text.h"
#include "core/compose/job_type.h"
#include "core/measure/analysis.h"
#include "core/record/run_view.h"
#include "core/train/arm_parts.h"
#include "experiment/support.h"
#include "helpers.h"

namespace yatlab {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::kTiny;
using testing::with;
using testing::Workspace;
using Strings = std::vector<std::string>;

/// Operators with typical beginners' mistakes.
template <int kMistake>
class Mistaken final : public Operator {
 public:
  Tensor scores(const Tensor& x, const Tensor& w, const Tensor&) const override {
    if (kMistake == 0) return at::matmul(x, w);                    // w not transposed
    if (kMistake == 1) return at::matmul(w, x.transpose(-1, -2));  // [n, B]
    return at::matmul(x, w.transpose(-1, -2)).detach();            // no gradient
  }
  OperatorTraits traits() const override { return {}; }
  std::int64_t flops(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }
};
YATLAB_REGISTER(Operator, Mistaken<0>, "mistaken_product", "forgets to transpose");
YATLAB_REGISTER(Operator, Mistaken<1>, "mistaken_order", "gives [n, B]");
YATLAB_REGISTER(Operator, Mistaken<2>, "mistaken_gradient", "has no gradient");

/// Declares a metric that it does not measure.
class MisnamedTask final : public Task {
 public:
  void set_normalizer(std::shared_ptr<Normalizer>) override {}
  Tensor loss(const Tensor& outputs, const Tensor&) const override { return outputs.square().mean(); }
  Metrics evaluate(Architecture&, const Split&, std::int64_t) const override { return {{"size", 1.0}}; }
  std::vector<MetricDoc> metrics(const ArmParts&) const override { return {"length"}; }
};
YATLAB_REGISTER(Task, MisnamedTask, "misnamed", "declares another metric than it gives");

/// A model that accepts only images with three colours.
class Colourful final : public Architecture {
 public:
  void build(const BuildContext&) override { weight_ = register_parameter("weight", at::ones({3, 10})); }
  Tensor forward(const Tensor& inputs) override { return at::matmul(inputs.flatten(1), weight_); }

 private:
  Tensor weight_;
};
YATLAB_REGISTER(Architecture, Colourful, "colourful", "takes three numbers");

}  // namespace

TEST_CASE("an operator that cannot compute scores is rejected by name before a run", "[check][operator]") {
  const Workspace w;
  CHECK_THAT(w.error({"arms.yat=['operator=mistaken_product']"}),
             ContainsSubstring("operator 'mistaken_product' fails on inputs [2, 4] and weights [3, 4]") && ContainsSubstring("arm 'yat'") &&
                 ContainsSubstring("must return [B, n]") && !ContainsSubstring("frame #"));
  CHECK_THAT(w.error({"arms.yat=['operator=mistaken_order']"}),
             ContainsSubstring("returns scores of shape [3, 2]") && ContainsSubstring("arm 'yat'"));
  // Two samples forward and backward: an arm without any gradient cannot be trained, unless another part of the model can.
  CHECK_THAT(w.error({"arms.yat=['operator=mistaken_gradient']"}),
             ContainsSubstring("architecture 'prototype_classifier' with operator 'mistaken_gradient' fails on two test samples") &&
                 !ContainsSubstring("frame #"));
}

TEST_CASE("a model that cannot take the data's shape is rejected", "[check][architecture]") {
  const Workspace w;
  CHECK_THAT(w.error({"architecture=colourful"}),
             ContainsSubstring("architecture 'colourful'") && ContainsSubstring("fails on two test samples") && ContainsSubstring("784"));
}

TEST_CASE("a task whose metrics differ from its declaration is rejected", "[check][task]") {
  CHECK_THAT(Workspace().error({"task=misnamed"}), ContainsSubstring("declared: length; measured: size"));
}

TEST_CASE("a data set of unknown shape is not checked before loading", "[check][dataset]") {
  // "moving" declares no shape, so a table may name any metric.
  const std::string text = kTiny;
  const auto at = text.find("  - /dataset: synthetic_digits\n");
  auto moving = text.substr(0, at) + text.substr(at + 31);
  moving.replace(moving.find("dataset: {train_size: 120, test_size: 60}"), 41, "dataset: {name: moving}");
  CHECK(Workspace(moving + "tables: {t: {columns: [test/whatever]}}\n").error() == "no error");
}

TEST_CASE("planned metric and artifact names equal those that a job writes", "[check][names]") {
  // Every shipped way to measure: the names declared in planning equal those in summary.json and artifacts/.
  struct Case {
    std::string lines;
    Strings overrides;
  };
  const std::string text =
      "defaults: [/dataset: generated_text, /architecture: gpt2, /task: language_modeling, _self_]\n"
      "dataset: {train_stories: 8, test_stories: 2, context: 16}\n"
      "architecture: {layers: 2, width: 8, heads: 2, context: 16}\n"
      "trainer: {steps: 2, batch_size: 2, eval_steps: 1, grad_clip: 1.0}\n";
  const std::string points =
      "defaults: [/dataset: moons, /architecture: prototype_classifier, _self_]\ndataset: {train_size: 40, test_size: 20}\n"
      "trainer: {epochs: 1, batch_size: 20, log_every: 1}\n";
  const std::string labels =
      "defaults: [/dataset: synthetic_xc, /architecture: label_prototypes, /task: multilabel, _self_]\n"
      "dataset: {train_size: 30, test_size: 10, features: 60, labels: 20, validation: 0.2}\ntrainer: {epochs: 2, batch_size: 10}\n";
  const std::string studied = "defaults: [/architecture: one_hidden_layer, _self_]\narchitecture: {width: 8}\n";
  const std::vector<Case> cases = {
      {points +
           "analyses: [prototype_norms, prototype_inversion, prototype_images, {name: prototype_similarity, pair: [0, 1]}, response_table,"
           " {name: decision_map, resolution: 11}, step_memory]\n",
       {"operator=yat"}},
      {points,
       {"operator=yat", "operator.learn_epsilon=true", "architecture.scale=multiply", "trainer.target.metric=test/accuracy",
        "trainer.eval_train=true"}},
      {points, {"operator=dot", "architecture=mlp", "analyses=[{name: decision_map, resolution: 11}]"}},
      {points,
       {"operator=yat", "architecture=one_hidden_layer", "architecture.init=training_samples", "architecture.width=8",
        "analyses=[{name: calibration, temperature: train, resamples: 5}, {name: out_of_distribution, dataset: circles}]"}},
      {points, {"operator=dot", "architecture=single_unit", "trainer.early_stopping.metric=test/accuracy"}},
      {text + "analyses: [{name: calibration, resamples: 20}, activation_statistics, step_memory]\n",
       {"operator=yat", "task.layer_statistics=1"}},
      {labels, {"operator=yat", "trainer.early_stopping.metric=validation/P@1"}},
      {labels, {"operator=dot", "architecture=nearest_neighbours"}},
      {studied + "studies: [response_field, decision_regions, epsilon_shape, ray_response, {name: perturbation, samples: 50, starts: 2, "
                 "steps: 2},"
                 " {name: ntk_spectrum, points: 16, first: 2, last: 8}, squashing]\n",
       {"operator=yat", "normalizer=softermax"}},
      {studied + "studies: [response_field, decision_regions, epsilon_shape, ray_response, {name: perturbation, samples: 50, starts: 2, "
                 "steps: 2}]\n",
       {"operator=dot"}},
  };
  for (const auto& c : cases) {
    const Workspace w("name: tiny\n" + c.lines + "seeds: [0]\ntrackers: []\n");
    INFO(c.lines << c.overrides.back());
    const auto composition = compose_experiment(w.request(c.overrides), "");
    const auto frozen = frozen_arm(composition, "main");
    const auto names = ArmChecker().check("main", frozen);
    REQUIRE(names.known);
    const auto outcome = w.run(c.overrides);
    REQUIRE(outcome.exit_code == 0);
    const auto job = outcome.directory / "jobs/main/seed=0";
    std::set<std::string> measured, made;
    const auto metrics = RunView::load(outcome.directory).jobs.at(0).metrics;
    for (const auto& [name, value] : metrics) {
      if (name.rfind("run/", 0) != 0) measured.insert(name);
    }
    for (const auto& entry : fs::recursive_directory_iterator(job)) {
      if (entry.path().parent_path().filename() == "artifacts") made.insert(entry.path().stem().string());
    }
    std::set<std::string> promised;
    for (const auto& name : names.results) {
      // A target that was not reached has no step; run/ metrics are in status.json.
      if (name.rfind("run/", 0) != 0 && (name != "target/step" || measured.count(name))) promised.insert(name);
    }
    // If the evaluation before the first step was the best, there was no training loss yet.
    if (measured.count("best/step") && metrics.at("best/step") == 0) promised.erase("train/loss");
    CHECK(promised == measured);
    CHECK(names.artifacts == made);
    if (frozen.type != &training_job()) continue;
    const auto performance = testing::read_json(job / "status.json").at("performance");
    CHECK(performance.size() > 0);
    for (const auto& [name, value] : performance.items()) CHECK(names.results.count("run/" + name) == 1);
    std::ifstream history(job / "metrics.jsonl");
    for (std::string line; std::getline(history, line);) {
      const auto row = nlohmann::json::parse(line);
      for (const auto& [name, value] : row.items()) {
        if (name != "step" && name != "epoch" && name != "tokens") CHECK(names.history.count(name) == 1);
      }
    }
  }
}

TEST_CASE("stopping rules may watch the training loss", "[check][trainer]") {
  const Workspace w;
  const auto early = w.run(
      {"~arms.linear", "seeds=[0]", "trainer.epochs=4", "trainer.early_stopping.metric=train/loss", "trainer.early_stopping.better=lower"});
  CHECK(early.exit_code == 0);
  const auto best = testing::read_json(early.directory / "jobs/yat/seed=0/summary.json").at("metrics");
  CHECK(best.at("best/epoch").get<double>() >= 1);  // not the evaluation before the first step, which has no such mean
  const auto target = w.run({"~arms.linear", "seeds=[0]", "trainer.target.metric=train/loss", "trainer.target.at_most=100"});
  CHECK(target.exit_code == 0);
  const auto reached = testing::read_json(target.directory / "jobs/yat/seed=0/summary.json").at("metrics");
  CHECK(reached.at("target/reached").get<double>() == 1);
  CHECK(reached.at("target/step").get<double>() == 6);  // the end of the first epoch: 120 samples in batches of 20
}

TEST_CASE("diverged_evaluations is rejected for a task without a baseline loss", "[check][trainer]") {
  const Workspace w;
  const auto message = testing::error_of([&] { w.plan({"trainer.diverged_evaluations=3"}); });
  INFO(message);
  CHECK(message.find("trainer.diverged_evaluations: this task does not know the loss of a prediction that ignores its input") !=
        std::string::npos);
  CHECK(message.find("trainer.diverged_evaluations=null") != std::string::npos);
  CHECK(w.plan({"trainer.diverged_evaluations=null"}).jobs.size() > 0);
}

TEST_CASE("a softmax over bounded scores causes a notice with a fix", "[plan]") {
  const auto said = [](const std::string& arm, const Strings& overrides = {}) {
    const Workspace w(with("  mine: " + arm + "\n"));
    std::string out;
    for (const auto& notice : w.plan(overrides).notices) out += notice + "\n";
    return out;
  };
  const std::string bounded =
      "mine: scores are in [-1, 1], so the loss over 10 classes of equal size stays above 0.80; 'architecture.scale=multiply "
      "architecture.alpha_init=10' learns a factor for the scores\n";
  for (const char* arm : {"[operator=cosine]", "[operator=cosine, architecture=mlp]",
                          "[operator=cosine, architecture=cnn, 'architecture.channels=[2]', 'architecture.operators=[operator]']"}) {
    INFO(arm);
    const auto text = said(arm);
    CHECK(text == bounded);
    const auto begin = text.find('\'') + 1;
    const auto proposed = split(text.substr(begin, text.find('\'', begin) - begin), ' ');
    CHECK(proposed.size() == 2);
    CHECK(said(arm, proposed) == "");
  }
  // Wide ranges, terms that depend on w, other layers behind, and a user-defined factor.
  for (const char* arm :
       {"[operator=yat, architecture.bias=true]", "[operator=dot, architecture.bias=true]",
        "[operator=cosine, architecture.scale=constant]", "[operator=cosine, architecture=mlp, 'architecture.operators=[operator, dot]']",
        "[operator=cosine, architecture=one_hidden_layer]"}) {
    INFO(arm);
    CHECK(said(arm) == "");
  }
}

}  // namespace yatlab
