#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

using at::Tensor;
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Everything a run needs to continue as if it had never stopped.
struct Checkpoint {
  std::int64_t step = 0;
  NamedTensors model;      ///< parameters and buffers
  NamedTensors optimizer;  ///< moments and counters
  std::string state;       ///< JSON: data position, metrics so far, size of metrics.jsonl, ...
  /// Written because time had passed or a stop was requested, not by the job's plan. It is removed once a planned one is written, so that the files
  /// of a finished job do not depend on when it was interrupted.
  bool passing = false;
};

/// Checkpoints of one job: `<dir>/step=<n>/{model.safetensors,optimizer.safetensors,state.json,manifest.json}`. The manifest lists every file with
/// its size and sha256 and is written last: a checkpoint without a valid manifest does not count. The newest two are kept; a passing one is kept only
/// while it is newer than the newest planned one.
class CheckpointStore {
 public:
  explicit CheckpointStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Writes a complete checkpoint, then removes older ones.
  void save(const Checkpoint& checkpoint) const;

  /// The newest valid checkpoint; nothing when there is none. Invalid ones are skipped and, when `problems` is given, described there (except
  /// incompletely written ones). Throws when the system cannot read a file: that does not make the checkpoint invalid.
  std::optional<Checkpoint> load_latest(std::vector<std::string>* problems = nullptr) const;

  /// The model of one step's checkpoint; its other files are not read. Throws a data error when it is missing or damaged.
  NamedTensors load_model(std::int64_t step) const;

  void remove_all() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace yatlab
