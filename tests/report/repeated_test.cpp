// Recorded jobs that were repeated.

#include "core/report/repeat_comparison.h"

#include "catch.h"
#include "holds.h"
#include "report/fake_run.h"

namespace yatlab::testing {
namespace {

/// Two arms of four seeds; losses 1.0, 1.1, 1.2, 1.3 (s = 0.1291).
FakeRun four_seeds() {
  FakeRun run;
  run.experiment = "digits";
  run.config = "name: digits\ntitle: Digits\n";
  run.arms = {"dot", "yat"};
  for (const char* arm : {"dot", "yat"}) {
    for (int seed = 0; seed < 4; ++seed) {
      FakeRun::Job job;
      job.arm = arm;
      job.seed = seed;
      job.metrics = {{"test/loss", 1.0 + 0.1 * seed}, {"model/width", 64.0}, {"run/samples_per_s", 1000.0 + seed}, {"run/diverged", 0.0}};
      run.jobs.push_back(job);
    }
  }
  return run;
}

class Folders {
 public:
  RunView view(const FakeRun& fake) {
    const auto path = folder_.path() / std::to_string(next_++);
    fake.write(path);
    return RunView::load(path);
  }
  RecordedExperiment recorded(const FakeRun& fake) {
    RecordedExperiment out;
    out.run = view(fake);
    out.claims = checked_claims(out.run);
    return out;
  }

