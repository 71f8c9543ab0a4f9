#include "core/ops/formula.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

using at::Tensor;
using Part = Expression::Part;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kUnitFloor = 1e-8;  // of a row's length, for cos: as operator cosine

const std::map<std::string, Range>& measures() {
  static const std::map<std::string, Range> kAll = {{"dot", {-kUnbounded, kUnbounded}},
                                                    {"dist2", {0, kUnbounded}},
                                                    {"dist", {0, kUnbounded}},
                                                    {"cos", {-1, 1}},
                                                    {"xx", {0, kUnbounded}},
                                                    {"ww", {0, kUnbounded}},
                                                    {"d", {1, kUnbounded}},
                                                    {"n", {1, kUnbounded}}};
  return kAll;
}

bool is_whole(double v) { return std::isfinite(v) && v == std::floor(v); }

/// Ranges by interval arithmetic; refuses what may be undefined.
class RangeOf {
 public:
  RangeOf(const Expression& expression, const std::map<std::string, Range>& names) : expression_(expression), names_(names) {}

  Range of(const Part& part) const {
    const auto& what = part.what;
    if (what == "text" || (what == "number" && !std::holds_alternative<double>(part.value))) {
      expression_.fail(part, "this is no number", "a formula holds numbers and names");
    }
    if (what == "number") {
      const double v = std::get<double>(part.value);
      return {v, v};
    }
    if (what == "name") return named(part);
    if (what == "where") {
      check_condition(part.parts[0]);
      const Range a = of(part.parts[1]), b = of(part.parts[2]);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    if (is_condition(part)) expression_.fail(part, "a condition stands where a number is needed", "write where(condition, a, b)");
    std::vector<Range> r;
    for (const auto& each : part.parts) r.push_back(of(each));
    if (what == "negative") return {-r[0].high, -r[0].low};
    if (what == "+") return {r[0].low + r[1].low, r[0].high + r[1].high};
    if (what == "-") return {r[0].low - r[1].high, r[0].high - r[1].low};
    if (what == "*") return times(r[0], r[1]);
    if (what == "/") {
      if (r[1].low <= 0 && r[1].high >= 0) may_be_zero(part.parts[1]);
      return times(r[0], {1 / r[1].high, 1 / r[1].low});
    }
    if (what == "pow") return power(part, r[0], r[1]);
    if (what == "abs") return magnitude(r[0]);
    if (what == "sqrt" && r[0].low < 0) {
      expression_.fail(part, fmt::format("sqrt of what may be {:g}", r[0].low), "write sqrt(max(..., 0)), or sqrt(abs(...))");
    }
    if ((what == "log" || what == "log10") && r[0].low <= 0) {
      expression_.fail(part, fmt::format("{} of what may be {:g}", what, r[0].low), "add something above 0, or write max(..., 1e-8)");
    }
    if (what == "min" || what == "max") {
      Range out = r[0];
      for (const auto& each : r) {
        const bool least = what == "min";
        out.low = least ? std::min(out.low, each.low) : std::max(out.low, each.low);
        out.high = least ? std::min(out.high, each.high) : std::max(out.high, each.high);
      }
      return out;
    }
    // The others rise with their argument.
    const auto value = [&](double v) {
      if (what == "exp") return std::exp(v);
      if (what == "log") return std::log(v);
      if (what == "log10") return std::log10(v);
      if (what == "sqrt") return std::sqrt(v);
      if (what == "tanh") return std::tanh(v);
      if (what == "sigmoid") return 1 / (1 + std::exp(-v));
      return std::max(v, 0.0);  // relu
    };
    return {value(r[0].low), value(r[0].high)};
  }

 private:
  static bool is_condition(const Part& part) {
    static const std::vector<std::string> kConditions = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"};
    return std::find(kConditions.begin(), kConditions.end(), part.what) != kConditions.end();
  }
  void check_condition(const Part& part) const {
    if (!is_condition(part)) expression_.fail(part, "this is neither true nor false", "write a comparison: where(dot > 0, a, b)");
    const bool joins = part.what == "and" || part.what == "or" || part.what == "not";
    for (const auto& each : part.parts) {
      if (joins) {
        check_condition(each);
      } else {
        of(each);
      }
    }
  }
  Range named(const Part& part) const {
    const auto& name = std::get<std::string>(part.value);
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& entry : names_) known.push_back(entry.first);
    expression_.fail(part, fmt::format("'{}' is neither a measure of x and w nor a parameter", name),
                     fmt::format("{} Or give it a value: operator.parameters={{{}: 1}}", suggestion(name, known), name));
  }
  [[noreturn]] void may_be_zero(const Part& part) const {
    expression_.fail(part, "it is divided by what may be 0", "add a parameter above 0, as dist2 + eps, or write max(..., 1e-8)");
  }
  /// 0 times anything is 0: an infinite end is only approached.
  static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
  static Range times(const Range& a, const Range& b) {
    const auto ends = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)};
    return {std::min(ends), std::max(ends)};
  }
  static Range magnitude(const Range& r) {
    if (r.low >= 0) return r;
    if (r.high <= 0) return {-r.high, -r.low};
    return {0, std::max(-r.low, r.high)};
  }
  Range power(const Part& part, const Range& base, const Range& to) const {
    const bool whole = to.low == to.high && is_whole(to.low), odd = whole && std::fmod(to.low, 2) != 0;
    if (base.low < 0 && !whole) {
      expression_.fail(part, fmt::format("a power of what may be {:g}, and not to a whole number", base.low),
                       "write pow(max(..., 0), p) or pow(abs(...), p)");
    }
    if (to.low <= 0 && base.low <= 0 && base.high >= 0 && !(whole && to.low == 0)) may_be_zero(part.parts[0]);
    if (odd && base.low < 0) {
      // Rises everywhere, or (of a negative power, which 0 is no base of) falls.
      const double a = std::pow(base.low, to.low), b = std::pow(base.high, to.low);
      return {std::min(a, b), std::max(a, b)};
    }
    const Range size = magnitude(base);
    const auto ends = {std::pow(size.low, to.low), std::pow(size.low, to.high), std::pow(size.high, to.low), std::pow(size.high, to.high)};
    return {std::min(ends), std::max(ends)};
  }

  const Expression& expression_;
  const std::map<std::string, Range>& names_;
};

