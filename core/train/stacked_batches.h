#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/train/training_loop.h"

namespace yatlab {

/// A member of a stack (core/train/training_stack.h) and the batch it will train on; rewritten before each step.
struct MemberStep {
  TrainingLoop& loop;
  const TrainingLoop::Step& step;
};

/// The batches of a stack's S members as one batch. Adjacent members with the same batch share it.
class StackedBatches {
 public:
  explicit StackedBatches(std::vector<MemberStep> members) : members_(std::move(members)) {}

  /// Inputs and targets of every member's step, all of the same size. Inputs [G, B, ...]: G is the number of distinct batches if each is shared by
  /// the same number of adjacent members; otherwise the number of members. Targets [S, B, ...]. Sparse ones (core/data/sparse_rows.h) are [S * B,
  /// ...], concatenated by member. Valid until the next call.
  std::pair<at::Tensor, at::Tensor> gather();

 private:
  /// The inputs, or the targets, of G batches.
  class Part {
   public:
    /// Whether its batches can be gathered directly into their final place.
    bool ready(std::int64_t groups) const { return !sparse_.empty() || (dense_.defined() && dense_.size(0) == groups); }
    at::Tensor place(std::int64_t group) const { return dense_.defined() ? dense_[group] : at::Tensor(); }
    /// Stores batch `group` of `groups`, none of which has more than `most` samples.
    void take(const at::Tensor& batch, std::int64_t group, std::int64_t groups, std::int64_t most);
    /// [G, size, ...]; sparse [G * each * size, ...].
    at::Tensor all(std::int64_t size, std::int64_t each) const;
    bool sparse() const { return !sparse_.empty(); }

   private:
    at::Tensor dense_;                // [G, most, ...]
    std::vector<at::Tensor> sparse_;  // G
  };

  /// The first member of each batch.
  std::vector<std::size_t> firsts() const;
  Batch batch_of(std::size_t member) const { return members_[member].loop.batch_of(members_[member].step); }

  std::vector<MemberStep> members_;
  Part inputs_, targets_;
};

}  // namespace yatlab
