#include "core/ops/formula_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

using FormulaPart = Expression::Part;

bool is_condition(const FormulaPart& part) {
  static const std::vector<std::string> kConditions = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"};
  return std::find(kConditions.begin(), kConditions.end(), part.what) != kConditions.end();
}

std::vector<std::string> keys(const std::map<std::string, ValueRange>& names) {
  std::vector<std::string> out;
  for (const auto& entry : names) out.push_back(entry.first);
  return out;
}

/// Ranges by interval arithmetic; rejects values that may be undefined.
class RangeOf {
 public:
  RangeOf(const Expression& expression, const FormulaRules& rules) : expression_(expression), rules_(rules) {}

  ValueRange of(const FormulaPart& part) const {
    const auto& what = part.what;
    if (what == "text" || (what == "number" && !std::holds_alternative<double>(part.value))) {
      expression_.fail(part, "this is not a number", "a formula can contain numbers and names");
    }
    if (what == "number") {
      const double v = std::get<double>(part.value);
      return {v, v};
    }
    if (what == "name") return named(part);
    if (what == "where") {
      check_condition(part.parts[0]);
      const ValueRange a = of(part.parts[1]), b = of(part.parts[2]);
      return with_sign({std::min(a.low, b.low), std::max(a.high, b.high)}, a.positive() && b.positive());
    }
    if (is_condition(part)) expression_.fail(part, "expected a number, found a condition", "write where(condition, a, b)");
    if (is_reduction(part)) return row(part);
    std::vector<ValueRange> r;
    for (const auto& each : part.parts) r.push_back(of(each));
    if (what == "negative") return {-r[0].high, -r[0].low};
    if (what == "+") return plus(r[0], r[1]);
    if (what == "-") return {r[0].low - r[1].high, r[0].high - r[1].low};
    if (what == "*") return times(r[0], r[1]);
    if (what == "/") {
      if (!r[1].positive() && r[1].high >= 0) may_be_zero(part.parts[1]);
      return times(r[0], with_sign({1 / r[1].high, 1 / r[1].low}, r[1].positive()));
    }
    if (what == "pow") return power(part, r[0], r[1]);
    if (what == "abs") return magnitude(r[0]);
    if (what == "sqrt" && r[0].low < 0) {
      expression_.fail(part, fmt::format("sqrt of a value that can be {:g}", r[0].low), "write sqrt(max(..., 0)), or sqrt(abs(...))");
    }
    if ((what == "log" || what == "log10") && !r[0].positive()) {
      expression_.fail(part, fmt::format("{} of a value that can be {:g}", what, r[0].low),
                       "add something above 0, or write max(..., 1e-8)");
    }
    if (what == "sum" || what == "mean") {
      ValueRange out = r[0];
      for (std::size_t i = 1; i < r.size(); ++i) out = plus(out, r[i]);
      const auto n = static_cast<double>(what == "mean" ? r.size() : 1);
      return {out.low / n, out.high / n, out.open};
    }
    if (what == "min" || what == "max") {
      const bool least = what == "min";
      ValueRange out = r[0];
      bool all = true, any = false;
      for (const auto& each : r) {
        all = all && each.positive();
        any = any || each.positive();
        out.low = least ? std::min(out.low, each.low) : std::max(out.low, each.low);
        out.high = least ? std::min(out.high, each.high) : std::max(out.high, each.high);
      }
      return with_sign(out, least ? all : any);
    }
    // The others increase with their argument.
    const auto value = [&](double v) {
      if (what == "exp") return std::exp(v);
      if (what == "log") return std::log(v);
      if (what == "log10") return std::log10(v);
      if (what == "sqrt") return std::sqrt(v);
      if (what == "tanh") return std::tanh(v);
      if (what == "sigmoid") return 1 / (1 + std::exp(-v));
      return std::max(v, 0.0);  // relu
    };
    const bool never_zero = (what == "exp" || what == "sigmoid") && rules_.scaled;
    return with_sign({value(r[0].low), value(r[0].high)}, never_zero || (what == "sqrt" && r[0].positive()));
  }

