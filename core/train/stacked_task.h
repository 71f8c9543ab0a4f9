#pragma once

#include <vector>

#include "core/train/task.h"

namespace yatlab {

/// A task that trains models in stacks (core/train/training_stack.h). By default its training loss is `loss` of what the model returns; a task with
/// another one overrides `stacked_training_loss`, too.
class StackedTask : public Task {
 public:
  /// The losses of a stack's S members. outputs: [S, B, ...], targets: [S, B, ...], or sparse [S * B, ...] -> [S]. By default `loss` of one after the
  /// other.
  virtual Tensor stacked_loss(const Tensor& outputs, const Tensor& targets) const;
  /// The losses of one training batch of each member: inputs and targets as StackedArchitecture and `stacked_loss` take them -> [S].
  /// By default stacked_loss(model.forward(inputs), targets).
  virtual Tensor stacked_training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const;
  /// Task::evaluate of all members, whose scores `model` returns at once: [S, B, ...] of inputs [1, B, ...]. Empty, as by default, where each
  /// member is measured alone.
  virtual std::vector<Metrics> stacked_evaluate(Architecture& model, std::int64_t members, const Split& split, std::int64_t batch) const;
};

}  // namespace yatlab
