#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>

#include "core/config/expression.h"
#include "core/ops/formula_parts.h"

namespace yatlab {

/// A normalizer written down: a formula over a score s, numbers with names, and sum(...), mean(...), max(...), min(...) of one value, which are
/// over all scores that compete: exp(s) / sum(exp(s)). Checked when it is made, as Formula is; scores below 0 are taken if it is defined there.
///
/// It is evaluated stably as it is written: powers of e, and powers, are kept as m e^c with a constant c (Golub's scaling, as softmax has
/// it for a whole row, but of every value by itself), so that exp(s) / sum(exp(s)) needs no "s - max(s)". Differentiable any number of times.
class ScoreFormula {
 public:
  /// Config error, with the place in the text, for what may be undefined, and for weights that compete and are negative or sum to more than 1.
  ScoreFormula(const std::string& text, const Origin& origin, const std::map<std::string, double>& parameters);

  /// As Normalizer says.
  at::Tensor normalize(const at::Tensor& scores, std::int64_t dim, const at::Tensor& mask) const;
  /// Config error where values may be negative.
  at::Tensor log_normalize(const at::Tensor& scores, std::int64_t dim, const at::Tensor& mask) const;
  /// Of a / (a + b), that of b / (a + b); undefined where 1 - e^log_normalize is all that there is. Config error where values may be above 1.
  at::Tensor log_complement(const at::Tensor& scores, std::int64_t dim, const at::Tensor& mask) const;

  /// ln g(scores) of g(s) / (sum(g(s)) + epsilon), g not falling; undefined for others.
  at::Tensor log_weight(const at::Tensor& scores) const;
  /// ln epsilon of that form.
  double log_offset() const { return log_offset_; }

  bool needs_non_negative() const { return needs_non_negative_; }
  /// It has a sum, mean, max or min over all scores.
  bool competitive() const { return competitive_; }

 private:
  using Part = Expression::Part;
  ValueRange range_of_part(const Part& part) const { return range_of(expression_, part, rules_); }
  /// What `body` gives for scores of which masked ones are 1 and rows that are masked whole count in full; masked entries become `masked`.
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
