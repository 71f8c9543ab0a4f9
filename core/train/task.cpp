#include "core/train/task.h"

namespace yatlab {

void Task::observe(const Split&) {}

std::optional<double> Task::constant_loss(const Split&) const { return std::nullopt; }

Tensor Task::training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const {
  return loss(model.forward(inputs), targets);
}

}  // namespace yatlab
