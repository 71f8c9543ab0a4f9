#include "core/system/rank_place.h"

#include <map>

#include "catch.h"
#include "helpers.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::error_of;
using testing::holds;

RankPlace place(const std::map<std::string, std::string>& variables) {
  return rank_place([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::map<std::string, std::string> joined(std::map<std::string, std::string> a, const std::map<std::string, std::string>& b) {
  for (const auto& [name, value] : b) a[name] = value;
  return a;
}

const std::map<std::string, std::string> kTorch = {
    {"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};
const std::map<std::string, std::string> kMpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                                                 {"OMPI_COMM_WORLD_SIZE", "4"},
                                                 {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                 {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                                 {"MASTER_PORT", "4000"}};
const std::map<std::string, std::string> kSlurm = {{"SLURM_PROCID", "2"},
                                                   {"SLURM_NTASKS", "4"},
                                                   {"SLURM_LOCALID", "0"},
                                                   {"SLURM_STEP_ID", "3"},
                                                   {"SLURM_JOB_ID", "4711"},
                                                   {"SLURM_STEP_NUM_NODES", "2"},
                                                   {"SLURM_STEP_NODELIST", "gpu[07-08,11]"}};

}  // namespace

TEST_CASE("rank and world size are read from the environment", "[ranks]") {
  SECTION("nothing: single process") {
    CHECK(place({}).size == 1);
    CHECK(place({{"MASTER_ADDR", "node1"}}).size == 1);
    CHECK(place({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).size == 1);  // torchrun with one process, without a rendezvous address
  }
  SECTION("torchrun") {
    const auto p = place(kTorch);
    CHECK(p.rank == 5);
    CHECK(p.size == 8);
    CHECK(p.local_rank == 1);
    CHECK(p.address == "node1");
    CHECK(p.port == 29500);
    CHECK_FALSE(p.store_is_there);
    const auto agent = place(joined(kTorch, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"TORCHELASTIC_RESTART_COUNT", "2"}}));
    CHECK(agent.store_is_there);
    CHECK(agent.attempt == "2");
  }
  SECTION("mpirun") {
    const auto p = place(kMpi);
    CHECK(p.rank == 1);
    CHECK(p.size == 4);
    CHECK(p.address == "127.0.0.1");  // all ranks are on this host
    CHECK(p.port == 4000);
  }
  SECTION("srun") {
    const auto p = place(kSlurm);
    CHECK(p.rank == 2);
    CHECK(p.size == 4);
    CHECK(p.local_rank == 0);
    CHECK(p.address == "gpu07");
    CHECK(p.port == 15000 + (4711 * 64 + 3) % 15000);  // below the ports that Linux gives to clients
    CHECK(p.port != place(joined(kSlurm, {{"SLURM_STEP_ID", "4"}})).port);
    CHECK(p.port != place(joined(kSlurm, {{"SLURM_JOB_ID", "4712"}})).port);
    CHECK(place(joined(kSlurm, {{"SLURM_STEP_NODELIST", "a1,a2"}})).address == "a1");
    CHECK(place(joined(kSlurm, {{"SLURM_STEP_NODELIST", "a1"}})).address == "a1");
    CHECK(place(joined(kSlurm, {{"SLURM_STEP_NUM_NODES", "1"}})).address == "127.0.0.1");
    CHECK(place(joined(kSlurm, {{"MASTER_ADDR", "there"}, {"MASTER_PORT", "77"}})).address == "there");
  }
  SECTION("a Slurm batch script or a step of one task is a single process") {
    auto batch = kSlurm;
    batch.erase("SLURM_STEP_ID");
    CHECK(place(batch).size == 1);
    CHECK(place(joined(kSlurm, {{"SLURM_STEP_ID", "4294967291"}})).size == 1);
    CHECK(place(joined(kSlurm, {{"SLURM_NTASKS", "1"}})).size == 1);
    CHECK(place(joined(kSlurm, {{"SLURM_STEP_NUM_TASKS", "1"}})).size == 1);
  }
  SECTION("torchrun takes precedence over mpirun and that over srun") {
    CHECK(place(joined(kSlurm, joined(kMpi, kTorch))).size == 8);
    CHECK(place(joined(kSlurm, kMpi)).address == "127.0.0.1");
  }
}

TEST_CASE("incomplete rank variables are errors that name them", "[ranks][errors]") {
  const auto without = [](std::map<std::string, std::string> variables, const char* name) {
    variables.erase(name);
    return error_of([&] { place(variables); });
  };
  CHECK(holds(without(kTorch, "RANK"), "WORLD_SIZE is set, but RANK is not"));
  CHECK(holds(without(kTorch, "WORLD_SIZE"), "RANK is set, but WORLD_SIZE is not"));
  CHECK(holds(without(kTorch, "MASTER_ADDR"), "MASTER_ADDR is not set"));
  CHECK(holds(without(kTorch, "MASTER_PORT"), "MASTER_PORT is not set"));
  CHECK(holds(without(kMpi, "MASTER_PORT"), "mpirun: -x MASTER_PORT="));
  CHECK(holds(without(kSlurm, "SLURM_PROCID"), "SLURM_NTASKS is set, but SLURM_PROCID is not"));
  CHECK(holds(error_of([] { place(joined(kTorch, {{"RANK", "8"}})); }), "RANK=8 and WORLD_SIZE=8"));
  CHECK(holds(error_of([] { place(joined(kTorch, {{"RANK", "one"}})); }), "RANK=one is not an integer >= 0"));
  CHECK(holds(error_of([] { place(joined(kTorch, {{"MASTER_PORT", "70000"}})); }), "MASTER_PORT=70000 is not a port"));
}

}  // namespace yatlab
