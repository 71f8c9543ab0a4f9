#include "plugins/kernels/tasks/finite_scores.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "core/model/language_model.h"
#include "core/train/stacked_task.h"
#include "plugins/extreme/tasks/top_k.h"
#include "temporary_folder.h"
#include "train/training.h"

namespace yatlab {
namespace {

using testing::after;
using testing::Recorder;
using testing::Setup;
using testing::spec;
using testing::train;
using State = TrainOutcome::State;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

/// Its scores are its inputs; for a stack [1, B, C] too.
class Passing final : public Architecture {
 public:
  void build(const BuildContext&) override {}
  Tensor forward(const Tensor& inputs) override { return inputs; }
};

/// Predicts the next of four tokens from the last alone: logits are products of a hidden state per token with the rows of a head.
class Bigrams final : public Architecture, public LanguageModel {
 public:
  Bigrams(Tensor hidden, Tensor head) : hidden_(std::move(hidden)), head_(std::move(head)) {}
  void build(const BuildContext&) override {}
  Tensor forward(const Tensor& tokens) override { return at::matmul(hidden(tokens), head_.t()); }
  Tensor hidden(const Tensor& tokens) override { return at::embedding(hidden_, tokens); }
  Tensor head() const override { return head_; }

 private:
  Tensor hidden_, head_;
};

/// Four samples of three scores, whose classes are those of the largest score.
Tensor some_scores() { return at::tensor({2., 1., 0., 0., 3., 1., 1., 0., 4., 5., 1., 2.}).view({4, 3}); }

/// `scores` as a training's test split, measured by the task.
Metrics measured(const Node& task_spec, const Tensor& scores, const Tensor& targets, std::int64_t batch = 3) {
  Passing model;
  const auto task = Registry<Task>::create(task_spec);
  task->observe({scores, targets});
  return task->evaluate(model, {scores, targets}, batch);
}

/// Classification with an additional metric that has no value at some evaluations, chosen by the test.
class Patchy final : public Task {
 public:
  static inline std::vector<double> values;  ///< one per evaluation
  static inline bool with_loss = true;
  static inline std::size_t next = 0;
  void set_normalizer(std::shared_ptr<Normalizer>) override {}
  std::vector<MetricDoc> metrics(const ArmParts&) const override { return {MetricDoc("auc").higher(), MetricDoc("loss").lower()}; }
  Tensor loss(const Tensor& outputs, const Tensor& targets) const override { return at::cross_entropy_loss(outputs, targets); }
  Metrics evaluate(Architecture&, const Split&, std::int64_t) const override {
    Metrics out{{"auc", values.at(next++)}};
    if (with_loss) out["loss"] = 1;
    return out;
  }
};
YATLAB_REGISTER(Task, Patchy, "patchy", "a metric that is not always there");

/// Fitted in one go, to nothing.
class Hopeless final : public Architecture {
 public:
  void build(const BuildContext&) override { register_parameter("weight", at::zeros({1})); }
  Tensor forward(const Tensor& inputs) override { return at::full({inputs.size(0), 3}, kNan, at::kFloat); }
  bool fits_itself() const override { return true; }
  void fit(const FitContext&) override {}
};
YATLAB_REGISTER(Architecture, Hopeless, "hopeless", "scores that are not numbers");

/// One evaluation before the first step and one after each epoch; early stopping by "test/auc".
TrainOutcome trained_by(const std::vector<double>& values, bool with_loss, bool higher = true) {
  Patchy::values = values;
  Patchy::with_loss = with_loss;
  Patchy::next = 0;
  Setup s;
  s.task = spec("patchy");
  s.params.epochs = static_cast<std::int64_t>(values.size()) - 1;
  s.params.early_stopping.metric = "test/auc";
  s.params.early_stopping.patience = 100;
  s.params.early_stopping.better = higher ? TrainerParams::EarlyStopping::Better::kHigher : TrainerParams::EarlyStopping::Better::kLower;
  const TemporaryFolder folder;
  Recorder rows;
  return train(s, folder.path(), rows).outcome;
}

/// The last step makes the parameters not finite.
Setup with_diverging_step(Setup s) {
  s.optimizer = spec("adam", {{"lr", 1e38}});
  s.params.steps = 1;
  return s;
}

/// Diverges at its last evaluation, and again if the process is killed after it.
void check_diverges(const Setup& s, const std::string& metric) {
  const TemporaryFolder folder;
  Recorder rows;
  const auto first = train(s, folder.path(), rows);
  CHECK(first.outcome.state == State::kDiverged);
  CHECK(first.outcome.why == metric + " is nan at step 1");
  CHECK(first.outcome.steps == 1);
  for (const auto& [name, value] : first.outcome.metrics) {
    INFO(name);
    if (name.rfind("test/", 0) == 0) CHECK(std::isnan(value));
  }
  REQUIRE(std::isnan(rows.rows.back().metrics.at(metric)));
  const auto seen = rows.rows.size();
  const auto again = train(s, folder.path(), rows);
  CHECK(again.outcome.resumed);
  CHECK(again.outcome.state == State::kDiverged);
  CHECK(again.outcome.why == first.outcome.why);
  CHECK(again.outcome.steps == 1);
  CHECK(again.model == first.model);
  CHECK(rows.rows.size() == seen);
}

}  // namespace

TEST_CASE("non-finite scores are detected for each member", "[finite]") {
  const Tensor scores = some_scores();
  CHECK(nan_unless_finite(scores).item<double>() == 0);
  CHECK(nan_unless_finite(scores * 1e300).item<double>() == 0);
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf}) {
      Tensor other = scores.to(type).clone();
      other[1][2] = bad;
      CHECK(std::isnan(nan_unless_finite(other).item<double>()));
      const Tensor each = nan_unless_finite(at::stack({scores.to(type), other, scores.to(type)}), 1);
      CHECK(each[0].item<double>() == 0);
      CHECK(std::isnan(each[1].item<double>()));
      CHECK(each[2].item<double>() == 0);
    }
  }
}

