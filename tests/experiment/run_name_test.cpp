// The name of a run's folder, and the target of `latest`.

#include <regex>

#include "catch.h"
#include "core/plan/run_name.h"
#include "core/run/run_directory.h"
#include "experiment/support.h"

namespace yatlab {
namespace {

using testing::Workspace;

const std::string kStamp = "2026-11-22_09-30-00";

Plan plan_with(const std::vector<std::string>& overrides, const std::string& scale = {}, const std::vector<std::string>& neutral = {}) {
  Plan plan;
  plan.scale = scale;
  plan.overrides = overrides;
  for (const auto& text : overrides) {
    if (text.rfind("seeds", 0) != 0 && text.rfind("scale", 0) != 0) plan.protocol_overrides.push_back(text);
  }
  plan.overrides.insert(plan.overrides.end(), neutral.begin(), neutral.end());
  plan.hash = "ab12cd34";
  return plan;
}

std::string name_with(const std::vector<std::string>& overrides, const std::string& scale = {},
                      const std::vector<std::string>& neutral = {}) {
  return run_name(plan_with(overrides, scale, neutral), kStamp).substr(kStamp.size());
}

const std::string kSmall = R"(name: tiny
defaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, _self_]
dataset: {train_size: 60, test_size: 20}
trainer: {epochs: 1, batch_size: 20}
seeds: [0]
scales: {less: [trainer.batch_size=30]}
arms: {yat: [operator=yat], linear: [operator=dot]}
)";

std::string open(const Workspace& w, const std::vector<std::string>& overrides, bool fresh = false) {
  return open_run_directory(w.plan(overrides), fresh).path.filename().string();
}

std::string latest(const Workspace& w) { return fs::read_symlink(w.path() / "results/tiny/latest").string(); }

}  // namespace

TEST_CASE("a run's folder name describes the run", "[run_name]") {
  CHECK(name_with({}) == "-ab12cd");
  CHECK(name_with({}, "smoke") == "-smoke-ab12cd");
  CHECK(name_with({"operator.epsilon=0.1"}, "quick") == "-quick-epsilon=0.1-ab12cd");
  CHECK(name_with({"operator=cosine", "trainer.epochs=5"}) == "-operator=cosine-epochs=5-ab12cd");
  CHECK(name_with({"seeds=range(0,10)", "scale=quick"}, "quick") == "-quick-seeds=range_0,10-ab12cd");
  CHECK(name_with({"+arms.mine=['operator=cosine', 'operator.length=2']", "~arms.linear"}) == "-mine-no-linear-ab12cd");
  CHECK(name_with({"optimizer.lr=0.01,0.1"}) == "-lr=0.01,0.1-ab12cd");
  CHECK(name_with({"dataset@eval=cifar10"}) == "-dataset_eval=cifar10-ab12cd");
  // The last part of a key is enough, unless another key has it too.
  CHECK(name_with({"optimizer.lr=1", "schedule.lr=2", "operator.b=3"}) == "-optimizer.lr=1-schedule.lr=2-b=3-ab12cd");
  // Overrides that change no result are not part of the name.
  CHECK(name_with({}, "", {"results=/elsewhere", "launcher.workers=2", "figures.format=svg"}) == "-ab12cd");
}

TEST_CASE("a run's name is short, and safe for shells and file systems", "[run_name]") {
  const std::regex safe("[A-Za-z0-9._=,+-]{1,120}");
  const std::string evil = "a b/c:*?\"<>|$(x)`y`z\\~ε\n!&;#%{}[]@^\t";
  for (const auto& name :
       {name_with({"title='" + evil + "'"}), name_with({"operator.note='" + std::string(5000, 'x') + "'"}, std::string(300, 's')),
        name_with({"+arms.ⵟ=[a=b]", "operator='../../..'"}, "../sc ale"), name_with({"operator.a=''"})}) {
    INFO(name);
    CHECK(std::regex_match(kStamp + name, safe));
    CHECK(name.substr(name.size() - 7) == "-ab12cd");
  }
  std::vector<std::string> many;
  for (int i = 0; i < 50; ++i) many.push_back("operator.parameter" + std::to_string(i) + "=0.123456789");
  const auto name = name_with(many, "quick");
  INFO(name);
  CHECK(std::regex_match(kStamp + name, safe));
  CHECK(name == "-quick-parameter0=0.123456789-parameter1=0.123456789-and-48-more-ab12cd");
  CHECK(name_with({"operator.b=" + std::string(100, 'x')}) == "-b=" + std::string(37, 'x') + "+-ab12cd");
}

TEST_CASE("a run has its name and is found again by its plan", "[run_name]") {
  const Workspace w(kSmall);
  const auto name = open(w, {"operator.epsilon=0.1", "scale=less"});
  CHECK(name.substr(19) == "-less-epsilon=0.1-" + w.plan({"operator.epsilon=0.1", "scale=less"}).hash.substr(0, 6));
  CHECK(open(w, {"operator.epsilon=0.1", "scale=less"}) == name);
  CHECK(open(w, {"scale=less", "operator.epsilon=1e-1", "title=other"}) == name);  // the same jobs with different words
}

TEST_CASE("`latest` points to a run of the unchanged experiment if there is one", "[run_name]") {
  const Workspace w(kSmall);
  const auto small = open(w, {"scale=less"});
  CHECK(latest(w) == small);  // while there is no other run
  const auto other = open(w, {"trainer.epochs=2"});
  CHECK(latest(w) == other);
  const auto full = open(w, {});
  CHECK(latest(w) == full);
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{"scale=less"}, {"trainer.epochs=2"}, {"trainer.epochs=3"}, {"~arms.linear"}}) {
    open(w, overrides);
    CHECK(latest(w) == full);
  }
  // Seeds and overrides that change no result leave `latest` unchanged.
  const auto longer = open(w, {"seeds=[0,1]", "title=longer"});
  CHECK(latest(w) == longer);
  CHECK(open(w, {}) == full);
  CHECK(latest(w) == full);

  // Unless the user requests otherwise.
  const auto asked = open(w, {"trainer.epochs=2", "latest=true"});
  CHECK(asked == other);
  CHECK(latest(w) == other);
  open(w, {"scale=less"});
  CHECK(latest(w) == other);
  CHECK(open(w, {"latest=false"}) == full);
  CHECK(latest(w) == other);

  // A broken link is created again; a run that is not full gets it only if there is no full run.
  fs::remove(w.path() / "results/tiny/latest");
  open(w, {"scale=less"});
  CHECK_FALSE(fs::exists(fs::symlink_status(w.path() / "results/tiny/latest")));
  open(w, {});
  CHECK(latest(w) == full);
}

}  // namespace yatlab
