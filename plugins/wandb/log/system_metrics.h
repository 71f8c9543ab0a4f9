#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/files.h"

namespace yatlab::wandb {

/// Load of the machine and of this process, under the names of W&B's pages: cpu, cpu.0.cpu_percent, memory_percent,
/// proc.memory.rssMB, network.sent (bytes), disk./.usageGB, disk.sda.in (MB), gpu.0.gpu, ... GPUs through NVIDIA's own library,
/// if it is installed. Not thread-safe.
class SystemMetrics {
 public:
  /// `disk`: the folder whose file system is measured. `proc`: the kernel's source of all other values.
  explicit SystemMetrics(fs::path disk = ".", fs::path proc = "/proc");
  ~SystemMetrics();
  SystemMetrics(const SystemMetrics&) = delete;
  SystemMetrics& operator=(const SystemMetrics&) = delete;

  /// Loads are means since the last call; network and disk transfers count from the beginning.
  std::vector<std::pair<std::string, double>> sample();
  /// For wandb-metadata.json: cores, memory, GPUs.
  nlohmann::ordered_json hardware() const;

 private:
  struct Gpus;
  using Values = std::vector<std::pair<std::string, double>>;
  struct Ticks {
    double busy = 0, total = 0;
  };
  struct Transfer {
    double in = 0, out = 0;  // bytes
  };
  void sample_cores(Values& out);
  Transfer network() const;
  std::map<std::string, Transfer> disks() const;

  fs::path disk_, proc_;
  std::map<std::string, Ticks> cores_;  // by the kernel's names; "cpu" is the sum
  Transfer network_;                    // at the beginning
  std::map<std::string, Transfer> disks_;
  std::unique_ptr<Gpus> gpus_;
};

}  // namespace yatlab::wandb
