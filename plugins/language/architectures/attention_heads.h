#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

/// A model whose first layer's attention can be evaluated alone, on any queries, keys and values [B, heads, L, width].
class AttentionHeads {
 public:
  virtual ~AttentionHeads() = default;
  /// The heads' output: [B, heads, L, width].
  virtual at::Tensor mix(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const = 0;
  /// Scores of all pairs before normalisation: [B, heads, L, L].
  virtual at::Tensor scores(const at::Tensor& q, const at::Tensor& k) const = 0;
  /// Sums of scores that outputs are divided by, [B, heads, L, 1]; undefined unless attention is by features.
  virtual at::Tensor denominators(const at::Tensor& q, const at::Tensor& k) const = 0;
  virtual bool causal() const = 0;
  virtual std::int64_t length() const = 0;  ///< the model's number of positions
  virtual std::int64_t heads() const = 0;
  virtual std::int64_t width() const = 0;  ///< of one head
};

}  // namespace yatlab
