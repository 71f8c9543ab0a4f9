#pragma once

#include <ATen/core/Tensor.h>

#include <limits>

#include "core/ops/operator.h"

namespace yatlab {

/// Turns scores into weights or bounded responses (paper, appendix "Squashing Functions").
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  /// scores: any shape; dim: the dimension to normalize over (ignored by element-wise functions); mask: undefined, or bool broadcastable to scores,
  /// true = keep. Masked entries get weight 0, and a fully masked row gets all zeros.
  virtual Tensor normalize(const Tensor& scores, std::int64_t dim = -1, const Tensor& mask = {}) const = 0;

  /// log(normalize(...)) in a stable form, for losses; masked entries are -inf. Functions that take
  /// negative values (soft-tanh) have no logarithm and throw.
  virtual Tensor log_normalize(const Tensor& scores, std::int64_t dim = -1, const Tensor& mask = {}) const = 0;

  /// log(1 - normalize(...)), finite, for losses; masked entries are 0. The default computes it from `log_normalize`: where a weight rounds to 1 it
  /// returns the logarithm of the smallest normal number, with gradient 0.
  virtual Tensor log_complement(const Tensor& scores, std::int64_t dim = -1, const Tensor& mask = {}) const;

  /// For functions of the form g(x_k) / (epsilon + sum g(x_i)) with g non-decreasing: ln g(scores), differentiable, so that sums can be computed
  /// block by block; undefined for others. A score with g = 0 gives a value so low that its weight is 0.
  virtual Tensor log_weight(const Tensor& /*scores*/) const { return {}; }
  /// ln(g(scores) / g(against)) of that form, for scores up to `against`. Override it with a stable form where g alone may overflow.
  virtual Tensor log_ratio(const Tensor& scores, const Tensor& against) const;
  /// ln epsilon of that form; -inf for 0.
  virtual double log_offset() const { return -std::numeric_limits<double>::infinity(); }

  /// True when scores must be >= 0 (softermax, soft-sigmoid, soft-tanh).
  virtual bool needs_non_negative() const = 0;
  /// True when outputs along dim sum to 1 (competitive), false when element-wise (individualistic).
  virtual bool competitive() const = 0;
};

YATLAB_KIND(Normalizer, "normalizer", "turns scores into weights")

}  // namespace yatlab
