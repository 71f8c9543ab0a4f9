#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "core/config/expression.h"
#include "core/ops/formula_parts.h"

namespace yatlab {

/// A kernel written down: a formula over dot = x.w, dist2 = |x-w|^2, dist = |x-w|, cos, xx = |x|^2, ww = |w|^2, d (coordinates), n (rows of
/// w), named parameters, and sum(...), mean(...), max(...), min(...) over the coordinates of what is written with x and w: sum(abs(x - w)).
/// Checked when it is made: every name is known, no root or logarithm of what may be negative, no division by what may be 0.
class Formula {
 public:
  /// `parameters`: the numbers that each may take. Config error, with the place in the text, for what may be undefined.
  Formula(const std::string& text, const Origin& origin, const std::map<std::string, ValueRange>& parameters);

  /// x: [..., B, d], w: [..., n, d] -> [..., B, n] in the accumulation type. `parameters`: their values, of one element each or
  /// [S, 1, 1] for w [S, n, d]. Distances are those of squared_distances, rows of coordinates those of over_coordinates; where a root or a
  /// power has no slope (at 0) it is taken as 0. Differentiable any number of times, with rows of coordinates twice.
  at::Tensor evaluate(const at::Tensor& x, const at::Tensor& w, const std::map<std::string, at::Tensor>& parameters) const;

  /// What its values lie in, by interval arithmetic: never too narrow, often too wide.
  ValueRange range() const { return range_; }
  /// f(x, w) = f(w, x): at a hundred pairs drawn at random, with `parameters` as they are.
  bool symmetric(const std::map<std::string, double>& parameters) const;
  /// f(x, -w) = f(-x, w): so it is of measures of x and w; of rows of coordinates at the same pairs.
  bool even(const std::map<std::string, double>& parameters) const;
  /// Floating point operations for `pairs` scores of rows of `dim` coordinates.
  std::int64_t operations(std::int64_t pairs, std::int64_t dim) const;

  const Expression& expression() const { return expression_; }

 private:
  bool uses(const std::string& name) const;
  /// Products of x with w that it takes.
  int products() const;
  /// The scores of ten rows x and ten rows w, of many lengths, where `x_sign` x and `w_sign` w stand for them; `swapped`: f(w, x), transposed.
  at::Tensor at_random(const std::map<std::string, double>& parameters, bool swapped, double x_sign, double w_sign) const;

  Expression expression_;
  std::vector<std::string> names_;
  ValueRange range_;
};

}  // namespace yatlab
