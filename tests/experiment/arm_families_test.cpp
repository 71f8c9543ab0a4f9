// Arms that share overrides declare them once.

#include "core/compose/arm_families.h"
#include "catch.h"
#include "core/config/yaml.h"
#include "experiment/support.h"

namespace yatlab {
namespace {

using testing::Workspace;

const std::string kStart = R"(name: tiny
defaults: [/dataset: synthetic_digits, /architecture: prototype_classifier, _self_]
dataset: {train_size: 60, test_size: 20}
trainer: {epochs: 1, batch_size: 20}
seeds: [0]
)";

/// The plan's hash for arms with or without families; it covers all jobs' identities and folders.
std::string plan_hash(const std::string& arms, const std::vector<std::string>& overrides = {}) {
  return Workspace(kStart + arms).plan(overrides).hash;
}

std::string error_of(const std::string& arms, const std::vector<std::string>& overrides = {}) {
  return Workspace(kStart + arms).error(overrides);
}

}  // namespace

TEST_CASE("an arm includes the overrides of the arms and families in its list", "[families]") {
  const auto written = plan_hash(
      "arms: {yat: [operator=yat, operator.epsilon=0.1], long: [operator=yat, operator.epsilon=0.1, trainer.epochs=2, optimizer.lr=0.1], "
      "other: [operator=dot, trainer.epochs=2, optimizer.lr=0.3]}\n");
  const std::string families = "families: {slow: [trainer.epochs=2, optimizer.lr=0.1]}\n";
  CHECK(plan_hash("arms: {yat: [operator=yat, operator.epsilon=0.1], long: [yat, slow], other: [operator=dot, slow, optimizer.lr=0.3]}\n" +
                  families) == written);
  // Names may refer to further names, in any order in the file; the later override takes precedence.
  CHECK(plan_hash("arms: {yat: [operator=yat, operator.epsilon=0.1], long: [slower, optimizer.lr=0.1], other: [slow, operator=dot, "
                  "optimizer.lr=0.3]}\n"
                  "families: {slower: [yat, slow], slow: [trainer.epochs=2]}\n") == written);
  CHECK(plan_hash("arms: {yat: [operator=yat, operator.epsilon=0.1], long: [yat, slow], other: [slow, operator=dot, optimizer.lr=0.2]}\n" +
                  families) != written);
}

TEST_CASE("the composed experiment lists expanded overrides", "[families]") {
  const Workspace w(kStart + "arms: {yat: [operator=yat], long: [yat, slow]}\nfamilies: {slow: [trainer.epochs=2]}\n");
  CHECK(w.plan().experiment.at("arms").at("long").to_flow() == "['operator=yat', 'trainer.epochs=2']");
  const auto request = w.request();
  CHECK(compose_experiment(request, "long").config.at("trainer").at("epochs").to_flow() == "2");
}

TEST_CASE("the command line can change families and use their names in arms", "[families]") {
  const std::string file = "arms: {yat: [operator=yat], long: [yat, slow]}\nfamilies: {slow: [trainer.epochs=2]}\n";
  CHECK(plan_hash(file, {"families.slow=['trainer.epochs=3']"}) ==
        plan_hash("arms: {yat: [operator=yat], long: [operator=yat, trainer.epochs=3]}\n"));
  CHECK(plan_hash(file, {"+arms.more=[slow, operator=dot]"}) ==
        plan_hash("arms: {yat: [operator=yat], long: [operator=yat, trainer.epochs=2], more: [operator=dot, trainer.epochs=2]}\n"));
  // Other arms may still refer to a removed arm, and no family becomes unused by the removal.
  CHECK(plan_hash(file, {"~arms.yat"}) == plan_hash("arms: {long: [operator=yat, trainer.epochs=2]}\n"));
  CHECK(plan_hash(file, {"~arms.long"}) == plan_hash("arms: {yat: [operator=yat]}\n"));
  // An override of a family counts as a change of results.
  CHECK(Workspace(kStart + file).plan({"families.slow=['trainer.epochs=3']"}).protocol_overrides.size() == 1);
}

TEST_CASE("unknown and cyclic names in arms are rejected with their place", "[families]") {
  CHECK(error_of("arms: {yat: [operator=yat], long: [yaat, operator.epsilon=1]}\n") ==
        "arm 'long': 'yaat' is not an override, and there is no arm or family of that name\n  at: ~/tiny.yaml:6:36\n  try: did you mean "
        "'yat'?");
  CHECK(
      error_of("arms: {yat: [converged], long: [yat]}\nfamilies: {converged: [yat]}\n") ==
      "arm 'yat' is defined in terms of itself\n  at: ~/tiny.yaml:7:24\n  why: yat -> converged -> yat\n  try: remove one of these names");
  CHECK(error_of("arms: {yat: [yat]}\n").find("arm 'yat' is defined in terms of itself") == 0);
  CHECK(
      error_of("arms: {yat: [operator=yat], both: [yat]}\nfamilies: {yat: [operator=dot]}\n").find("'yat' is both an arm and a family\n") ==
      0);
  CHECK(error_of("arms: {yat: [operator=yat]}\nfamilies: {slow: [trainer.epochs=2]}\n")
            .find("family 'slow' is not used by any arm\n  at: ~/tiny.yaml:7") == 0);
  CHECK(error_of("arms: {yat: [operator=yat, slow]}\nfamilies: {slow: 2}\n").find("family 'slow' must be a list of overrides, found 2\n") ==
        0);
  CHECK(error_of("arms: {yat: [operator=yat, slow]}\nfamilies: {slow: ['trainer.epochs=range(1,3)']}\n")
            .find("arm 'yat' cannot sweep 'trainer.epochs'") == 0);
  CHECK(error_of("arms: {yat: [operator=yat, slow]}\nfamilies: {slow: [trainer.epoch=2]}\n").find("cannot change 'trainer.epoch'") == 0);
}

TEST_CASE("exponentially growing arm lists are rejected early", "[families]") {
  for (const char* first : {"[operator=yat]", "[]"}) {
    INFO(first);
    std::string families = std::string("families:\n  f0: ") + first + "\n";
    for (int i = 1; i < 60; ++i)
      families += "  f" + std::to_string(i) + ": [f" + std::to_string(i - 1) + ", f" + std::to_string(i - 1) + "]\n";
    CHECK(error_of("arms: {yat: [f59]}\n" + families).find("arm 'yat' has more than 10000 overrides") == 0);
  }
}

TEST_CASE("the arms of Eurlex-4K are unchanged by their families", "[families]") {
  const auto arms = load_yaml(fs::path(YATLAB_SOURCE_DIR) / "experiments/eurlex4k.yaml");
  const auto all = expand_arms(arms.at("arms"), arms.at("arms"), arms.at("families"));
  CHECK(all.at("cosine_converged").to_flow() ==
        "['operator=cosine', 'architecture.scale=multiply', 'architecture.alpha_init=10', 'dataset.validation=0.1', 'optimizer.lr=0.003', "
        "'trainer.epochs=60', "
        "'trainer.early_stopping.metric=validation/nDCG@5', 'trainer.early_stopping.patience=5']");
}

}  // namespace yatlab
