#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

/// A model whose first layer's attention can be asked by itself, for queries, keys and values [B, heads, L, width] of one's own.
class AttentionHeads {
 public:
  virtual ~AttentionHeads() = default;
  /// What the heads answer: [B, heads, L, width].
  virtual at::Tensor mix(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const = 0;
  /// Scores of all pairs, before they are normalised: [B, heads, L, L].
  virtual at::Tensor scores(const at::Tensor& q, const at::Tensor& k) const = 0;
  /// Sums of scores that answers were divided by, [B, heads, L, 1]; undefined where attention is not by features.
  virtual at::Tensor denominators(const at::Tensor& q, const at::Tensor& k) const = 0;
  virtual bool causal() const = 0;
  virtual std::int64_t length() const = 0;  ///< positions that it has
  virtual std::int64_t heads() const = 0;
  virtual std::int64_t width() const = 0;  ///< of a head
};

}  // namespace yatlab
