// Jobs that train nothing: claims and studies.
#include <ATen/ATen.h>

#include "catch.h"
#include "core/compose/identity.h"
#include "core/compose/job_type.h"
#include "core/job/job.h"
#include "core/measure/claim.h"
#include "core/measure/operator_choice.h"
#include "core/system/stop.h"
#include "experiment/components.h"
#include "experiment/support.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::holds;
using testing::read_json;
using testing::Workspace;
using Strings = std::vector<std::string>;

constexpr const char* kClaims = R"(name: tiny
defaults:
  - /operator: yat
  - _self_
claims: ["thm:self-similarity"]
seeds: [0]
trackers: []
)";

constexpr const char* kStudies = R"(name: tiny
defaults:
  - /architecture: prototype_classifier
  - _self_
studies: [first_row]
seeds: [0, 1]
trackers: []
arms:
  dot: [operator=dot]
  yat: [operator=yat, operator.epsilon=0.5]
)";

nlohmann::ordered_json claim_of(const RunOutcome& outcome, const std::string& job) {
  return read_json(outcome.directory / "jobs" / job / "artifacts/claim.json");
}

}  // namespace

TEST_CASE("a claim is checked as a job for the arm's operator", "[claims]") {
  const Workspace w(kClaims);
  const auto plan = w.plan();
  REQUIRE(plan.jobs.size() == 1);
  CHECK(plan.jobs[0].type == &claim_job());
  CHECK(plan.swept == Strings{"claim"});
  const auto outcome = w.run({"operator.epsilon=1"});
  CHECK(outcome.exit_code == 0);
  const auto claim = claim_of(outcome, "main/seed=0,claim=thm_self-similarity");
  CHECK(claim.at("label") == "thm:self-similarity");
  CHECK(claim.at("statement") == "E(w,w) = 1 for ‖w‖ = 1");
  CHECK(claim.at("operator") == "yat");
  CHECK(claim.at("status") == "holds");
  CHECK(claim.at("checks")[0].at("value") == 1.0);
  CHECK(claim.at("tried") == "100 points");

  const auto summary = read_json(outcome.directory / "summary.json");
  CHECK(summary.at("status") == "complete");
  REQUIRE(summary.at("claims").size() == 1);
  CHECK(summary.at("claims")[0].at("status") == "holds");
  for (const char* file : {"tables/claims.md", "tables/claims.tex", "tables/claims.csv"}) {
    CHECK(fs::is_regular_file(outcome.directory / file));
  }
}

TEST_CASE("a claim is refuted for another operator or another printed value", "[claims]") {
  const Workspace w(kClaims);
  const std::string job = "main/seed=0,claim=thm_self-similarity";
  const auto half = w.run({"operator.epsilon=0.5"});
  CHECK(claim_of(half, job).at("status") == "refuted");
  CHECK(claim_of(half, job).at("checks")[0].at("value") == 2.0);
  CHECK(claim_of(half, job).at("corrected") == "E(w,w) = ‖w‖⁴/ε");
  CHECK(claim_of(half, job).at("counterexample") == "w = 1: E = 2");
  const auto dot = claim_of(w.run({"operator=dot"}), job);
  CHECK(dot.at("status") == "holds");  // 1 · 1
  CHECK(dot.at("corrected") == "");    // stated for the product only
  CHECK(claim_of(w.run({"operator.epsilon=1", "claims=[{name: 'thm:self-similarity', bound: 3}]"}), job).at("status") == "refuted");
}

TEST_CASE("effort is part of a job's hash", "[claims]") {
  const Workspace w(kClaims);
  CHECK(w.plan({"effort=0.05"}).jobs[0].hash != w.plan().jobs[0].hash);
  CHECK(claim_of(w.run({"effort=0.05"}), "main/seed=0,claim=thm_self-similarity").at("tried") == "7 points");
  CHECK(holds(w.error({"effort=0"}), "effort"));
}

TEST_CASE("a claim that throws fails alone", "[claims]") {
  const Workspace w(kClaims);
  const auto outcome = w.run({"operator.epsilon=1", "claims=['thm:breaking', 'thm:self-similarity']"});
  CHECK(outcome.exit_code == 1);
  CHECK(recorded_state(outcome.directory / "jobs/main/seed=0,claim=thm_breaking") == JobState::kFailed);
  CHECK(claim_of(outcome, "main/seed=0,claim=thm_self-similarity").at("status") == "holds");
  CHECK(read_json(outcome.directory / "summary.json").at("claims").size() == 1);
}

