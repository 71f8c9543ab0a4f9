#include "plugins/calibration/scores/class_scores.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace yatlab {

Tensor class_scores(Architecture& model, const Tensor& inputs, std::int64_t batch) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> out;
  for (std::int64_t begin = 0; begin < inputs.size(0); begin += batch) {
    out.push_back(model.forward(inputs.narrow(0, begin, std::min(batch, inputs.size(0) - begin))).to(at::kCPU, at::kDouble));
  }
  return at::cat(out);
}

Tensor log_class_weights(const Tensor& scores, const Normalizer* normalizer, double temperature) {
  const Tensor scaled = scores / temperature;
  return normalizer ? normalizer->log_normalize(scaled, -1) : at::log_softmax(scaled, -1);
}

double negative_log_likelihood(const Tensor& log_weights, const Tensor& targets) {
  return -log_weights.gather(1, targets.unsqueeze(1)).mean().item<double>();
}

double brier_score(const Tensor& log_weights, const Tensor& targets) {
  const Tensor p = log_weights.exp();
  return (p.square().sum(1) + 1 - 2 * p.gather(1, targets.unsqueeze(1)).squeeze(1)).mean().item<double>();
}

double fitted_temperature(const Tensor& scores, const Tensor& targets, const Normalizer* normalizer) {
  const auto loss = [&](double log_temperature) {
    return negative_log_likelihood(log_class_weights(scores, normalizer, std::exp(log_temperature)), targets);
  };
  // Golden-section search: it needs no derivative, only that the loss has one minimum.
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = -std::log(1000.0), high = -low;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = loss(left), at_right = loss(right);
  while (high - low > 1e-9) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = loss(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = loss(right);
    }
  }
  return std::exp((low + high) / 2);
}

double auroc(const Tensor& known, const Tensor& unknown) {
  const Tensor sorted = std::get<0>(unknown.sort());
  const Tensor below = at::searchsorted(sorted, known), not_above = at::searchsorted(sorted, known, false, true);
  return (below + not_above).to(at::kDouble).mean().item<double>() / (2 * static_cast<double>(unknown.size(0)));
}

double false_positive_rate(const Tensor& known, const Tensor& unknown, double kept) {
  const auto n = static_cast<double>(known.size(0));
  const auto rank = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(kept * n - 1e-9)), 1);
  const Tensor threshold = std::get<0>(known.sort(-1, true))[rank - 1];
  return unknown.ge(threshold).to(at::kDouble).mean().item<double>();
}

}  // namespace yatlab
