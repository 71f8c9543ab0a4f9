#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// The mean cross-entropies of several models' scores under softmax, in nats. scores: [S, B, C], targets: [S, B] of int64 -> [S], in the type of
/// the scores. Differentiable any number of times. On the CPU, of float32, it is one pass, which computes the gradient too.
at::Tensor class_losses(const at::Tensor& scores, const at::Tensor& targets);

/// The same of one model: scores [B, C], targets [B] -> a number.
at::Tensor class_loss(const at::Tensor& scores, const at::Tensor& targets);

/// The first from ATen operations alone.
at::Tensor class_losses_composed(const at::Tensor& scores, const at::Tensor& targets);

}  // namespace yatlab
