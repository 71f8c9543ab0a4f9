#pragma once

#include <vector>

#include "core/train/task.h"

namespace yatlab {

/// A task that trains models in stacks (core/train/training_stack.h). By default its training loss is `loss` of the model's outputs; a task with
/// a different training loss also overrides `stacked_training_loss`.
class StackedTask : public Task {
 public:
  /// The losses of a stack's S members. outputs: [S, B, ...], targets: [S, B, ...], or sparse [S * B, ...] -> [S]. By default `loss` of each in
  /// turn.
  virtual Tensor stacked_loss(const Tensor& outputs, const Tensor& targets) const;
  /// The losses of one training batch of each member: inputs and targets as StackedArchitecture and `stacked_loss` take them -> [S].
  /// By default stacked_loss(model.forward(inputs), targets).
  virtual Tensor stacked_training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const;
  /// Task::evaluate of all members, whose scores `model` returns together: [S, B, ...] for inputs [1, B, ...]. Empty (the default) if each
  /// member is evaluated separately.
  virtual std::vector<Metrics> stacked_evaluate(Architecture& model, std::int64_t members, const Split& split, std::int64_t batch) const;
};

}  // namespace yatlab