TEST_CASE("a task reports no metrics for non-finite scores", "[finite]") {
  const Tensor classes = at::tensor(std::vector<std::int64_t>{0, 1, 2, 0});
  const auto sound = measured(spec("classification"), some_scores(), classes);
  CHECK(sound.at("accuracy") == 1);
  CHECK(std::isfinite(sound.at("loss")));
  const Tensor wide = at::constant_pad_nd(some_scores(), {0, 4}, -1.0).to(at::kFloat);  // the head of a ranking is five labels
  const Tensor of_seven = testing::csr_of(at::one_hot(classes, 7).to(at::kFloat));
  CHECK(measured(spec("multilabel"), wide, of_seven).at("P@1") == 1);
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    INFO(bad);
    // In a class other than the right one, where -inf leaves the loss unchanged.
    Tensor scores = some_scores().clone();
    scores[3][1] = bad;
    for (const auto& [name, value] : measured(spec("classification"), scores, classes)) {
      INFO(name);
      CHECK(std::isnan(value));
    }
    // For a stack.
    Passing model;
    const auto members =
        dynamic_cast<const StackedTask&>(*Registry<Task>::create("classification")).stacked_evaluate(model, 1, {scores, classes}, 2);
    REQUIRE(members.size() == 1);
    CHECK(std::isnan(members[0].at("accuracy")));
    CHECK(std::isnan(members[0].at("loss")));
    // For a label that is not among the best of its row.
    Tensor ranked = wide.clone();
    ranked[2][6] = bad;
    for (const auto& [name, value] : measured(spec("multilabel"), ranked, of_seven)) {
      INFO(name);
      CHECK(std::isnan(value));
    }
    CHECK_FALSE(top_k_labels(ranked, 2).finite);
  }
  CHECK(top_k_labels(wide, 2).finite);
  CHECK(top_k_labels(wide, 9).finite);  // places without a label do not count
  TopKMerger offered(1, 2);
  for (const auto label : {0, 1, 2}) offered.offer(0, label, label == 1 ? static_cast<float>(-kInfinity) : 1.F);
  CHECK_FALSE(offered.take().finite);
}

