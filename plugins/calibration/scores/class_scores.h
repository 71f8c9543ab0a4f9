#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/model/architecture.h"
#include "core/ops/normalizer.h"

namespace yatlab {

/// A classifier's scores of samples, computed `batch` at a time without gradients: [N, classes], in double and on the CPU.
Tensor class_scores(Architecture& model, const Tensor& inputs, std::int64_t batch);

/// ln of the normalized weights of scores / temperature, [N, classes]. normalizer: null for softmax.
Tensor log_class_weights(const Tensor& scores, const Normalizer* normalizer, double temperature = 1);

/// Mean of -ln of the true class's weight, in nats. targets: [N] int64, as below.
double negative_log_likelihood(const Tensor& log_weights, const Tensor& targets);

/// Mean over samples of sum_k (p_k - [k is the true class])^2 (Brier 1950): from 0 to 2.
double brier_score(const Tensor& log_weights, const Tensor& targets);

/// The temperature with the smallest negative log-likelihood (Guo et al. 2017), between 0.001 and 1000. A result at either end means that the samples
/// do not determine it, for example if all are right or the scores carry no information. Under softmax the likelihood has one maximum.
double fitted_temperature(const Tensor& scores, const Tensor& targets, const Normalizer* normalizer);

/// The probability that a known sample scores higher than an unknown one, with ties counted as half: the area under the ROC curve. known, unknown:
/// [N], [M]
double auroc(const Tensor& known, const Tensor& unknown);

/// The share of unknown samples at or above the highest threshold that keeps at least `kept` of the known ones.
double false_positive_rate(const Tensor& known, const Tensor& unknown, double kept);

}  // namespace yatlab
