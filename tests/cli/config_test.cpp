// `config` and `plan`: their output, and what they refuse.

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
using testing::kTinyExperiment;

}  // namespace

TEST_CASE("config rejects the same overrides as plan with the same messages", "[cli][config]") {
  const Desk desk(kTinyExperiment);
  std::vector<std::string> lines;
  for (const std::string bad : {"operator=cosine", "optimizer.momentum=0.9", "operator.spherycal=true", "trainer.epoch=2",
                                "trainer.epochs=-1", "trainer.epochs=many", "trainer.epochs=1,2", "nosuch=1", "+trainer.epochs=2",
                                "'~labels.x'", "tokenizer=gpt2", "optimizer=nosuch", "trainer.epochs"}) {
    lines.insert(lines.end(),
                 {"yatlab plan tiny.yaml " + bad, "yatlab config tiny.yaml " + bad, "yatlab config --arm yat tiny.yaml " + bad});
  }
  const auto answers = desk.ask_shells(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& plan = answers[i - i % 3];
    INFO(lines[i] << "\n" << plan.output);
    CHECK(answers[i].status == 2);
    CHECK(answers[i].output == plan.output);
  }
  const auto refused = desk.ask({"plan", "tiny.yaml", "optimizer.momentum=0.9"}).output;
  CHECK(desk.ask({"config", "tiny.yaml", "optimizer.momentum=0.9", "--explain", "trainer.epochs"}).output == refused);
  CHECK(desk.ask({"config", "tiny.yaml", "optimizer.momentum=0.9", "--info", "defaults"}).output == refused);
}

TEST_CASE("config prints notes about overrides that it does not show", "[cli][config]") {
  const Desk desk(kTinyExperiment);
  CHECK(desk.ask({"config", "tiny.yaml", "operator.epsilon=0.5", "-p", "operator"}).output ==
        "note: operator.epsilon=0.5 does not apply to the experiment without an arm; use --arm to see it in an arm\nnull\n");
  CHECK(desk.ask({"config", "tiny.yaml", "operator.epsilon=0.5", "-p", "operator", "--arm", "linear"}).output ==
        "note: operator.epsilon=0.5 does not apply to arm 'linear'\nname: dot\n");
  CHECK(desk.ask({"config", "tiny.yaml", "operator.epsilon=0.5", "-p", "operator.epsilon", "--arm", "yat"}).output == "0.5\n");
  CHECK(desk.ask({"config", "tiny.yaml", "-m", "trainer.epochs=3,4", "-p", "trainer.epochs"}).output ==
        "note: trainer.epochs=3,4 is swept, but one config has one value ('yatlab plan' shows the points)\n1\n");
  CHECK(desk.ask({"config", "tiny.yaml", "seeds=range(0,2)", "-p", "seeds"}).output == "- 0\n- 1\n");
}

TEST_CASE("config resolves interpolations only when asked to", "[cli][config]") {
  const Desk desk(std::string(kTinyExperiment) + "title: ${oc.env:YATLAB_NOT_SET}\nnotes: ${name}\n");
  CHECK(holds(desk.ask({"config", "tiny.yaml"}).output, "\ntitle: ${oc.env:YATLAB_NOT_SET}\n"));
  CHECK(holds(desk.ask({"config", "tiny.yaml", "--arm", "yat"}).output, "\ntitle: ${oc.env:YATLAB_NOT_SET}\n"));
  CHECK(holds(desk.ask({"config", "tiny.yaml", "--explain", "title"}).output, "tiny.yaml:"));
  CHECK(holds(desk.ask({"config", "tiny.yaml", "--info"}).output, "tiny"));
  CHECK(desk.ask({"config", "tiny.yaml", "--resolve", "-p", "notes"}).output == "tiny\n");
  CHECK(desk.ask({"config", "tiny.yaml", "-p", "notes"}).output == "${name}\n");
  const auto all = desk.ask({"config", "tiny.yaml", "--resolve"});
  CHECK(all.status == 2);
  CHECK(holds(all.output, "error: the environment variable 'YATLAB_NOT_SET' is not set\n"));
  CHECK(holds(desk.ask_shell("YATLAB_NOT_SET=here yatlab config tiny.yaml --resolve").output, "\ntitle: here\n"));
  CHECK(holds(desk.ask({"plan", "tiny.yaml"}).output, "error: the environment variable 'YATLAB_NOT_SET' is not set\n"));
}

TEST_CASE("--explain reports every arm", "[cli][config]") {
  const Desk desk(kTinyExperiment);
  const auto both = desk.ask({"config", "tiny.yaml", "--explain", "operator.epsilon"});
  CHECK(both.status == 0);
  CHECK(holds(both.output, "arm linear:\nthere is no key 'operator.epsilon'"));
  CHECK(holds(both.output, "arm yat:\noperator.epsilon = 1e-05\n  set by: "));
  CHECK(holds(both.output, "chosen by: arm yat (operator=yat)"));
  // Values on which the arms agree are shown once.
  const auto same = desk.ask({"config", "tiny.yaml", "--explain", "trainer.epochs"}).output;
  CHECK(same.rfind("trainer.epochs = 1\n", 0) == 0);
  CHECK(same.find("trainer.epochs", 5) == std::string::npos);
  const auto partly = desk.ask({"config", "tiny.yaml", "arms.yat=['operator=yat','trainer.epochs=4']", "+arms.third=['operator=cosine']",
                                "--explain", "trainer.epochs"})
                          .output;
  CHECK(holds(partly, "arms linear, third:\ntrainer.epochs = 1\n"));
  CHECK(holds(partly, "arm yat:\ntrainer.epochs = 4\n  set by: arm yat (trainer.epochs=4)\n"));
  const auto none = desk.ask({"config", "tiny.yaml", "--explain", "trainer.epoch"});
  CHECK(none.status == 2);
  CHECK(none.output == "error: there is no key 'trainer.epoch'\n  try: did you mean 'trainer.epochs'?\n");
  CHECK(desk.ask({"config", "tiny.yaml", "--explain", "operator.epsilon", "--arm", "yat"}).output.rfind("operator.epsilon = 1e-05\n", 0) ==
        0);
}

