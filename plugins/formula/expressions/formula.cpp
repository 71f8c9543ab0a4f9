#include "plugins/formula/expressions/formula.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "core/ops/coordinate_rows.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

using at::Tensor;
using Part = Expression::Part;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kUnitFloor = 1e-8;  // lower bound of a row's length, for cos: as in operator cosine

FormulaRules kernel_rules() {
  FormulaRules rules;
  const ValueRange any{-kUnbounded, kUnbounded}, size{0, kUnbounded}, count{1, kUnbounded};
  rules.names = {{"dot", any}, {"dist2", size}, {"dist", size}, {"cos", {-1, 1}}, {"xx", size}, {"ww", size}, {"d", count}, {"n", count}};
  rules.inside = {{"x", any}, {"w", any}, {"d", count}, {"n", count}};
  rules.named = "a measure of x and w";
  rules.component = "operator";
  rules.above_zero = "dist2 + eps";
  return rules;
}

/// A number, or a tensor.
struct Operand {
  Tensor tensor;
  double number = 0;
  bool plain() const { return !tensor.defined(); }
};

class ValueOf {
 public:
  /// `row`: computes a reduction over a row of coordinates.
  ValueOf(std::map<std::string, Tensor> names, const at::TensorOptions& options, std::function<Tensor(const Part&)> row)
      : names_(std::move(names)), options_(options), row_(std::move(row)) {}

  Tensor tensor(const Part& part) const { return tensor(of(part)); }

 private:
  Tensor tensor(const Operand& x) const { return x.plain() ? at::full({}, x.number, options_) : x.tensor; }

  Operand of(const Part& part) const {
    const auto& what = part.what;
    if (what == "number") return {{}, std::get<double>(part.value)};
    if (what == "name") return {names_.at(std::get<std::string>(part.value))};
    if (what == "where") {
      const Tensor truth = truth_of(part.parts[0], [&](const Part& p) { return tensor(p); });
      return {at::where(truth, tensor(part.parts[1]), tensor(part.parts[2]))};
    }
    if (is_reduction(part)) return {row_(part)};
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
    for (std::size_t i = 1; i < x.size(); ++i) {
      const Tensor b = tensor(x[i]);
      out = what == "min" ? at::minimum(out, b) : what == "max" ? at::maximum(out, b) : out + b;
    }
    return {what == "mean" ? out / static_cast<double>(x.size()) : out};
  }

  Tensor power(const Operand& base, const Operand& to) const {
    const Tensor a = tensor(base);
    if (!to.plain()) return away_from_zero(a, [&](const Tensor& t) { return at::pow(t, to.tensor); });
    if (to.number == 2) return a * a;
    if (to.number > 0 && !is_whole(to.number)) return away_from_zero(a, [&](const Tensor& t) { return at::pow(t, to.number); });
    return at::pow(a, to.number);
  }

  std::map<std::string, Tensor> names_;
  at::TensorOptions options_;
  std::function<Tensor(const Part&)> row_;
};

/// Reduces a row of coordinates [b, n, d].
Tensor reduced(const std::string& what, const Tensor& values) {
  if (what == "sum") return values.sum(-1);
  if (what == "mean") return values.mean(-1);
  return what == "max" ? values.amax(-1) : values.amin(-1);
}

/// A reduction over coordinates, for all pairs. The part is copied, because the backward pass may run after the formula is destroyed.
Tensor over_pairs(const Part& part, const Tensor& x, const Tensor& w, const std::map<std::string, Tensor>& parameters) {
  std::vector<std::string> names;
  std::vector<Tensor> values;
  for (const auto& [name, value] : parameters) {
    if (!uses_name(part, name)) continue;
    names.push_back(name);
    values.push_back(value);
  }
  const auto units = static_cast<double>(w.size(-2));
  const auto rule = [part = std::make_shared<const Part>(part), names, units](const Tensor& a, const Tensor& b,
                                                                              const std::vector<Tensor>& given) {
    std::map<std::string, Tensor> known = {{"x", a}, {"w", b}};
    known["d"] = at::full({}, static_cast<double>(a.size(-1)), a.options());
    known["n"] = at::full({}, units, a.options());
    for (std::size_t i = 0; i < names.size(); ++i) known[names[i]] = given[i];
    const Tensor terms = ValueOf(known, a.options(), nullptr).tensor(part->parts[0]);
    return reduced(part->what, terms.expand({a.size(0), b.size(1), a.size(-1)}));
  };
  return over_coordinates(rule, x, w, values);
}

}  // namespace