 private:
  TemporaryFolder folder_;
  int next_ = 0;
};

/// The first job alone, with this loss.
FakeRun again(double loss) {
  auto run = four_seeds();
  run.jobs.resize(1);
  run.jobs[0].metrics["test/loss"] = loss;
  return run;
}

const RepeatedNumber& number(const Repetition& repetition, const std::string& metric) {
  for (const auto& each : repetition.numbers) {
    if (each.metric == metric) return each;
  }
  throw std::runtime_error("no " + metric);
}

}  // namespace

TEST_CASE("equal numbers agree whatever the speed", "[repeated]") {
  Folders folders;
  auto run = again(1.0 + 4e-7);
  run.jobs[0].metrics["run/samples_per_s"] = 5.0;
  const auto repetition = hold_against(folders.recorded(four_seeds()), folders.view(run));
  CHECK(repetition.jobs == 1);
  CHECK(repetition.numbers.size() == 3);
  CHECK(repetition.count(Agreement::kSame) == 3);
  CHECK_FALSE(repetition.disagrees());
  CHECK(agreement_counts({repetition}) == "3 numbers: 3 the same");
  CHECK(repetition_text(repetition, false).empty());
  CHECK(holds(repetition_text(repetition, true), "  same     jobs/dot/seed=0 test/loss: recorded 1, now 1\n"));
}

TEST_CASE("times and speeds that a study measures are not compared", "[repeated]") {
  const auto timed = [](FakeRun run, double factor) {
    run.docs = {{{"name", "scaling/ms"}, {"unit", "ms"}},
                {{"name", "scaling/tokens"}, {"unit", "tokens/s"}},
                {{"name", "scaling/bytes"}, {"unit", "bytes"}}};
    for (const char* metric : {"scaling/ms", "scaling/tokens", "scaling/bytes"}) run.jobs[0].metrics[metric] = 8 * factor;
    return run;
  };
  Folders folders;
  const auto repetition = hold_against(folders.recorded(timed(four_seeds(), 1)), folders.view(timed(again(1.0), 2)));
  CHECK(repetition.numbers.size() == 4);
  CHECK(number(repetition, "scaling/bytes").again == 16);
  CHECK_THROWS(number(repetition, "scaling/ms"));
  CHECK_THROWS(number(repetition, "scaling/tokens"));
}

TEST_CASE("differences within the 99 % range of seeds are explained and larger ones not", "[repeated]") {
  Folders folders;
  const auto recorded = folders.recorded(four_seeds());
  // t(0.995, 3) = 5.8409, s = sqrt(0.05 / 3), times sqrt(2): 1.06641
  const auto within = hold_against(recorded, folders.view(again(1.0 + 1.066)));
  CHECK(number(within, "test/loss").agreement == Agreement::kWithinSeeds);
  CHECK(*number(within, "test/loss").explained == Approx(1.06641).epsilon(1e-4));
  CHECK_FALSE(within.disagrees());
  CHECK(agreement_counts({within}) == "3 numbers: 2 the same, 1 within what seeds explain");
  const auto beyond = hold_against(recorded, folders.view(again(1.0 - 1.067)));
  CHECK(number(beyond, "test/loss").agreement == Agreement::kBeyond);
  CHECK(beyond.disagrees());
  CHECK(repetition_text(beyond, false) ==
        "  BEYOND   jobs/dot/seed=0 test/loss: recorded 1, now -0.067; two of 4 seeds lie up to 1.07 apart\n");
}

TEST_CASE("a number that is equal for all seeds or missing must not change", "[repeated]") {
  Folders folders;
  auto run = again(1.0);
  run.jobs[0].metrics["model/width"] = 65.0;
  CHECK(holds(repetition_text(hold_against(folders.recorded(four_seeds()), folders.view(run)), false),
              "BEYOND   jobs/dot/seed=0 model/width: recorded 64, now 65; the same for all of 4 seeds\n"));
  run.jobs[0].metrics.erase("model/width");
  const auto gone = hold_against(folders.recorded(four_seeds()), folders.view(run));
  CHECK(gone.disagrees());
  CHECK(holds(repetition_text(gone, false), "model/width: recorded 64, not measured any more\n"));
}

TEST_CASE("one recorded seed or other data leave the comparison undecided", "[repeated]") {
  Folders folders;
  auto one = four_seeds();
  one.jobs.resize(1);
  const auto repetition = hold_against(folders.recorded(one), folders.view(again(7.0)));
  CHECK(number(repetition, "test/loss").agreement == Agreement::kUndecided);
  CHECK_FALSE(repetition.disagrees());
  CHECK(holds(repetition_text(repetition, false),
              "unknown  jobs/dot/seed=0 test/loss: recorded 1, now 7; one recorded seed tells no spread\n"));
  auto other = again(7.0);
  other.dataset["sha256"] = "cd34";
  const auto apart = hold_against(folders.recorded(four_seeds()), folders.view(other));
  CHECK(apart.numbers.empty());
  CHECK_FALSE(apart.disagrees());
  CHECK(agreement_counts({apart}) == "1 job trained on other data");
  CHECK(holds(repetition_text(apart, false), "OTHER    jobs/dot/seed=0: trained on other data"));
}

TEST_CASE("a job that newly diverges is reported by its divergence alone", "[repeated]") {
  Folders folders;
  auto run = again(1.0);
  run.jobs[0].state = "diverged";
  run.jobs[0].metrics = {{"run/diverged", 1.0}};
  const auto repetition = hold_against(folders.recorded(four_seeds()), folders.view(run));
  REQUIRE(repetition.numbers.size() == 1);
  CHECK(repetition.numbers[0].metric == "run/diverged");
  CHECK(repetition.numbers[0].agreement == Agreement::kBeyond);
}

TEST_CASE("the largest differences come first and unrecorded or failed jobs are skipped", "[repeated]") {
  Folders folders;
  auto run = four_seeds();
  run.jobs.resize(3);
  run.jobs[0].metrics["test/loss"] = 1.1;
  run.jobs[1].metrics["test/loss"] = 9.0;
  run.jobs[2].state = "failed";
  FakeRun::Job added;
  added.arm = "dot";
  added.seed = 9;
  added.metrics = {{"test/loss", 3.0}};
  run.jobs.push_back(added);
  const auto repetition = hold_against(folders.recorded(four_seeds()), folders.view(run));
  CHECK(repetition.jobs == 2);
  const auto text = repetition_text(repetition, false);
  CHECK(text.find("BEYOND   jobs/dot/seed=1") == 2);
  CHECK(text.find("  within   jobs/dot/seed=0") > text.find("BEYOND"));
  CHECK_FALSE(holds(text, "seed=9"));
}

TEST_CASE("statements are compared with each other by their verdicts", "[repeated]") {
  const auto checked = [](double ratio) {
    FakeRun run;
    run.experiment = "claims";
    run.config = "name: claims\ntitle: Statements\n";
    run.arms = {"yat"};
    CheckedClaim claim{"thm:one", "One", "1 = 1", "by hand", "yat", {}};
    claim.evidence.at_most(Role::kCore, "largest ratio", ratio, 1, 0, "x = 2");
    FakeRun::Job job;
    job.arm = "yat";
    job.artifacts["claim"] = claim_to_json(claim);
    run.jobs.push_back(job);
    return run;
  };
  Folders folders;
  const auto recorded = folders.recorded(checked(0.5));
  const auto same = hold_against(recorded, folders.view(checked(0.7)));
  CHECK_FALSE(same.disagrees());
  CHECK(agreement_counts({same}) == "1 statement: 1 judged the same");
  const auto other = hold_against(recorded, folders.view(checked(1.5)));
  CHECK(other.disagrees());
  CHECK(repetition_text(other, false) == "  BEYOND   thm:one: recorded \"holds\", now \"refuted\"\n");
}

}  // namespace yatlab::testing
