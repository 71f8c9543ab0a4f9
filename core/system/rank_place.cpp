#include "core/system/rank_place.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>

#include "core/base/error.h"

namespace yatlab {
namespace {

constexpr const char* kHow =
    "start ranks with launcher=processes launcher.ranks=N, torchrun, mpirun or srun, or unset these variables for one process";

class Variables {
 public:
  explicit Variables(const std::function<const char*(const char*)>& variable) : variable_(variable) {}

  std::optional<std::string> text(const std::string& name) const {
    const char* const value = variable_(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
  }
  std::optional<std::int64_t> number(const std::string& name) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), out);
    if (error != std::errc() || end != value->data() + value->size() || out < 0) {
      throw config_error(fmt::format("{}={} is not an integer >= 0", name, *value), "environment", {}, kHow);
    }
    return out;
  }

 private:
  const std::function<const char*(const char*)>& variable_;
};

/// "node[03-07,9],other" -> "node03"
std::string first_host(const std::string& list) {
  const auto open = list.find_first_of("[,");
  if (open == std::string::npos || list[open] == ',') return list.substr(0, open);
  return list.substr(0, open) + list.substr(open + 1, list.find_first_of(",-]", open) - open - 1);
}

/// Rank and size from these variables; nullopt if neither is set.
std::optional<RankPlace> read_pair(const Variables& v, const std::string& rank, const std::string& size, const std::string& local) {
  RankPlace out;
  const auto r = v.number(rank), n = v.number(size);
  if (!r && !n) return std::nullopt;
  if (!r || !n) {
    throw config_error(fmt::format("{} is set, but {} is not", r ? rank : size, r ? size : rank), "environment", "ranks need both", kHow);
  }
  if (*n < 1 || *r >= *n)
    throw config_error(fmt::format("{}={} and {}={}", rank, *r, size, *n), "environment", "ranks go from 0 to size - 1", kHow);
  out.rank = *r;
  out.size = *n;
  out.local_rank = v.number(local).value_or(*r);
  out.from = rank;
  return out;
}

void read_rendezvous(const Variables& v, RankPlace& out, const std::string& why) {
  const auto missing = [&](const char* name) {
    return config_error(fmt::format("there are {} ranks ({}), but {} is not set", out.size, out.from, name), "environment", why,
                        fmt::format("set {} to the same value for all ranks (mpirun: -x {}=...)", name, name));
  };
  if (const auto address = v.text("MASTER_ADDR")) out.address = *address;
  if (const auto port = v.number("MASTER_PORT")) out.port = *port;
  if (out.address.empty()) throw missing("MASTER_ADDR");
  if (out.port == 0) throw missing("MASTER_PORT");
  if (out.port > 65535)
    throw config_error(fmt::format("MASTER_PORT={} is not a port", out.port), "environment", {}, "the largest port is 65535");
}

/// Derives where a Slurm step's tasks meet: on its first machine, at a port computed from its number.
void guess_slurm_rendezvous(const Variables& v, RankPlace& out) {
  const auto hosts = v.text("SLURM_STEP_NODELIST");
  const bool one = v.number("SLURM_STEP_NUM_NODES").value_or(0) == 1;
  if (one || hosts) out.address = one ? "127.0.0.1" : first_host(*hosts);
  constexpr std::int64_t kFirstPort = 15000, kPorts = 15000, kSteps = 64;  // below the ports that Linux assigns to clients
  out.port = kFirstPort + (v.number("SLURM_JOB_ID").value_or(0) * kSteps + v.number("SLURM_STEP_ID").value_or(0)) % kPorts;
}

}  // namespace

RankPlace rank_place(const std::function<const char*(const char*)>& variable) {
  const Variables v(variable);
  RankPlace out;
  if (const auto torch = read_pair(v, "RANK", "WORLD_SIZE", "LOCAL_RANK")) {
    out = *torch;
    if (out.size > 1) read_rendezvous(v, out, "torchrun sets it");
    out.store_is_there = v.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
    out.attempt = v.text("TORCHELASTIC_RESTART_COUNT").value_or("");
  } else if (const auto mpi = read_pair(v, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK")) {
    out = *mpi;
    if (v.number("OMPI_COMM_WORLD_LOCAL_SIZE") == out.size) out.address = "127.0.0.1";
    if (out.size > 1) read_rendezvous(v, out, "mpirun sets the ranks, but not the address where they meet");
  } else if (const auto tasks =
                 v.text("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";  // a job may have more tasks than a step
             v.text("SLURM_STEP_ID") && v.number(tasks).value_or(1) > 1) {
    // A batch script is a step of its own, but its variables count tasks that are not started yet.
    constexpr std::int64_t kFirstSpecial = 0xfffffff0;
    if (v.number("SLURM_STEP_ID").value_or(0) < kFirstSpecial) {
      const auto slurm = read_pair(v, "SLURM_PROCID", tasks, "SLURM_LOCALID");
      out = *slurm;
      guess_slurm_rendezvous(v, out);
      read_rendezvous(v, out, "Slurm did not list the machines of the step");
    }
  }
  if (const auto seconds = v.number("YATLAB_RANKS_TIMEOUT")) out.patience = std::max<std::int64_t>(1, *seconds);
  return out;
}

RankPlace rank_place() {
  return rank_place([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace yatlab
