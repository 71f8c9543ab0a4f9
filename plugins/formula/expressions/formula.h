#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "core/config/expression.h"
#include "core/ops/formula_parts.h"

namespace yatlab {

/// A kernel defined by a formula over dot = x.w, dist2 = |x-w|^2, dist = |x-w|, cos, xx = |x|^2, ww = |w|^2, d (number of coordinates), n (rows of
/// w), named parameters, and sum(...), mean(...), max(...), min(...) over the coordinates of an expression in x and w: sum(abs(x - w)). Checked on
/// construction: every name is known, and there is no root or logarithm of a value that may be negative and no division by a value that may be 0.
class Formula {
 public:
  /// `parameters`: the range of each. Config error, with the position in the text, for values that may be undefined.
  Formula(const std::string& text, const Origin& origin, const std::map<std::string, ValueRange>& parameters);

  /// x: [..., B, d], w: [..., n, d] -> [..., B, n] in the accumulation type. `parameters`: their values, of one element each or [S, 1, 1] for w [S,
  /// n, d]. Distances use squared_distances, rows of coordinates use over_coordinates. Where the gradient of a root or a power does not exist (at 0),
  /// it is 0. Differentiable any number of times, with rows of coordinates twice.
  at::Tensor evaluate(const at::Tensor& x, const at::Tensor& w, const std::map<std::string, at::Tensor>& parameters) const;

  /// The range of its values, by interval arithmetic: never too narrow, often too wide.
  ValueRange range() const { return range_; }
  /// Whether f(x, w) = f(w, x), tested on a hundred random pairs with these `parameters`.
  bool symmetric(const std::map<std::string, double>& parameters) const;
  /// Whether f(x, -w) = f(-x, w): true for measures of x and w; for rows of coordinates tested on the same pairs.
  bool even(const std::map<std::string, double>& parameters) const;
  /// Floating point operations for `pairs` scores of rows of `dim` coordinates.
  std::int64_t operations(std::int64_t pairs, std::int64_t dim) const;

  const Expression& expression() const { return expression_; }

 private:
  bool uses(const std::string& name) const;
  /// Number of matrix products of x with w that it needs.
  int products() const;
  /// The scores of ten random rows x and w of many lengths, after multiplying them by `x_sign` and `w_sign`; `swapped`: f(w, x), transposed.
  at::Tensor at_random(const std::map<std::string, double>& parameters, bool swapped, double x_sign, double w_sign) const;

  Expression expression_;
  std::vector<std::string> names_;
  ValueRange range_;
};

}  // namespace yatlab
