#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "core/model/checkpoint.h"

namespace yatlab {

/// Saves a training's checkpoints while it goes on, in another thread. One at a time; what is true of CheckpointStore about what lies there at
/// any moment stays true. Of a small checkpoint a copy is taken, in the CPU's memory. Of a large one what rests until the next update is
/// read where it is: a second copy of parameters and moments is not made, and who updates them asks first (`release_parameters`).
class CheckpointWriter {
 public:
  /// Bytes of the largest checkpoint that is copied whole. Tests put another in its place.
  static std::uintmax_t largest_copy;

  explicit CheckpointWriter(CheckpointStore store) : store_(std::move(store)) {}
  /// Waits for what is being written; errors are dropped.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Begins to write a checkpoint. The one before must have ended (see `wait`). Its tensors may change as soon as this returns, but for those
  /// that `unchanged` holds too: they may after `release_parameters`.
  void begin(const Checkpoint& checkpoint, const std::vector<Tensor>& unchanged = {});
  /// Waits until nothing that was unchanged is read any more. False when some of it changed meanwhile: what was written may be half of one
  /// step and half of another, and has to be saved again. From then on all are copied.
  [[nodiscard]] bool release_parameters();
  /// The step of the checkpoint that has been written since this or `wait` was asked last, once. Throws what went wrong with it.
  std::optional<std::int64_t> written();
  /// The same, after waiting for the one that is being written.
  std::optional<std::int64_t> wait();

 private:
  /// A tensor that is read where it is, and its version when that began.
  struct Lent {
    Tensor tensor;
    std::uint32_t version;
  };

  CheckpointStore store_;
  std::future<void> writing_;
  std::int64_t step_ = 0;
  std::vector<Lent> borrowed_;
  bool rests_ = true;  ///< what is said to rest did so far
};

}  // namespace yatlab
