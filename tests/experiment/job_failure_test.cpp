// What a user reads about a failed job, in the terminal, status.json, log.txt and report.html.

#include <ATen/ATen.h>

#include <stdexcept>

#include "catch.h"
#include "core/job/job.h"
#include "core/measure/analysis.h"
#include "core/measure/claim.h"
#include "core/measure/study.h"
#include "core/plan/recorded_run.h"
#include "core/report/report.h"
#include "experiment/support.h"
#include "helpers.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::holds;
using testing::read_json;
using testing::with;
using testing::Workspace;

/// Adds tensors of incompatible shapes, like a first attempt at an operator; but not for the few rows of a planned arm.
class Misshapen final : public Operator {
 public:
  Tensor scores(const Tensor& x, const Tensor& w, const Tensor&) const override {
    if (x.size(0) <= 2) return at::matmul(x, w.t());
    return x + at::ones({w.size(0) + 100, x.size(-1) + 1});
  }
  OperatorTraits traits() const override { return {}; }
  std::int64_t flops(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }
};
YATLAB_REGISTER(Operator, Misshapen, "misshapen", "adds what does not fit");

/// Every function has a distinct value, so that a wrong call shows.
class Distinct final : public Operator {
 public:
  Tensor scores(const Tensor&, const Tensor&, const Tensor& bias) const override { return at::full({}, bias.defined() ? 2 : 1); }
  Tensor scaled_scores(const Tensor&, const Tensor&, const Tensor&, const Tensor&) const override { return at::full({}, 3); }
  OperatorTraits traits() const override {
    OperatorTraits t;
    t.even = true;
    return t;
  }
  std::int64_t flops(std::int64_t b, std::int64_t n, std::int64_t d) const override { return 100 * b + 10 * n + d; }
  std::vector<std::pair<std::string, Tensor>> parameters() const override { return {{"learned", at::full({}, 4)}}; }
  std::vector<std::pair<std::string, double>> observables() const override { return {{"seen", 5}}; }
};
YATLAB_REGISTER(Operator, Distinct, "distinct", "a value of its own for every function");

class ThrowingAnalysis final : public Analysis {
 public:
  Findings analyse(const TrainedArm& arm) const override {
    at::matmul(arm.model.prototypes(), at::ones({3, 3}));
    return {};
  }
  FindingNames names(const ArmParts&) const override { return {}; }
};
YATLAB_REGISTER(Analysis, ThrowingAnalysis, "throwing_analysis", "multiplies what does not fit");

/// Refuses every data set.
class ChoosyAnalysis final : public Analysis {
 public:
  Findings analyse(const TrainedArm&) const override { return {}; }
  FindingNames names(const ArmParts&) const override { return {}; }
  void check_data(const ArmParts& arm, const ArmData& data) const override {
    throw config_error(fmt::format("{} samples of {} are too few for {} prototypes", data.splits.at("test").size(),
                                   data.dataset.provenance().name, arm.model->prototypes().size(0)),
                       "analyses", {}, "remove it");
  }
};
YATLAB_REGISTER(Analysis, ChoosyAnalysis, "choosy_analysis", "refuses all data");

class ThrowingTask final : public Task {
 public:
  void set_normalizer(std::shared_ptr<Normalizer>) override {}
  Tensor loss(const Tensor& outputs, const Tensor&) const override {
    if (outputs.size(0) <= 2) return outputs.square().mean();
    throw std::runtime_error("the labels are\nnot for me \xff");
  }
  Metrics evaluate(Architecture&, const Split&, std::int64_t) const override { return {}; }
  std::vector<MetricDoc> metrics(const ArmParts&) const override { return {}; }
};
YATLAB_REGISTER(Task, ThrowingTask, "throwing_task", "throws in its loss");

class ThrowingStudy final : public Study {
 public:
  Findings run(const StudyContext&) const override {
    at::ones({1LL << 50});
    return {};
  }
  FindingNames names(const ArmParts&) const override { return {}; }
};
YATLAB_REGISTER(Study, ThrowingStudy, "throwing_study", "wants more memory than there is");

bool has_frames(const std::string& text) { return holds(text, "frame #") || holds(text, "Exception raised from"); }

}  // namespace

