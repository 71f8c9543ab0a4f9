// What a run records of its experiment: a copy of config.yaml plans the same jobs, and texts are unchanged.
#include <set>

#include "catch.h"
#include "config/random_values.h"
#include "core/config/interpolation.h"
#include "core/config/yaml.h"
#include "core/plan/run_name.h"
#include "core/record/job_file.h"
#include "core/record/run_view.h"
#include "core/run/run_directory.h"
#include "experiment/support.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::kTiny;
using testing::RandomValues;
using testing::same;
using testing::with;
using testing::Workspace;

std::vector<std::string> jobs_of(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& job : plan.jobs) {
    std::string line = job.directory + " " + job.hash;
    for (const auto& [key, value] : job.params) line += " " + key + "=" + value.to_flow();
    for (const auto& analysis : job.analyses) line += " " + analysis.directory + " " + analysis.hash;
    out.push_back(line);
  }
  return out;
}

/// The plan from the config.yaml that a run with this plan would write, in a separate folder.
Plan plan_of_copy(const Plan& plan, const fs::path& folder) {
  fs::create_directories(folder);
  write_file_unsynced(folder / "config.yaml", emit_yaml(plan.config));
  PlanRequest request;
  request.experiment = folder / "config.yaml";
  request.config_path = {fs::path(YATLAB_SOURCE_DIR) / "configs"};
  return make_plan(request);
}

void check_copy(const std::string& experiment, const std::vector<std::string>& overrides = {}, bool multirun = false) {
  INFO(experiment);
  CAPTURE(overrides);
  const Workspace w(experiment);
  const auto plan = w.plan(overrides, multirun);
  const auto copy = plan_of_copy(plan, w.path() / "elsewhere");
  CHECK(jobs_of(copy) == jobs_of(plan));
  CHECK(copy.hash == plan.hash);
  CHECK(copy.scale == plan.scale);
  CHECK(copy.arms == plan.arms);
  // And a copy of the copy.
  CHECK(jobs_of(plan_of_copy(copy, w.path() / "further")) == jobs_of(plan));
}

}  // namespace

TEST_CASE("a copy of config.yaml plans the run's jobs", "[written]") {
  check_copy(kTiny);
  // Arms that rely on interpolations.
  check_copy(with("optimizer: {lr: \"${trainer.diverged_above}\"}\n"), {"trainer.diverged_above=0.5"});
  const auto linked = with("  wide: [operator=yat, trainer.epochs=3, trainer.batch_size=30]\n");
  const auto at = linked.find("log_every: 3");
  check_copy(std::string(linked).replace(at, 12, "log_every: 3, eval_batch_size: \"${.batch_size}\""));
  check_copy(std::string(linked).replace(at, 12, "log_every: 3, eval_batch_size: \"${trainer.batch_size}\""), {"trainer.batch_size=25"});
  // An arm's own interpolation is resolved in the arm.
  check_copy(with("  wide: [operator=yat, trainer.batch_size=30, 'trainer.eval_batch_size=${trainer.batch_size}']\n"));
  // The command line takes precedence over scales and arms.
  const auto scaled = with(
      "  long: [operator=yat, trainer.batch_size=30, trainer.epochs=5]\nscales: {less: [trainer.epochs=1, seeds=7, "
      "'+arms.more=[operator=cosine]']}\n");
  check_copy(scaled, {"scale=less"});
  check_copy(scaled, {"scale=less", "trainer.epochs=4"});
  check_copy(scaled, {"trainer.epochs=4", "optimizer.lr=0.5"});
  check_copy(scaled, {"~arms.linear", "+arms.mine=[long, optimizer.lr=0.5]", "operator.epsilon=0.25"});
  check_copy(kTiny, {"optimizer=sgd", "optimizer.lr=0.5"});
  // Choosing another component than the one whose parameters the file sets.
  const auto set = with("optimizer: {name: sgd, lr: 0.25, momentum: 0.5}\n");
  CHECK(testing::holds(Workspace(set).error({"optimizer=adam"}), "add optimizer.lr=0.25 to keep it, or write 'optimizer={name: adam}'"));
  check_copy(set, {"optimizer=adam", "optimizer.lr=0.25"});
  check_copy(set, {"optimizer={name: adam}"});
  check_copy(set, {"optimizer=sgd"});
  // Components from defaults lists keep the file's values when another one is chosen.
  check_copy(R"(name: tiny
defaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, /optimizer: adam, _self_]
dataset: {train_size: 60, test_size: 20}
optimizer: {lr: 0.125}
seeds: 0
trackers: []
arms: {a: [operator=dot], b: [operator=dot, optimizer=sgd], c: [operator=dot, optimizer.name=sgd, optimizer.lr=0.25]}
)");
  // Sweeps: the file's, the command line's, and both.
  const auto swept = with("sweep: {optimizer.lr: [0.1, 0.01], operator.epsilon: [1e-5, 1e-3]}\n");
  check_copy(swept);
  check_copy(swept, {"optimizer.lr=0.1"});
  check_copy(swept, {"trainer.epochs=1,2", "operator.epsilon=0.5"});
  check_copy(swept, {"optimizer.lr=choice(1,0.1,0.01)", "+sweep.where=\"lr > 0.05\""});
  check_copy(kTiny, {"trainer.epochs=1,2", "pairs=zip(optimizer.lr=[0.1,0.2],trainer.batch_size=[10,20])"}, true);
  check_copy(with("sweep: {optimizer: {nest: {sgd: {optimizer.lr: [0.1, 1]}, adam: {optimizer.lr: [1e-3]}}}}\n"));
  check_copy(with("sweep: {optimizer: {nest: {sgd: {optimizer.lr: [0.1, 1]}, adam: {optimizer.lr: [1e-3]}}}}\n"), {"optimizer=sgd"});
  check_copy(kTiny,
             {"sweeper=random", "sweeper.trials=3", "sweeper.metric=test/loss", "optimizer.lr=tag(log,interval(1e-4,1))",
              "trainer.batch_size=int(interval(10,20))"},
             true);
  // Families are expanded.
  check_copy(with("  long: [yat, more]\nfamilies: {more: [trainer.epochs=3]}\n"), {"families.more=['trainer.epochs=4']"});
}

