#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace yatlab {

/// This process's rank in a distributed training, and the rendezvous address of all ranks.
struct RankPlace {
  std::int64_t rank = 0, size = 1;
  std::int64_t local_rank = 0;  ///< among the ranks on this machine
  std::string address;          ///< of the machine that hosts the rendezvous store
  std::int64_t port = 0;
  bool store_is_there = false;   ///< whether the starter of the ranks hosts the store (torchrun, launcher=processes); else rank 0 does
  std::string attempt;           ///< of torchrun, which restarts its ranks
  std::int64_t patience = 1800;  ///< seconds that ranks wait for each other: YATLAB_RANKS_TIMEOUT
  std::string from;              ///< the environment variable that set it, for messages
};

/// Reads the environment: torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT), else those of Open MPI's mpirun, else
/// those of a Slurm step with several tasks; else this process is alone. Throws a config error for incomplete variables.
RankPlace rank_place(const std::function<const char*(const char*)>& variable);
RankPlace rank_place();

}  // namespace yatlab
