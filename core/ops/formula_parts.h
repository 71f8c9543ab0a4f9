#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>

#include "core/config/expression.h"

/// \file
/// What formulas of kernels (formula.h) and of normalizers (score_formula.h) share.
namespace yatlab {

/// The numbers that a value may take: [low, high], either end infinite.
struct ValueRange {
  double low = 0, high = 0;
  bool open = false;  ///< `low` is 0 and only approached
  bool bounded() const;
  /// Never 0 or below.
  bool positive() const { return low > 0 || (low == 0 && open); }
};

/// What a formula may name, and how it speaks of it.
struct FormulaRules {
  std::map<std::string, ValueRange> names;
  /// Inside of sum(...), mean(...), max(...), min(...) of one value: there a row of values is made one.
  std::map<std::string, ValueRange> inside;
  std::string named;       ///< "a measure of x and w": what the names are, parameters apart
  std::string component;   ///< "operator": whose parameters they are
  std::string above_zero;  ///< "dist2 + eps": how a divisor is kept from 0
  bool nested = false;     ///< rows inside of rows
  bool scaled = false;     ///< powers of e are kept with their exponent, and are never rounded to 0
};

/// What a part's values lie in, by interval arithmetic: never too narrow, often too wide. Config error, with the place in the text, for
/// names that it does not know, roots and logarithms of what may be negative, divisions by what may be 0.
ValueRange range_of(const Expression& expression, const Expression::Part& part, const FormulaRules& rules);

/// `rules` with `parameters` among the names. Config error for a parameter that has a name of theirs, or that `expression` does not use.
FormulaRules with_parameters(FormulaRules rules, const Expression& expression, const std::map<std::string, ValueRange>& parameters);

/// sum, mean, max or min of one value: it makes a row one.
bool is_reduction(const Expression::Part& part);
/// Whether a part, or one inside it, is so.
bool any_part(const Expression::Part& part, const std::function<bool(const Expression::Part&)>& is_so);
bool uses_name(const Expression::Part& part, const std::string& name);
/// Operations with one value.
std::int64_t operations_in(const Expression::Part& part);
/// "-2" as a number, so that its power is a constant one.
void fold_signs(Expression::Part& part);
bool is_whole(double value);

/// A comparison, or comparisons joined; `value` gives the tensors that are compared.
at::Tensor truth_of(const Expression::Part& part, const std::function<at::Tensor(const Expression::Part&)>& value);

/// f(t) where t > 0, else 0 without the slope that f has not there: it is taken of 1 instead, so that no NaN comes back.
template <class F>
at::Tensor away_from_zero(const at::Tensor& t, F f) {
  const at::Tensor there = t > 0, one = at::ones({}, t.options()), zero = at::zeros({}, t.options());
  return at::where(there, f(at::where(there, t, one)), zero);
}

}  // namespace yatlab
