#include "core/train/gradients.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <algorithm>

namespace yatlab {
namespace {

/// The values of a gradient; for a sparse one (with distinct rows), the stored ones.
Tensor stored(const Tensor& gradient) { return gradient.is_sparse() ? gradient._values() : gradient; }

}  // namespace

double accumulate_gradients(const TrainerParams& params, Architecture& model, const Task& task, const Batch& batch, std::int64_t samples,
                            const std::function<void(double loss)>& before_last) {
  const auto size = batch.inputs.defined() ? batch.inputs.size(0) : 0;
  const auto part = std::min(params.micro_batch.value_or(size), size);
  Tensor total;  // of the micro-batches so far
  double value = 0;
  for (std::int64_t begin = 0; begin < size; begin += part) {
    const auto count = std::min(part, size - begin);
    const bool all_here = count == size, whole = count == samples, last = begin + count == size;
    Tensor loss = task.training_loss(model, all_here ? batch.inputs : row_range(batch.inputs, begin, count),
                                     all_here ? batch.targets : row_range(batch.targets, begin, count));
    const double share = static_cast<double>(count) / static_cast<double>(samples);
    if (whole) {
      total = loss;  // saves the operations for a separate sum
    } else {
      const Tensor own = share * loss.detach().to(at::kDouble);
      total = total.defined() ? total + own : own;
    }
    if (last) {
      value = total.item<double>();
      if (!before_last && !(value <= params.diverged_above)) return value;  // NaN compares false
      if (before_last) before_last(value);
    }
    (whole ? loss : loss * share).backward();
  }
  if (before_last && size == 0) before_last(value);
  return value;
}

Tensor clip_gradients(const std::vector<Tensor>& parameters, double limit) {
  std::vector<Tensor> gradients, norms;
  for (const auto& p : parameters) {
    if (!p.grad().defined()) continue;
    gradients.push_back(stored(p.grad()));
    norms.push_back(gradients.back().norm());
  }
  if (gradients.empty()) return at::zeros({}, at::kDouble);
  const Tensor norm = at::stack(norms).to(at::kDouble).norm();
  const Tensor factor = at::where(norm <= limit, at::ones({}, norm.options()), limit / (norm + 1e-6));
  for (auto& g : gradients) g.mul_(factor);
  return norm;
}

}  // namespace yatlab
