#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/registry/registry.h"

namespace yatlab {

/// Positions of rows of queries or keys.
struct FeaturePlace {
  bool keys = false;        ///< keys, not queries
  std::int64_t first = 0;   ///< position of the first row
  std::int64_t length = 1;  ///< the largest number of positions
};

/// Features phi such that an attention score is phi(q).phi(k) and its sums take time and memory linear in the length.
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;

  /// Random tensors, drawn once for `heads` heads of `width` numbers; the same for the same seed. Each tensor is [heads, ...], float.
  virtual std::vector<at::Tensor> draw(std::int64_t /*heads*/, std::int64_t /*width*/, std::uint64_t /*seed*/) const { return {}; }

  /// rows: [..., heads, n, width], float or double -> [..., heads, n, m]. Differentiable in rows, any number of times. `drawn` is the result of
  /// `draw`. Features of each query may be scaled by any positive number: it cancels.
  virtual at::Tensor features(const at::Tensor& rows, const FeaturePlace& place, const std::vector<at::Tensor>& drawn) const = 0;

  /// Tensors [..., heads, n, m_i] such that phi is their `row_products`. A score is then the product of the factors' scores, which costs less than
  /// the m_1 m_2 ... numbers of phi.
  virtual std::vector<at::Tensor> factors(const at::Tensor& rows, const FeaturePlace& place, const std::vector<at::Tensor>& drawn) const {
    return {features(rows, place, drawn)};
  }

  /// Whether phi(q).phi(k) is never below 0.
  virtual bool non_negative() const { return false; }
  /// Added to the sum of a query's scores, by which its output is divided.
  virtual double delta() const = 0;
  /// Seed of the draw; nothing: the job's seed.
  virtual std::optional<std::int64_t> seed() const { return std::nullopt; }
};

YATLAB_KIND(FeatureMap, "feature_map", "features of queries and keys, for attention in linear time")

}  // namespace yatlab
