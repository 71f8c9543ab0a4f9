// Protocol compliance is determined by comparing an arm's jobs with those of the experiment's file, not from the command line.

#include <algorithm>
#include <map>
#include <set>

#include "catch.h"
#include "core/plan/run_name.h"
#include "core/record/run_view.h"
#include "core/run/replay.h"
#include "core/run/run_directory.h"
#include "core/table/table.h"
#include "experiment/support.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::holds;
using testing::kTiny;
using testing::read_json;
using testing::with;
using testing::Workspace;
using Strings = std::vector<std::string>;

/// For each changed arm: the arm, "@value" of each swept key, ":" and the overrides that changed it: "yat:operator.epsilon=0.01".
std::string changes(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& job : plan.jobs) {
    std::string where = job.arm;
    for (const auto& [key, value] : job.params) where += "@" + value.to_flow();
    const auto add = [&](const std::string& what, const Strings& texts) {
      if (texts.empty()) return;
      std::string one = what + ":";
      for (const auto& text : texts) one += " " + text;
      if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
    };
    add(where, job.changed_by);
    for (const auto& analysis : job.analyses) add(where + "/" + analysis.config.at("analysis").at("name").as_string(), analysis.changed_by);
  }
  std::string text;
  for (const auto& one : out) text += (text.empty() ? "" : " | ") + one;
  return text;
}

struct Case {
  Strings overrides;
  std::string changed;
  bool as_written = false;
  Strings added = {};
};

void check_all(const std::string& experiment, const std::vector<Case>& cases, bool multirun = false) {
  const Workspace w(experiment);
  for (const auto& c : cases) {
    std::string all;
    for (const auto& text : c.overrides) all += " " + text;
    INFO(all);
    const auto plan = w.plan(c.overrides, multirun);
    CHECK(changes(plan) == c.changed);
    CHECK(plan.as_written == c.as_written);
    CHECK(plan.added_arms == c.added);
    std::set<std::string> texts;
    for (const auto& job : plan.jobs) {
      texts.insert(job.changed_by.begin(), job.changed_by.end());
      for (const auto& analysis : job.analyses) texts.insert(analysis.changed_by.begin(), analysis.changed_by.end());
    }
    CHECK(std::set<std::string>(plan.protocol_overrides.begin(), plan.protocol_overrides.end()) == texts);
  }
}

}  // namespace

TEST_CASE("an arm whose job the command line does not change follows the file's protocol", "[plan][protocol]") {
  check_all(with("scales: {smoke: [trainer.epochs=1]}\n"
                 "analyses: [prototype_norms, {name: prototype_strokes, share: 0.2}]\n") +
                "",
            {
                {{"seeds=[4,5]"}, "", true},
                {{"title=other", "launcher.workers=2", "trainer.checkpoint_steps=5"}, "", true},
                {{"+arms.mine=[operator=cosine]"}, "", false, {"mine"}},
                {{"+arms={mine: [operator=cosine], more: [operator=euclidean]}"}, "", false, {"mine", "more"}},
                {{"~arms.linear"}, "", false},
                {{"~arms.linear", "+arms.lin=[operator=dot]"}, "", false, {"lin"}},  // renamed
                {{"~arms.linear", "+arms.linear=[operator=dot]"}, "", false},        // in another order
                // sets values that are already set
                {{"operator.epsilon=1e-5"}, "", true},
                {{"optimizer=adam"}, "", true},
                {{"optimizer.beta1=0.9", "dataset.train_size=120"}, "", true},
                {{"trainer.epochs=3", "trainer.epochs=2"}, "", true},
                {{"arms.linear=[operator=dot]"}, "", true},
                // one arm only
                {{"arms.linear=[operator=cosine]"}, "linear: arms.linear=[operator=cosine]"},
                {{"operator.epsilon=0.01"}, "yat: operator.epsilon=0.01"},
                {{"arms.yat=[operator=yat, operator.epsilon=0.5]", "+arms.mine=[operator=cosine]"},
                 "yat: arms.yat=[operator=yat, operator.epsilon=0.5]",
                 false,
                 {"mine"}},
                // all
                {{"trainer.epochs=3"}, "linear: trainer.epochs=3 | yat: trainer.epochs=3"},
                {{"optimizer=sgd"}, "linear: optimizer=sgd | yat: optimizer=sgd"},
                {{"dataset.train_size=60", "optimizer=adam"}, "linear: dataset.train_size=60 | yat: dataset.train_size=60"},
                {{"trainer.epochs=3", "+arms.mine=[operator=cosine]", "operator.epsilon=0.01"},
                 "linear: trainer.epochs=3 | yat: trainer.epochs=3 operator.epsilon=0.01 | mine: trainer.epochs=3 operator.epsilon=0.01",
                 false,
                 {"mine"}},
                {{"trainer.epochs=3", "++trainer.epochs=3"},
                 "linear: trainer.epochs=3 ++trainer.epochs=3 | yat: trainer.epochs=3 ++trainer.epochs=3"},
                // analyses are separate jobs
                {{"analyses=[prototype_norms]"}, "", false},
                {{"analyses=[prototype_norms, {name: prototype_strokes, share: 0.2}, prototype_inversion]"}, "", false},
                {{"analyses=[prototype_norms, {name: prototype_strokes, share: 0.3}]", "~arms.yat"},
                 "linear/prototype_strokes: analyses=[prototype_norms, {name: prototype_strokes, share: 0.3}]"},
                // scales are labelled separately
                {{"scale=smoke"}, "", true},
                {{"scale=smoke", "trainer.epochs=1"}, "", true},
                {{"scale=smoke", "trainer.epochs=4"}, "linear: trainer.epochs=4 | yat: trainer.epochs=4"},
            });
}