TEST_CASE("a language model reports no metrics for non-finite logits", "[finite][language_modeling]") {
  const auto task = Registry<Task>::create("language_modeling");
  const Split text{at::tensor(std::vector<std::int64_t>{0, 1, 2, 3}).view({2, 2}),
                   at::tensor(std::vector<std::int64_t>{1, 2, 3, 0}).view({2, 2})};
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
    const auto found = [&](const Tensor& hidden, const Tensor& head) {
      Bigrams model(hidden.to(type), head.to(type));
      return task->evaluate(model, text, 1);
    };
    const Tensor hidden = at::tensor({1., 0.5, 2., 1.}).view({4, 1}), head = at::tensor({0.5, 1., 0.2, 0.}).view({4, 1});
    for (const auto& [name, value] : found(hidden, head)) CHECK(std::isfinite(value));
    for (const double bad : {kNan, kInfinity, -kInfinity}) {
      for (const bool in_head : {false, true}) {
        Tensor other = (in_head ? head : hidden).clone();
        other[1][0] = bad;
        for (const auto& [name, value] : found(in_head ? hidden : other, in_head ? other : head)) {
          INFO(name << " " << bad << " " << in_head);
          CHECK(std::isnan(value));
        }
      }
    }
    if (type == at::kDouble) continue;
    // One logit is below all floats, and no token's loss depends on it.
    const Tensor far = at::tensor({3e38, 1., 1., 1.}).view({4, 1}), below = at::tensor({0.5, 1., -2., 0.}).view({4, 1});
    for (const auto& [name, value] : found(far, below)) {
      INFO(name);
      CHECK(std::isnan(value));
    }
  }
}

TEST_CASE("an infinite loss with finite scores keeps the accuracy", "[finite]") {
  const Tensor classes = at::tensor(std::vector<std::int64_t>{0, 1});
  Passing model;
  const auto task = Registry<Task>::create("classification");
  const Tensor scores = at::tensor({3e38, -3e38, -3e38, 3e38}).to(at::kFloat).view({2, 2});
  const auto right = task->evaluate(model, {scores, classes}, 2), wrong = task->evaluate(model, {-scores, classes}, 2);
  CHECK(right.at("loss") == 0);
  CHECK(right.at("accuracy") == 1);
  CHECK(std::isinf(wrong.at("loss")));
  CHECK(wrong.at("accuracy") == 0);
  CHECK_FALSE(task->not_finite(right));
  CHECK(task->not_finite(wrong) == std::optional<std::string>("loss"));
}

TEST_CASE("a non-finite loss or only non-finite metrics mark an evaluation as non-finite", "[finite]") {
  const auto task = Registry<Task>::create("classification");
  const auto says = [&](const Metrics& metrics) { return task->not_finite(metrics).value_or("nothing"); };
  CHECK(says({}) == "nothing");
  CHECK(says({{"loss", 1}, {"perplexity", kInfinity}, {"auc", kNan}}) == "nothing");
  for (const double bad : {kNan, kInfinity, -kInfinity}) CHECK(says({{"accuracy", 0.1}, {"loss", bad}}) == "loss");
  CHECK(says({{"P@1", kNan}, {"nDCG@1", kNan}}) == "P@1");
  CHECK(says({{"P@1", kNan}, {"nDCG@1", 0}}) == "nothing");
  CHECK(says({{"ratio", kInfinity}}) == "nothing");
}

