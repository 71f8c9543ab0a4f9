#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/registry/registry.h"

namespace yatlab {

/// Where rows of queries or keys stand.
struct FeaturePlace {
  bool keys = false;        ///< keys, not queries
  std::int64_t first = 0;   ///< position of the first row
  std::int64_t length = 1;  ///< positions that there may be
};

/// Features phi, so that a score of attention is phi(q).phi(k) and its sums are taken in time and memory linear in the length.
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;

  /// What is drawn at random once, for `heads` heads of `width` numbers; the same for the same seed. Each tensor is [heads, ...], float.
  virtual std::vector<at::Tensor> draw(std::int64_t /*heads*/, std::int64_t /*width*/, std::uint64_t /*seed*/) const { return {}; }

  /// rows: [..., heads, n, width], float or double -> [..., heads, n, m]. Differentiable in rows, any number of times. `drawn` is what `draw`
  /// gave. Queries may be multiplied by any positive number of their own: it cancels.
  virtual at::Tensor features(const at::Tensor& rows, const FeaturePlace& place, const std::vector<at::Tensor>& drawn) const = 0;

  /// Added to the sum of a query's scores, by which its output is divided.
  virtual double delta() const = 0;
  /// Of the draw; none: the job's.
  virtual std::optional<std::int64_t> seed() const { return std::nullopt; }
};

YATLAB_KIND(FeatureMap, "feature_map", "features of queries and keys, for attention in linear time")

/// normal numbers [heads, width, n]; `orthogonal`: columns in groups of `width` are orthogonal, each with the length of a normal one.
at::Tensor normal_projections(std::int64_t heads, std::int64_t width, std::int64_t n, bool orthogonal, at::Generator generator);

/// Nodes t and weights a of Gauss-Laguerre quadrature with n nodes, [n] each, double: the integral of e^-t f(t) over t >= 0 is about
/// sum a_r f(t_r), exactly so for polynomials of a degree below 2n.
std::pair<at::Tensor, at::Tensor> gauss_laguerre(std::int64_t n);

}  // namespace yatlab
