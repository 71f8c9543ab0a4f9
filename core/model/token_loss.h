#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

/// Cross-entropy of softmax(hidden · headᵀ) against the targets, mean over tokens: hidden [N, d], head [V, d], targets [N] int64. Rows of the head
/// from `vocabulary` on represent no token (0: all do). Differentiable once in hidden and head. Only the logits of `block` tokens are in memory at
/// once, in float whatever the storage; gradients are computed in the forward pass.
at::Tensor token_loss(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets, std::int64_t block = 512,
                      std::int64_t vocabulary = 0);

/// The model's scores of each target, without gradients. Where one of its logits is not a finite number, loss and confidence are NaN.
struct TokenScores {
  at::Tensor loss;        ///< [N] float, -log p(target)
  at::Tensor confidence;  ///< [N] float, the largest probability
  at::Tensor correct;     ///< [N] bool, whether the most probable token is the target
};
TokenScores token_scores(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets, std::int64_t block = 512,
                         std::int64_t vocabulary = 0);

}  // namespace yatlab
