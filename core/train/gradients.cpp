#include "core/train/gradients.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>

namespace yatlab {
namespace {

/// The numbers of a gradient: of a sparse one (whose rows are distinct), those that are stored.
Tensor stored(const Tensor& gradient) { return gradient.is_sparse() ? gradient._values() : gradient; }

}  // namespace

double accumulate_gradients(const TrainerParams& params, Architecture& model, const Task& task, const Batch& batch, std::int64_t samples,
                            const std::function<void(double loss)>& before_last) {
  const auto size = batch.inputs.defined() ? batch.inputs.size(0) : 0;
  const auto part = std::min(params.micro_batch.value_or(size), size);
  double value = 0;
  for (std::int64_t begin = 0; begin < size; begin += part) {
    const auto count = std::min(part, size - begin);
    const bool all_here = count == size, whole = count == samples;
    Tensor loss = task.training_loss(model, all_here ? batch.inputs : row_range(batch.inputs, begin, count),
                                     all_here ? batch.targets : row_range(batch.targets, begin, count));
    const double share = static_cast<double>(count) / static_cast<double>(samples);
    value += whole ? loss.item<double>() : share * loss.item<double>();
    if (!before_last && !(value <= params.diverged_above)) return value;  // NaN compares false
    if (before_last && begin + count == size) before_last(value);
    (whole ? loss : loss * share).backward();
  }
  if (before_last && size == 0) before_last(value);
  return value;
}

double clip_gradients(const std::vector<Tensor>& parameters, double limit) {
  double squares = 0;
  for (const auto& p : parameters) {
    if (p.grad().defined()) squares += std::pow(stored(p.grad()).norm().item<double>(), 2);
  }
  const double norm = std::sqrt(squares);
  if (norm <= limit) return norm;
  for (const auto& p : parameters) {
    if (p.grad().defined()) stored(p.grad()).mul_(limit / (norm + 1e-6));
  }
  return norm;
}

}  // namespace yatlab