TEST_CASE("a model that is non-finite after the last update has diverged in every task", "[trainer][finite][resume]") {
  SECTION("classification") { check_diverges(with_diverging_step({}), "test/loss"); }
  SECTION("classification with the dot product") {
    Setup s = with_diverging_step({});
    s.op = spec("dot");
    s.optimizer = spec("sgd", {{"lr", 3e38}});
    s.splits.at("train").inputs *= 10;
    s.splits.at("test").inputs *= 10;
    check_diverges(s, "test/loss");
  }
  SECTION("text") { check_diverges(with_diverging_step(testing::small_language_model()), "test/loss"); }
  SECTION("text in bfloat16 with layer statistics") {
    Setup s = with_diverging_step(testing::small_language_model());
    s.architecture.set("precision", "bfloat16");
    s.task.set("layer_statistics", 2);
    check_diverges(s, "test/loss");
  }
  for (const bool sparse : {false, true}) {
    SECTION(sparse ? "label sets of sparse rows" : "label sets") {
      check_diverges(with_diverging_step(testing::label_sets(sparse)), "test/P@1");
    }
  }
  SECTION("label sets in bfloat16") {
    Setup s = with_diverging_step(testing::label_sets(true));
    s.architecture.set("precision", "bfloat16");
    check_diverges(s, "test/P@1");
  }
}

TEST_CASE("finite weights with non-finite scores have diverged on any split", "[trainer][finite]") {
  Setup s;
  s.op = spec("dot");
  s.splits["validation"] = s.splits.at("test");
  const auto outcome = [&](const std::string& split) {
    Setup other = s;
    other.splits.at(split).inputs = other.splits.at(split).inputs.clone();
    other.splits.at(split).inputs[3][1] = kInfinity;
    const TemporaryFolder folder;
    Recorder rows;
    return train(other, folder.path(), rows).outcome;
  };
  for (const std::string split : {"test", "validation"}) {
    const auto end = outcome(split);
    CHECK(end.state == State::kDiverged);
    CHECK(end.why == split + "/loss is nan at step 0");
  }
  // The training split if it is evaluated; otherwise the loss of the affected batch reports it.
  CHECK(outcome("train").why.find("training loss nan at step ") == 0);
  s.params.eval_train = true;
  CHECK(outcome("train").why == "train/loss is nan at step 0");
}

TEST_CASE("a model that fits itself to non-finite values has diverged", "[trainer][finite]") {
  Setup s;
  s.architecture = spec("hopeless");
  const TemporaryFolder folder;
  Recorder rows;
  const auto end = train(s, folder.path(), rows).outcome;
  CHECK(end.state == State::kDiverged);
  CHECK(end.why == "test/loss is nan at step 1");
  CHECK(std::isnan(end.metrics.at("test/accuracy")));
}

TEST_CASE("early stopping treats NaN as the worst and not as divergence", "[trainer][finite]") {
  for (const bool higher : {true, false}) {
    // The best is the number of the third evaluation, after two epochs of 7 steps.
    const auto late = trained_by({kNan, kNan, 0.5, kNan, kInfinity, -kInfinity}, true, higher);
    CHECK(late.state == State::kCompleted);
    CHECK(late.metrics.at("best/step") == 14);
    CHECK(late.metrics.at("test/auc") == 0.5);
  }
  CHECK(trained_by({0.5, kNan, 0.7, 0.6}, true).metrics.at("best/step") == 14);
  CHECK(trained_by({0.5, kNan, 0.7, 0.6}, true, false).metrics.at("best/step") == 0);
  // For a task without a loss it is the only metric.
  const auto none = trained_by({0.5, kNan, 0.7, 0.6}, false);
  CHECK(none.state == State::kDiverged);
  CHECK(none.why == "test/auc is nan at step 7");
}

TEST_CASE("a non-finite metric reaches no target", "[trainer][finite]") {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    Patchy::values = {bad, bad};
    Patchy::with_loss = true;
    Patchy::next = 0;
    Setup s;
    s.task = spec("patchy");
    s.params.epochs = 1;
    s.params.target.metric = "test/auc";
    s.params.target.at_least = 0.5;
    if (bad < 0) s.params.target.at_most = 0.5;
    const TemporaryFolder folder;
    Recorder rows;
    const auto end = train(s, folder.path(), rows).outcome;
    CHECK(end.state == State::kCompleted);
    CHECK(end.metrics.at("target/reached") == 0);
  }
}

}  // namespace yatlab
