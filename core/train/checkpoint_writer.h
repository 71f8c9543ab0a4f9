#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "core/model/checkpoint.h"

namespace yatlab {

/// Saves a training's checkpoints in another thread while the training continues. One at a time; the guarantees of CheckpointStore about the files
/// hold at every moment. A small checkpoint is copied to CPU memory. In a large one, tensors that do not change until the next update are read in
/// place, to avoid a second copy of parameters and moments; call `release_parameters` before updating them.
class CheckpointWriter {
 public:
  /// Bytes of the largest checkpoint that is copied whole. Tests change it.
  static std::uintmax_t largest_copy;

  explicit CheckpointWriter(CheckpointStore store) : store_(std::move(store)) {}
  /// Waits for the checkpoint being written; errors are dropped.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Starts writing a checkpoint. The previous one must have finished (see `wait`). Its tensors may change as soon as this returns, except those also
  /// in `unchanged`: they may change after `release_parameters`.
  void begin(const Checkpoint& checkpoint, const std::vector<Tensor>& unchanged = {});
  /// Waits until no tensor of `unchanged` is being read. False when some of them changed meanwhile: the file may mix two steps and must be saved
  /// again. From then on all tensors are copied.
  [[nodiscard]] bool release_parameters();
  /// The step of the checkpoint that was finished since the last call of this or `wait`, reported once. Throws if writing failed.
  std::optional<std::int64_t> written();
  /// The same, after waiting for the checkpoint being written.
  std::optional<std::int64_t> wait();

 private:
  /// A tensor that is read in place, and its version when reading began.
  struct BorrowedTensor {
    Tensor tensor;
    std::uint32_t version;
  };

  CheckpointStore store_;
  std::future<void> writing_;
  std::int64_t step_ = 0;
  std::vector<BorrowedTensor> borrowed_;
  bool all_unchanged_ = true;  ///< tensors of `unchanged` did not change so far
};

}  // namespace yatlab