TEST_CASE("claims=all checks every registered claim for every arm's operator", "[claims]") {
  const Workspace w(std::string(kClaims) + "arms: {yat: [operator=yat], dot: [operator=dot]}\n");
  const auto plan = w.plan({"claims=all"});
  const auto names = Registry<Claim>::table().names();
  CHECK(plan.jobs.size() == 2 * names.size());
  const auto outcome = w.run();
  CHECK(claim_of(outcome, "yat/seed=0,claim=thm_self-similarity").at("operator") == "yat");
  CHECK(claim_of(outcome, "dot/seed=0,claim=thm_self-similarity").at("operator") == "dot");
}

TEST_CASE("mistakes in claims are reported before a run", "[claims]") {
  const Workspace w(kClaims);
  CHECK(holds(w.error({"claims=some"}), "is neither a list nor all"));
  CHECK(holds(w.error({"claims=['thm:self-similarty']"}), "did you mean 'thm:self-similarity'?"));
  CHECK(holds(w.error({"claims=[{name: 'thm:self-similarity', bund: 3}]"}), "did you mean 'bound'?"));
  CHECK(holds(w.error({"~operator"}), "has no operator"));
}

TEST_CASE("a finished claim is kept and an interrupted one is checked again", "[claims]") {
  const Workspace w(kClaims);
  const auto first = w.run();
  const auto status = first.directory / "jobs/main/seed=0,claim=thm_self-similarity/status.json";
  const auto before = read_file(status);
  CHECK(w.run().directory == first.directory);
  CHECK(read_file(status) == before);

  request_stop(15);
  RunOptions fresh;
  fresh.fresh = true;
  const auto stopped = w.run({}, fresh);
  request_stop(0);
  CHECK(stopped.exit_code == 128 + 15);
  CHECK(w.run().exit_code == 0);
}

TEST_CASE("a study looks at each arm's components without data or training", "[studies]") {
  const Workspace w(kStudies);
  const auto plan = w.plan();
  REQUIRE(plan.jobs.size() == 4);
  CHECK(plan.jobs[0].type == &study_job());
  CHECK_FALSE(plan.jobs[0].config.has("dataset"));
  const auto outcome = w.run();
  CHECK(outcome.exit_code == 0);
  const auto of = [&](const std::string& job) { return read_json(outcome.directory / "jobs" / job / "summary.json").at("metrics"); };
  CHECK(of("dot/seed=0").at("rows") == 3.0);
  CHECK(of("dot/seed=0").at("columns") == 4.0);
  CHECK(of("dot/seed=0").at("score") == 1.0);
  CHECK(of("yat/seed=0").at("score") == 2.0);
  CHECK(of("dot/seed=0").at("norm") != of("dot/seed=1").at("norm"));
  CHECK(of("dot/seed=0").at("norm") == of("yat/seed=0").at("norm"));  // depends on the seed, not on the arm
  CHECK(fs::is_regular_file(outcome.directory / "jobs/yat/seed=1/artifacts/row.json"));
}

TEST_CASE("studies exclude training and missing components are named", "[studies]") {
  const Workspace w(kStudies);
  CHECK(holds(w.error({"+dataset=synthetic_digits"}), "has both a dataset and studies"));
  CHECK(holds(w.error({"studies=[frst_row]"}), "first_row"));
  CHECK(holds(w.error({"~architecture"}), "study 'first_row' needs a model\n  at: arm 'dot'"));
}

TEST_CASE("an operator choice makes variants of one operator", "[studies]") {
  Node spec = Node::map();
  spec.set("name", "yat");
  const OperatorChoice yat(spec);
  const auto one = at::ones({1, 1}, at::TensorOptions().dtype(at::kDouble));
  CHECK(yat.with_epsilon(0.25)->scores(one, one).item<double>() == 4);
  CHECK(yat.has_parameter("epsilon"));
  spec.set("name", "dot");
  const OperatorChoice dot(spec);
  CHECK_FALSE(dot.has_parameter("epsilon"));
  CHECK(dot.with_epsilon(0.25)->scores(one, one).item<double>() == 1);
  CHECK_THROWS_AS(dot.with("epsilon", Node(1.0)), Error);
}

}  // namespace yatlab
