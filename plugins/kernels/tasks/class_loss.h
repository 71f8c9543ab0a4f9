#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// The mean cross-entropies of several models' scores under softmax, in nats. scores: [S, B, C], targets: [S, B] of int64 -> [S], in the type of
/// the scores; or of one model, [B, C] and [B] -> a number. Differentiable any number of times. On the CPU, of float32, it is one pass, which
/// computes the gradient too.
at::Tensor class_losses(const at::Tensor& scores, const at::Tensor& targets);

/// Those of several models from ATen operations alone.
at::Tensor class_losses_composed(const at::Tensor& scores, const at::Tensor& targets);

}  // namespace yatlab
