#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// The mean softmax cross-entropies of several models' scores, in nats. scores: [S, B, C], targets: [S, B] of int64 -> [S], in the type of the
/// scores; or for one model, [B, C] and [B] -> a scalar. Differentiable any number of times. For float32 on the CPU it is one pass that also computes
/// the gradient.
at::Tensor class_losses(const at::Tensor& scores, const at::Tensor& targets);

/// The same for several models from ATen operations alone.
at::Tensor class_losses_composed(const at::Tensor& scores, const at::Tensor& targets);

}  // namespace yatlab
