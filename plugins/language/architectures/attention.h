#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "core/ops/normalizer.h"
#include "core/ops/operator.h"

namespace yatlab {

struct AttentionOptions {
  bool causal = true;      ///< position i sees positions 0 .. i
  std::int64_t block = 0;  ///< queries and keys per block; 0: all at once, with the whole [L, L] in memory
  /// Recompute scores in the backward pass instead of keeping their intermediate results: one [L, L] less for operators other than the inner
  /// product, at the price of one more product.
  bool recompute = true;
  double factor = 1;  ///< multiplies every score
  at::Tensor scale;   ///< one element, which may be learned; multiplies every score as well. Undefined: 1
};

/// Attention with any kernel and any normalizer (paper, section "Multi-Head Attention" for yat):
///
///     out_i = sum_j w_ij v_j,   w_i = normalizer(factor * scale * K(q_i, k_j))_j
///
/// q: [..., L, d], k: [..., L, d], v: [..., L, e] -> [..., L, e]. Differentiable in q, k, v, scale and the operator's parameters.
///
/// With `block`, scores are computed one block at a time and never kept: normalizers of the form g(s) / (epsilon + sum g(s)) are
/// summed online, element-wise ones directly, and the backward pass recomputes the blocks. Memory beyond the arguments is
/// linear in L. The backward pass keeps references to operator and normalizer. Twice differentiable only without `block`: with it, second
/// derivatives are an error. With `block`, normalizers of another form are refused.
///
/// As in other blockwise attention (FlashAttention), the sum in softmax's slope is computed from the output, not from the weights. But at
/// each row's largest weight in a block, where both terms may be nearly equal, their difference is computed from the values. So gradients are as
/// close to exact arithmetic as without `block`, at scores of any size (`tests/ops/attention_test.cpp`).
at::Tensor attention(const std::shared_ptr<const Operator>& op, const std::shared_ptr<const Normalizer>& normalizer, const at::Tensor& q,
                     const at::Tensor& k, const at::Tensor& v, const AttentionOptions& options = {});

}  // namespace yatlab