TEST_CASE("an analysis that cannot use the loaded data fails the job before its training", "[job][errors][analyses]") {
  const Workspace w(with("analyses: [choosy_analysis]\n"));
  const auto outcome = w.run();
  CHECK(outcome.exit_code == 1);
  for (const auto& job : w.plan().jobs) {
    const auto result = recorded_result(job, outcome.directory);
    CHECK(result.state == JobState::kFailed);
    CHECK(result.why == "60 samples of synthetic_digits are too few for 10 prototypes\n  at: analyses\n  try: remove it");
    CHECK_FALSE(fs::exists(outcome.directory / job.directory / "metrics.jsonl"));
    CHECK_FALSE(fs::exists(outcome.directory / job.directory / "checkpoints"));
  }
}

TEST_CASE("a failed job names the component and keeps stack frames in the log only", "[job][errors]") {
  struct Case {
    std::string lines;
    std::vector<std::string> overrides;
    std::string error;
    bool trace;
  };
  const std::string study =
      "name: tiny\ndefaults:\n  - _self_\nseeds: [0]\nlauncher: {workers: 1}\ntrackers: []\narms:\n  yat: [operator=yat]\nstudies: "
      "[throwing_study]\n";
  const std::string log_hint = "\n  try: see the run's log.txt for the full trace";
  const Case cases[] = {
      {testing::kTiny,
       {"+arms.mine=['operator=misshapen']", "~arms.linear", "~arms.yat"},
       "The size of tensor a (784) must match the size of tensor b (785) at non-singleton dimension 1\n  at: operator 'misshapen'" +
           log_hint,
       true},
      {with("analyses: [throwing_analysis]\n"),
       {"~arms.linear"},
       "mat1 and mat2 shapes cannot be multiplied (10x784 and 3x3)\n  at: analysis 'throwing_analysis'" + log_hint,
       true},
      {testing::kTiny,
       {"task=throwing_task", "~arms.linear"},
       "the labels are not for me \\xff\n  at: architecture 'prototype_classifier' with task 'throwing_task'",
       false},
      {study,
       {},
       "out of memory\n  at: study 'throwing_study'\n  why: DefaultCPUAllocator: can't allocate memory: you tried to allocate "
       "4503599627370496 bytes. Error code 12 (Cannot allocate memory)\n  try: use a smaller trainer.batch_size or trainer.micro_batch, or "
       "fewer launcher.workers",
       true},
  };
  for (const auto& c : cases) {
    INFO(c.error);
    const Workspace w(c.lines);
    const auto outcome = w.run(c.overrides);
    CHECK(outcome.exit_code == 1);
    const auto plan = w.plan(c.overrides);
    for (const auto& job : plan.jobs) {
      const auto result = recorded_result(job, outcome.directory);
      CHECK(result.state == JobState::kFailed);
      CHECK(result.why == c.error);
    }
    const auto log = read_file(outcome.directory / "log.txt");
    CHECK(holds(log, "failed " + plan.jobs.front().label() + ": "));
    CHECK(has_frames(log) == c.trace);
    for (const char* file : {"report.html", "summary.json"}) {
      const auto text = read_file(outcome.directory / file);
      INFO(file);
      CHECK_FALSE(has_frames(text));
      CHECK_FALSE(holds(text, "a bug in Yatlab"));
    }
  }
}

TEST_CASE("the wrapper that names an operator forwards every call", "[operator]") {
  const auto op = Registry<Operator>::create("distinct");
  const Tensor x = at::ones({1, 1});
  CHECK(op->scores(x, x).item<double>() == 1);
  CHECK(op->scores(x, x, x).item<double>() == 2);
  CHECK(op->scaled_scores(x, x, {}, x).item<double>() == 3);
  CHECK(op->traits().even);
  CHECK(op->flops(1, 2, 3) == 123);
  REQUIRE(op->parameters().size() == 1);
  CHECK(op->parameters()[0].second.item<double>() == 4);
  REQUIRE(op->observables().size() == 1);
  CHECK(op->observables()[0].second == 5);
  const auto broken = Registry<Operator>::create("misshapen");
  const Tensor rows = at::ones({8, 3});
  CHECK(holds(testing::error_of([&] { broken->scores(rows, rows); }), "at: operator 'misshapen'"));
  CHECK(holds(testing::error_of([&] { broken->scaled_scores(rows, rows, {}, x); }), "at: operator 'misshapen'"));
}

}  // namespace yatlab