Formula::Formula(const std::string& text, const Origin& origin, const std::map<std::string, ValueRange>& parameters)
    : expression_(Expression::parse(text, origin)), names_(expression_.names()) {
  fold_signs(expression_.root());
  range_ = range_of(expression_, expression_.root(), with_parameters(kernel_rules(), expression_, parameters));
}

bool Formula::uses(const std::string& name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

int Formula::products() const { return (uses("dot") || uses("dist2") || uses("dist") ? 1 : 0) + (uses("cos") ? 1 : 0); }

std::int64_t Formula::operations(std::int64_t pairs, std::int64_t dim) const {
  std::int64_t inside = 0;
  any_part(expression_.root(), [&](const Part& part) {
    if (is_reduction(part)) inside += operations_in(part);
    return false;
  });
  return 2 * products() * pairs * dim + (operations_in(expression_.root()) - inside) * pairs + inside * pairs * dim;
}

Tensor Formula::evaluate(const Tensor& x, const Tensor& w, const std::map<std::string, Tensor>& parameters) const {
  const auto type = accumulation_type(at::promote_types(x.scalar_type(), w.scalar_type()));
  const auto options = x.options().dtype(type);
  std::map<std::string, Tensor> names, values;
  for (const auto& [name, value] : parameters) values[name] = value.to(options);
  names = values;
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
  const auto row = [&](const Part& part) { return over_pairs(part, x.to(type), w.to(type), values); };
  const Tensor out = ValueOf(names, options, row).tensor(expression_.root());
  // A value that depends on x alone, or on nothing, is the same for all rows of w.
  auto shape = at::infer_size(x.sizes().slice(0, x.sizes().size() - 2), w.sizes().slice(0, w.sizes().size() - 2));
  shape.push_back(x.size(-2));
  shape.push_back(w.size(-2));
  return out.expand(shape);
}

Tensor Formula::at_random(const std::map<std::string, double>& parameters, bool swapped, double x_sign, double w_sign) const {
  constexpr std::int64_t kRows = 10, kDim = 3;
  const at::NoGradGuard no_grad;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Tensor x = at::empty({kRows, kDim}, at::kDouble), w = at::empty({kRows, kDim}, at::kDouble);
  for (std::int64_t i = 0; i < kRows; ++i) {
    const double size = std::exp(2 * normal(random));
    for (std::int64_t k = 0; k < kDim; ++k) {
      x.data_ptr<double>()[i * kDim + k] = x_sign * size * normal(random);
      w.data_ptr<double>()[i * kDim + k] = w_sign * normal(random);
    }
  }
  std::map<std::string, Tensor> values;
  for (const auto& [name, value] : parameters) values[name] = at::scalar_tensor(value, at::kDouble);
  return swapped ? evaluate(w, x, values).t() : evaluate(x, w, values);
}

namespace {

/// Whether they are equal up to rounding; NaN equals NaN.
bool alike(const Tensor& a, const Tensor& b) {
  const Tensor near = (a - b).abs() <= 1e-9 * (a.abs() + b.abs());
  return near.logical_or(a == b).logical_or(a.isnan().logical_and(b.isnan())).all().item<bool>();
}

}  // namespace

bool Formula::symmetric(const std::map<std::string, double>& parameters) const {
  return alike(at_random(parameters, false, 1, 1), at_random(parameters, true, 1, 1));
}

bool Formula::even(const std::map<std::string, double>& parameters) const {
  if (!any_part(expression_.root(), is_reduction)) return true;
  return alike(at_random(parameters, false, 1, -1), at_random(parameters, false, -1, 1));
}

}  // namespace yatlab
