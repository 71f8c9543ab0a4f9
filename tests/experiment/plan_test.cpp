#include "core/plan/plan.h"
#include "core/compose/removed_arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>

#include "catch.h"
#include "core/base/process.h"
#include "core/compose/frozen_arm.h"
#include "core/compose/identity.h"
#include "core/compose/job_type.h"
#include "core/config/override.h"
#include "core/plan/check_arm.h"
#include "cost.h"
#include "experiment/support.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::directories;
using testing::kTiny;
using testing::with;
using testing::Workspace;
using Strings = std::vector<std::string>;

const std::string kConfigs = std::string(YATLAB_SOURCE_DIR) + "/configs";

Strings hashes(const Plan& plan, const std::string& arm = {}) {
  Strings out;
  for (const auto& job : plan.jobs) {
    if (arm.empty() || job.arm == arm) out.push_back(job.hash);
  }
  return out;
}

/// The tiny experiment with other arms: a YAML map.
std::string with_arms(const std::string& arms) {
  const std::string text = kTiny;
  return text.substr(0, text.find("arms:")) + "arms: " + arms + "\n";
}

}  // namespace

TEST_CASE("a plan is arms x points x seeds, in the file's order", "[plan]") {
  const Workspace w(with("sweep: {optimizer.lr: [0.01, 0.1]}\n"));
  const auto plan = w.plan();
  CHECK(plan.name == "tiny");
  CHECK(plan.arms == Strings{"linear", "yat"});
  CHECK(plan.seeds == std::vector<std::int64_t>{0, 1});
  CHECK(plan.swept == Strings{"optimizer.lr"});
  CHECK(directories(plan) == Strings{"jobs/linear/seed=0,optimizer.lr=0.01", "jobs/linear/seed=1,optimizer.lr=0.01",
                                     "jobs/linear/seed=0,optimizer.lr=0.1", "jobs/linear/seed=1,optimizer.lr=0.1",
                                     "jobs/yat/seed=0,optimizer.lr=0.01", "jobs/yat/seed=1,optimizer.lr=0.01",
                                     "jobs/yat/seed=0,optimizer.lr=0.1", "jobs/yat/seed=1,optimizer.lr=0.1"});
  CHECK(plan.jobs[3].label() == "linear seed=1 optimizer.lr=0.1");
  CHECK(plan.jobs[3].config.find_path("optimizer.lr")->as_double() == 0.1);
  CHECK(plan.jobs[3].config.at("seed").as_int() == 1);
  const auto all = hashes(plan);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 8);
}

TEST_CASE("keep_jobs reduces a plan to the given jobs", "[plan][hash]") {
  const Workspace w(kTiny);
  auto plan = w.plan();
  keep_jobs(plan, {"jobs/linear/seed=0", "jobs/yat/seed=0", "jobs/yat/seed=7"});
  CHECK(directories(plan) == Strings{"jobs/linear/seed=0", "jobs/yat/seed=0"});
  CHECK(plan.hash == w.plan({"seeds=[0]"}).hash);
  CHECK(plan.hash != w.plan().hash);
}

TEST_CASE("an experiment without arms has a single arm", "[plan]") {
  const Workspace w(with_arms("{}"));
  const auto plan = w.plan({"operator=yat"});
  CHECK(directories(plan) == Strings{"jobs/main/seed=0", "jobs/main/seed=1"});
  CHECK(plan.jobs[0].config.find_path("operator.name")->as_string() == "yat");
}

TEST_CASE("frozen configs contain every default", "[plan]") {
  const Workspace w;
  const auto plan = w.plan();
  const Node& yat = plan.jobs[2].config;
  CHECK(yat.find_path("operator.epsilon")->as_double() == 1e-5);
  CHECK(yat.find_path("optimizer.beta1")->as_double() == 0.9);
  CHECK(yat.find_path("trainer.shuffle")->as_bool());
  CHECK(yat.find_path("architecture.init.std")->as_double() == 0.3);
  for (const auto& key : training_job().frozen_keys()) CHECK(yat.has(key));
  for (const char* outside : {"arms", "seeds", "results", "launcher", "data", "tables", "title"}) CHECK_FALSE(yat.has(outside));
}

TEST_CASE("job hashes: settings that affect results change them", "[plan][hash]") {
  const Workspace w;
  const auto base = hashes(w.plan());
  CHECK(hashes(w.plan()) == base);
  for (const char* change :
       {"trainer.epochs=3", "trainer.batch_size=10", "trainer.shuffle=false", "trainer.threads=2", "trainer.log_every=4",
        "dataset.train_size=121", "optimizer.lr=0.002", "optimizer=sgd", "schedule=cosine", "normalizer=softmax",
        "architecture.init.std=0.2", "architecture.bias=true", "task.label_smoothing=0.1", "seeds=[7,8]"}) {
    INFO(change);
    const auto changed = hashes(w.plan({change}));
    REQUIRE(changed.size() == base.size());
    for (std::size_t i = 0; i < base.size(); ++i) CHECK(changed[i] != base[i]);
  }
}

