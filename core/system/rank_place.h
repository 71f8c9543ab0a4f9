#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace yatlab {

/// Which of how many processes of one training this is, and where they meet.
struct RankPlace {
  std::int64_t rank = 0, size = 1;
  std::int64_t local_rank = 0;  ///< among those of this machine
  std::string address;          ///< of the machine where they meet
  std::int64_t port = 0;
  bool store_is_there =
      false;            ///< whoever started the ranks holds the store where they meet (torchrun, launcher=processes); else rank 0 does
  std::string attempt;  ///< of torchrun, which starts its ranks anew
  std::int64_t patience = 1800;  ///< seconds that ranks wait for one another: YATLAB_RANKS_TIMEOUT
  std::string from;              ///< the variable that said it, for messages
};

/// From the environment: torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT), else those of Open MPI's mpirun, else
/// those of a Slurm step of several tasks; else this process is alone. Throws a config error for what is only half there.
RankPlace rank_place(const std::function<const char*(const char*)>& variable);
RankPlace rank_place();

}  // namespace yatlab
