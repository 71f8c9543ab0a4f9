#include "core/train/task.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/data/batches.h"
#include "core/data/sparse_rows.h"

namespace yatlab {

void Task::observe(const Split&) {}

std::optional<std::string> Task::not_finite(const Metrics& measured) const {
  if (const auto loss = measured.find("loss"); loss != measured.end()) {
    return std::isfinite(loss->second) ? std::nullopt : std::optional(loss->first);
  }
  const bool nothing = std::all_of(measured.begin(), measured.end(), [](const auto& metric) { return std::isnan(metric.second); });
  return nothing && !measured.empty() ? std::optional(measured.begin()->first) : std::nullopt;
}

std::optional<double> Task::constant_loss(const Split&) const { return std::nullopt; }

Tensor Task::training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const {
  return loss(model.forward(inputs), targets);
}

Tensor Task::stacked_loss(const Tensor& outputs, const Tensor& targets) const {
  std::vector<Tensor> losses;
  const auto size = outputs.size(1);
  for (std::int64_t i = 0; i < outputs.size(0); ++i) {
    losses.push_back(loss(outputs.select(0, i), is_sparse_rows(targets) ? row_range(targets, i * size, size) : targets.select(0, i)));
  }
  return at::stack(losses);
}

Tensor Task::stacked_training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const {
  return stacked_loss(model.forward(inputs), targets);
}

std::vector<Metrics> Task::stacked_evaluate(Architecture&, std::int64_t, const Split&, std::int64_t) const { return {}; }

}  // namespace yatlab
