// `yatlab replay`, and overrides as a sweep's agent writes them.

#include <fstream>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "trackers/wandb/environment.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
using testing::kTinyExperiment;

}  // namespace

TEST_CASE("a finished run goes through trackers, once", "[cli][replay]") {
  testing::CleanEnvironment environment;
  const Desk desk(kTinyExperiment);
  REQUIRE(desk.ask({"tiny.yaml"}).status == 0);
  const auto first = desk.ask({"replay", "tiny", "--tracker", "wandb", "tracker.project=mine"});
  INFO(first.output);
  CHECK(first.status == 0);
  CHECK(holds(first.output, "jobs of results/tiny/latest replayed\n"));
  CHECK(holds(first.output, "runs in ./wandb; to upload them: yatlab sync ./wandb"));
  const auto second = desk.ask({"replay", "results/tiny/latest", "--tracker", "wandb"});
  CHECK(second.status == 0);
  CHECK(holds(second.output, "were logged before"));
  CHECK_FALSE(holds(second.output, "to upload them"));
  CHECK(desk.ask({"replay", "tiny", "--tracker=tensorboard", "--quiet"}).output.empty());
  CHECK(fs::is_directory(desk.path() / "results/tensorboard/tiny"));
  CHECK(holds(desk.ask({"sync", "--dry-run"}).output, "offline-run-"));
}

TEST_CASE("what cannot be replayed is said, with what to do", "[cli][replay][hints]") {
  testing::CleanEnvironment environment;
  const Desk desk(kTinyExperiment);
  REQUIRE(desk.ask({"tiny.yaml", "--quiet"}).status == 0);
  const auto refused = [&](const std::vector<std::string>& words) {
    const auto answer = desk.ask(words);
    CHECK(answer.status == 2);
    return answer.output;
  };
  CHECK(holds(refused({"replay"}), "error: which run?"));
  CHECK(holds(refused({"replay", "tiny"}), "error: to which tracker?"));
  CHECK(holds(refused({"replay", "nothing", "--tracker", "wandb"}), "error: 'nothing' is no run"));
  CHECK(holds(refused({"replay", "tiny", "--tracker", "wandbb"}), "did you mean 'wandb'?"));
  CHECK(holds(refused({"replay", "tiny", "--tracker", "wandb", "tracker.projct=x"}), "did you mean 'project'?"));
  CHECK(holds(refused({"replay", "tiny", "--tracker", "wandb", "trainer.epochs=3"}), "a replay trains nothing"));
  CHECK_FALSE(fs::exists(desk.path() / "wandb"));
}

TEST_CASE("overrides may begin with two dashes, as W&B's agent writes them; misspelt options stay errors", "[cli][wandb]") {
  testing::CleanEnvironment environment;
  const Desk desk(kTinyExperiment);
  const auto shown = desk.ask({"config", "tiny.yaml", "--trainer.epochs=7", "--arm", "yat", "--package", "trainer"});
  INFO(shown.output);
  CHECK(shown.status == 0);
  CHECK(holds(shown.output, "epochs: 7"));
  CHECK(holds(desk.ask({"plan", "--seeds=[4,5]", "tiny.yaml"}).output, "2 arms x 2 seeds = 4 jobs"));
  CHECK(holds(desk.ask({"plan", "tiny.yaml", "--seeds=[4,5]", "--trainer.epochs=3"}).output, "2 arms x 2 seeds = 4 jobs"));
  const auto misspelt = desk.ask({"plan", "tiny.yaml", "--multirn=1"});
  CHECK(misspelt.status == 2);
  CHECK(holds(misspelt.output, "unknown option '--multirn=1'"));
  CHECK(holds(misspelt.output, "--multirun"));
  const auto unknown = desk.ask({"plan", "tiny.yaml", "--trainer.epochz=1"});
  CHECK(unknown.status == 2);
  CHECK(holds(unknown.output, "did you mean 'trainer.epochs'?"));
}

}  // namespace yatlab
