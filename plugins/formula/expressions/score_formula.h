#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>

#include "core/config/expression.h"
#include "core/ops/formula_parts.h"

namespace yatlab {

/// A normalizer defined by a formula over a score s, named numbers, and sum(...), mean(...), max(...), min(...) of one argument, which run over all
/// competing scores: exp(s) / sum(exp(s)). Checked on construction, as Formula is. Scores below 0 are accepted if the formula is defined there.
///
/// Its evaluation is stable as written: powers of e, and other powers, are stored as m e^c with a constant c (Golub's scaling; softmax does so for a
/// whole row, this for every value separately), so that exp(s) / sum(exp(s)) needs no "s - max(s)". Differentiable any number of times.
class ScoreFormula {
 public:
  /// Config error, with the position in the text, for values that may be undefined, and for competing weights that are negative or sum to more than
  /// 1.
  ScoreFormula(const std::string& text, const Origin& origin, const std::map<std::string, double>& parameters);

  /// See Normalizer.
  at::Tensor normalize(const at::Tensor& scores, std::int64_t dim, const at::Tensor& mask) const;
  /// Config error where values may be negative.
  at::Tensor log_normalize(const at::Tensor& scores, std::int64_t dim, const at::Tensor& mask) const;
  /// For a / (a + b), the logarithm of b / (a + b); undefined where only 1 - e^log_normalize is available. Config error where values may be above 1.
  at::Tensor log_complement(const at::Tensor& scores, std::int64_t dim, const at::Tensor& mask) const;

  /// ln g(scores) for the form g(s) / (sum(g(s)) + epsilon) with g non-decreasing; undefined for others.
  at::Tensor log_weight(const at::Tensor& scores) const;
  /// ln epsilon of that form.
  double log_offset() const { return log_offset_; }

  bool needs_non_negative() const { return needs_non_negative_; }
  /// Whether it has a sum, mean, max or min over all scores.
  bool competitive() const { return competitive_; }

 private:
  using Part = Expression::Part;
  ValueRange range_of_part(const Part& part) const { return range_of(expression_, part, rules_); }
  /// The result of `body` for the scores with masked ones set to 1 and fully masked rows treated as unmasked; masked entries then become `masked`.
  template <class Body>
  at::Tensor evaluated(const at::Tensor& scores, std::int64_t dim, const at::Tensor& mask, double masked, const Body& body) const;
  void check_weights() const;
  void find_forms();

  Expression expression_;
  FormulaRules rules_;
  ValueRange range_;
  bool needs_non_negative_ = false, competitive_ = false;
  std::optional<Part> weight_;      ///< g
  std::optional<Part> complement_;  ///< b of a / (a + b)
  double log_offset_ = 0;
};

}  // namespace yatlab
