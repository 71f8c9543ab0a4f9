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

TEST_CASE("replay logs a finished run to a tracker once", "[cli][replay]") {
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

TEST_CASE("replay explains what cannot be replayed", "[cli][replay][hints]") {
  testing::CleanEnvironment environment;
  const Desk desk(kTinyExperiment);
  REQUIRE(desk.ask({"tiny.yaml", "--quiet"}).status == 0);
  const auto refused = [&](const std::vector<std::string>& words) {
    const auto answer = desk.ask(words);
    CHECK(answer.status == 2);
    return answer.output;
  };
  CHECK(holds(refused({"replay"}), "error: no run given"));
  CHECK(holds(refused({"replay", "tiny"}), "error: no tracker given"));
  CHECK(holds(refused({"replay", "nothing", "--tracker", "wandb"}), "error: 'nothing' is not a run"));
  CHECK(holds(refused({"replay", "tiny", "--tracker", "wandbb"}), "did you mean 'wandb'?"));
  CHECK(holds(refused({"replay", "tiny", "--tracker", "wandb", "tracker.projct=x"}), "did you mean 'project'?"));
  CHECK(holds(refused({"replay", "tiny", "--tracker", "wandb", "trainer.epochs=3"}), "a replay trains nothing"));
  CHECK_FALSE(fs::exists(desk.path() / "wandb"));
}

TEST_CASE("overrides may begin with -- as in W&B sweeps and misspelt options are errors", "[cli][wandb]") {
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

TEST_CASE("bare boolean flags of W&B's agent are answered with the right syntax", "[cli][wandb]") {
  testing::CleanEnvironment environment;
  const Desk desk(kTinyExperiment);
  const auto bare = desk.ask({"plan", "tiny.yaml", "--trainer.shuffle", "--trainer.epochs=3"});
  INFO(bare.output);
  CHECK(bare.status == 2);
  CHECK(holds(bare.output, "error: '--trainer.shuffle' has no value\n"));
  CHECK(holds(bare.output,
              "try: use ${args} in the sweep's command, which writes --trainer.shuffle=True; by hand write trainer.shuffle=true\n"));
  CHECK(desk.ask({"--trainer.shuffle", "tiny.yaml"}).output == bare.output);
  for (const char* value : {"True", "False"})
    CHECK(desk.ask({"plan", "tiny.yaml", std::string("--trainer.shuffle=") + value, "--trainer.epochs=3"}).status == 0);
  CHECK(holds(desk.ask({"plan", "tiny.yaml", "--multirn"}).output, "unknown option"));
  // False is left out on the command line; the agent's file of parameters has it.
  std::ofstream(desk.path() / "parameters.yaml") << "wandb_version: 1\ntrainer.shuffle:\n  value: false\ntrainer.epochs:\n  value: 3\n";
  const std::string agent = "WANDB_SWEEP_ID=s WANDB_SWEEP_PARAM_PATH=parameters.yaml yatlab plan tiny.yaml --trainer.epochs=3";
  const auto left_out = desk.ask_shell(agent);
  CHECK(left_out.status == 2);
  CHECK(holds(left_out.output, "error: the sweep sets 'trainer.shuffle' to false, but the command line does not contain it\n"));
  CHECK(desk.ask_shell(agent + " --trainer.shuffle=False").status == 0);
  CHECK(desk.ask_shell(agent + " trainer.shuffle=False").status == 0);
}

}  // namespace yatlab