/// A number, or a tensor.
struct Operand {
  Tensor tensor;
  double number = 0;
  bool plain() const { return !tensor.defined(); }
};

/// 0 where t is 0, without the slope that f has not there: it is taken of 1 instead, so that no NaN comes back.
template <class F>
Tensor away_from_zero(const Tensor& t, F f) {
  const Tensor there = t > 0, one = at::ones({}, t.options()), zero = at::zeros({}, t.options());
  return at::where(there, f(at::where(there, t, one)), zero);
}

class ValueOf {
 public:
  ValueOf(const std::map<std::string, Tensor>& names, const at::TensorOptions& options) : names_(names), options_(options) {}

  Tensor tensor(const Part& part) const { return tensor(of(part)); }

 private:
  Tensor tensor(const Operand& x) const { return x.plain() ? at::full({}, x.number, options_) : x.tensor; }

  Operand of(const Part& part) const {
    const auto& what = part.what;
    if (what == "number") return {{}, std::get<double>(part.value)};
    if (what == "name") return {names_.at(std::get<std::string>(part.value))};
    if (what == "where") return {at::where(truth(part.parts[0]), tensor(part.parts[1]), tensor(part.parts[2]))};
    std::vector<Operand> x;
    for (const auto& each : part.parts) x.push_back(of(each));
    if (what == "pow") return {power(x[0], x[1])};
    const Tensor a = tensor(x[0]);
    if (what == "negative") return {-a};
    if (what == "+") return {x[1].plain() ? a + x[1].number : a + x[1].tensor};
    if (what == "-") return {x[1].plain() ? a - x[1].number : a - x[1].tensor};
    if (what == "*") return {x[1].plain() ? a * x[1].number : a * x[1].tensor};
    if (what == "/") return {x[1].plain() ? a / x[1].number : a / x[1].tensor};
    if (what == "abs") return {a.abs()};
    if (what == "exp") return {a.exp()};
    if (what == "log") return {a.log()};
    if (what == "log10") return {a.log10()};
    if (what == "sqrt") return {away_from_zero(a, [](const Tensor& t) { return t.sqrt(); })};
    if (what == "tanh") return {a.tanh()};
    if (what == "sigmoid") return {a.sigmoid()};
    if (what == "relu") return {a.relu()};
    Tensor out = a;
    for (std::size_t i = 1; i < x.size(); ++i) out = what == "min" ? at::minimum(out, tensor(x[i])) : at::maximum(out, tensor(x[i]));
    return {out};
  }

  Tensor truth(const Part& part) const {
    const auto& what = part.what;
    if (what == "not") return truth(part.parts[0]).logical_not();
    if (what == "and") return truth(part.parts[0]).logical_and(truth(part.parts[1]));
    if (what == "or") return truth(part.parts[0]).logical_or(truth(part.parts[1]));
    const Tensor a = tensor(part.parts[0]), b = tensor(part.parts[1]);
    if (what == "<") return a < b;
    if (what == "<=") return a <= b;
    if (what == ">") return a > b;
    if (what == ">=") return a >= b;
    return what == "==" ? a == b : a != b;
  }

  Tensor power(const Operand& base, const Operand& to) const {
    const Tensor a = tensor(base);
    if (!to.plain()) return away_from_zero(a, [&](const Tensor& t) { return at::pow(t, to.tensor); });
    if (to.number == 2) return a * a;
    if (to.number > 0 && !is_whole(to.number)) return away_from_zero(a, [&](const Tensor& t) { return at::pow(t, to.number); });
    return at::pow(a, to.number);
  }

