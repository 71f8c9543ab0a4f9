#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/data/dataset.h"

namespace yatlab {

/// Samples of a split: inputs [B, ...], targets [B] or [B, labels].
struct Batch {
  at::Tensor inputs, targets;
};

/// Part `index` of `count` parts of every batch: of n samples, the first n % count parts have one more than the others.
struct BatchPart {
  std::int64_t index = 0, count = 1;
  std::int64_t begin(std::int64_t samples) const { return index * (samples / count) + std::min(index, samples % count); }
  std::int64_t size(std::int64_t samples) const { return samples / count + (index < samples % count ? 1 : 0); }
};

/// Rows begin .. begin + count - 1 of dense or sparse CSR data (core/data/sparse_rows.h). Values are shared.
at::Tensor row_range(const at::Tensor& data, std::int64_t begin, std::int64_t count);

/// Iterates over a set, in a new order each epoch. A batch is gathered into buffers
/// that the next call of `get` overwrites: one copy per row, no allocation. Sparse CSR data give separate CSR
/// batches in the same order. With `Split::rows`, the rows of a batch are read on request, and the rows of the next batch are announced.
///
/// The order depends only on the seed, not on threads or earlier calls, so a run that
/// starts in the middle of an epoch (`start_epoch`, then `get(k)`) sees the same batches as an uninterrupted one.
class Batches {
 public:
  /// inputs: [N, ...], targets: [N, ...], each dense or CSR; N > 0, on one device. The last batch is smaller unless
  /// `drop_last`. Throws a config error if there would be no batch.
  Batches(at::Tensor inputs, at::Tensor targets, std::int64_t batch_size, bool drop_last = false);
  /// The same for a split, with or without tensors. `device`: where to return batches; by default where the data are. Sparse ones stay on the CPU.
  Batches(const Split& split, std::int64_t batch_size, bool drop_last = false, std::optional<at::Device> device = {});

  /// Batches in an epoch.
  std::int64_t count() const { return count_; }
  std::int64_t samples() const { return samples_; }

  /// From now on reads and returns only this part of every batch, as one of several processes that train together.
  void take_part(BatchPart part) { part_ = part; }
  /// Total samples of batch `index` in all its parts.
  std::int64_t size_of(std::int64_t index) const { return std::min(batch_size_, samples_ - index * batch_size_); }

  /// Gathers dense batches into these buffers from now on: [at least the rows of a batch, ...], with the data's types, on the CPU.
  void gather_into(const at::Tensor& inputs, const at::Tensor& targets) {
    input_buffer_ = inputs;
    target_buffer_ = targets;
  }
  /// An address that identifies the underlying data.
  const void* data() const { return rows_ ? static_cast<const void*>(rows_.get()) : inputs_.unsafeGetTensorImpl(); }

  /// Sets the epoch's order: a shuffle drawn from `seed`, or the data's own order. Without a call it is the data's own.
  void start_epoch(bool shuffle, std::uint64_t seed);

  /// Batch `index` of the epoch, or this part of it, which may have no rows (undefined tensors); valid until the next call. Without shuffling it is a
  /// view of the data themselves (except for `Split::rows`): do not write to it.
  Batch get(std::int64_t index);

 private:
  void count_batches(bool drop_last);
  Batch read(std::int64_t index);
  /// The samples of this part of a batch, in its order.
  std::vector<std::int64_t> rows_of(std::int64_t index) const;
  at::Tensor gather(const at::Tensor& from, at::Tensor& buffer, std::int64_t begin, std::int64_t size) const;

  at::Tensor inputs_, targets_, input_buffer_, target_buffer_;
  std::shared_ptr<const Rows> rows_;  // replaces inputs_ and targets_, or supplements them
  std::optional<at::Device> device_;
  std::vector<std::int64_t> order_;  // empty: the data's own order
  at::Tensor device_order_;          // `order_` on the data's device, unless that is the CPU
  std::int64_t batch_size_, samples_, count_ = 0;
  BatchPart part_;
};

}  // namespace yatlab
