#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace yatlab {

using at::Tensor;

/// A model that scores a query against one row per label. An Architecture that also implements this can be trained and ranked block by block, without
/// [B, labels] in memory.
class LabelScorer {
 public:
  virtual ~LabelScorer() = default;

  // In a stack of S (Architecture::stacks): queries [S, B, d], rows [S, n, d], scores [S, B, n].

  /// inputs [B, ...] -> the vectors [B, d] that are scored against labels. Differentiable.
  virtual Tensor queries(const Tensor& inputs) = 0;

  /// [L, d]: one row per label, a leaf.
  virtual Tensor label_rows() const = 0;

  /// queries [B, d], rows [n, d] of some labels -> their scores [B, n]. Differentiable in both.
  virtual Tensor block_scores(const Tensor& queries, const Tensor& rows) const = 0;

  /// Leaves that `block_scores` depends on besides its arguments (a learned scale or epsilon).
  virtual std::vector<Tensor> score_parameters() const { return {}; }

  /// Logits are log(max(score, log_floor())) when log_floor() is above 0, else the scores themselves.
  virtual double log_floor() const { return 0; }
};

}  // namespace yatlab
