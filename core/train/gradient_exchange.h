#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/model/graph_node.h"
#include "core/train/process_group.h"

namespace yatlab {

/// Adds up the gradients of all ranks while the backward pass through the model goes on: parameters are put into buckets, last ones first, and a
/// bucket is sent as soon as its gradients are there. Which parameter is in which bucket depends on the model alone, so that a training that
/// goes on from a checkpoint adds in the same order.
///
/// In a step: `begin` before the last backward pass of this rank, then that pass, then `finish`. Gradients of earlier passes (micro-batches)
/// lie in the parameters already. A rank without a sample begins and finishes without a pass.
class GradientExchange {
 public:
  /// What all ranks know of a step.
  struct Step {
    double loss = 0;    ///< sum of what they gave to `begin`
    bool stop = false;  ///< one of them asked to stop
  };

  /// buffers: of the model. If steps change them, they become those of rank 0 after every step.
  GradientExchange(std::vector<at::Tensor> parameters, std::vector<at::Tensor> buffers, ProcessGroup& group);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// This rank's part of the loss, and whether it wants to stop after this step.
  void begin(double loss, bool stop);
  /// Afterwards every gradient is the sum over all ranks, the same bytes on each; undefined where no rank has one. Valid until the next `begin`.
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
  std::vector<std::pair<std::size_t, std::size_t>> place_;  // of a dense parameter: bucket, index there
  std::vector<std::size_t> sparse_;                         // parameters
  std::vector<bool> seen_;                                  // in this step
  std::size_t next_ = 0;                                    // bucket to launch: all ranks launch in the same order
  bool learned_ = false, sending_ = false, buffers_change_ = false;
  std::vector<std::uint32_t> versions_;  // of the buffers, before the first step
  at::Tensor told_;
  std::unique_ptr<ProcessGroup::Work> telling_;
};

/// Makes tensors those of rank 0.
void broadcast(const std::vector<at::Tensor>& tensors, ProcessGroup& group);

/// True when the tensors have the same bits on all ranks. A sum: it may miss a difference, and finds none where there is none.
bool equal_on_all_ranks(const std::vector<at::Tensor>& tensors, ProcessGroup& group);

}  // namespace yatlab
