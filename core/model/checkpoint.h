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

/// Everything a run needs to go on as if it had never stopped.
struct Checkpoint {
  std::int64_t step = 0;
  NamedTensors model;      ///< parameters and buffers
  NamedTensors optimizer;  ///< moments and counters
  std::string state;       ///< JSON: data position, metrics so far, size of metrics.jsonl, ...
  /// Made because time had passed or somebody asked to stop: it goes once one that is part of the job's plan is there, so that what a
  /// finished job leaves does not depend on when it was interrupted.
  bool passing = false;
};

/// Checkpoints of one job: `<dir>/step=<n>/{model.safetensors,optimizer.safetensors,state.json,
/// manifest.json}`. The manifest names every file with its size and sha256 and is written last: a
/// checkpoint without a valid one does not exist. The newest two are kept; of passing ones none that is older than the newest that is not.
class CheckpointStore {
 public:
  explicit CheckpointStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Writes a checkpoint whole, then removes older ones.
  void save(const Checkpoint& checkpoint) const;

  /// The newest valid checkpoint; nothing when there is none. Invalid ones are passed over and, when
  /// `problems` is given, described there (not those that were never whole). Throws when the system refuses a file: that says nothing about the checkpoint.
  std::optional<Checkpoint> load_latest(std::vector<std::string>* problems = nullptr) const;

  /// The model of one step's checkpoint; its other files are not read. Throws a data error when it is not there or damaged.
  NamedTensors load_model(std::int64_t step) const;

  void remove_all() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace yatlab