TEST_CASE("job hashes: settings that do not affect results leave them unchanged", "[plan][hash]") {
  const Workspace w;
  const auto base = w.plan();
  for (const char* change :
       {"trainer.checkpoint_seconds=5", "trainer.checkpoint_steps=2", "launcher.workers=2", "results=elsewhere", "title=other",
        "notes=other", "data.root=elsewhere", "data.require_real=true", "trackers=[console]", "+labels.yat=Y", "name=other"}) {
    INFO(change);
    const auto plan = w.plan({change});
    CHECK(hashes(plan) == hashes(base));
    CHECK(plan.hash == base.hash);
  }
  // A default that is written explicitly is still the default.
  CHECK(hashes(w.plan({"optimizer.beta1=0.9"})) == hashes(base));
}

TEST_CASE("schedules and optimizers can be swapped in all arms or in one", "[plan]") {
  const Workspace w(R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - /optimizer: adamw
  - /schedule: cosine
  - _self_
dataset: {train_size: 120, test_size: 60}
optimizer: {lr: 1e-2, beta2: 0.95, weight_decay: 0.1, decay_matrices_only: true}
schedule: {warmup_steps: 2, final_factor: 0.1}
trainer: {epochs: 2, batch_size: 20}
seeds: [0]
launcher: {workers: 1}
trackers: []
arms: {yat: [operator=yat]}
)");
  CHECK(w.plan().notices.empty());
  const std::string out = "ignores what was set for a different";
  for (const char* optimizer : {"adam", "adamw", "sgd"}) {
    for (const char* schedule : {"constant", "cosine", "linear", "step"}) {
      INFO(optimizer << " " << schedule);
      const auto plan = w.plan({fmt::format("optimizer={}", optimizer), fmt::format("schedule={}", schedule)});
      const auto& config = plan.jobs.at(0).config;
      CHECK(config.at("optimizer").at("name").as_string() == optimizer);
      CHECK(config.at("optimizer").at("lr").as_double() == 1e-2);
      CHECK(config.at("schedule").at("name").as_string() == schedule);
      std::size_t said = 0;
      for (const auto& notice : plan.notices) said += notice.find(out) != std::string::npos;
      const bool constant = schedule == std::string("constant") || schedule == std::string("step");
      CHECK(said == (optimizer == std::string("sgd") ? 1u : 0u) + (constant ? 1u : 0u));
    }
  }
  // An arm's own choice, and points of a sweep.
  const auto arm = w.plan({"+arms.sgd=[operator=yat, optimizer=sgd]"});
  CHECK(arm.jobs.size() == 2);
  CHECK(std::count_if(arm.notices.begin(), arm.notices.end(), [&](const std::string& n) { return n.find("optimizer=sgd " + out) == 0; }) ==
        1);
  const auto sweep = w.plan({"optimizer=adamw,sgd,adam"}, true);
  CHECK(sweep.jobs.size() == 3);
  CHECK(std::count_if(sweep.notices.begin(), sweep.notices.end(), [&](const std::string& n) { return n.find(out) != std::string::npos; }) ==
        1);
}

TEST_CASE("job hashes: a change affects only the arms that it concerns", "[plan][hash]") {
  const Workspace w;
  const auto base = w.plan(), changed = w.plan({"operator.epsilon=0.01"});
  CHECK(hashes(changed, "linear") == hashes(base, "linear"));
  CHECK(hashes(changed, "yat") != hashes(base, "yat"));
  CHECK(changed.hash != base.hash);
  CHECK(changed.notices == Strings{"operator.epsilon=0.01 does not apply to every arm; arms without that key keep their own settings"});
  CHECK(changed.protocol_overrides == Strings{"operator.epsilon=0.01"});
  // More seeds: the existing jobs are unchanged.
  const auto more = w.plan({"seeds=[0,1,2]"});
  for (const auto& hash : hashes(base)) {
    const auto all = hashes(more);
    CHECK(std::count(all.begin(), all.end(), hash) == 1);
  }
  CHECK(more.protocol_overrides.empty());
  CHECK(more.hash != base.hash);
}

TEST_CASE("an arm's name is part of the plan but not of job hashes", "[plan][hash]") {
  Workspace w;
  const auto base = w.plan();
  w.rewrite(with_arms("{line: [operator=dot], yat: [operator=yat]}"));
  const auto renamed = w.plan();
  CHECK(hashes(renamed) == hashes(base));
  CHECK(renamed.hash != base.hash);  // its folders differ
}