TEST_CASE("protocol changes are determined for each sweep point", "[plan][protocol][sweep]") {
  check_all(kTiny,
            {
                {{"optimizer.lr=0.001,0.1", "~arms.yat"}, "linear@0.1: optimizer.lr=0.001,0.1"},  // 1e-3 is the file's
                {{"operator.epsilon=0.1,1.0"}, "yat@0.1: operator.epsilon=0.1,1.0 | yat@1.0: operator.epsilon=0.1,1.0"},
                {{"optimizer=adam,sgd", "~arms.yat"}, "linear@sgd: optimizer=adam,sgd"},
            },
            true);
  check_all(with("sweep: {optimizer.lr: [0.01, 0.1]}\n"),
            {
                {{"optimizer.lr=0.01"}, "", false},
                {{"+arms.mine=[operator=cosine]"}, "", false, {"mine"}},
                {{"sweep.optimizer.lr=[0.1, 1.0]", "~arms.yat"}, "linear@1.0: sweep.optimizer.lr=[0.1, 1.0]"},
                {{"trainer.epochs=3", "~arms.yat"}, "linear@0.01: trainer.epochs=3 | linear@0.1: trainer.epochs=3"},
            });
  // Any point of the file's search space counts as the file's.
  const std::string table = "tables: {t: {columns: [test/accuracy]}}\n";
  check_all(with("sweeper: {name: random, trials: 3}\nsweep: {optimizer.lr: 'interval(0.001, 0.1)'}\n" + table),
            {{{}, "", true}, {{"~arms.yat"}, "", false}, {{"+arms.mine=[operator=cosine]"}, "", false, {"mine"}}});
  const Workspace w(with(table));
  const auto plan = w.plan({"sweeper=random", "sweeper.trials=2", "optimizer.lr=interval(0.01, 0.1)"}, true);
  for (const auto& job : plan.jobs) CHECK(job.changed_by == Strings{"optimizer.lr=interval(0.01, 0.1)"});
}

TEST_CASE("an experiment completed on the command line counts result-changing overrides as changes", "[plan][protocol]") {
  const std::string text = kTiny;
  check_all(text.substr(0, text.find("arms:")) + "operator: {name: yat, epsilon: '?\?\?'}\n",
            {{{"operator.epsilon=0.1", "title=other"}, "main: operator.epsilon=0.1"}});
}

TEST_CASE("studies and claims are compared with the file as well", "[plan][protocol]") {
  check_all("name: tiny\nseeds: [0]\nstudies: [ray_response]\narms: {yat: [operator=yat], dot: [operator=dot]}\n",
            {{{"+arms.mine=[operator=cosine]"}, "", false, {"mine"}},
             {{"studies=[ray_response]"}, "", true},
             {{"studies=[epsilon_shape]", "~arms.dot"}, "yat: studies=[epsilon_shape]"}});
  check_all("name: tiny\nseeds: [0]\nclaims: ['thm:mercer', 'prop:bounded-activation']\narms: {yat: [operator=yat], dot: [operator=dot]}\n",
            {{{"+arms.mine=[operator=cosine]"}, "", false, {"mine"}},
             {{"claims=['thm:mercer']"}, "", false},
             {{"effort=0.5", "~arms.dot"}, "yat@'thm:mercer': effort=0.5 | yat@'prop:bounded-activation': effort=0.5"}});
}

