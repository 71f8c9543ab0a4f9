#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/ops/feature_map.h"

namespace yatlab {

struct FeatureAttentionOptions {
  bool causal = true;        ///< position i sees positions 0 .. i
  std::int64_t block = 128;  ///< queries and keys per block
  std::int64_t length = 1;   ///< the largest number of positions, for maps that depend on it
};

/// Numerators and denominators of attention whose scores are inner products of features, as running sums over blocks:
///
///     sums_i = sum_j phi(q_i).phi(k_j) (v_j, 1)
///
/// q, k: [..., heads, L, d], v: [..., heads, L, e] -> [..., heads, L, e + 1], in float or double; `drawn`: the result of the map's `draw`. Time
/// and memory are linear in L, also in the backward pass, which keeps the features. Differentiable in q, k and v, any number of times.
at::Tensor feature_sums(const FeatureMap& map, const std::vector<at::Tensor>& drawn, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v, const FeatureAttentionOptions& options);

/// out_i = numerator_i / (denominator_i + delta), in the type of q.
at::Tensor feature_attention(const FeatureMap& map, const std::vector<at::Tensor>& drawn, const at::Tensor& q, const at::Tensor& k,
                             const at::Tensor& v, const FeatureAttentionOptions& options);

/// phi(q_i).phi(k_j) for all pairs: [..., heads, L, L].
at::Tensor feature_scores(const FeatureMap& map, const std::vector<at::Tensor>& drawn, const at::Tensor& q, const at::Tensor& k,
                          std::int64_t length);

}  // namespace yatlab
