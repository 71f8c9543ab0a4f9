#pragma once

#include <cstdint>
#include <future>
#include <optional>

#include "core/train/checkpoint.h"

namespace yatlab {

/// Saves a training's checkpoints while it goes on: of each a copy is taken at once, in the CPU's memory, and written by another thread.
/// One at a time; what is true of CheckpointStore about what lies there at any moment stays true.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(CheckpointStore store) : store_(std::move(store)) {}
  /// Waits for what is being written; whether it succeeds nobody is told.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Begins to write a checkpoint. The one before must have ended (see `wait`). The tensors may change as soon as this returns.
  void begin(const Checkpoint& checkpoint);
  /// The step of the checkpoint that has been written since this or `wait` was asked last, once. Throws what went wrong with it.
  std::optional<std::int64_t> written();
  /// The same, after waiting for the one that is being written.
  std::optional<std::int64_t> wait();

 private:
  CheckpointStore store_;
  std::future<void> writing_;
  std::int64_t step_ = 0;
};

}  // namespace yatlab