namespace {

/// Numbers of a paper close to the tiny experiment's, and comparisons.
const std::string kPaper =
    "analyses: [prototype_norms]\n"
    "labels: {linear: Linear}\n"
    "tables:\n"
    "  main:\n"
    "    arms: [linear, yat]\n"
    "    columns: [test/accuracy, test/loss]\n"
    "    compare: {metrics: [test/accuracy, test/loss], baseline: linear, paper: {yat: {test/loss: higher}}}\n"
    "    paper: {linear: {test/accuracy: 0.5}, yat: {test/accuracy: 0.5}, tolerance: {test/accuracy: 0.4}}\n"
    "  own: {arms: [yat], added_arms: false, columns: [test/accuracy]}\n"
    "  scales: {arms: [yat], columns: [model/alpha]}\n";

std::string scaled() {
  std::string text = with(kPaper);
  const std::string yat = "yat: [operator=yat]";
  return text.replace(text.find(yat), yat.size(), "yat: [operator=yat, architecture.scale=n_over_log]");
}

}  // namespace

TEST_CASE("an added arm does not change the results of the other arms", "[protocol][report]") {
  const Workspace w(scaled());
  const auto before = w.run({"seeds=[0,1,2]"}), with_more = w.run({"seeds=[0,1,2]", "+arms.mine=[operator=cosine]"});
  CHECK(with_more.exit_code == 0);
  const auto plain = read_json(before.directory / "summary.json"), more = read_json(with_more.directory / "summary.json");
  REQUIRE(plain.at("paper").size() == 2);
  CHECK(more.at("paper") == plain.at("paper"));
  for (const auto& number : more.at("paper")) CHECK(number.at("verdict") != "not comparable");
  CHECK(more.at("protocol_overrides").empty());
  CHECK(more.at("added_arms") == nlohmann::ordered_json({"mine"}));
  // Existing comparisons are unchanged; those of the new arm follow.
  for (const auto& line : plain.at("comparisons")) {
    INFO(line.dump());
    const auto& all = more.at("comparisons");
    CHECK(std::count(all.begin(), all.end(), line) == 1);
  }
  CHECK(more.at("comparisons").size() == 2 * plain.at("comparisons").size());
  const auto text = read_file(with_more.directory / "tables/main.md");
  CHECK_FALSE(holds(text, "Protocol changed"));
  CHECK(holds(text, "mine"));
  CHECK(holds(text, "Holm p: adjusted for the 2 comparisons of the file's own arms; of added arms for all 4; it decides."));
  CHECK_FALSE(holds(read_file(with_more.directory / "tables/own.md"), "| mine |"));
  CHECK_FALSE(holds(read_file(with_more.directory / "tables/scales.md"), "| mine |"));
  CHECK_FALSE(holds(read_file(with_more.directory / "report.html"), "Changed protocol"));
  // The row of an arm without a number in the paper shows none.
  const auto view = RunView::load(with_more.directory);
  const auto config = ReportConfig::read(view.config, false, view.docs);
  const auto table = build_table(view, config, config.tables.front());
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[2].arm == "mine");
  CHECK_FALSE(table.rows[2].cells[0].paper);
}

TEST_CASE("a change to one arm's job is reported for that arm only", "[protocol][report]") {
  const Workspace w(scaled());
  const auto run = w.run({"seeds=[0,1,2]", "arms.linear=[operator=dot, optimizer.lr=0.01]"});
  const auto summary = read_json(run.directory / "summary.json");
  const std::string change = "arms.linear=[operator=dot, optimizer.lr=0.01]";
  for (const auto& number : summary.at("paper")) {
    INFO(number.dump());
    CHECK((number.at("verdict") == "not comparable") == (number.at("arm") == "linear"));
  }
  CHECK(summary.at("protocol_overrides") == nlohmann::ordered_json({change}));
  CHECK(summary.at("arms").at("linear").at("protocol_overrides") == nlohmann::ordered_json({change}));
  CHECK_FALSE(summary.at("arms").at("yat").contains("protocol_overrides"));
  CHECK(holds(read_file(run.directory / "tables/main.md"), "Protocol of Linear changed by arms.linear="));
  CHECK_FALSE(holds(read_file(run.directory / "tables/own.md"), "Protocol"));
  CHECK(holds(read_file(run.directory / "report.html"), "</code>, for Linear alone."));
}