 private:
  /// Range of a value that is above 0 if `positive`.
  static ValueRange with_sign(ValueRange r, bool positive) {
    r.open = positive && r.low <= 0;
    if (positive) r.low = std::max(r.low, 0.0);
    return r;
  }
  void check_condition(const FormulaPart& part) const {
    if (!is_condition(part)) expression_.fail(part, "this is not a condition", "write a comparison: where(dot > 0, a, b)");
    const bool joins = part.what == "and" || part.what == "or" || part.what == "not";
    for (const auto& each : part.parts) {
      if (joins) {
        check_condition(each);
      } else {
        of(each);
      }
    }
  }
  ValueRange named(const FormulaPart& part) const {
    const auto& name = std::get<std::string>(part.value);
    const auto& names = in_row_ ? rules_.inside : rules_.names;
    if (const auto found = names.find(name); found != names.end()) return found->second;
    if (!in_row_ && rules_.inside.count(name) > 0) {
      expression_.fail(part, fmt::format("'{}' has several coordinates, but a score is one number", name),
                       fmt::format("write it inside sum(...), mean(...), max(...) or min(...), as in sum(abs(x - w))"));
    }
    if (in_row_ && rules_.names.count(name) > 0) {
      expression_.fail(part, fmt::format("'{}' is the same for all coordinates", name), "write it outside the sum");
    }
    const auto near = suggestion(name, keys(names));
    expression_.fail(part, fmt::format("'{}' is neither {} nor a parameter", name, rules_.named),
                     fmt::format("{}{} give it a value: {}.{}=1", near, near.back() == '?' ? " Or" : "; or", rules_.component, name));
  }
  /// A reduction of a row of values.
  ValueRange row(const FormulaPart& part) const {
    if (in_row_ && !rules_.nested) expression_.fail(part, fmt::format("{} is used inside another sum, mean, max or min", part.what), {});
    if (!rules_.nested && !any_part(part, [&](const FormulaPart& p) {
          return p.what == "name" && rules_.names.count(std::get<std::string>(p.value)) == 0;
        })) {
      expression_.fail(part, fmt::format("{} of a single value, which has no coordinates", part.what),
                       "sum(...) adds the coordinates of x and w");
    }
    RangeOf inner = *this;
    inner.in_row_ = true;
    const ValueRange r = inner.of(part.parts[0]);
    if (part.what != "sum") return r;  // mean, max and min are within the values' range
    // The row has at least one value.
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return with_sign({r.low >= 0 ? r.low : -kInfinite, r.high <= 0 ? r.high : kInfinite}, r.positive());
  }
  [[noreturn]] void may_be_zero(const FormulaPart& part) const {
    expression_.fail(part, "it is divided by a value that can be 0",
                     fmt::format("add a number above 0, such as {}, or write max(..., 1e-8)", rules_.above_zero));
  }
  /// 0 times anything is 0: an infinite end is only approached.
  static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
  static ValueRange times(const ValueRange& a, const ValueRange& b) {
    const auto ends = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)};
    return with_sign({std::min(ends), std::max(ends)}, a.positive() && b.positive());
  }
  static ValueRange plus(const ValueRange& a, const ValueRange& b) {
    return with_sign({a.low + b.low, a.high + b.high}, a.low >= 0 && b.low >= 0 && (a.positive() || b.positive()));
  }
  static ValueRange magnitude(const ValueRange& r) {
    if (r.low >= 0) return r;
    if (r.high <= 0) return {-r.high, -r.low};
    return {0, std::max(-r.low, r.high)};
  }
  ValueRange power(const FormulaPart& part, const ValueRange& base, const ValueRange& to) const {
    const bool whole = to.low == to.high && is_whole(to.low), odd = whole && std::fmod(to.low, 2) != 0;
    if (base.low < 0 && !whole) {
      expression_.fail(part, fmt::format("a power of a value that can be {:g}, with an exponent that is not an integer", base.low),
                       "write pow(max(..., 0), p) or pow(abs(...), p)");
    }
    if (!to.positive() && !base.positive() && base.high >= 0 && !(whole && to.low == 0)) may_be_zero(part.parts[0]);
    if (odd && base.low < 0) {
      // Increases everywhere, or decreases for a negative power (whose base is never 0).
      const double a = std::pow(base.low, to.low), b = std::pow(base.high, to.low);
      return {std::min(a, b), std::max(a, b)};
    }
    const ValueRange size = magnitude(base);
    const auto ends = {std::pow(size.low, to.low), std::pow(size.low, to.high), std::pow(size.high, to.low), std::pow(size.high, to.high)};
    return with_sign({std::min(ends), std::max(ends)}, rules_.scaled && size.positive());
  }

  const Expression& expression_;
  const FormulaRules& rules_;
  bool in_row_ = false;
};

}  // namespace

