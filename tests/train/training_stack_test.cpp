#include "core/train/training_stack.h"

#include <ATen/ATen.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "catch.h"
#include "core/model/checkpoint.h"
#include "core/train/stacked_task.h"
#include "ops/gradients.h"
#include "temporary_folder.h"
#include "train/training.h"

namespace yatlab {
namespace {

using testing::after;
using testing::go_on;
using testing::label_sets;
using testing::Recorder;
using testing::Setup;
using testing::spec;
using testing::train;
using testing::Trained;
using State = TrainOutcome::State;

/// What became of one member.
struct End {
  Trained trained;
  Recorder seen;
  std::string error = "no error";
};

using Stops = std::map<std::size_t, int>;  ///< member -> the step after which it is told to stop

/// Each in a thread, all through one stack. `folders`: one below another for each member. `begun`: what they go on from.
std::vector<End> train_together(const std::vector<Setup>& members, const fs::path& folders, const Stops& stops = {},
                                const std::vector<End>* begun = nullptr) {
  std::vector<End> out(members.size());
  TrainingStack stack(members.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (begun) out[i].seen.rows = (*begun)[i].seen.rows;
    threads.emplace_back([&, i] {
      StackSlot slot(stack, i);
      const auto stop = stops.count(i) ? after(stops.at(i)) : std::function<bool()>(go_on);
      try {
        out[i].trained = train(members[i], folders / std::to_string(i), out[i].seen, stop, nullptr, &slot);
      } catch (const std::exception& e) {
        out[i].error = e.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return out;
}

End train_alone(const Setup& s) {
  const TemporaryFolder folder;
  End out;
  out.trained = train(s, folder.path(), out.seen);
  return out;
}

/// The same steps, ends and metrics' names; the same numbers to rounding.
void require_alike(const End& a, const End& b, double tolerance) {
  CHECK(a.error == b.error);
  CHECK(a.trained.outcome.state == b.trained.outcome.state);
  CHECK(a.trained.outcome.steps == b.trained.outcome.steps);
  CHECK(a.trained.outcome.samples == b.trained.outcome.samples);
  CHECK(a.seen.checkpoints == b.seen.checkpoints);
  REQUIRE(a.seen.rows.size() == b.seen.rows.size());
  for (std::size_t i = 0; i < a.seen.rows.size(); ++i) {
    const auto &x = a.seen.rows[i], &y = b.seen.rows[i];
    CHECK(x.step == y.step);
    CHECK(x.samples == y.samples);
    REQUIRE(x.metrics.size() == y.metrics.size());
    for (const auto& [name, value] : x.metrics) {
      INFO("step " << x.step << ": " << name);
      REQUIRE(y.metrics.count(name) == 1);
      CHECK(value == Approx(y.metrics.at(name)).epsilon(tolerance).margin(tolerance));
    }
  }
  REQUIRE(a.trained.parameters.size() == b.trained.parameters.size());
  for (const auto& [name, value] : a.trained.parameters) {
    INFO(name);
    CHECK(gradients::relative_error(value, b.trained.parameters.at(name)) < tolerance);
  }
}

/// Classification that counts how often it measures one model, and how often several at once.
class CountedTask final : public StackedTask {
 public:
  static inline std::atomic<int> alone{0}, together{0};
  static void restart() { alone = together = 0; }

  void set_normalizer(std::shared_ptr<Normalizer> normalizer) override { task_->set_normalizer(std::move(normalizer)); }
  std::vector<MetricDoc> metrics(const ArmParts& arm) const override { return task_->metrics(arm); }
  Tensor loss(const Tensor& outputs, const Tensor& targets) const override { return task_->loss(outputs, targets); }
  Tensor stacked_loss(const Tensor& outputs, const Tensor& targets) const override {
    return classification().stacked_loss(outputs, targets);
  }
  Metrics evaluate(Architecture& model, const Split& split, std::int64_t batch) const override {
    ++alone;
    return task_->evaluate(model, split, batch);
  }
  std::vector<Metrics> stacked_evaluate(Architecture& model, std::int64_t members, const Split& split, std::int64_t batch) const override {
    ++together;
    return classification().stacked_evaluate(model, members, split, batch);
  }

 private:
  const StackedTask& classification() const { return dynamic_cast<const StackedTask&>(*task_); }
  std::shared_ptr<Task> task_ = Registry<Task>::create("classification");
};
YATLAB_REGISTER(Task, CountedTask, "counted_classification", "counts evaluations");

std::vector<Setup> seeds(Setup s, std::size_t count) {
  std::vector<Setup> out;
  for (std::size_t i = 0; i < count; ++i) {
    s.seed = 3 + i;
    out.push_back(s);
  }
  return out;
}

void check_against_alone(const std::vector<Setup>& members, double tolerance = 2e-5) {
  const TemporaryFolder folder;
  const auto together = train_together(members, folder.path());
  for (std::size_t i = 0; i < members.size(); ++i) {
    INFO("member " << i);
    CHECK(together[i].trained.outcome.stack == members.size());
    require_alike(together[i], train_alone(members[i]), tolerance);
  }
}

}  // namespace

TEST_CASE("every architecture that stacks trains in a stack as alone, with every operator", "[stack]") {
  Setup s;
  // The mlp learns no alpha: under cosine its first has no gradient but roundings, which Adam makes steps of.
  const std::string architecture =
      GENERATE("{name: prototype_classifier, scale: n_over_log, bias: true}", "{name: prototype_classifier, per_class: 2, scale: constant}",
               "{name: prototype_classifier, scale: multiply}", "{name: one_hidden_layer, width: 5, bias: true}",
               "{name: mlp, hidden: [6, 5], scale: constant}");
  const auto op = GENERATE(spec("dot"), spec("yat"), spec("yat", {{"learn_epsilon", true}}), spec("yat", {{"bias_place", "after"}}),
                           spec("yat", {{"spherical", true}, {"epsilon", 0.1}}), spec("cosine"), spec("euclidean"),
                           spec("formula", {{"f", "dot^2 / (dist2 + 0.1) / n"}}));
  INFO(architecture << " " << op.to_flow());
  s.architecture = parse_yaml(architecture, "test");
  s.op = op;
  s.optimizer = spec("adam", {{"lr", 0.01}});
  check_against_alone(seeds(s, 3));
}

TEST_CASE("single units, and learned parameters of a formula, train in a stack as alone", "[stack]") {
  Setup s;
  s.classes = 2;
  for (auto& [name, split] : s.splits) split.targets = split.targets.clamp_max(1);
  s.architecture = spec("single_unit", {{"bias", true}});
  s.op =
      parse_yaml(GENERATE("{name: yat}",
                          "{name: formula, f: 'a * dot^2 / (dist2 + e)', parameters: {a: {start: 0.5}, e: {start: 0.2, positive: true}}}"),
                 "test");
  check_against_alone(seeds(s, 4));
}

TEST_CASE("label prototypes train in a stack as alone, with every way to score and every loss", "[stack][label_loss]") {
  Setup s = label_sets(GENERATE(true, false));
  // A factor of log scores is a shift: softmax leaves an alpha no gradient but roundings, so here it has none to learn.
  const std::string architecture = GENERATE("{logits: log}", "{logits: log, normalize_query: true, normalize_prototypes: true}",
                                            "{scale: n_over_log, values: weighted, sparse_gradients: false}", "{scale: multiply}");
  const std::string task =
      GENERATE("{loss: cross_entropy}", "{loss: cross_entropy, block: 4}", "{loss: one_vs_all}", "{loss: one_vs_all, block: 4}");
  INFO(architecture << " " << task);
  const auto merge = [](Node& into, const std::string& text) {
    for (const auto& [key, value] : parse_yaml(text, "test").as_map()) into.set(key, value);
  };
  merge(s.architecture, architecture);
  merge(s.task, task);
  if (GENERATE(false, true)) s.params.grad_clip = 0.05;
  check_against_alone(seeds(s, 3), 2e-4);  // the gradient of log(s) is 1/s: a small s rounds to much
}

TEST_CASE("label prototypes train in a stack as alone with every operator", "[stack][label_loss]") {
  Setup s = label_sets(true);
  s.op = GENERATE(
      spec("dot"), spec("cosine"), spec("euclidean"), spec("yat", {{"learn_epsilon", true}, {"epsilon", 0.1}}),
      spec("yat", {{"bias_place", "after"}, {"epsilon", 0.1}}), spec("yat", {{"spherical", true}, {"epsilon", 0.1}}),
      parse_yaml("{name: formula, f: 'a * dot^2 / (dist2 + e)', parameters: {a: {start: 0.5}, e: {start: 0.2, positive: true}}}", "test"));
  INFO(s.op.to_flow());
  s.architecture.set("scale", "n_over_log");
  s.architecture.set("alpha_init", 0.3);
  s.task.set("loss", GENERATE("cross_entropy", "one_vs_all"));
  check_against_alone(seeds(s, 3));
}

TEST_CASE("label prototypes of equal or different seeds see their own batches in a stack", "[stack][label_loss]") {
  const auto of =
      GENERATE(std::vector<std::uint64_t>{3, 3, 3}, std::vector<std::uint64_t>{3, 3, 4, 4}, std::vector<std::uint64_t>{3, 3, 4});
  const auto shuffle = GENERATE(true, false);
  const Setup one = label_sets(GENERATE(true, false));
  std::vector<Setup> members;
  for (const auto seed : of) {
    Setup s = one;
    s.seed = seed;
    s.params.shuffle = shuffle;
    s.op.set("epsilon", 0.1 + 0.3 * static_cast<double>(members.size()));
    members.push_back(s);
  }
  members[0].optimizer = spec("sgd", {{"lr", 0.02}, {"momentum", 0.9}});
  members[1].optimizer = spec("adam", {{"lr", 0.01}, {"lazy", true}});
  members[2].optimizer = spec("adamw", {{"lr", 0.03}, {"weight_decay", 0.1}});
  check_against_alone(members);
}

TEST_CASE("other losses over label sets train in a stack as alone", "[stack]") {
  SECTION("a normalizer") {
    Setup s = label_sets(GENERATE(true, false));
    s.normalizer = spec("softermax");
    check_against_alone(seeds(s, 3));
  }
  SECTION("an mlp on dense inputs") {
    Setup s = label_sets(false);
    s.architecture = parse_yaml("{name: mlp, hidden: [7], scale: constant}", "test");
    check_against_alone(seeds(s, 3));
  }
  SECTION("with one class per sample") {
    Setup s;
    s.architecture = parse_yaml("{name: label_prototypes, dim: 6}", "test");
    check_against_alone(seeds(s, 3));
  }
}

TEST_CASE("a stopped stack of label prototypes resumes bitwise identically", "[stack][resume]") {
  const auto members = seeds(label_sets(true), 3);
  const TemporaryFolder whole, parts;
  const auto unbroken = train_together(members, whole.path());
  const auto begun = train_together(members, parts.path(), {{0, 9}, {1, 9}, {2, 9}});
  const auto ended = train_together(members, parts.path(), {}, &begun);
  for (std::size_t i = 0; i < members.size(); ++i) {
    INFO("member " << i);
    CHECK(begun[i].trained.outcome.steps == 9);
    CHECK(ended[i].trained.outcome.resumed);
    CHECK(ended[i].trained.model == unbroken[i].trained.model);
    CHECK(ended[i].seen.rows == unbroken[i].seen.rows);
  }
}

TEST_CASE("members of a stack share equal batches and their order does not matter", "[stack]") {
  // Seeds of the order of samples: all one, all different, pairs, and what makes no equal groups.
  const auto of = GENERATE(std::vector<std::uint64_t>{3, 3, 3}, std::vector<std::uint64_t>{3, 4, 5}, std::vector<std::uint64_t>{3, 3, 4, 4},
                           std::vector<std::uint64_t>{3, 3, 4}, std::vector<std::uint64_t>{3, 4, 3, 4});
  const auto shuffle = GENERATE(true, false);
  const Setup one;  // copies of it have the same data, not equal ones
  std::vector<Setup> members;
  double rate = 0.01;
  for (const auto seed : of) {
    Setup s = one;
    s.seed = seed;
    s.params.shuffle = shuffle;
    s.optimizer = spec("adam", {{"lr", rate}});
    rate *= 1.7;  // so that members of one seed differ, too
    members.push_back(s);
  }
  check_against_alone(members);
}

TEST_CASE("settings that may differ between members of a stack are applied to each", "[stack]") {
  std::vector<Setup> members(5, Setup());
  members[0].op.set("epsilon", 0.5);
  members[1].optimizer = spec("sgd", {{"lr", 0.02}, {"momentum", 0.9}});
  members[2].schedule = spec("cosine");
  members[2].params.grad_clip = 0.1;
  members[3].architecture.set("alpha_init", 0.3);
  members[3].params.epochs = 2;
  members[4].optimizer = spec("adamw", {{"lr", 0.01}, {"weight_decay", 0.1}});
  members[4].params.log_every = 1;
  members[4].op.set("epsilon", 2.0);
  members[4].splits = testing::points();
  for (auto& [name, split] : members[4].splits) split.inputs = split.inputs.flip({0});  // other samples in the same order
  check_against_alone(members);
}

TEST_CASE("members of a stack are evaluated together with the same metrics as alone", "[stack]") {
  Setup s;
  s.params.eval_train = true;
  s.params.eval_batch_size = GENERATE(6, 1000);  // of 20 samples, and of 50
  s.task = parse_yaml(GENERATE("{name: classification}", "{name: classification, label_smoothing: 0.1}"), "test");
  check_against_alone(seeds(s, 3));
}

TEST_CASE("only members with their own task or evaluation times are evaluated separately", "[stack]") {
  Setup s;
  s.task = spec("counted_classification");
  const auto counted = [](const std::vector<Setup>& members) {
    const TemporaryFolder folder;
    CountedTask::restart();
    const auto together = train_together(members, folder.path());
    const std::pair<int, int> out{CountedTask::alone, CountedTask::together};
    for (std::size_t i = 0; i < members.size(); ++i) require_alike(together[i], train_alone(members[i]), 2e-5);
    return out;
  };
  auto members = seeds(s, 4);
  CHECK(counted(members) == std::pair{0, 4});  // at the start, and after each epoch
  members[3].params.eval_every = 3;
  CHECK(counted(members) == std::pair{0, 4});
  for (const auto i : {1, 2}) members[static_cast<std::size_t>(i)].params.eval_every = 3;
  CHECK(counted(members) == std::pair{2, 2});  // member 0 after the first and the second epoch
  members = seeds(s, 4);
  members[1].params.eval_batch_size = 6;
  CHECK(counted(members) == std::pair{16, 0});
  members[1].params.eval_batch_size = s.params.eval_batch_size;
  members[2].params.eval_train = true;
  CHECK(counted(members) == std::pair{20, 0});
  members[2].params.eval_train = false;
  members[0].splits.at("test").targets = members[0].splits.at("test").targets.clone();
  CHECK(counted(members) == std::pair{16, 0});
}

TEST_CASE("fixed alphas and epsilons may differ in a stack", "[stack]") {
  std::vector<Setup> members(3, Setup());
  for (std::size_t i = 0; i < 3; ++i) {
    members[i].architecture.set("learn_alpha", false);
    members[i].architecture.set("alpha_init", 0.2 + 0.4 * static_cast<double>(i));
    members[i].op.set("epsilon", 0.01 + static_cast<double>(i));
  }
  check_against_alone(members);
}

TEST_CASE("a diverging member ends as it would alone and does not affect others", "[stack]") {
  Setup linear;
  linear.op = spec("dot");
  auto members = seeds(linear, 4);
  members[1].optimizer = spec("sgd", {{"lr", 1e6}});
  members[2].params.diverged_above = 0.5;  // at once
  const TemporaryFolder folder;
  const auto together = train_together(members, folder.path());
  CHECK(together[1].trained.outcome.state == State::kDiverged);
  CHECK(together[2].trained.outcome.state == State::kDiverged);
  CHECK(together[2].trained.outcome.steps == 0);
  for (const std::size_t i : {0, 2, 3}) require_alike(together[i], train_alone(members[i]), 2e-5);
  const auto alone = train_alone(members[1]);
  CHECK(together[1].trained.outcome.steps == alone.trained.outcome.steps);
  CHECK(together[1].trained.outcome.why.find("training loss") == 0);
}

TEST_CASE("a member with a non-finite evaluation ends and does not affect others", "[stack][finite]") {
  auto members = seeds(Setup(), 4);
  members[1].optimizer = spec("adam", {{"lr", 1e38}});
  members[3].optimizer = spec("adam", {{"lr", 1e38}});
  for (auto& s : members) s.params.eval_steps = 1;
  for (const std::int64_t steps : {1, 3}) {
    for (auto& s : members) s.params.steps = steps;
    const TemporaryFolder folder;
    const auto together = train_together(members, folder.path());
    for (const std::size_t i : {1, 3}) {
      CHECK(together[i].trained.outcome.state == State::kDiverged);
      CHECK(together[i].trained.outcome.why == "test/loss is nan at step 1");
      CHECK(std::isnan(together[i].trained.outcome.metrics.at("test/accuracy")));
    }
    for (const std::size_t i : {0, 2}) require_alike(together[i], train_alone(members[i]), 2e-5);
  }
}

TEST_CASE("members end separately at their target or by early stopping", "[stack]") {
  auto members = seeds(Setup(), 4);
  for (auto& s : members) s.params.epochs = 8;
  members[0].params.target.metric = "test/accuracy";
  members[0].params.target.at_least = 0.6;
  members[1].params.early_stopping.metric = "test/loss";
  members[1].params.early_stopping.better = TrainerParams::EarlyStopping::Better::kLower;
  members[1].params.early_stopping.patience = 1;
  members[1].optimizer = spec("adam", {{"lr", 0.5}});
  check_against_alone(members, 1e-4);
}

TEST_CASE("a member that fails leaves the others alone", "[stack]") {
  auto members = seeds(Setup(), 3);
  members[1].params.target.metric = "test/nothing";  // found missing at the first evaluation after a step
  const TemporaryFolder folder;
  const auto together = train_together(members, folder.path());
  CHECK(together[1].error.find("no metric 'test/nothing'") != std::string::npos);
  for (const std::size_t i : {0, 2}) require_alike(together[i], train_alone(members[i]), 2e-5);
}

TEST_CASE("a failure of the whole stack is every member's error", "[stack]") {
  auto members = seeds(Setup(), 2);
  for (auto& s : members) s.splits.at("train").targets = s.splits.at("train").targets + 7;  // no such classes
  const TemporaryFolder folder;
  const auto together = train_together(members, folder.path());
  for (const auto& end : together) CHECK(end.error != "no error");
}

TEST_CASE("members may leave a stack and the last one trains bitwise identically", "[stack]") {
  const Setup s;
  TrainingStack stack(3);
  const TemporaryFolder folder;
  End end;
  std::thread first([&] {
    StackSlot slot(stack, 0);
    end.trained = train(s, folder.path(), end.seen, go_on, nullptr, &slot);
  });
  std::thread second([&] { const StackSlot slot(stack, 1); });
  std::thread third([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // when the first waits already
    const StackSlot slot(stack, 2);
  });
  first.join();
  second.join();
  third.join();
  CHECK(end.trained.outcome.stack == 0);
  const auto alone = train_alone(s);
  CHECK(end.trained.model == alone.trained.model);
  CHECK(end.seen.rows == alone.seen.rows);
}

TEST_CASE("a stopped stack resumes bitwise identically", "[stack][resume]") {
  const auto members = seeds(Setup(), 3);
  const TemporaryFolder whole, parts;
  const auto unbroken = train_together(members, whole.path());
  const auto begun = train_together(members, parts.path(), {{0, 9}, {1, 9}, {2, 9}});
  for (const auto& end : begun) {
    CHECK(end.trained.outcome.state == State::kInterrupted);
    CHECK(end.trained.outcome.steps == 9);
  }
  const auto ended = train_together(members, parts.path(), {}, &begun);
  for (std::size_t i = 0; i < members.size(); ++i) {
    INFO("member " << i);
    CHECK(ended[i].trained.outcome.resumed);
    CHECK(ended[i].trained.model == unbroken[i].trained.model);
    CHECK(ended[i].seen.rows == unbroken[i].seen.rows);
  }
}

TEST_CASE("a stop request stops all members at the same step", "[stack][resume]") {
  const auto members = seeds(Setup(), 3);
  const TemporaryFolder folder;
  std::atomic<bool> told{false};
  std::vector<End> out(3);
  TrainingStack stack(3);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      StackSlot slot(stack, i);
      const auto stop = [&, i, asked = 0]() mutable {
        if (i == 1 && ++asked == 9) told = true;  // member 0 was asked before
        return told.load();
      };
      out[i].trained = train(members[i], folder.path() / std::to_string(i), out[i].seen, stop, nullptr, &slot);
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& end : out) {
    CHECK(end.trained.outcome.state == State::kInterrupted);
    CHECK(end.trained.outcome.steps == 9);
  }
}

TEST_CASE("members that stopped at different steps resume together", "[stack][resume]") {
  auto members = seeds(Setup(), 3);
  // Of one seed they see the same batches, but not at the same time.
  if (GENERATE(true, false)) members[1].seed = members[0].seed;
  const TemporaryFolder folder;
  const auto begun = train_together(members, folder.path(), {{0, 5}, {1, 2}});  // at step 2 all are asked twice
  CHECK(begun[0].trained.outcome.steps == 4);
  CHECK(begun[2].trained.outcome.state == State::kCompleted);
  std::vector<End> out(2);
  TrainingStack stack(2);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    out[i].seen.rows = begun[i].seen.rows;
    threads.emplace_back([&, i] {
      StackSlot slot(stack, i);
      out[i].trained = train(members[i], folder.path() / std::to_string(i), out[i].seen, go_on, nullptr, &slot);
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto alone = train_alone(members[i]);
    CHECK(out[i].trained.outcome.steps == alone.trained.outcome.steps);
    for (const auto& [name, value] : out[i].trained.parameters) {
      CHECK(gradients::relative_error(value, alone.trained.parameters.at(name)) < 2e-5);
    }
  }
}

}  // namespace yatlab
