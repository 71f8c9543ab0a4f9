#include "core/run/job_stacks.h"

#include <cmath>

#include "catch.h"
#include "core/plan/launcher.h"
#include "core/record/job_status.h"
#include "core/record/run_view.h"
#include "core/system/stop.h"
#include "experiment/components.h"
#include "experiment/support.h"

namespace yatlab {
namespace {

using testing::read_json;
using testing::with;
using testing::Witness;
using testing::Workspace;
using Stacks = std::vector<std::vector<std::size_t>>;

std::vector<const JobSpec*> jobs_of(const Plan& plan) {
  std::vector<const JobSpec*> out;
  for (const auto& job : plan.jobs) out.push_back(&job);
  return out;
}

Stacks stacks(const Workspace& w, std::vector<std::string> overrides, std::size_t limit = 128, std::size_t workers = 1,
              bool multirun = false) {
  const auto plan = w.plan(std::move(overrides), multirun);
  return stacks_of(jobs_of(plan), StackRule{limit, false}, workers);
}

constexpr const char* kLabels =
    "name: labels\ndefaults:\n  - /protocol: eurlex\n  - _self_\nseeds: [0]\narms: {yat: [operator=yat], dot: [operator=dot]}\n"
    "dataset: {name: synthetic_xc, train_size: 200, test_size: 60, features: 80, labels: 30}\n"
    "architecture: {dim: 8}\ntrainer: {epochs: 2}\n";

std::string why(const Workspace& w, std::vector<std::string> overrides) {
  return why_alone(w.plan(std::move(overrides)).jobs.front(), {128, true});
}

}  // namespace

TEST_CASE("jobs that differ only in numbers train in one stack", "[stack][plan]") {
  const Workspace w;
  CHECK(stacks(w, {"seeds=range(0,3)"}) == Stacks{{0, 1, 2}, {3, 4, 5}});  // an arm is another operator
  CHECK(stacks(w, {"seeds=range(0,3)"}, 1) == Stacks{{0}, {1}, {2}, {3}, {4}, {5}});
  // One seed's jobs are neighbours: they use the same batches.
  CHECK(stacks(w, {"~arms.linear", "operator.epsilon=1e-3,1e-2"}, 128, 1, true) == Stacks{{0, 2, 1, 3}});
  for (const char* differing : {"architecture.alpha_init=1,2", "optimizer.lr=0.1,0.2", "trainer.epochs=1,2", "trainer.log_every=1,2",
                                "schedule=constant,cosine", "architecture.init=normal,zeros", "trainer.grad_clip=null,1"})
    CHECK(stacks(w, {"~arms.linear", "seeds=[0]", differing}, 128, 1, true) == Stacks{{0, 1}});
  for (const char* differing : {"architecture.bias=true,false", "architecture.scale=none,n_over_log", "operator.bias_place=inside,after",
                                "operator.learn_epsilon=true,false", "dataset.train_size=100,120", "trainer.batch_size=10,20",
                                "normalizer=softmax,softermax", "task.label_smoothing=0,0.1", "architecture.per_class=1,2"})
    CHECK(stacks(w, {"~arms.linear", "seeds=[0]", differing}, 128, 1, true) == Stacks{{0}, {1}});
}

TEST_CASE("label prototypes stack unless their losses differ", "[stack][plan]") {
  const Workspace w(kLabels);
  CHECK(stacks(w, {"seeds=range(0,3)"}) == Stacks{{0, 1, 2}, {3, 4, 5}});
  for (const char* differing : {"operator.epsilon=1e-6,1e-4", "optimizer.lr=0.1,0.2", "architecture.init=normal,zeros",
                                "architecture.prototype_init=normal,zeros", "optimizer.lazy=true,false"})
    CHECK(stacks(w, {"~arms.dot", differing}, 128, 1, true) == Stacks{{0, 1}});
  for (const char* differing : {"task.loss=cross_entropy,one_vs_all", "task.block=0,16", "architecture.logits=raw,log",
                                "architecture.dim=4,8", "architecture.normalize_query=true,false"})
    CHECK(stacks(w, {"~arms.dot", differing}, 128, 1, true) == Stacks{{0}, {1}});
}

TEST_CASE("stacks respect their size limit and keep every worker busy", "[stack][plan]") {
  const Workspace w;
  const auto sizes = [&](std::size_t limit, std::size_t workers) {
    std::vector<std::size_t> out;
    for (const auto& stack : stacks(w, {"~arms.linear", "seeds=range(0,10)"}, limit, workers)) out.push_back(stack.size());
    return out;
  };
  CHECK(sizes(128, 1) == std::vector<std::size_t>{10});
  CHECK(sizes(128, 2) == std::vector<std::size_t>{5, 5});
  CHECK(sizes(128, 8) == std::vector<std::size_t>{5, 5});  // four members or more in each
  CHECK(sizes(4, 1) == std::vector<std::size_t>{3, 3, 4});
  CHECK(sizes(9, 1) == std::vector<std::size_t>{5, 5});
  // With enough stacks, none is split to occupy a worker.
  const auto count = [&](const std::string& batches, std::size_t workers) {
    return stacks(w, {"~arms.linear", "seeds=range(0,8)", "trainer.batch_size=" + batches}, 128, workers, true).size();
  };
  CHECK(count("10,11,12,13,14,15,16", 2) == 14);
  CHECK(count("10,11,12,13,14,15,16,17", 2) == 8);
  CHECK(count("10,11,12,13,14,15,16,17", 3) == 16);
}

TEST_CASE("jobs that cannot be stacked report the reason", "[stack][plan]") {
  const Workspace w;
  CHECK(why(w, {}) == "");
  CHECK(why(w, {"trainer.micro_batch=5"}) == "trainer.micro_batch accumulates gradients");
  CHECK(why(Workspace(kLabels), {}) == "architecture=label_prototypes is not faster in a stack");
  CHECK(why_alone(Workspace(kLabels).plan().jobs.front(), {128, false}) == "");
  CHECK(why(w, {"architecture=nearest_neighbours"}) == "architecture=nearest_neighbours cannot be stacked");
  const Workspace text(
      "name: tiny\ndefaults:\n  - /dataset: generated_text\n  - /architecture: gpt2\n  - /size: nano\n  - /task: language_modeling\n  - "
      "_self_\n"
      "arms: {dot: [operator=dot]}\n");
  CHECK(why(text, {}) == "architecture=transformer cannot be stacked");
  CHECK(stacks_text(w.plan()).empty());
  CHECK(stacks_text(w.plan({"launcher.stack=auto", "seeds=range(0,5)"})) == "10 jobs train together, in 2 stacks of 5");
  CHECK(stacks_text(w.plan({"launcher.stack=3", "seeds=range(0,5)"})) == "10 jobs train together, in 4 stacks of 2 to 3");
  CHECK(stacks_text(w.plan({"launcher.stack=auto", "arms.yat=[operator=yat,trainer.micro_batch=4]", "seeds=range(0,5)"})) ==
        "5 jobs train together, in 1 stack of 5; 5 alone: trainer.micro_batch accumulates gradients");
  CHECK(stacks_text(w.plan({"launcher.stack=auto", "seeds=[0]"})) == "no two jobs are similar enough to train together");
}

TEST_CASE("launcher.stack is off, auto or a number", "[stack][plan]") {
  CHECK(stack_rule(Node("off")).most == 1);
  CHECK(stack_rule(Node(false)).most == 1);  // as YAML reads off
  CHECK(stack_rule(Node("auto")).most == 128);
  CHECK(stack_rule(Node("auto")).where_faster);
  CHECK(stack_rule(Node(std::int64_t{7})).most == 7);
  CHECK_FALSE(stack_rule(Node(std::int64_t{7})).where_faster);
  const Workspace w;
  for (const char* text :
       {"launcher.stack=on", "launcher.stack=1", "launcher.stack=0", "launcher.stack=-3", "launcher.stack=2.5", "launcher.stack=null"}) {
    INFO(text);
    CHECK_THROWS_WITH(w.run({text}), Catch::Matchers::ContainsSubstring("'launcher.stack' cannot be"));
  }
}

TEST_CASE("stacked label prototypes give the same results as separate ones up to rounding", "[stack][run]") {
  const Workspace w(kLabels), s(kLabels);
  const auto alone = w.run({"seeds=range(0,3)"}), together = s.run({"seeds=range(0,3)", "launcher.stack=4"});
  const auto of_alone = RunView::load(alone.directory), of_stack = RunView::load(together.directory);
  REQUIRE(of_alone.jobs.size() == 6);
  REQUIRE(of_stack.jobs.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto &a = of_alone.jobs[i], &b = of_stack.jobs[i];
    CHECK(a.directory == b.directory);
    CHECK(b.metrics.at("run/stack") == 3);
    for (const auto& [name, value] : a.metrics) {
      if (name.rfind("run/", 0) == 0) continue;
      INFO(a.directory << " " << name);
      CHECK(b.metrics.at(name) == Approx(value).epsilon(1e-4).margin(1e-4));
    }
  }
}

TEST_CASE("stacked jobs give the same results as separate ones up to rounding", "[stack][run]") {
  const Workspace w, s;
  const std::vector<std::string> points = {"seeds=range(0,3)", "analyses=[prototype_norms]"};
  const auto alone = w.run(points);
  auto overrides = points;
  overrides.emplace_back("launcher.stack=auto");
  const auto together = s.run(overrides);
  const auto a = RunView::load(alone.directory), b = RunView::load(together.directory);
  REQUIRE(a.jobs.size() == 6);
  REQUIRE(b.jobs.size() == 6);
  for (std::size_t i = 0; i < a.jobs.size(); ++i) {
    CHECK(a.jobs[i].directory == b.jobs[i].directory);
    CHECK(a.jobs[i].hash == b.jobs[i].hash);
    CHECK(b.jobs[i].state == JobState::kCompleted);
    CHECK(b.jobs[i].metrics.at("run/stack") == 3);
    CHECK(a.jobs[i].metrics.count("run/stack") == 0);
    for (const auto& [name, value] : a.jobs[i].metrics) {
      if (name.rfind("run/", 0) == 0) continue;
      INFO(a.jobs[i].directory << " " << name);
      REQUIRE(b.jobs[i].metrics.count(name) == 1);
      CHECK(b.jobs[i].metrics.at(name) == Approx(value).epsilon(1e-4).margin(1e-6));
    }
  }
  // Nothing is left to do; a member's missing part is done alone.
  CHECK(s.run(overrides).directory == together.directory);
}

}  // namespace yatlab