TEST_CASE("a copied config keeps interpolations and escapes", "[written]") {
  for (const char* title :
       {"a ${name}", "a \\${name}", "\\\\${name}", "\\${nobody}", "$${name}\\", "${name}", "1.10", "a: 'b' #c", "=,\\,"}) {
    const Workspace w(with("title: " + Node(title).to_flow() + "\nnotes: \"${title} again\"\n"));
    INFO(title);
    const auto plan = w.plan();
    const auto copy = plan_of_copy(plan, w.path() / "elsewhere");
    CHECK(copy.title == plan.title);
    CHECK(copy.experiment.at("notes") == plan.experiment.at("notes"));
    open_run_directory(plan, false);
    const auto run = w.path() / "results/tiny/latest";
    CHECK(read_run_config(run).at("title").as_string() == plan.title);
    CHECK(load_yaml(run / "overrides.yaml").size() == 0);
  }
  // Values from the machine and the clock are fixed.
  ::setenv("YATLAB_TEST_TITLE", "first ${x}", 1);
  const Workspace w(with("title: \"${oc.env:YATLAB_TEST_TITLE} ${now:%Y}\"\nnotes: \"${title}\"\n"));
  const auto plan = w.plan();
  ::unsetenv("YATLAB_TEST_TITLE");
  const auto copy = plan_of_copy(plan, w.path() / "elsewhere");
  CHECK(plan.title.rfind("first ${x} 2", 0) == 0);
  CHECK(copy.title == plan.title);
  CHECK(copy.experiment.at("notes") == plan.experiment.at("notes"));
  // An escape in an arm, a scale or a sweep stays an escape.
  const Workspace escaped(with("  mine: [operator=dot, 'dataset.train_size=80']\nscales: {s: ['title=\\${y}']}\n"));
  CHECK(escaped.plan({"scale=s"}).title == "${y}");
}

