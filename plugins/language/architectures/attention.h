#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "core/ops/normalizer.h"
#include "core/ops/operator.h"

namespace yatlab {

struct AttentionOptions {
  bool causal = true;      ///< position i sees positions 0 .. i
  std::int64_t block = 0;  ///< queries and keys taken at once; 0: all, with the whole [L, L] in memory
  /// Scores are computed again in the backward pass, in place of keeping what they are made of: [L, L] less for operators other than the inner
  /// product, at the price of one more product.
  bool recompute = true;
  double factor = 1;  ///< multiplies every score
  at::Tensor scale;   ///< one element, which may be learned; multiplies every score, too. Undefined: 1
};

/// Attention with any kernel and any normalizer (paper, section "Multi-Head Attention" for yat):
///
///     out_i = sum_j w_ij v_j,   w_i = normalizer(factor * scale * K(q_i, k_j))_j
///
/// q: [..., L, d], k: [..., L, d], v: [..., L, e] -> [..., L, e]. Differentiable in q, k, v, scale and what the operator learns.
///
/// With `block`, scores are computed a block at a time and never kept: normalizers of the form g(s) / (epsilon + sum g(s)) are
/// summed online, element-wise ones directly, and the backward pass computes the blocks again. Memory beyond the arguments is
/// linear in L. The backward pass holds operator and normalizer. Twice differentiable only without `block`: with it, second derivatives are an
/// error. Normalizers of another form are refused with `block`.
///
/// As elsewhere where attention goes in blocks (FlashAttention) the sum in softmax's slope comes from the output, not from the weights; but at
/// each row's largest weight in a block, where both may be nearly the same, their difference is taken from the values. So gradients are as near to
/// those of exact arithmetic as without `block`, at scores of any size (`tests/ops/attention_test.cpp`).
at::Tensor attention(const std::shared_ptr<const Operator>& op, const std::shared_ptr<const Normalizer>& normalizer, const at::Tensor& q,
                     const at::Tensor& k, const at::Tensor& v, const AttentionOptions& options = {});

}  // namespace yatlab