TEST_CASE("identical arms are rejected", "[plan][errors]") {
  const Workspace w(with_arms("{first: [operator=yat], second: [operator=yat, operator.epsilon=1e-5]}"));
  CHECK(w.error() ==
        "arms 'first' and 'second' are the same\n  at: ~/tiny.yaml\n  why: after all overrides their configurations are equal, so there is "
        "nothing to compare\n  try: change one arm instead, e.g. \"arms.second=['operator=cosine']\", or remove it with '~arms.second'");
  CHECK(directories(w.plan({"~arms.second"})) == Strings{"jobs/first/seed=0", "jobs/first/seed=1"});
}

TEST_CASE("the command line cannot replace a component that defines an arm", "[plan][errors]") {
  const Workspace w;
  CHECK(w.error({"operator=cosine"}) ==
        "'operator=cosine' would replace the component that defines arm 'linear'\n  at: command line\n  why: the arm itself sets "
        "operator=dot\n  try: change the arm (\"arms.linear=['operator=cosine']\"), or add one (\"+arms.mine=['operator=cosine']\")");
  // The proposed override works.
  const auto plan = w.plan({"+arms.mine=['operator=cosine']"});
  CHECK(plan.arms == Strings{"linear", "yat", "mine"});
  const auto changed = w.plan({"arms.linear=['operator=cosine']"});
  CHECK(changed.jobs[0].config.find_path("operator.name")->as_string() == "cosine");
}

TEST_CASE("typos are answered with the nearest name", "[plan][errors]") {
  const Workspace w;
  CHECK(w.error({"trainer.epoch=3"}) ==
        "cannot change 'trainer.epoch'\n"
        "  at: command line (trainer.epoch=3)\n"
        "  why: 'trainer' has no key 'epoch'\n"
        "  try: did you mean 'trainer.epochs'?");
  CHECK(w.error({"operator.epsilno=1e-3"}) ==
        "cannot change 'operator.epsilno'\n"
        "  at: command line (operator.epsilno=1e-3)\n"
        "  why: 'operator' has no key 'epsilno' (it is 'dot')\n"
        "  try: did you mean 'operator.epsilon'? (operator 'cosine' has it)");
  CHECK(w.error({"optimizer=adm"}) ==
        "'adm' is not an option of the group 'optimizer'\n"
        "  at: command line (optimizer=adm)\n"
        "  why: looked in ~, " +
            kConfigs +
            "; options: adam, adamw, sgd\n"
            "  try: did you mean 'adam'?");
  CHECK(w.error({"trainer.epochs=three"}) ==
        "'trainer.epochs' must be integer > 0, found string three\n"
        "  at: command line (trainer.epochs=three)\n"
        "  why: passes over the training split");
  CHECK(w.error({"trainer.epochs=0"}) ==
        "'trainer.epochs' is 0, but must be > 0\n"
        "  at: command line (trainer.epochs=0)\n"
        "  why: passes over the training split");
  CHECK(w.error({"analyses=[prototype_norm]"}) ==
        "unknown analysis 'prototype_norm'\n"
        "  at: command line (analyses=[prototype_norm])\n"
        "  try: did you mean 'prototype_norms'? ('yatlab list analysis' shows all)");
}

TEST_CASE("typos in a file are reported with line and column", "[plan][errors]") {
  CHECK(Workspace(with("trainr: {epochs: 1}\n")).error() ==
        "unknown key 'trainr'\n"
        "  at: ~/tiny.yaml:14:9\n"
        "  try: did you mean 'trainer'?");
  CHECK(Workspace(with("analyses: [{name: prototype_inversion, spilt: test}]\n")).error() ==
        "unknown key 'analysis/prototype_inversion.spilt'\n"
        "  at: ~/tiny.yaml:14:47\n"
        "  try: did you mean 'split'?");
  CHECK(Workspace(with_arms("{a: [operator=yat, operator.epsilom=1]}")).error() ==
        "cannot change 'operator.epsilom'\n"
        "  at: arm a (operator.epsilom=1)\n"
        "  why: 'operator' has no key 'epsilom' (it is 'yat')\n"
        "  try: did you mean 'operator.epsilon'?");
  CHECK(Workspace(with_arms("{a: operator=yat}")).error() ==
        "arm 'a' must be a list of overrides, found 'operator=yat'\n"
        "  at: ~/tiny.yaml:11:11\n"
        "  try: write it as ['operator=yat','operator.epsilon=1e-5'], or a formula as {f: \"dot^2 / (dist2 + eps)\", eps: 1e-3}");
  CHECK(Workspace(with_arms("{a: [{operator: yat}]}")).error() ==
        "arm 'a': {operator: yat} is not an override\n"
        "  at: ~/tiny.yaml:11:12\n"
        "  try: write key=value, in quotes where YAML needs them");
  CHECK(Workspace(with_arms("{'a/b': [operator=yat]}")).error() ==
        "'a/b' cannot name an arm\n  at: ~/tiny.yaml:11:15\n  why: it contains '/'\n  try: use letters, digits, '_' and '-'");
}

