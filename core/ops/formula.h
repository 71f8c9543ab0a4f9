#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "core/config/expression.h"

namespace yatlab {

/// The numbers that a value may take: [low, high], either end infinite.
struct Range {
  double low = 0, high = 0;
  bool bounded() const;
};

/// A kernel written down: a formula over dot = x.w, dist2 = |x-w|^2, dist = |x-w|, cos, xx = |x|^2, ww = |w|^2, d (coordinates), n (rows of
/// w) and named parameters. Checked when it is made: every name is known, no root or logarithm of what may be negative, no division by
/// what may be 0.
class Formula {
 public:
  /// `parameters`: the numbers that each may take. Config error, with the place in the text, for what may be undefined.
  Formula(const std::string& text, const Origin& origin, const std::map<std::string, Range>& parameters);

  /// x: [..., B, d], w: [..., n, d] -> [..., B, n] in the accumulation type. `parameters`: their values, of one element each or
  /// [S, 1, 1] for w [S, n, d]. Distances
  /// are those of squared_distances; where a root or a power has no slope (at 0) it is taken as 0. Differentiable any number of times.
  at::Tensor evaluate(const at::Tensor& x, const at::Tensor& w, const std::map<std::string, at::Tensor>& parameters) const;

  /// What its values lie in, by interval arithmetic: never too narrow, often too wide.
  Range range() const { return range_; }
  /// f(x, w) = f(w, x): at a hundred pairs drawn at random, with `parameters` as they are.
  bool symmetric(const std::map<std::string, double>& parameters) const;
  /// Operations for one score, products apart.
  std::int64_t operations() const { return operations_; }
  /// Products of x with w that it takes.
  int products() const;

 private:
  bool uses(const std::string& name) const;

  Expression expression_;
  std::vector<std::string> names_;
  Range range_;
  std::int64_t operations_ = 0;
};

}  // namespace yatlab
