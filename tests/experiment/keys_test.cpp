// The declaration of an experiment's key defines its role; this test compares it with what jobs are built from.
#include <set>

#include "catch.h"
#include "core/compose/job_type.h"
#include "core/experiment/experiment_params.h"

namespace yatlab {
namespace {

TEST_CASE("keys that decide results are not display, control or run keys", "[plan][keys]") {
  std::set<std::string> deciding;
  for (const auto* type : {&training_job(), &study_job(), &claim_job()}) {
    for (const auto& key : type->frozen_keys()) deciding.insert(key);
  }
  for (const auto& key : deciding) {
    INFO(key);
    REQUIRE(experiment_field(key));
    CHECK(may_change_results(key));
    CHECK_FALSE(only_shown(key));
    CHECK(belongs_to_an_arm(key));
  }
  // Every other key is declared to have another role.
  const std::set<std::string> other = {"trainer", "resources", "claims", "analyses"};
  for (const auto& field : experiment_schema().fields) {
    INFO(field.name);
    const bool named = deciding.count(field.name) + other.count(field.name) > 0;
    CHECK(named != (!field.once.empty() && other.count(field.name) == 0));
  }
}

TEST_CASE("control keys of the trainer change no results", "[plan][keys]") {
  CHECK_FALSE(may_change_results("trainer.checkpoint_seconds"));
  CHECK_FALSE(may_change_results("trainer.keep_checkpoints"));
  CHECK(may_change_results("trainer.epochs"));
  CHECK(may_change_results("trainer"));
  CHECK(may_change_results("trainer.early_stopping.metric"));
  CHECK(may_change_results("no_such_key"));
}

TEST_CASE("seeds and scales change no jobs and paper values change comparisons", "[plan][keys]") {
  CHECK_FALSE(may_change_results("seeds"));
  CHECK_FALSE(may_change_results("scale"));
  for (const char* key :
       {"launcher.workers", "trackers", "tracker", "data.root", "results", "plugins", "name", "resources.cpus", "latest"}) {
    INFO(key);
    CHECK_FALSE(may_change_results(key));
  }
  CHECK(may_change_results("paper"));
  CHECK(only_shown("paper"));
  CHECK(once_in_a_run("sweep") != nullptr);
  CHECK(once_in_a_run("optimizer") == nullptr);
}

}  // namespace
}  // namespace yatlab