bool ValueRange::bounded() const { return std::isfinite(low) && std::isfinite(high); }

ValueRange range_of(const Expression& expression, const Expression::Part& part, const FormulaRules& rules) {
  return RangeOf(expression, rules).of(part);
}

FormulaRules with_parameters(FormulaRules rules, const Expression& expression, const std::map<std::string, ValueRange>& parameters) {
  const auto used = expression.names();
  for (const auto& [name, range] : parameters) {
    if (rules.names.count(name) + rules.inside.count(name) > 0) {
      throw config_error(fmt::format("a parameter cannot be called '{}'", name), expression.origin().describe(),
                         fmt::format("in a formula it is {}", rules.named), "choose a different name");
    }
    if (std::find(used.begin(), used.end(), name) == used.end()) {
      throw config_error(fmt::format("the formula has no '{}'", name), expression.origin().describe(),
                         fmt::format("the formula is '{}'", shortened(expression.text())), suggestion(name, used));
    }
  }
  rules.names.insert(parameters.begin(), parameters.end());
  rules.inside.insert(parameters.begin(), parameters.end());
  return rules;
}

bool is_reduction(const Expression::Part& part) {
  return part.parts.size() == 1 && (part.what == "sum" || part.what == "mean" || part.what == "max" || part.what == "min");
}

bool any_part(const Expression::Part& part, const std::function<bool(const Expression::Part&)>& is_so) {
  return is_so(part) || std::any_of(part.parts.begin(), part.parts.end(), [&](const auto& each) { return any_part(each, is_so); });
}

bool uses_name(const Expression::Part& part, const std::string& name) {
  return any_part(part, [&](const Expression::Part& p) { return p.what == "name" && std::get<std::string>(p.value) == name; });
}

std::int64_t operations_in(const Expression::Part& part) {
  std::int64_t out = part.parts.empty() ? 0 : 1;
  for (const auto& each : part.parts) out += operations_in(each);
  return out;
}

void fold_signs(Expression::Part& part) {
  for (auto& each : part.parts) fold_signs(each);
  if (part.what != "negative" || part.parts[0].what != "number") return;
  if (const double* v = std::get_if<double>(&part.parts[0].value)) part = Expression::Part{"number", -*v, {}, part.at};
}

bool is_whole(double value) { return std::isfinite(value) && value == std::floor(value); }

at::Tensor truth_of(const Expression::Part& part, const std::function<at::Tensor(const Expression::Part&)>& value) {
  const auto& what = part.what;
  if (what == "not") return truth_of(part.parts[0], value).logical_not();
  if (what == "and") return truth_of(part.parts[0], value).logical_and(truth_of(part.parts[1], value));
  if (what == "or") return truth_of(part.parts[0], value).logical_or(truth_of(part.parts[1], value));
  const at::Tensor a = value(part.parts[0]), b = value(part.parts[1]);
  if (what == "<") return a < b;
  if (what == "<=") return a <= b;
  if (what == ">") return a > b;
  if (what == ">=") return a >= b;
  return what == "==" ? a == b : a != b;
}

}  // namespace yatlab
