#include "core/train/stacked_task.h"

#include <ATen/ATen.h>

#include "core/data/sparse_rows.h"

namespace yatlab {

Tensor StackedTask::stacked_loss(const Tensor& outputs, const Tensor& targets) const {
  std::vector<Tensor> losses;
  const auto size = outputs.size(1);
  for (std::int64_t i = 0; i < outputs.size(0); ++i) {
    losses.push_back(loss(outputs.select(0, i), is_sparse_rows(targets) ? row_range(targets, i * size, size) : targets.select(0, i)));
  }
  return at::stack(losses);
}

Tensor StackedTask::stacked_training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const {
  return stacked_loss(model.forward(inputs), targets);
}

std::vector<Metrics> StackedTask::stacked_evaluate(Architecture&, std::int64_t, const Split&, std::int64_t) const { return {}; }

}  // namespace yatlab
