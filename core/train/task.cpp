#include "core/train/task.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

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

}  // namespace yatlab
