#include "core/train/trainer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/safetensors.h"
#include "core/model/checkpoint.h"
#include "core/record/checkpoint_folders.h"
#include "helpers.h"
#include "temporary_folder.h"
#include "train/training.h"

namespace yatlab {
namespace {

using testing::error_of;
using testing::spec;
using State = TrainOutcome::State;

using testing::after;
using testing::go_on;
using testing::points;
using testing::Recorder;
using testing::Setup;
using testing::train;

}  // namespace

TEST_CASE("the same job twice is bitwise identical and another seed is not", "[trainer]") {
  Setup s;
  const TemporaryFolder a, b, c;
  Recorder ra, rb, rc;
  const auto first = train(s, a.path(), ra), second = train(s, b.path(), rb);
  CHECK(first.outcome.state == State::kCompleted);
  CHECK(first.outcome.steps == 21);
  CHECK_FALSE(first.outcome.resumed);
  CHECK(first.model == second.model);
  CHECK(first.outcome.metrics == second.outcome.metrics);
  CHECK(ra.rows == rb.rows);
  s.seed = 4;
  CHECK(train(s, c.path(), rc).model != first.model);
}

TEST_CASE("a learning curve begins before the first step, and losses fall", "[trainer]") {
  Setup s;
  s.params.eval_train = true;
  s.params.epochs = 20;
  const TemporaryFolder folder;
  Recorder r;
  const auto result = train(s, folder.path(), r);
  REQUIRE(r.rows.size() > 4);
  CHECK(r.rows[0].step == 0);
  CHECK(r.rows[0].epoch == 0);
  CHECK(r.rows[0].metrics.count("test/accuracy"));
  CHECK(r.rows[0].metrics.count("model/alpha"));
  CHECK(result.outcome.metrics.at("train/loss") < r.rows[0].metrics.at("train/loss"));
  CHECK(result.outcome.metrics.at("train/accuracy") > 0.8);
  // Every fourth step's batch, and every epoch.
  CHECK(r.steps_with("train/batch_loss").size() == 140 / 4);
  CHECK(r.steps_with("test/accuracy").size() == 21);
}

TEST_CASE("rows give epochs and samples also within an epoch", "[trainer]") {
  Setup s;
  s.params.steps = 10;
  s.params.eval_steps = 2;
  const TemporaryFolder a, b;
  Recorder whole, dropping;
  train(s, a.path(), whole);
  s.params.drop_last = true;  // 6 batches of 8 instead of 7
  train(s, b.path(), dropping);
  for (const auto& row : whole.rows) {
    INFO(row.step);
    CHECK(row.epoch == static_cast<double>(row.step) / 7);
    CHECK(row.samples == (row.step < 7 ? 8 * row.step : 50 + 8 * (row.step - 7)));
  }
  for (const auto& row : dropping.rows) {
    INFO(row.step);
    CHECK(row.epoch == static_cast<double>(row.step) / 6);
    CHECK(row.samples == 8 * row.step);
  }
  CHECK(whole.rows.back().step == 10);
}

TEST_CASE("observers are notified of checkpoints and of the one a run resumes from", "[trainer][resume]") {
  Setup s;
  s.params.checkpoint_steps = 5;
  const TemporaryFolder folder;
  Recorder r;
  CHECK(train(s, folder.path(), r, after(12)).outcome.state == State::kInterrupted);
  CHECK(r.checkpoints == std::vector<std::int64_t>{5, 10, 12});
  CHECK(r.resumed.empty());
  CHECK(saved_checkpoints(folder.path()) == std::vector<std::int64_t>{5, 10, 12});  // two scheduled ones, and where it stopped
  CHECK(fs::exists(checkpoint_folder(folder.path(), 12) / "manifest.json"));
  train(s, folder.path(), r);
  CHECK(r.resumed == std::vector<std::int64_t>{12});
  CHECK(r.checkpoints == std::vector<std::int64_t>{5, 10, 12, 15, 20, 21});
}

TEST_CASE("training length can be set in steps instead of epochs", "[trainer]") {
  Setup s;
  s.params.steps = 10;  // an epoch has 7
  s.params.eval_steps = 4;
  const TemporaryFolder folder;
  Recorder r;
  const auto result = train(s, folder.path(), r);
  CHECK(result.outcome.steps == 10);
  CHECK(r.steps_with("test/accuracy") == std::vector<std::int64_t>{0, 4, 8, 10});
  // The mean training loss is that of the updates since the last evaluation.
  CHECK(r.steps_with("train/loss") == std::vector<std::int64_t>{4, 8, 10});
  REQUIRE(!r.progress.empty());
  CHECK(r.progress.back().total_steps == 10);
  CHECK(r.progress.back().epochs == 2);

  // Interrupted in the middle, it gives the same.
  const TemporaryFolder other;
  Recorder cut;
  CHECK(train(s, other.path(), cut, after(6)).outcome.state == State::kInterrupted);
  CHECK(train(s, other.path(), cut).model == result.model);
  CHECK(cut.rows == r.rows);
}

TEST_CASE("gradients of micro-batches add up to those of the batch", "[trainer]") {
  Setup s;
  s.optimizer = spec("sgd", {{"lr", 0.1}});
  const TemporaryFolder whole, parts;
  Recorder a, b;
  const auto expected = train(s, whole.path(), a);
  s.params.micro_batch = 3;  // 3 + 3 + 2, and 2 of the last
  const auto result = train(s, parts.path(), b);
  CHECK(result.outcome.steps == expected.outcome.steps);
  REQUIRE(a.rows.size() == b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    for (const auto& [name, value] : a.rows[i].metrics) {
      INFO(name << " in row " << i);
      CHECK(b.rows[i].metrics.at(name) == Approx(value).epsilon(1e-4).margin(1e-6));
    }
  }
}

TEST_CASE("an interrupted run resumes as if it had never stopped", "[trainer]") {
  struct Case {
    const char* name;
    void (*change)(Setup&);
  };
  const Case cases[] = {
      {"adam", [](Setup&) {}},
      {"sgd with momentum and a cosine schedule",
       [](Setup& s) {
         s.optimizer = spec("sgd", {{"lr", 0.1}, {"momentum", 0.9}, {"nesterov", true}});
         s.schedule = spec("cosine", {{"warmup_steps", 5}});
       }},
      {"adamw, clipped, unshuffled",
       [](Setup& s) {
         s.optimizer = spec("adamw", {{"lr", 0.05}});
         s.params.grad_clip = 0.1;
         s.params.shuffle = false;
       }},
      {"evaluated every second epoch, incomplete batches left out, learned epsilon",
       [](Setup& s) {
         s.params.eval_every = 2;
         s.params.drop_last = true;
         s.op = spec("yat", {{"learn_epsilon", true}, {"epsilon", 0.1}});
       }},
  };
  for (const auto& [name, change] : cases) {
    INFO(name);
    Setup s;
    change(s);
    const TemporaryFolder unbroken;
    Recorder expected_rows;
    const auto expected = train(s, unbroken.path(), expected_rows);
    const int total = static_cast<int>(expected.outcome.steps);
    // Within an epoch, just before, at and after its end, and at the last possible step.
    for (const int k : {1, 3, 5, 6, 7, 8, 13, 14, 15, total - 1}) {
      INFO("stopped after " << k);
      const TemporaryFolder folder;
      Recorder rows;
      const auto half = train(s, folder.path(), rows, after(k));
      REQUIRE(half.outcome.state == State::kInterrupted);
      CHECK(half.outcome.steps == k);
      const auto whole = train(s, folder.path(), rows);
      CHECK(whole.outcome.state == State::kCompleted);
      CHECK(whole.outcome.resumed);
      CHECK(whole.outcome.steps == total);
      CHECK(whole.model == expected.model);
      CHECK(whole.outcome.metrics == expected.outcome.metrics);
      CHECK(rows.rows == expected_rows.rows);
    }
  }
}

TEST_CASE("a run that is interrupted at every step finishes with the same results", "[trainer]") {
  const Setup s;
  const TemporaryFolder unbroken, folder;
  Recorder expected_rows, rows;
  const auto expected = train(s, unbroken.path(), expected_rows);
  int attempts = 1;
  auto result = train(s, folder.path(), rows, after(1));
  while (result.outcome.state == State::kInterrupted && attempts++ < 100) result = train(s, folder.path(), rows, after(1));
  CHECK(attempts == 21);
  CHECK(result.model == expected.model);
  CHECK(result.outcome.metrics == expected.outcome.metrics);
  CHECK(rows.rows == expected_rows.rows);
}

TEST_CASE("final files do not depend on interruptions or the clock", "[trainer][resume]") {
  Setup s;
  const auto left = [&](const std::vector<int>& stops, double seconds) {
    s.params.checkpoint_seconds = seconds;
    const TemporaryFolder folder;
    Recorder r;
    for (const int stop : stops) train(s, folder.path(), r, after(stop));
    train(s, folder.path(), r);
    return saved_checkpoints(folder.path());
  };
  for (const auto every : {std::optional<std::int64_t>(), std::optional<std::int64_t>(5)}) {
    s.params.checkpoint_steps = every;
    const auto expected = left({}, 1000);
    CHECK(expected == (every ? std::vector<std::int64_t>{20, 21} : std::vector<std::int64_t>{21}));
    for (const auto& stops : {std::vector<int>{3}, {13}, {17, 2}, {20}, {4, 1, 1, 7, 6}}) CHECK(left(stops, 1000) == expected);
    CHECK(left({}, 1e-9) == expected);
    CHECK(left({8}, 1e-9) == expected);
  }
  // A diverging run keeps scheduled checkpoints, and the one that analyses read.
  s.params.checkpoint_steps = 5;
  s.params.diverged_above = 0.2;
  s.optimizer = spec("sgd", {{"lr", 1e-6}});
  s.params.checkpoint_seconds = 1e-9;
  const TemporaryFolder folder;
  Recorder r;
  const auto diverged = train(s, folder.path(), r).outcome;
  REQUIRE(diverged.state == State::kDiverged);
  CHECK(saved_checkpoints(folder.path()) == std::vector<std::int64_t>{diverged.steps});
}

TEST_CASE("a history that does not match the checkpoint restarts training with a notice", "[trainer][resume]") {
  Setup s;
  const TemporaryFolder unbroken, folder;
  Recorder expected_rows, rows;
  const auto expected = train(s, unbroken.path(), expected_rows);
  train(s, folder.path(), rows, after(12));
  rows.foreign = true;
  const auto result = train(s, folder.path(), rows);
  CHECK_FALSE(result.outcome.resumed);
  CHECK(result.model == expected.model);
  CHECK(rows.rows == expected_rows.rows);
  REQUIRE(rows.notices.size() == 1);
  CHECK(rows.notices[0] == "the history does not match the checkpoint of step 12: training restarts from step 0");
}

TEST_CASE("history after the checkpoint is discarded as after a crash", "[trainer]") {
  Setup s;
  const TemporaryFolder unbroken, folder;
  Recorder expected_rows, rows;
  const auto expected = train(s, unbroken.path(), expected_rows);
  s.params.checkpoint_steps = 5;
  struct Crash {};
  // A crash throws from the step: nothing is saved while unwinding.
  CHECK_THROWS_AS(train(s, folder.path(), rows, [n = 0]() mutable -> bool { return ++n == 13 ? throw Crash() : false; }), Crash);
  REQUIRE(rows.rows.back().step == 12);
  const auto result = train(s, folder.path(), rows);
  CHECK(result.outcome.resumed);
  CHECK(result.model == expected.model);
  CHECK(rows.rows == expected_rows.rows);
}

TEST_CASE("checkpoints do not change results", "[trainer]") {
  Setup s;
  const TemporaryFolder a, b;
  Recorder ra, rb;
  const auto expected = train(s, a.path(), ra);
  s.params.checkpoint_steps = 1;
  s.params.checkpoint_seconds = 1e-9;
  const auto result = train(s, b.path(), rb);
  CHECK(result.model == expected.model);
  CHECK(ra.rows == rb.rows);
}

TEST_CASE("repeating a finished run does nothing", "[trainer]") {
  Setup s;
  const TemporaryFolder folder;
  Recorder rows;
  const auto first = train(s, folder.path(), rows);
  const auto before = rows.rows;
  const auto again = train(s, folder.path(), rows);
  CHECK(again.outcome.state == State::kCompleted);
  CHECK(again.model == first.model);
  CHECK(again.outcome.metrics == first.outcome.metrics);
  CHECK(rows.rows == before);
}

TEST_CASE("a diverged run is a result, with its reason", "[trainer]") {
  Setup s;
  s.optimizer = spec("sgd", {{"lr", 1e6}});
  s.op = spec("dot");
  s.params.diverged_above = 1000;
  const TemporaryFolder folder;
  Recorder rows;
  const auto result = train(s, folder.path(), rows);
  REQUIRE(result.outcome.state == State::kDiverged);
  CHECK(result.outcome.steps < 21);
  const double loss = result.outcome.metrics.at("train/loss");
  CHECK_FALSE(loss <= 1000);
  CHECK(result.outcome.why ==
        "training loss " + format_double(loss) + " at step " + std::to_string(result.outcome.steps) + " (trainer.diverged_above=1000.0)");
  CHECK(rows.rows.back().step == result.outcome.steps);
  CHECK(rows.rows.back().metrics.count("train/loss"));
}

TEST_CASE("a language model that stays above the unigram entropy has diverged", "[trainer][resume]") {
  Setup s = testing::small_language_model();
  s.params.steps = 12;
  s.params.eval_steps = 2;
  s.params.diverged_evaluations = 3;
  const auto entropy = Registry<Task>::create(s.task)->constant_loss(s.splits.at("test"));
  REQUIRE(entropy);
  double expected = 0;
  for (std::int64_t token = 0; token < 11; ++token) {
    const double p = (s.splits.at("test").targets == token).to(at::kDouble).mean().item<double>();
    if (p > 0) expected -= p * std::log(p);
  }
  CHECK(*entropy == Approx(expected).epsilon(1e-12));
  const TemporaryFolder a, b, c;
  Recorder ra, rb, rc;
  // It learns the text by heart, so nothing is reported.
  Setup learns = s;
  learns.splits.at("test") = learns.splits.at("train");
  learns.params.steps = 60;
  learns.params.eval_steps = 20;
  const auto learnt = train(learns, a.path(), ra).outcome;
  CHECK(learnt.state == State::kCompleted);
  CHECK(learnt.metrics.at("test/loss") < Registry<Task>::create(s.task)->constant_loss(learns.splits.at("test")).value());
  s.optimizer.set("lr", 1e-12);
  const auto stuck = train(s, b.path(), rb).outcome;
  REQUIRE(stuck.state == State::kDiverged);
  CHECK(stuck.steps == 6);  // the evaluation of step 0 does not count
  CHECK(stuck.metrics.at("test/loss") > *entropy);
  CHECK(stuck.why == "test/loss " + format_double(stuck.metrics.at("test/loss")) + " at step 6: for 3 evaluations in a row not below " +
                         format_double(*entropy) + ", the loss of a prediction that ignores its input (trainer.diverged_evaluations=3)");
  // The count survives an interruption.
  CHECK(train(s, c.path(), rc, after(5)).outcome.state == State::kInterrupted);
  CHECK(train(s, c.path(), rc).outcome.steps == 6);
  // Seven evaluations in a row are impossible in 12 steps.
  s.params.diverged_evaluations = 7;
  const TemporaryFolder d;
  Recorder rd;
  CHECK(train(s, d.path(), rd).outcome.state == State::kCompleted);
}

TEST_CASE("a NaN loss is a divergence too", "[trainer]") {
  Setup s;
  s.splits.at("train").inputs[17][2] = std::numeric_limits<float>::quiet_NaN();
  const TemporaryFolder folder;
  Recorder rows;
  const auto result = train(s, folder.path(), rows);
  REQUIRE(result.outcome.state == State::kDiverged);
  CHECK(result.outcome.steps < 7);  // within the first epoch
  CHECK(std::isnan(result.outcome.metrics.at("train/loss")));
  CHECK(result.outcome.why.find("training loss nan at step ") == 0);
}

TEST_CASE("a target ends the training and its step is reported", "[trainer]") {
  Setup s;
  s.params.epochs = 50;
  s.params.eval_train = true;
  s.params.target.metric = "train/accuracy";
  s.params.target.at_least = 0.85;
  const TemporaryFolder folder;
  Recorder rows;
  const auto result = train(s, folder.path(), rows);
  REQUIRE(result.outcome.state == State::kCompleted);
  REQUIRE(result.outcome.metrics.at("target/reached") == 1.0);
  const auto step = result.outcome.metrics.at("target/step");
  CHECK(step == static_cast<double>(result.outcome.steps));
  CHECK(step > 0);
  CHECK(step < 350);
  CHECK(result.outcome.metrics.at("train/accuracy") >= 0.85);
  for (const auto& row : rows.rows) {
    if (row.step == result.outcome.steps || !row.metrics.count("train/accuracy")) continue;
    CHECK(row.metrics.at("train/accuracy") < 0.85);  // no earlier value sufficed
  }

  s.params.target.at_least = 2.0;
  s.params.epochs = 2;
  const TemporaryFolder never;
  Recorder more;
  const auto missed = train(s, never.path(), more);
  CHECK(missed.outcome.steps == 14);
  CHECK(missed.outcome.metrics.at("target/reached") == 0.0);
  CHECK(missed.outcome.metrics.count("target/step") == 0);
}

TEST_CASE("a target met at the start needs no step also when repeated", "[trainer]") {
  Setup s;
  s.params.target.metric = "test/accuracy";
  s.params.target.at_least = 0.0;
  const TemporaryFolder folder;
  Recorder rows;
  const auto first = train(s, folder.path(), rows);
  CHECK(first.outcome.steps == 0);
  CHECK(first.outcome.metrics.at("target/step") == 0.0);
  CHECK(rows.rows.size() == 1);
  const auto again = train(s, folder.path(), rows);  // as after a crash behind the last checkpoint
  CHECK(again.outcome.metrics == first.outcome.metrics);
  CHECK(rows.rows.size() == 1);
}

TEST_CASE("a target on an unknown metric is an error with a suggestion", "[trainer]") {
  Setup s;
  s.params.target.metric = "train/accuracy";
  const TemporaryFolder folder;
  Recorder rows;
  CHECK(error_of([&] { train(s, folder.path(), rows); }) ==
        "trainer.target.metric: there is no metric 'train/accuracy'\n  try: train/... metrics other than the loss need "
        "trainer.eval_train=true");
}

TEST_CASE("gradients are clipped by their global norm", "[trainer]") {
  Setup s;
  s.params.epochs = 1;
  s.params.batch_size = 50;  // one step
  s.optimizer = spec("sgd", {{"lr", 1.0}});
  s.op = spec("dot");
  const auto weights = [&](std::optional<double> clip, std::int64_t epochs) {
    s.params.grad_clip = clip;
    s.params.epochs = epochs;
    const TemporaryFolder folder;
    Recorder rows;
    const auto bytes = train(s, folder.path(), rows).model;
    const auto tensors = parse_safetensors(bytes, "model").tensors;
    std::vector<Tensor> flat;
    for (const auto& [name, tensor] : tensors) {
      if (name.rfind("optimizer.", 0) != 0) flat.push_back(tensor.to(at::kDouble).flatten());
    }
    return at::cat(flat);
  };
  // A gradient of norm below 1e-9 has no effect on floats of size 0.1, so the start stays.
  const Tensor start = weights(1e-12, 1);
  const Tensor free = weights(std::nullopt, 1);
  const double norm = (free - start).norm().item<double>();
  REQUIRE(norm > 0.05);
  CHECK(at::equal(weights(norm * 2, 1), free));
  const Tensor clipped = weights(norm / 4, 1);
  CHECK((clipped - start).norm().item<double>() == Approx(norm / 4).epsilon(1e-4));
  const Tensor direction = (clipped - start) / (norm / 4) - (free - start) / norm;
  CHECK(direction.abs().max().item<double>() < 1e-4);
}

TEST_CASE("the learning rate and the gradient norm before clipping are logged", "[trainer]") {
  Setup s;
  s.optimizer = spec("sgd", {{"lr", 0.5}});
  s.op = spec("dot");
  s.params.log_every = 1;
  const auto logged = [&](std::optional<double> clip) {
    s.params.grad_clip = clip;
    const TemporaryFolder folder;
    Recorder rows;
    train(s, folder.path(), rows);
    for (const auto& row : rows.rows) {
      if (row.metrics.count("train/batch_loss")) return row.metrics;
    }
    return Metrics();
  };
  // If it clips nothing or everything, the first step's gradient is the same.
  const auto loose = logged(1e6), tight = logged(1e-12);
  CHECK(loose.at("train/lr") == 0.5);
  CHECK(loose.at("train/gradient_norm") > 0.01);
  CHECK(loose.at("train/gradient_norm") == tight.at("train/gradient_norm"));
  CHECK(logged(std::nullopt).count("train/gradient_norm") == 0);
}

TEST_CASE("a row is logged every log_every steps counted from the start", "[trainer]") {
  Setup s;  // 21 steps
  s.params.log_every = 4;
  const TemporaryFolder folder;
  Recorder rows;
  train(s, folder.path(), rows);
  std::vector<std::int64_t> steps;
  for (const auto& row : rows.rows) {
    if (row.metrics.count("train/batch_loss")) steps.push_back(row.step);
  }
  CHECK(steps == std::vector<std::int64_t>{4, 8, 12, 16, 20});
}

TEST_CASE("the learning rate is the optimizer's times the schedule's factor", "[trainer]") {
  Setup s;
  s.optimizer = spec("sgd", {{"lr", 0.5}});
  s.schedule = spec("cosine", {{"final_factor", 0.1}});
  s.params.log_every = 1;
  const TemporaryFolder folder;
  Recorder rows;
  train(s, folder.path(), rows);
  std::vector<double> rates;
  for (const auto& row : rows.rows) {
    if (row.metrics.count("train/lr")) rates.push_back(row.metrics.at("train/lr"));
  }
  REQUIRE(rates.size() > 5);
  CHECK(rates.front() == 0.5);
  CHECK(std::is_sorted(rates.rbegin(), rates.rend()));
  CHECK(rates.back() < 0.2);
  CHECK(rates.back() > 0.04);
}

TEST_CASE("the last epoch always ends in an evaluation", "[trainer]") {
  Setup s;
  s.params.epochs = 5;
  s.params.eval_every = 2;
  const TemporaryFolder folder;
  Recorder rows;
  train(s, folder.path(), rows);
  CHECK(rows.steps_with("test/accuracy") == std::vector<std::int64_t>{0, 14, 28, 35});
}

TEST_CASE("an incomplete last batch can be left out", "[trainer]") {
  Setup s;
  const TemporaryFolder a, b;
  Recorder with, without;
  CHECK(train(s, a.path(), with).outcome.steps == 21);
  CHECK(with.progress.back().samples == 150);
  s.params.drop_last = true;
  CHECK(train(s, b.path(), without).outcome.steps == 18);
  CHECK(without.progress.back().samples == 144);
}

TEST_CASE("progress counts steps, epochs and samples", "[trainer]") {
  Setup s;
  const TemporaryFolder folder;
  Recorder rows;
  train(s, folder.path(), rows);
  REQUIRE(rows.progress.size() == 21);
  for (std::size_t i = 0; i < 21; ++i) {
    const auto& p = rows.progress[i];
    CHECK(p.step == static_cast<std::int64_t>(i) + 1);
    CHECK(p.total_steps == 21);
    CHECK(p.epoch == static_cast<std::int64_t>(i / 7) + 1);
    CHECK(p.epochs == 3);
    CHECK(p.samples == static_cast<std::int64_t>(i / 7) * 50 + std::min<std::int64_t>(50, static_cast<std::int64_t>(i % 7 + 1) * 8));
  }
}

TEST_CASE("the training loss of an epoch is the mean over its samples", "[trainer]") {
  Setup s;
  s.params.epochs = 1;
  s.params.log_every = 1;
  const TemporaryFolder folder;
  Recorder rows;
  const auto result = train(s, folder.path(), rows);
  double sum = 0;
  int batch = 0;
  for (const auto& row : rows.rows) {
    const auto it = row.metrics.find("train/batch_loss");
    if (it != row.metrics.end()) sum += it->second * (++batch < 7 ? 8 : 2);
  }
  REQUIRE(batch == 7);
  CHECK(result.outcome.metrics.at("train/loss") == Approx(sum / 50));
}

TEST_CASE("a checkpoint of another model is rejected", "[trainer]") {
  Setup s;
  const TemporaryFolder folder;
  Recorder rows;
  train(s, folder.path(), rows, after(2));
  s.optimizer = spec("sgd");
  CHECK(error_of([&] { train(s, folder.path(), rows); }) ==
        "the checkpoint's optimizer state does not match: 'velocity.0'\n  why: it was written by a different version of this job\n  try: "
        "start again with --fresh");
}

namespace {

/// The parameters alone, without the optimizer's state.
std::string parameters_of(const std::string& bytes) {
  NamedTensors out;
  for (const auto& entry : parse_safetensors(bytes, "model").tensors) {
    if (entry.first.rfind("optimizer.", 0) != 0) out.push_back(entry);
  }
  return dump_safetensors(out);
}

/// Steps so large that the test loss soon rises again.
Setup overshooting() {
  Setup s;
  s.op = spec("dot");
  s.optimizer = spec("adam", {{"lr", 0.8}});
  s.params.epochs = 40;
  s.params.early_stopping.metric = "test/loss";
  s.params.early_stopping.better = TrainerParams::EarlyStopping::Better::kLower;
  s.params.early_stopping.patience = 3;
  return s;
}

}  // namespace

TEST_CASE("early stopping ends the training and keeps the best parameters", "[trainer]") {
  Setup s = overshooting();
  Setup free = s;
  free.params.early_stopping.metric.reset();
  const TemporaryFolder a, b, c;
  Recorder whole_rows, rows, short_rows;
  train(free, a.path(), whole_rows);
  // The expected outcome, from the unstopped curve.
  std::int64_t best = -1, waited = 0, end = -1;
  double lowest = 0;
  for (const auto& row : whole_rows.rows) {
    const auto loss = row.metrics.find("test/loss");
    if (loss == row.metrics.end()) continue;
    if (best < 0 || loss->second < lowest) {
      best = static_cast<std::int64_t>(row.epoch);
      lowest = loss->second;
      waited = 0;
    } else if (++waited == 3) {
      end = static_cast<std::int64_t>(row.epoch);
      break;
    }
  }
  REQUIRE(best > 0);
  REQUIRE(end == best + 3);
  REQUIRE(end < 40);

  const auto stopped = train(s, b.path(), rows);
  CHECK(stopped.outcome.state == State::kCompleted);
  CHECK(stopped.outcome.steps == end * 7);
  CHECK(stopped.outcome.metrics.at("best/epoch") == static_cast<double>(best));
  CHECK(stopped.outcome.metrics.at("best/step") == static_cast<double>(best * 7));
  CHECK(stopped.outcome.metrics.at("test/loss") == lowest);
  CHECK(rows.rows.back().epoch == static_cast<double>(end));  // the curve also shows the epochs after it
  // The parameters equal those of a run that ends at the best epoch.
  free.params.epochs = best;
  CHECK(parameters_of(stopped.model) == parameters_of(train(free, c.path(), short_rows).model));
  // A repeated call of the finished run gives the same.
  const auto again = train(s, b.path(), rows);
  CHECK(again.outcome.resumed);
  CHECK(again.outcome.metrics == stopped.outcome.metrics);
  CHECK(again.model == stopped.model);
}

TEST_CASE("early stopping resumes exactly where it was interrupted", "[trainer]") {
  const Setup s = overshooting();
  const TemporaryFolder unbroken;
  Recorder expected_rows;
  const auto expected = train(s, unbroken.path(), expected_rows);
  for (int k = 1; k < static_cast<int>(expected.outcome.steps); k += 2) {
    INFO("stopped after " << k);
    const TemporaryFolder folder;
    Recorder rows;
    REQUIRE(train(s, folder.path(), rows, after(k)).outcome.state == State::kInterrupted);
    const auto whole = train(s, folder.path(), rows);
    CHECK(whole.model == expected.model);
    CHECK(whole.outcome.metrics == expected.outcome.metrics);
    CHECK(rows.rows == expected_rows.rows);
  }
}

TEST_CASE("early stopping that never triggers still keeps the best parameters", "[trainer]") {
  Setup s = overshooting();
  s.params.early_stopping.patience = 1000;
  s.params.epochs = 12;
  const TemporaryFolder folder;
  Recorder rows;
  const auto result = train(s, folder.path(), rows);
  CHECK(result.outcome.steps == 84);
  double lowest = 1e9;
  for (const auto& row : rows.rows) {
    const auto loss = row.metrics.find("test/loss");
    if (loss != row.metrics.end()) lowest = std::min(lowest, loss->second);
  }
  CHECK(result.outcome.metrics.at("test/loss") == lowest);
  CHECK(result.outcome.metrics.at("best/epoch") < 12);

  s.params.early_stopping.metric = "validation/loss";
  const TemporaryFolder other;
  CHECK(error_of([&] { train(s, other.path(), rows); }) ==
        "trainer.early_stopping.metric: there is no metric 'validation/loss'\n  try: validation/... needs a data set that holds samples "
        "back (dataset.validation)");
}

namespace {

/// Predicts from the mean of each class's training inputs, computed in one go.
struct NearestMean final : Architecture {
  Tensor means;
  bool saw_validation = false;
  int fits = 0;
  void build(const BuildContext& context) override { means = register_buffer("means", at::zeros({context.num_classes, 4})); }
  Tensor forward(const Tensor& x) override { return -at::cdist(x, means); }
  bool fits_itself() const override { return true; }
  void fit(const FitContext& context) override {
    ++fits;
    saw_validation = context.validation != nullptr;
    for (std::int64_t c = 0; c < means.size(0); ++c) {
      if (context.stop()) return;
      means[c] = context.train.inputs.index_select(0, context.train.targets.eq(c).nonzero().flatten()).mean(0);
      context.progress(c + 1, means.size(0));
    }
  }
};

struct NoSteps final : Optimizer {
  void attach(std::vector<Tensor>) override {}
  void step(double) override { FAIL("a model that fits itself takes no step"); }
  double base_lr() const override { return 1; }
  std::vector<std::pair<std::string, Tensor>> state() const override { return {}; }
};

}  // namespace

TEST_CASE("a model that fits itself is fitted once and evaluated once", "[trainer]") {
  auto splits = points();
  splits["validation"] = splits.at("test");
  const auto task = Registry<Task>::create("classification");
  const auto schedule = Registry<Schedule>::create("constant");
  NoSteps optimizer;
  TrainerParams params;
  params.epochs = 7;  // has no effect
  const TemporaryFolder folder;
  NearestMean model;
  BuildContext context;
  context.num_classes = 3;
  model.build(context);
  Recorder rows;
  const Trainer trainer(params, 1, folder.path());
  const auto stopped = trainer.run(model, *task, splits, optimizer, *schedule, rows, after(2));
  CHECK(stopped.state == State::kInterrupted);
  CHECK(rows.rows.empty());
  rows.progress.clear();
  const auto outcome = trainer.run(model, *task, splits, optimizer, *schedule, rows, go_on);
  CHECK(outcome.state == State::kCompleted);
  CHECK(outcome.steps == 1);
  CHECK(model.fits == 2);
  CHECK(model.saw_validation);
  CHECK(rows.progress.size() == 3);
  REQUIRE(rows.rows.size() == 1);
  CHECK(rows.rows[0].metrics == outcome.metrics);
  CHECK(outcome.metrics.at("test/accuracy") > 0.6);
  CHECK(outcome.metrics.count("validation/accuracy"));
  const auto saved = CheckpointStore(folder.path()).load_latest();
  REQUIRE(saved);
  CHECK(at::equal(saved->model.at(0).second, model.means));

  NearestMean ordinary;
  CHECK(error_of([&] { ordinary.Architecture::fit({splits.at("train")}); }) ==
        "this architecture is trained by gradient steps; it does not fit itself");
}

}  // namespace yatlab