TEST_CASE("config.yaml, overrides.yaml and job.yaml of a run read back unchanged", "[written]") {
  RandomValues random(6);
  const TemporaryFolder folder;
  for (int i = 0; i < 2'000; ++i) {
    JobFile job;
    job.type = "training";
    job.arm = random.text();
    job.hash = random.text();
    job.params = {{random.text(), random.value(0)}, {"x", random.value(0)}};
    job.uses[random.text()] = random.text();
    job.needs = {random.text()};
    job.config.set("k", random.value(0));
    job.resources.set("k", random.value(1));
    job.data.set("k", random.value(1));
    job.libraries = {{random.text(), random.text()}};
    const auto text = to_yaml(job);
    INFO(text);
    write_file_unsynced(folder.path() / "job.yaml", text);
    const auto back = read_job_file(folder.path());
    const auto all = [](const JobFile& file) {
      Node out = Node::map();
      out.set("arm", file.arm).set_origin({});
      out.set("hash", file.hash);
      out.set("params", Node(Node::Map(file.params.begin(), file.params.end())));
      Node others = Node::list();
      for (const auto& [what, hash] : file.uses) others.push_back(Node(what + "\n" + hash));
      for (const auto& needed : file.needs) others.push_back(Node(needed));
      for (const auto& library : file.libraries) others.push_back(Node(library.path + "\n" + library.sha256));
      out.set("others", std::move(others));
      for (const auto* part : {&file.config, &file.resources, &file.data}) out.set(std::to_string(out.size()), *part);
      return out;
    };
    REQUIRE(same(all(job), all(back)));
  }
  std::set<std::string> names;
  for (int i = 0; i < 300; ++i) {  // strings that may stand in titles, in overrides, as values of data and as labels
    const auto text = random.text();
    if (text.find('\0') != std::string::npos) continue;
    const Workspace w;
    const Node title = escape_interpolations(Node(text));
    if (text == "???") continue;
    const std::vector<std::string> overrides = {format_override("title", title), "+labels={yat: " + format_override_value(title) + "}",
                                                format_override("resources.memory", title)};
    INFO(overrides[0]);
    const auto plan = w.plan(overrides);
    CHECK(plan.title == text);
    const auto run = open_run_directory(plan, false).path;
    const auto config = read_run_config(run);
    CHECK(config.at("title") == Node(text));
    CHECK(config.find_path("labels.yat")->as_string() == text);
    CHECK(config.find_path("resources.memory")->as_string() == text);
    const Node kept = load_yaml(run / "overrides.yaml");
    for (std::size_t k = 0; k < overrides.size(); ++k) CHECK(kept.as_list().at(k) == Node(overrides[k]));
    for (const auto& job : plan.jobs) CHECK(read_job(run / job.directory).resources == job.resources);
    // A folder's name is one word that shells and file systems accept unquoted.
    const auto name = run_name(w.plan({format_override("dataset.train_size", Node(60 + i))}), "2026");
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=,+-") == std::string::npos);
    names.insert(name);
  }
  CHECK(names.size() > 250);
}

TEST_CASE("every experiment of the project is planned again from its run's files", "[written][slow]") {
  const TemporaryFolder folder;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(YATLAB_SOURCE_DIR) / "experiments")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "paper.yaml") continue;
    for (const std::vector<std::string>& overrides : {std::vector<std::string>{}, {"scale=smoke", "seeds=[3]"}}) {
      PlanRequest request;
      request.experiment = entry.path();
      request.overrides = overrides;
      request.config_path = {fs::path(YATLAB_SOURCE_DIR) / "configs"};
      INFO(entry.path());
      CAPTURE(overrides);
      std::optional<Plan> plan;
      try {
        plan = make_plan(request);
      } catch (const Error& e) {  // it has no such scale, or needs a user's file
        INFO(e.what());
        CHECK((!overrides.empty() || entry.path().stem() == "your_data"));
        continue;
      }
      const auto copy = plan_of_copy(*plan, folder.path() / "copy");
      CHECK(jobs_of(copy) == jobs_of(*plan));
      CHECK(copy.scale == plan->scale);
      for (const auto& [arm, list] : plan->config.at("arms").as_map()) CHECK(list.is_list());
    }
  }
}

TEST_CASE("sweep points of string fields are named by the typed text", "[written][sweep]") {
  const Workspace w(std::string(R"(name: tiny
defaults: [/architecture: prototype_classifier, _self_]
seeds: 0
trackers: []
arms: {a: [operator=dot]}
)"));
  write_file_unsynced(w.path() / "t.csv", "1e5,1.10,x\na,b,1\nb,a,2\na,a,3\nb,b,4\na,b,5\nb,a,6\na,a,7\nb,b,8\na,b,1\nb,a,2\n");
  const std::vector<std::string> table = {"dataset=table", "dataset.file=" + (w.path() / "t.csv").string()};
  const auto of = [&](const std::string& label) {
    auto overrides = table;
    overrides.push_back(label);
    return overrides;
  };
  CHECK(w.plan(of("dataset.label=1e5")).jobs[0].config.find_path("dataset.label")->as_string() == "1e5");
  const auto plan = w.plan(of("dataset.label=1e5,1.10"), true);
  REQUIRE(plan.jobs.size() == 2);
  CHECK(plan.jobs[0].params[0].second == Node("1e5"));
  CHECK(plan.jobs[1].params[0].second == Node("1.10"));
  CHECK(plan.jobs[1].config.find_path("dataset.label")->as_string() == "1.10");
  // Two spellings of one number in a list are two texts.
  CHECK(w.plan(of("dataset.label=1e5,100000.0"), true).jobs.size() == 2);
  CHECK(w.plan({"dataset=table", "dataset.file=x.csv", "dataset.label=x", "name=1e5", "resources={time: 90}"}).name == "1e5");
}

}  // namespace yatlab