TEST_CASE("a normalizer that cannot take an operator's scores is rejected with alternatives", "[plan][errors]") {
  const Workspace w;
  CHECK(
      w.error({"normalizer=softermax"}) ==
      "arm 'linear': normalizer 'softermax' does not support the scores of operator 'dot'\n  at: command line (normalizer=softermax)\n  "
      "why: it needs scores >= 0, but this operator's scores can be negative\n  try: use one of the operators feature_kernel, formula, yat "
      "or one of the normalizers formula, softmax");
  const auto plan = w.plan({"normalizer=softermax", "~arms.linear"});
  CHECK(plan.jobs[0].config.find_path("normalizer.name")->as_string() == "softermax");
}

TEST_CASE("an arm without an architecture is rejected", "[plan][errors]") {
  const Workspace w("name: bare\ndefaults:\n  - /dataset: xor\n  - _self_\n");
  CHECK(w.error() ==
        "arm 'main' has no architecture\n"
        "  at: ~/tiny.yaml:1:1\n"
        "  try: add '- /architecture: ...' to the defaults, or architecture=... to the arm "
        "('yatlab list architecture' shows the choices)");
}

TEST_CASE("scales are named sets of overrides", "[plan][scales]") {
  const Workspace w(
      with("scales:\n  smoke: [trainer.epochs=1, 'seeds=[5]']\n  large: [trainer.epochs=9]\n  paper: [trainer.epochs=90]\n  small: []\n"));
  const auto full = w.plan();
  CHECK(full.scale == "");
  CHECK(w.plan({"scale=small"}).scale == "");  // changes nothing
  const auto paper = w.plan({"scale=paper"});  // the paper's own scale: its numbers can be compared
  CHECK(paper.scale == "");
  CHECK(paper.jobs[0].config.find_path("trainer.epochs")->as_int() == 90);
  const auto smoke = w.plan({"scale=smoke"});
  CHECK(smoke.scale == "smoke");
  CHECK(smoke.seeds == std::vector<std::int64_t>{5});
  CHECK(smoke.jobs[0].config.find_path("trainer.epochs")->as_int() == 1);
  CHECK(smoke.protocol_overrides.empty());
  // The command line takes precedence.
  const auto both = w.plan({"scale=smoke", "trainer.epochs=4"});
  CHECK(both.jobs[0].config.find_path("trainer.epochs")->as_int() == 4);
  CHECK(both.seeds == std::vector<std::int64_t>{5});
  CHECK(w.error({"scale=smok"}) ==
        "unknown scale 'smok'\n"
        "  at: command line (scale=smok)\n"
        "  try: did you mean 'smoke'?");
  CHECK(Workspace().error({"scale=smoke"}) ==
        "unknown scale 'smoke'\n"
        "  at: command line (scale=smoke)\n"
        "  why: this experiment declares no scales");
}

TEST_CASE("seeds come in several forms", "[plan][seeds]") {
  const Workspace w;
  using Seeds = std::vector<std::int64_t>;
  CHECK(w.plan({"seeds=range(0,4)"}).seeds == Seeds{0, 1, 2, 3});
  CHECK(w.plan({"seeds=range(2, 5)"}).seeds == Seeds{2, 3, 4});
  CHECK(w.plan({"seeds=[4,2]"}).seeds == Seeds{4, 2});
  CHECK(w.plan({"seeds=7"}).seeds == Seeds{7});
  CHECK(w.plan({"seeds=1,2,3"}).seeds == Seeds{1, 2, 3});
  CHECK(w.plan({"seeds='range(0, 2)'"}).seeds == Seeds{0, 1});
  CHECK(w.plan({"seeds=range(0,2)"}, true).seeds == Seeds{0, 1});  // also under --multirun: no sweep
  CHECK(w.plan({"seeds=range(0,2)"}, true).swept.empty());
  for (const char* wrong : {"seeds=[]", "seeds=[1,1]", "seeds=-1", "seeds=[a]", "seeds=1.5", "seeds=range(3,3)"}) {
    INFO(wrong);
    CHECK(w.error({wrong}).find("seed") != std::string::npos);
  }
}