TEST_CASE("arms added on the command line join tables and figures if possible", "[plan][protocol]") {
  const Workspace w(
      with("analyses: [prototype_images]\n"
           "tables:\n"
           "  main: {arms: [linear, yat], columns: [test/accuracy, test/loss]}\n"
           "  all: {columns: [test/accuracy]}\n"
           "figures:\n"
           "  images: {plot: prototypes, arms: [yat]}\n"
           "  own: {plot: prototypes, arms: [yat], added_arms: false}\n"
           "  curves: {plot: learning_curves, metrics: [test/accuracy], arms: [yat, linear]}\n"
           "  levels: {plot: parameter_lines, x: operator.epsilon, metric: test/accuracy, arms: [yat], references: [linear]}\n"));
  const auto lists = [&](const Strings& overrides) {
    const auto plan = w.plan(overrides);
    std::string out;
    for (const char* path : {"tables.main.arms", "figures.images.arms", "figures.own.arms", "figures.curves.arms", "figures.levels.arms",
                             "figures.levels.references"})
      out += plan.experiment.find_path(path)->to_flow() + " ";
    CHECK_FALSE(plan.experiment.find_path("tables.all.arms"));
    return out;
  };
  CHECK(lists({}) == "[linear, yat] [yat] [yat] [yat, linear] [yat] [linear] ");
  CHECK(lists({"+arms.mine=[operator=cosine]"}) == "[linear, yat, mine] [yat, mine] [yat] [yat, linear, mine] [yat, mine] [linear] ");
  CHECK(lists({"+arms.near=[operator=yat, operator.epsilon=0.5]"}) ==
        "[linear, yat, near] [yat, near] [yat] [yat, linear, near] [yat, near] [linear] ");
  // Lists given on the command line are not extended.
  CHECK(lists({"+arms.mine=[operator=cosine]", "tables.main.arms=[yat]", "figures.images.arms=[mine]"}) ==
        "[yat] [mine] [yat] [yat, linear, mine] [yat, mine] [linear] ");
  // For a report by another program, the planned lists are written to the run.
  const auto plan = w.plan({"~arms.linear", "+arms.mine=[operator=cosine]"});
  CHECK(plan.experiment.find_path("tables.main.arms")->to_flow() == "[yat, mine]");
}

TEST_CASE("a table that an added arm cannot join is reported", "[plan][protocol]") {
  const Workspace w(scaled());
  const auto plan = w.plan({"+arms.mine=[operator=euclidean]"});
  CHECK(plan.notices == Strings{"tables.scales: arm 'mine' is left out: it measures none of model/alpha"});
  CHECK(w.plan({"+arms.mine=[operator=cosine, architecture.scale=multiply]"}).notices.empty());
}

TEST_CASE("runs with added arms are neither `latest` nor part of the paper's report", "[protocol][run_directory]") {
  const Workspace w;
  const auto full = w.run({});
  const auto more = w.run({"+arms.mine=[operator=cosine]"});
  CHECK(fs::canonical(w.path() / "results/tiny/latest") == fs::canonical(full.directory));
  CHECK(holds(more.directory.filename().string(), "-mine-"));
  const auto view = RunView::planned(more.directory);
  CHECK_FALSE(view.as_written);
  CHECK(view.added_arms == Strings{"mine"});
  CHECK(RunView::planned(full.directory).as_written);
  // The same jobs with other words on the command line are the same run.
  CHECK(w.run({"optimizer=adam"}).directory == full.directory);
  CHECK(RunView::planned(full.directory).as_written);
}

TEST_CASE("older plans report protocol changes for the whole run", "[protocol][report]") {
  const Workspace w;
  const auto run = w.run({"trainer.epochs=1"}).directory;
  auto plan = read_json(run / "plan.json");
  plan.erase("as_written");
  for (auto& job : plan.at("jobs")) job.erase("changed_by");
  write_file_atomic(run / "plan.json", plan.dump());
  const auto view = RunView::load(run);
  CHECK_FALSE(view.as_written);
  for (const auto& job : view.jobs) CHECK(job.changed_by == Strings{"trainer.epochs=1"});
}

}  // namespace yatlab
