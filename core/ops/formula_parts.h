#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>

#include "core/config/expression.h"

/// \file
/// Shared by formulas of kernels (formula.h) and of normalizers (score_formula.h).
namespace yatlab {

/// The range of a value: [low, high], either end may be infinite.
struct ValueRange {
  double low = 0, high = 0;
  bool open = false;  ///< `low` is 0 and is approached but never reached
  bool bounded() const;
  /// Always above 0.
  bool positive() const { return low > 0 || (low == 0 && open); }
};

/// The names that a formula may use, and words for its error messages.
struct FormulaRules {
  std::map<std::string, ValueRange> names;
  /// Names allowed inside sum(...), mean(...), max(...), min(...) of one argument, which reduce a row of values to one.
  std::map<std::string, ValueRange> inside;
  std::string named;       ///< "a measure of x and w": describes the names other than parameters
  std::string component;   ///< "operator": the component that owns the parameters
  std::string above_zero;  ///< "dist2 + eps": example of a divisor that is never 0
  bool nested = false;     ///< reductions may be nested
  bool scaled = false;     ///< powers of e are stored with their exponent, and never round to 0
};

/// The range of a part by interval arithmetic: never too narrow, often too wide. Config error, with the position in the text, for unknown names,
/// roots and logarithms of values that may be negative, and divisions by values that may be 0.
ValueRange range_of(const Expression& expression, const Expression::Part& part, const FormulaRules& rules);

/// `rules` with `parameters` among the names. Config error for a parameter whose name is taken by the rules, or that `expression` does not use.
FormulaRules with_parameters(FormulaRules rules, const Expression& expression, const std::map<std::string, ValueRange>& parameters);

/// sum, mean, max or min of one argument: reduces a row to one value.
bool is_reduction(const Expression::Part& part);
/// Whether `is_so` holds for the part or any part inside it.
bool any_part(const Expression::Part& part, const std::function<bool(const Expression::Part&)>& is_so);
bool uses_name(const Expression::Part& part, const std::string& name);
/// Number of operations per value.
std::int64_t operations_in(const Expression::Part& part);
/// Turns "-2" into a number, so that it is a constant as an exponent.
void fold_signs(Expression::Part& part);
bool is_whole(double value);

/// Evaluates a comparison, or several joined; `value` computes the tensors that are compared.
at::Tensor truth_of(const Expression::Part& part, const std::function<at::Tensor(const Expression::Part&)>& value);

/// f(t) where t > 0, else 0 with gradient 0. There f is evaluated at 1 instead, so that its backward pass gives no NaN.
template <class F>
at::Tensor away_from_zero(const at::Tensor& t, F f) {
  const at::Tensor there = t > 0, one = at::ones({}, t.options()), zero = at::zeros({}, t.options());
  return at::where(there, f(at::where(there, t, one)), zero);
}

}  // namespace yatlab