TEST_CASE("sweeps in the file, on the command line, and both", "[plan][sweep]") {
  const Workspace plain;
  CHECK(plain.plan({"optimizer.lr=0.1,0.2"}, true).jobs.size() == 8);
  CHECK(plain.plan({"optimizer.lr=choice(0.1,0.2,0.3)", "trainer.batch_size=10,20"}, true).jobs.size() == 24);
  CHECK(plain.plan({"trainer.epochs=range(1,4)"}, true).swept == Strings{"trainer.epochs"});
  CHECK(
      plain.error({"optimizer.lr=0.1,0.2"}) ==
      "'optimizer.lr=0.1,0.2' gives several values for 'optimizer.lr', but only one is allowed here\n  at: command line\n  why: the values "
      "are a sweep, but this is a single run\n  try: to sweep over the values, add --multirun (-m): -m optimizer.lr=0.1,0.2; or put them "
      "into "
      "the 'sweep:' of the experiment");

  const Workspace w(with("sweep: {optimizer.lr: [0.1, 0.2, 0.3], trainer.epochs: 'range(1, 3)'}\n"));
  const auto base = w.plan();
  CHECK(base.jobs.size() == 24);
  CHECK(base.swept == Strings{"optimizer.lr", "trainer.epochs"});
  // One value ends the sweep of its key; a sweep replaces it.
  const auto ended = w.plan({"optimizer.lr=0.5"});
  CHECK(ended.swept == Strings{"trainer.epochs"});
  CHECK(ended.jobs.size() == 8);
  CHECK(ended.jobs[0].config.find_path("optimizer.lr")->as_double() == 0.5);
  const auto replaced = w.plan({"optimizer.lr=0.5,0.6"}, true);
  CHECK(replaced.jobs.size() == 16);
  CHECK(replaced.jobs[0].directory == "jobs/linear/seed=0,optimizer.lr=0.5,trainer.epochs=1");
  // The last dimension moves fastest.
  CHECK(replaced.jobs[2].directory == "jobs/linear/seed=0,optimizer.lr=0.5,trainer.epochs=2");
}

TEST_CASE("sweep points that are equal for an arm are merged", "[plan][sweep]") {
  const Workspace w(with("sweep: {operator.epsilon: [0.1, 1.0]}\n"));
  CHECK(directories(w.plan()) == Strings{"jobs/linear/seed=0", "jobs/linear/seed=1", "jobs/yat/seed=0,operator.epsilon=0.1",
                                         "jobs/yat/seed=1,operator.epsilon=0.1", "jobs/yat/seed=0,operator.epsilon=1.0",
                                         "jobs/yat/seed=1,operator.epsilon=1.0"});
}

TEST_CASE("components and their parameters can be swept", "[plan][sweep]") {
  const Workspace w(with("sweep: {architecture.init: [{name: normal, std: 0.1}, {name: uniform, low: 0.0, high: 0.5}]}\n"));
  const auto plan = w.plan({"~arms.linear", "seeds=[0]"});
  REQUIRE(plan.jobs.size() == 2);
  CHECK(plan.jobs[0].config.find_path("architecture.init.std")->as_double() == 0.1);
  CHECK(plan.jobs[1].config.find_path("architecture.init.name")->as_string() == "uniform");
  CHECK(plan.jobs[1].config.find_path("architecture.init.std") == nullptr);
  CHECK(plan.jobs[0].directory != plan.jobs[1].directory);
  for (const auto& job : plan.jobs) {  // each has its own folder, with a name valid on any system
    CHECK(std::count(job.directory.begin(), job.directory.end(), '/') == 2);
    CHECK(job.directory.find_first_of(":*?\"<>|\\") == std::string::npos);
  }
  CHECK(w.plan({"optimizer=adam,sgd", "~arms.linear", "seeds=[0]"}, true).jobs.size() == 4);
}

TEST_CASE("analyses are names or maps, completed when planned", "[plan][analyses]") {
  const Workspace w(with("analyses:\n  - prototype_norms\n  - {name: prototype_inversion, split: train}\n"));
  const auto plan = w.plan();
  const auto& analyses = plan.jobs[0].analyses;
  REQUIRE(analyses.size() == 2);
  CHECK(analyses[0].config.at("analysis").to_flow() == "{name: prototype_norms}");
  CHECK(analyses[1].config.at("analysis").to_flow() == "{name: prototype_inversion, split: train}");
  CHECK(analyses[1].directory == "jobs/linear/seed=0/analyses/prototype_inversion");
  CHECK(w.plan({"analyses=[{name:prototype_inversion}]"}).jobs[0].analyses.at(0).config.at("analysis").to_flow() ==
        "{name: prototype_inversion, split: test}");
}