TEST_CASE("the header of plan and run counts the points", "[cli][config]") {
  const Desk desk(std::string(kTinyExperiment) + "sweep: {optimizer.lr: [0.001, 0.01, 0.1]}\n");
  const auto head = [&](std::vector<std::string> words) {
    const auto text = desk.ask(words).output;
    return text.substr(0, text.find('\n'));
  };
  CHECK(head({"plan", "tiny.yaml"}) == "tiny: 2 arms x 3 points x 1 seed = 6 jobs");
  CHECK(head({"plan", "tiny.yaml", "seeds=range(0,5)"}) == "tiny: 2 arms x 3 points x 5 seeds = 30 jobs");
  CHECK(head({"plan", "tiny.yaml", "optimizer.lr=0.1"}) == "tiny: 2 arms x 1 seed = 2 jobs");
  CHECK(head({"plan", "tiny.yaml", "optimizer.lr=0.1", "~arms.yat"}) == "tiny: 1 arm x 1 seed = 1 job");
  // An arm without the swept key has fewer jobs.
  CHECK(head({"plan", "tiny.yaml", "optimizer.lr=0.1", "-m", "operator.epsilon=0.1,0.2"}) ==
        "tiny: 2 arms x 1 to 2 points x 1 seed = 3 jobs");
  CHECK(head({"run", "tiny.yaml"}).rfind("tiny  2 arms x 3 points x 1 seed = 6 jobs, swept: optimizer.lr  (", 0) == 0);
}

TEST_CASE("a word ending in .yaml is the experiment even if its path contains '='", "[cli][config]") {
  const Desk desk(kTinyExperiment);
  const auto run = desk.ask({"run", "tiny.yaml", "seeds=[0]", "trainer.epochs=2", "--quiet"});
  INFO(run.output);
  REQUIRE(run.status == 0);
  const auto folder = "results/tiny/" + fs::read_symlink(desk.run()).string();
  REQUIRE(holds(folder, "="));
  const auto jobs = desk.ask({"plan", "tiny.yaml", "seeds=[0]", "trainer.epochs=2"}).output;
  for (const std::string& file : {folder + "/config.yaml", folder + "/config", (desk.path() / folder / "config.yaml").string(),
                                  std::string("results/tiny/latest/config.yaml")}) {
    INFO(file);
    CHECK(desk.ask({"plan", file}).output == jobs);
    CHECK(desk.ask({"config", file, "-p", "trainer.epochs"}).output == "2\n");
    CHECK(desk.ask({file, "trainer.epochs=x"}).status == 2);
    CHECK(holds(desk.ask({"config", file, "trainer.epochs=3", "-p", "trainer.epochs"}).output, "3\n"));
    CHECK(holds(desk.ask({"list", "metrics", file}).output, "test/accuracy"));
    CHECK(desk.ask({"data", "describe", file}).status == 0);
    CHECK(desk.ask({"config", "--config-name", file, "-p", "trainer.epochs"}).output == "2\n");
  }
  // The run continues in its own folder.
  CHECK(holds(desk.ask({"run", folder + "/config.yaml"}).output, fs::read_symlink(desk.run()).string()));
  CHECK(holds(desk.ask({"config", folder + "/confg.yaml"}).output, "error: "));
  CHECK(holds(desk.ask({"config", "trainer.epochs=2", "tiny.yaml"}).output, "write yatlab config tiny.yaml trainer.epochs=2"));
}

TEST_CASE("the output of config --resolve resolves to itself", "[cli][config]") {
  const Desk desk(std::string(kTinyExperiment) + "title: 'costs \\${five} and \\\\${name}'\nnotes: '${title} \\'\npaper_section: 1.10\n");
  const auto resolved = desk.ask({"config", "tiny.yaml", "--resolve"});
  REQUIRE(resolved.status == 0);
  std::ofstream(desk.path() / "again.yaml") << resolved.output;
  CHECK(desk.ask({"config", "again.yaml", "--resolve"}).output == resolved.output);
  for (const char* key : {"title", "notes", "paper_section"}) {
    INFO(key);
    const auto first = desk.ask({"config", "tiny.yaml", "--resolve", "--format", "json", "-p", key}).output;
    CHECK(desk.ask({"config", "again.yaml", "--resolve", "--format", "json", "-p", key}).output == first);
  }
  CHECK(desk.ask({"config", "tiny.yaml", "--resolve", "--format", "json", "-p", "title"}).output == "\"costs ${five} and \\\\tiny\"\n");
  CHECK(desk.ask({"config", "tiny.yaml", "title=1e5", "-p", "title"}).output == "'1e5'\n");
}

TEST_CASE("option names cannot lead out of their group's folder", "[cli][config]") {
  const Desk desk(kTinyExperiment);
  fs::create_directories(desk.path() / "elsewhere");
  std::ofstream(desk.path() / "elsewhere/file.yaml") << "name: sgd\nlr: 7.0\n";
  for (const char* word : {"optimizer=../../elsewhere/file", "optimizer=../elsewhere/file", "+optimizer=[sgd,../../elsewhere/file]"}) {
    const auto answer = desk.ask({"plan", "tiny.yaml", word});
    INFO(answer.output);
    CHECK(answer.status == 2);
    CHECK(holds(answer.output, "its name must not contain '..'"));
  }
}

}  // namespace yatlab
