#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/files.h"

namespace yatlab::wandb {

/// Load of the machine and of this process, named as W&B's pages know it: cpu, memory_percent, proc.memory.rssMB,
/// gpu.0.gpu, ... GPUs through NVIDIA's own library, where it is installed. One thread at a time.
class SystemMetrics {
 public:
  /// `disk`: the folder whose file system is looked at.
  explicit SystemMetrics(fs::path disk = ".");
  ~SystemMetrics();
  SystemMetrics(const SystemMetrics&) = delete;
  SystemMetrics& operator=(const SystemMetrics&) = delete;

  /// Loads are means since the last call.
  std::vector<std::pair<std::string, double>> sample();
  /// For wandb-metadata.json: cores, memory, GPUs.
  nlohmann::ordered_json hardware() const;

 private:
  struct Gpus;
  fs::path disk_;
  double busy_ = 0, total_ = 0;
  std::unique_ptr<Gpus> gpus_;
};

}  // namespace yatlab::wandb