TEST_CASE("an analysis is a separate job that depends on its training and config only", "[plan][analyses][hash]") {
  const Workspace w(with("analyses: [prototype_norms, {name: prototype_inversion, split: train}]\n"));
  const auto plan = w.plan();
  const auto& job = plan.jobs[0];
  const auto analyses_of = [&](const Strings& overrides) { return w.plan(overrides).jobs.at(0).analyses; };
  CHECK(analyses_of({"analyses=[prototype_norms]"}).at(0).hash == job.analyses[0].hash);
  CHECK(w.plan({"analyses=[]"}).jobs[0].hash == job.hash);
  CHECK(w.plan({"analyses=[]"}).hash != plan.hash);
  CHECK(analyses_of({"analyses=[prototype_norms,{name: prototype_inversion, split: test}]"}).at(1).hash != job.analyses[1].hash);
  CHECK(analyses_of({"trainer.epochs=3"}).at(0).hash != job.analyses[0].hash);
  CHECK(plan.jobs[1].analyses[0].hash != job.analyses[0].hash);  // another seed
}

TEST_CASE("names that are invalid as folders are rejected", "[plan][errors]") {
  const Workspace w;
  CHECK(w.error({"name='a/b'"}) ==
        "'a/b' cannot name a folder\n  at: command line (name='a/b')\n  why: it contains '/'\n  try: use letters, digits, '_' and '-'");
  for (const std::string name : {"..", ".", ".hidden", "-rf", "../x", "/tmp/x", "a\\b", "a b", "a*", "$(x)|y", "a\nb", "a\x01"}) {
    INFO(name);
    Node arms = Node::map();
    arms.set(name, Node(Node::List{"operator=yat"}));
    CHECK(testing::holds(w.error({format_override("name", name)}), "cannot name a folder"));
    CHECK(testing::holds(Workspace(with_arms(arms.to_flow())).error(), "cannot name an arm"));
  }
  CHECK(testing::holds(w.error({"name=" + std::string(300, 'x')}), "it has 300 bytes; the limit is 120"));
  CHECK(testing::holds(w.error({"name=''"}), "cannot name a folder"));
  CHECK(testing::holds(Workspace(with_arms("{" + std::string(300, 'x') + ": [operator=yat]}")).error(),
                       "it has 300 bytes; the limit is 120"));
  // Unusual but valid names are allowed.
  for (const std::string name : {"ⵟ", "yat_0.05", "a'b", "a$b", "a`b", "a;b", "a&b", "a,b", "a=b"}) {
    INFO(name);
    Node arms = Node::map();
    arms.set(name, Node(Node::List{"operator=yat"}));
    CHECK(Workspace(with_arms(arms.to_flow())).plan().jobs[0].directory == "jobs/" + name + "/seed=0");
  }
}

TEST_CASE("planning 100 000 jobs has a bounded cost", "[.]") {
  const Workspace w;
  Plan kept;
  const auto cost = testing::cost_of([&] { kept = w.plan({"seeds=range(0,50000)"}); });
  INFO(cost);
  CHECK(cost.outcome == "done");
  if (!testing::cost_is_distorted()) {
    CHECK(cost.bytes / 100'000 < 4'000);  // per job
    CHECK(cost.seconds < 30);
  }
}

TEST_CASE("a plan of 100 000 jobs is cheap and a larger one is rejected", "[plan][slow][cost]") {
  // In a separate program, as planning tries gradients: if LibTorch has a device beside the CPU (Debian's 2.6 has Vulkan), the first gradient
  // starts threads, and processes forked later cannot use any.
  const auto measured = run_process({"env", "-u", "YATLAB_TEST_TOTALS", std::filesystem::read_symlink("/proc/self/exe").string(),
                                     "planning 100 000 jobs has a bounded cost"});
  INFO(measured.output);
  CHECK(measured.status == 0);
  CHECK(testing::holds(measured.output, "All tests passed ("));  // a test that is not found passes too
  const Workspace w;
  CHECK(testing::holds(w.error({"seeds=range(0,50001)"}), "the plan has more than 100000 jobs"));
  const auto swept = with("sweep: {optimizer.lr: 'range(1, 3001)', trainer.epochs: 'range(1, 31)'}\n");
  CHECK(testing::holds(Workspace(swept).error(), "the plan has more than 100000 jobs"));
}