  const std::map<std::string, Tensor>& names_;
  at::TensorOptions options_;
};

std::int64_t operations_in(const Part& part) {
  std::int64_t out = part.parts.empty() ? 0 : 1;
  for (const auto& each : part.parts) out += operations_in(each);
  return out;
}

/// "-2" as a number, so that its power is a constant one.
void fold_signs(Part& part) {
  for (auto& each : part.parts) fold_signs(each);
  if (part.what != "negative" || part.parts[0].what != "number") return;
  if (const double* v = std::get_if<double>(&part.parts[0].value)) part = Part{"number", -*v, {}, part.at};
}

}  // namespace

bool Range::bounded() const { return std::isfinite(low) && std::isfinite(high); }

Formula::Formula(const std::string& text, const Origin& origin, const std::map<std::string, Range>& parameters)
    : expression_(Expression::parse(text, origin)), names_(expression_.names()) {
  fold_signs(expression_.root());
  auto ranges = measures();
  for (const auto& [name, range] : parameters) {
    if (!ranges.emplace(name, range).second) {
      throw config_error(fmt::format("a parameter cannot be called '{}'", name), origin.describe(),
                         "to a formula that is a measure of x and w", "call it otherwise");
    }
    if (!uses(name)) {
      throw config_error(fmt::format("the formula has no '{}'", name), origin.describe(), fmt::format("it is '{}'", shortened(text)),
                         suggestion(name, names_));
    }
  }
  range_ = RangeOf(expression_, ranges).of(expression_.root());
  operations_ = operations_in(expression_.root());
}

bool Formula::uses(const std::string& name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

int Formula::products() const { return (uses("dot") || uses("dist2") || uses("dist") ? 1 : 0) + (uses("cos") ? 1 : 0); }

Tensor Formula::evaluate(const Tensor& x, const Tensor& w, const std::map<std::string, Tensor>& parameters) const {
  const auto type = accumulation_type(at::promote_types(x.scalar_type(), w.scalar_type()));
  const auto options = x.options().dtype(type);
  std::map<std::string, Tensor> names;
  for (const auto& [name, value] : parameters) names[name] = value.to(options);
  if (uses("xx")) names["xx"] = x.to(type).square().sum(-1).unsqueeze(-1);
  if (uses("ww")) names["ww"] = w.to(type).square().sum(-1).unsqueeze(-2);
  if (uses("d")) names["d"] = at::full({}, static_cast<double>(x.size(-1)), options);
  if (uses("n")) names["n"] = at::full({}, static_cast<double>(w.size(-2)), options);
  if (uses("cos")) names["cos"] = inner_products(unit_rows(x, kUnitFloor), unit_rows(w, kUnitFloor)).to(type);
  Tensor dot, distance;
  if (uses("dot")) dot = inner_products(x, w);
  if (uses("dist2") || uses("dist")) {
    if (dot.defined()) distance = squared_distances(x, w, dot, 0);
    if (!distance.defined()) distance = squared_distances(x, w);
    names["dist2"] = distance;
    if (uses("dist")) names["dist"] = away_from_zero(distance, [](const Tensor& t) { return t.sqrt(); });
  }
  if (dot.defined()) names["dot"] = dot.to(type);
  const Tensor out = ValueOf(names, options).tensor(expression_.root());
  // What depends on x alone, or on nothing, is the same for all rows of w.
  auto shape = at::infer_size(x.sizes().slice(0, x.sizes().size() - 2), w.sizes().slice(0, w.sizes().size() - 2));
  shape.push_back(x.size(-2));
  shape.push_back(w.size(-2));
  return out.expand(shape);
}

bool Formula::symmetric(const std::map<std::string, double>& parameters) const {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int pair = 0; pair < 100; ++pair) {
    const double size = std::exp(2 * normal(random));
    double dot = 0, xx = 0, ww = 0;
    for (int i = 0; i < 3; ++i) {
      const double a = size * normal(random), b = normal(random);
      dot += a * b;
      xx += a * a;
      ww += b * b;
    }
    const auto value = [&](double first, double second) {
      return std::get<double>(expression_.evaluate([&](const std::string& name) -> Expression::Value {
        if (name == "dot") return dot;
        if (name == "xx") return first;
        if (name == "ww") return second;
        if (name == "dist2") return xx + ww - 2 * dot;
        if (name == "dist") return std::sqrt(xx + ww - 2 * dot);
        if (name == "cos") return dot / std::sqrt(xx * ww);
        if (name == "d") return 3.0;
        if (name == "n") return 10.0;
        return parameters.at(name);
      }));
    };
    const double there = value(xx, ww), back = value(ww, xx);
    if (there != back && !(std::abs(there - back) <= 1e-9 * (std::abs(there) + std::abs(back)))) return false;
  }
  return true;
}

}  // namespace yatlab
