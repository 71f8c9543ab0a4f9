#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/model/graph_node.h"
#include "core/train/process_group.h"

namespace yatlab {

/// Sums the gradients of all ranks while the backward pass is still running. Parameters are assigned to buckets, last ones first, and a bucket is
/// sent as soon as its gradients are complete. The assignment depends on the model alone, so that a training resumed from a checkpoint adds in the
/// same order.
///
/// In a step: `begin` before the last backward pass of this rank, then that pass, then `finish`. The gradients of earlier passes (micro-batches) are
/// already in the parameters. A rank without samples calls `begin` and `finish` without a pass.
class GradientExchange {
 public:
  /// What all ranks share about a step.
  struct Step {
    double loss = 0;    ///< sum of the losses passed to `begin`
    bool stop = false;  ///< a rank requested a stop
  };

  /// buffers: of the model. If steps change them, every rank takes those of rank 0 after every step.
  GradientExchange(std::vector<at::Tensor> parameters, std::vector<at::Tensor> buffers, ProcessGroup& group);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// This rank's part of the loss, and whether it requests to stop after this step.
  void begin(double loss, bool stop);
  /// Afterwards every gradient is the sum over all ranks, with the same bytes on each; undefined where no rank has one. Valid until the next `begin`.
  Step finish();

 private:
  struct Bucket;
  class Hook;
  enum Kind : std::int64_t { kNone, kDense, kSparse };

  void learn();
  void on_ready(std::size_t parameter);
  void launch(Bucket& bucket);
  void take(Bucket& bucket);
  void add_sparse();
  std::vector<std::uint32_t> buffer_versions() const;

  std::vector<at::Tensor> parameters_, buffers_;
  ProcessGroup& group_;
  std::vector<std::pair<GraphNode, std::uintptr_t>> hooks_;
  std::vector<std::unique_ptr<Bucket>> buckets_;
  std::vector<std::pair<std::size_t, std::size_t>> place_;  // of a dense parameter: bucket, index in it
  std::vector<std::size_t> sparse_;                         // parameters with sparse gradients
  std::vector<bool> seen_;                                  // in this step
  std::size_t next_ = 0;                                    // next bucket to launch: all ranks launch in the same order
  bool learned_ = false, sending_ = false, buffers_change_ = false;
  std::vector<std::uint32_t> versions_;  // of the buffers, before the first step
  at::Tensor loss_and_stop_;
  std::unique_ptr<ProcessGroup::Work> pending_sum_;
};

/// Overwrites the tensors with those of rank 0.
void broadcast(const std::vector<at::Tensor>& tensors, ProcessGroup& group);

/// True when the tensors have the same bits on all ranks. Compares a checksum: it may miss a difference, but never reports a false one.
bool equal_on_all_ranks(const std::vector<at::Tensor>& tensors, ProcessGroup& group);

}  // namespace yatlab