TEST_CASE("the cost of planning thousands of arms grows linearly", "[plan][slow][cost]") {
  std::string arms;
  for (int i = 0; i < 3'000; ++i) arms += fmt::format("  a{}: [operator=yat, optimizer.lr={}]\n", i, 0.01 + 1e-6 * i);
  const Workspace w(with(arms));
  const auto begin = std::clock();
  CHECK(w.plan().arms.size() > 3'000);
  if (!testing::cost_is_distorted()) CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 20);
}

TEST_CASE("hashes of many seeds equal those of their configs", "[plan]") {
  const Workspace w(with("notes: \"the seed's place\"\n"));
  const auto plan = w.plan({"seeds=[0,7,123456789012]"});
  REQUIRE(plan.jobs.size() == 6);
  for (const auto& job : plan.jobs) {
    CHECK(job.hash == job_hash(job.config, *job.type));
    CHECK(JobHashes(job.config, *job.type).of(5) != job.hash);
    CHECK(job.config.at("seed").as_int() == job.seed);
  }
}

TEST_CASE("a run whose files would be too large to read is not planned", "[plan][errors]") {
  const Workspace w(with("notes: \"" + std::string(900'000, 'x') + "\"\n"));
  CHECK(w.error() == "no error");
  CHECK(testing::holds(w.error({"title=" + std::string(200'000, 'y')}), "the limit is 1000000"));
}

TEST_CASE("plan.json is what the report reads", "[plan]") {
  const Workspace w(with("title: Tiny\nsweep: {operator.epsilon: [0.1]}\nscales: {smoke: ['seeds=[3]']}\n"));
  const auto plan = w.plan({"scale=smoke", "optimizer.lr=0.5"});
  const auto json = nlohmann::ordered_json::parse(plan.to_json("the-run"));
  CHECK(json.at("schema") == 1);
  CHECK(json.at("experiment") == "tiny");
  CHECK(json.at("run_id") == "the-run");
  CHECK(json.at("title") == "Tiny");
  CHECK(json.at("scale") == "smoke");
  CHECK(json.at("hash") == plan.hash);
  CHECK(json.at("arms") == nlohmann::ordered_json({"linear", "yat"}));
  CHECK(json.at("seeds") == nlohmann::ordered_json({3}));
  CHECK(json.at("swept") == nlohmann::ordered_json({"operator.epsilon"}));
  const auto& accuracy = json.at("metrics")[0];
  CHECK(accuracy.at("name") == "test/accuracy");
  CHECK(accuracy.at("title") == "test accuracy");
  CHECK(accuracy.at("better") == "higher");
  CHECK(accuracy.at("shown") == true);
  CHECK(json.at("overrides") == nlohmann::ordered_json({"scale=smoke", "optimizer.lr=0.5"}));
  CHECK(json.at("protocol_overrides") == nlohmann::ordered_json({"optimizer.lr=0.5"}));
  REQUIRE(json.at("jobs").size() == 2);
  const auto& job = json.at("jobs")[1];
  CHECK(job.at("arm") == "yat");
  CHECK(job.at("seed") == 3);
  CHECK(job.at("params").at("operator.epsilon") == 0.1);
  CHECK(job.at("dir") == "jobs/yat/seed=3,operator.epsilon=0.1");
  CHECK(job.at("hash") == plan.jobs[1].hash);
  CHECK(nlohmann::ordered_json::parse(w.plan().to_json("x")).at("scale").is_null());
}

TEST_CASE("metrics are named by split and tables show the evaluation split", "[plan]") {
  const Workspace w;
  const auto docs_of = [&](std::vector<std::string> overrides) {
    std::map<std::string, MetricDoc> out;
    for (const auto& doc : w.plan(std::move(overrides)).metrics) out.emplace(doc.name, doc);
    return out;
  };
  const auto docs = docs_of({"trainer.eval_train=true", "trainer.target.metric=train/accuracy", "trainer.target.at_least=0.5"});
  CHECK(docs.at("train/accuracy").title == "training accuracy");
  CHECK_FALSE(docs.at("train/accuracy").tabulated);
  CHECK(docs.at("test/accuracy").tabulated);
  CHECK(docs.at("test/accuracy").better == Direction::kHigher);
  CHECK(docs.at("train/loss").title == "training loss");
  CHECK(docs.at("train/loss").unit == "nats");
  CHECK_FALSE(docs.at("train/loss").tabulated);
  CHECK(docs.at("train/batch_loss").title == "training loss of single batches");
  CHECK(docs.at("target/step").better == Direction::kLower);
  CHECK(docs_of({}).count("target/step") == 0);
}

TEST_CASE("one arm can be composed for config and --explain", "[plan]") {
  const Workspace w;
  CHECK(compose_experiment(w.request(), "yat").config.at("operator").at("name").as_string() == "yat");
  CHECK(compose_experiment(w.request(), "").config.at("operator").is_null());
  try {
    compose_experiment(w.request(), "yta");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(w.shortened(e.what()) == "unknown arm 'yta'\n  at: ~/tiny.yaml\n  try: did you mean 'yat'?");
  }
}

namespace {

std::vector<PlanRequest> shipped_experiments() {
  std::vector<PlanRequest> out;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(YATLAB_SOURCE_DIR) / "experiments")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "paper.yaml") continue;
    PlanRequest request;
    request.experiment = entry.path();
    request.config_path = {fs::path(YATLAB_SOURCE_DIR) / "configs"};
    out.push_back(request);
  }
  return out;
}

/// Tasks, analyses and studies give each of their metrics a title and a direction; metrics of a model's internals only have names.
void check_described(const PlannedRun& planned) {
  std::set<std::string> described;
  for (const auto& doc : planned.plan->metrics) {
    INFO(doc.name);
    CHECK(described.insert(doc.name).second);
    CHECK((doc.better.has_value() || doc.name.rfind("run/", 0) == 0));
  }
  for (const auto& [arm, names] : *planned.measured) {
    for (const auto& metric : names.results) {
      INFO(metric);
      CHECK((described.count(metric) == 1 || metric.rfind("model/", 0) == 0 || metric == "prototypes/norm"));
    }
  }
}

}  // namespace

TEST_CASE("removing an arm removes its contrasts and an empty comparison", "[plan]") {
  const auto left = [](const std::string& compare, const std::vector<std::string>& removed) {
    Node experiment = parse_yaml("{arms: {b: []}, tables: {t: {compare: {metric: m, " + compare + "}}}}", "test");
    forget_arms(experiment, removed);
    const Node* found = experiment.find_path("tables.t.compare");
    return found ? found->to_flow() : "";
  };
  const std::string both = "contrasts: {one: {a: 1, b: -1}, two: {b: 1, c: -1}}";
  CHECK(left(both, {"a"}) == "{metric: m, contrasts: {two: {b: 1, c: -1}}}");
  CHECK(left(both, {"a", "c"}).empty());
  CHECK(left("baseline: b, " + both, {"a", "c"}) == "{metric: m, baseline: b, contrasts: {}}");
  CHECK(left("baseline: a, " + both, {"a"}).empty());
}

TEST_CASE("every experiment of the project can be planned without any one arm", "[plan]") {
  std::size_t count = 0;
  for (auto request : shipped_experiments()) {
    INFO(request.experiment.string());
    const auto arms = make_plan(request).arms;
    if (arms.size() < 2) continue;
    for (const auto& arm : arms) {
      INFO(arm);
      request.overrides = {"~arms." + arm};
      const auto less = make_plan(request).arms;
      CHECK(less.size() == arms.size() - 1);
      CHECK(std::count(less.begin(), less.end(), arm) == 0);
      ++count;
    }
  }
  CHECK(count > 40);
}

TEST_CASE("every experiment of the project can be planned, at every scale", "[plan]") {
  std::size_t count = 0;
  for (auto request : shipped_experiments()) {
    INFO(request.experiment.string());
    const auto planned = plan_run(request);
    const auto& plan = *planned.plan;
    for (const auto& text : plan.notices) CHECK(text.find("trainer.device=cuda cannot be used on this machine") == 0);  // written for a GPU
    CHECK(plan.jobs.size() > 0);
    check_described(planned);
    for (const auto& [scale, overrides] : plan.experiment.at("scales").as_map()) {
      INFO(scale);
      request.overrides = {"scale=" + scale};
      // A scale without overrides is the experiment itself.
      CHECK(make_plan(request).scale == (overrides.as_list().empty() || scale == "paper" ? "" : scale));
    }
    ++count;
  }
  CHECK(count >= 5);
}

TEST_CASE("job folder names respect file system limits", "[plan]") {
  std::string label;
  for (int i = 0; i < 100; ++i) label += "\u2d5f";  // three bytes each
  const Workspace w(with("sweep: {operator.label: ['" + label + "a', '" + label + "b']}\n"));
  const auto plan = w.plan({"+arms.one=['operator=labelled']", "~arms.linear", "~arms.yat"});
  std::set<std::string> names;
  for (const auto& job : plan.jobs) {
    const auto name = fs::path(job.directory).filename().string();
    CHECK(name.size() < 255);
    names.insert(job.directory);
  }
  CHECK(names.size() == plan.jobs.size());
  CHECK_NOTHROW(plan.to_json("run"));  // no character was cut in half
}

TEST_CASE("a job's cluster resources are in job.yaml and do not change its hash", "[plan][resources]") {
  const Workspace w(with_arms("{linear: [operator=dot], yat: [operator=yat, resources.memory=8G]}"));
  const auto plain = w.plan(), asked = w.plan({"resources.time='2:00:00'"});
  CHECK(hashes(plain) == hashes(asked));
  CHECK(plain.hash == asked.hash);
  CHECK(asked.protocol_overrides.empty());
  const auto said = [](const JobSpec& job) { return job_file(job, Node::map()).resources.to_flow(); };
  CHECK(said(plain.jobs.front()) == "{}");
  CHECK(said(plain.jobs.back()) == "{memory: '8G'}");
  CHECK(said(asked.jobs.back()) == "{time: '2:00:00', memory: '8G'}");
  CHECK_THROWS_AS(w.plan({"resources.gpus=-1"}), Error);
}

}  // namespace yatlab
