#include "plugins/formula/expressions/score_formula.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "core/ops/masking.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

using at::Tensor;
using ScorePart = Expression::Part;
constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr double kNoShare = -1e4;  // a logarithm that is negligible beside others, and finite in every type but float16

FormulaRules score_rules(bool non_negative) {
  FormulaRules rules;
  rules.names = {{"s", {non_negative ? 0 : -kNoBound, kNoBound}}};
  rules.inside = rules.names;
  rules.named = "the score s";
  rules.component = "normalizer";
  rules.above_zero = "sum(s) + 1e-12";
  rules.nested = rules.scaled = true;
  return rules;
}

ScorePart number_part(double value, std::size_t at) { return {"number", value, {}, at}; }

/// Replaces parameters by numbers, and rewrites functions into forms that have more evaluation rules: sigmoid(a) = 1 / (1 + exp(-a)), sqrt(a) =
/// a^0.5.
void prepare(ScorePart& part, const std::map<std::string, double>& parameters) {
  for (auto& each : part.parts) prepare(each, parameters);
  const auto at = part.at;
  if (part.what == "name") {
    const auto found = parameters.find(std::get<std::string>(part.value));
    if (found != parameters.end()) part = number_part(found->second, at);
  } else if (part.what == "sqrt") {
    part = {"pow", 0.0, {part.parts[0], number_part(0.5, at)}, at};
  } else if (part.what == "sigmoid") {
    ScorePart power{"exp", 0.0, {{"negative", 0.0, {part.parts[0]}, at}}, at};
    part = {"/", 0.0, {number_part(1, at), {"+", 0.0, {number_part(1, at), std::move(power)}, at}}, at};
  }
}

bool same(const ScorePart& a, const ScorePart& b) {
  return a.what == b.what && a.value == b.value && a.parts.size() == b.parts.size() &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), same);
}

/// a + b + c, in order.
void collect_terms(const ScorePart& part, std::vector<ScorePart>& terms) {
  if (part.what != "+") return terms.push_back(part);
  for (const auto& each : part.parts) collect_terms(each, terms);
}

std::optional<ScorePart> sum_of(const std::vector<ScorePart>& terms) {
  std::optional<ScorePart> out;
  for (const auto& term : terms) out = out ? ScorePart{"+", 0.0, {*out, term}, term.at} : term;
  return out;
}

/// Whether values increase with s everywhere.
enum class Slope { kConstant, kRising, kFalling, kUnknown };

class SlopeOf {
 public:
  explicit SlopeOf(std::function<ValueRange(const ScorePart&)> range) : range_(std::move(range)) {}

  Slope of(const ScorePart& part) const {
    const auto& what = part.what;
    if (what == "number") return Slope::kConstant;
    if (what == "name") return Slope::kRising;
    if (what == "where" || is_reduction(part)) return Slope::kUnknown;
    std::vector<Slope> s;
    std::vector<ValueRange> r;
    for (const auto& each : part.parts) {
      s.push_back(of(each));
      r.push_back(range_(each));
    }
    if (what == "negative") return turned(s[0]);
    if (what == "-") return both(s[0], turned(s[1]));
    if (what == "*") {
      if (r[0].low >= 0 && r[1].low >= 0) return both(s[0], s[1]);
      if (s[0] == Slope::kConstant) return r[0].low >= 0 ? s[1] : r[0].high <= 0 ? turned(s[1]) : Slope::kUnknown;
      if (s[1] == Slope::kConstant) return r[1].low >= 0 ? s[0] : r[1].high <= 0 ? turned(s[0]) : Slope::kUnknown;
      return Slope::kUnknown;
    }
    if (what == "/") {
      if (!r[1].positive()) return Slope::kUnknown;
      if (s[1] == Slope::kConstant) return s[0];
      return r[0].low >= 0 ? both(s[0], turned(s[1])) : Slope::kUnknown;
    }
    if (what == "pow") {
      if (s[1] != Slope::kConstant || r[0].low < 0) return Slope::kUnknown;
      return r[1].low >= 0 ? s[0] : r[1].high <= 0 ? turned(s[0]) : Slope::kUnknown;
    }
    if (what == "abs") return r[0].low >= 0 ? s[0] : Slope::kUnknown;
    Slope out = s[0];  // the others increase with each argument
    for (std::size_t i = 1; i < s.size(); ++i) out = both(out, s[i]);
    return out;
  }

 private:
  static Slope turned(Slope s) { return s == Slope::kRising ? Slope::kFalling : s == Slope::kFalling ? Slope::kRising : s; }
  static Slope both(Slope a, Slope b) { return a == Slope::kConstant ? b : b == Slope::kConstant || a == b ? a : Slope::kUnknown; }

  std::function<ValueRange(const ScorePart&)> range_;
};

/// m e^c; c undefined: 0. c is a constant whose choice does not change the value, and all gradients are in m.
struct Scaled {
  Tensor m, c;

  Tensor value() const { return c.defined() ? m * c.exp() : m; }
  Tensor exponent() const { return c.defined() ? c : at::zeros({}, m.options()); }
};

class ScaledValueOf {
 public:
  /// `kept`: the competing scores; undefined: all.
  ScaledValueOf(Tensor s, std::int64_t dim, Tensor kept, std::function<ValueRange(const ScorePart&)> range)
      : s_(std::move(s)), dim_(dim), kept_(std::move(kept)), range_(std::move(range)) {}

  Tensor value(const ScorePart& part) const { return of(part).value(); }

  /// The logarithm of a non-negative part. A power, a product and a quotient use the logarithms of their parts; 0 counts as the smallest normal
  /// number.
  Tensor log(const ScorePart& part) const {
    const auto& what = part.what;
    const auto plain = [&](std::size_t i) { return range_(part.parts[i]).low >= 0; };
    if (what == "exp") return value(part.parts[0]);
    if (what == "*" && plain(0) && plain(1)) return log(part.parts[0]) + log(part.parts[1]);
    if (what == "/" && plain(0) && plain(1)) return log(part.parts[0]) - log(part.parts[1]);
    if (what == "pow" && part.parts[1].what == "number") {
      const double power = std::get<double>(part.parts[1].value);
      if (plain(0)) return power == 1 ? log(part.parts[0]) : log(part.parts[0]) * power;
      if (is_whole(power / 2)) {
        const Scaled base = of(part.parts[0]);
        return log_of({base.m.abs(), base.c}) * power;
      }
    }
    return log_of(of(part));
  }

 private:
  static Tensor log_of(const Scaled& x) { return x.c.defined() ? floored_log(x.m) + x.c : floored_log(x.m); }

  Scaled of(const ScorePart& part) const {
    const auto& what = part.what;
    if (what == "number") return {at::full({}, std::get<double>(part.value), s_.options()), {}};
    if (what == "name") return {s_, {}};
    if (is_reduction(part)) return row(what, of(part.parts[0]));
    if (what == "where") {
      const Tensor truth = truth_of(part.parts[0], [&](const ScorePart& p) { return value(p); });
      const Scaled a = of(part.parts[1]), b = of(part.parts[2]);
      if (!a.c.defined() && !b.c.defined()) return {at::where(truth, a.m, b.m), {}};
      return {at::where(truth, a.m, b.m), at::where(truth, a.exponent(), b.exponent())};
    }
    if (what == "exp") return power_of_e(value(part.parts[0]));
    if (what == "log") return {log(part.parts[0]), {}};
    if (what == "log10") return {log(part.parts[0]) / std::log(10.0), {}};
    if (what == "pow") return power(part.parts[0], part.parts[1]);
    if (what == "min" || what == "max") {
      Tensor out = value(part.parts[0]);
      for (std::size_t i = 1; i < part.parts.size(); ++i) {
        out = what == "min" ? at::minimum(out, value(part.parts[i])) : at::maximum(out, value(part.parts[i]));
      }
      return {out, {}};
    }
    const Scaled a = of(part.parts[0]);
    if (what == "negative") return {-a.m, a.c};
    if (what == "abs") return {a.m.abs(), a.c};
    if (what == "relu") return {a.m.relu(), a.c};
    if (what == "tanh") return {a.value().tanh(), {}};
    if (what == "sum" || what == "mean") {
      Scaled out = a;
      for (std::size_t i = 1; i < part.parts.size(); ++i) out = plus(out, of(part.parts[i]), 1);
      return what == "mean" ? Scaled{out.m / static_cast<double>(part.parts.size()), out.c} : out;
    }
    const Scaled b = of(part.parts[1]);
    if (what == "+") return plus(a, b, 1);
    if (what == "-") return plus(a, b, -1);
    if (what == "*") return {a.m * b.m, !a.c.defined() ? b.c : b.c.defined() ? a.c + b.c : a.c};
    return {a.m / b.m, !b.c.defined() ? a.c : a.c.defined() ? a.c - b.c : -b.c};
  }

  static Scaled power_of_e(const Tensor& a) {
    const Tensor c = a.detach();
    return {(a - c).exp(), c};
  }

  static Scaled plus(const Scaled& a, const Scaled& b, int sign) {
    if (!a.c.defined() && !b.c.defined()) return {sign > 0 ? a.m + b.m : a.m - b.m, {}};
    const Tensor c = at::maximum(a.exponent(), b.exponent());
    const Tensor x = a.m * (a.exponent() - c).exp(), y = b.m * (b.exponent() - c).exp();
    return {sign > 0 ? x + y : x - y, c};
  }

  Scaled power(const ScorePart& base_part, const ScorePart& to) const {
    const Scaled base = of(base_part);
    if (to.what != "number") {  // only for non-negative bases
      const Scaled out = power_of_e(value(to) * log_of(base));
      return {at::where(base.m > 0, out.m, at::zeros({}, out.m.options())), out.c};
    }
    const double p = std::get<double>(to.value);
    if (p == 1) return base;
    const Tensor size = base.m.detach().abs(), t = at::where(size > 0, size, at::ones({}, size.options())), unit = base.m / t;
    const Tensor m = is_whole(p) ? unit.pow(p) : away_from_zero(unit, [&](const Tensor& u) { return u.pow(p); });
    return {m, p * (base.c.defined() ? t.log() + base.c : t.log())};
  }

  /// A reduction over all competing scores, of which there is at least one.
  Scaled row(const std::string& what, const Scaled& x) const {
    Tensor m = x.m.expand_as(s_), c;
    if (x.c.defined()) {  // one exponent per row
      const Tensor each = keep(x.c.expand_as(s_), kept_, -kNoBound);
      c = each.amax({dim_}, true);
      m = keep(m, kept_, 0) * (each - c).exp();
    }
    if (what == "max") return {keep(m, kept_, -kNoBound).amax({dim_}, true), c};
    if (what == "min") return {keep(m, kept_, kNoBound).amin({dim_}, true), c};
    const Tensor sum = keep(m, kept_, 0).sum(dim_, true);
    if (what == "sum") return {sum, c};
    return {sum / (kept_.defined() ? kept_.sum(dim_, true) : at::full({}, s_.size(dim_), s_.options())), c};
  }

  Tensor s_;
  std::int64_t dim_;
  Tensor kept_;
  std::function<ValueRange(const ScorePart&)> range_;
};

}  // namespace

ScoreFormula::ScoreFormula(const std::string& text, const Origin& origin, const std::map<std::string, double>& parameters)
    : expression_(Expression::parse(text, origin)), log_offset_(-kNoBound) {
  std::map<std::string, ValueRange> ranges;
  for (const auto& [name, value] : parameters) ranges[name] = {value, value};
  const auto ruled = [&](bool non_negative) {
    needs_non_negative_ = non_negative;
    rules_ = with_parameters(score_rules(non_negative), expression_, ranges);
    range_ = range_of_part(expression_.root());
  };
  with_parameters(score_rules(true), expression_, ranges);
  competitive_ = any_part(expression_.root(), is_reduction);
  bool everywhere = true;
  try {
    ruled(false);
    everywhere = !competitive_ || range_.low >= 0;
  } catch (const Error&) {
    everywhere = false;
  }
  if (!everywhere) ruled(true);  // otherwise the formula is valid only for scores >= 0
  prepare(expression_.root(), parameters);
  fold_signs(expression_.root());
  if (competitive_) check_weights();
  find_forms();
}

void ScoreFormula::check_weights() const {
  const auto& root = expression_.root();
  if (range_.low < 0) {
    expression_.fail(root, fmt::format("weights must not be negative, but can be {:g}", range_.low),
                     "use a numerator that is never negative: exp(s), max(s, 0), abs(s)");
  }
  const at::NoGradGuard no_grad;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 100; ++i) {
    const double size = std::exp(2 * normal(random));
    Tensor row = at::empty({1 + i % 8}, at::kDouble);
    for (std::int64_t k = 0; k < row.numel(); ++k) {
      const double score = size * normal(random);
      row.data_ptr<double>()[k] = needs_non_negative_ ? std::abs(score) : score;
    }
    const double sum = normalize(row, 0, {}).sum().item<double>();
    if (sum <= 1 + 1e-9) continue;
    expression_.fail(root, fmt::format("the weights of {} scores sum to {:g}", row.numel(), sum),
                     "they must sum to at most 1: divide by the sum of the numerator, as in exp(s) / sum(exp(s))");
  }
}

void ScoreFormula::find_forms() {
  const auto& root = expression_.root();
  if (root.what != "/" || range_of_part(root.parts[0]).low < 0) return;
  const auto& above = root.parts[0];
  std::vector<Part> terms, others;
  collect_terms(root.parts[1], terms);
  const auto without = [&](const Part& one) {
    others.clear();
    for (const auto& term : terms) {
      if (!same(term, one)) others.push_back(term);
    }
    return others.size() + 1 == terms.size();
  };
  if (without(above) && !others.empty()) {
    auto rest = sum_of(others);
    if (range_of_part(*rest).low >= 0) complement_ = std::move(rest);
  }
  if (any_part(above, is_reduction) || !uses_name(above, "s") || !without({"sum", 0.0, {above}, 0})) return;
  const auto changes = [](const Part& p) { return is_reduction(p) || uses_name(p, "s"); };
  const auto range = [&](const Part& p) { return range_of_part(p); };
  if (std::any_of(others.begin(), others.end(), changes) || SlopeOf(range).of(above) != Slope::kRising) return;
  weight_ = above;
  if (const auto rest = sum_of(others)) {
    const ValueRange offset = range_of_part(*rest);
    if (offset.low < 0) return weight_.reset();
    if (offset.high > 0) log_offset_ = ScaledValueOf(at::ones({}, at::kDouble), 0, {}, range).log(*rest).item<double>();
  }
}

template <class Body>
Tensor ScoreFormula::evaluated(const Tensor& scores, std::int64_t dim, const Tensor& mask, double masked, const Body& body) const {
  if (scores.numel() == 0) return scores.clone();
  Tensor s = scores.to(accumulation_type(scores.scalar_type())), kept;
  if (mask.defined()) {
    kept = mask.expand_as(scores);
    s = keep(s, kept, 1);
    if (competitive_) kept = kept.logical_or(kept.any(dim, true).logical_not());
  }
  if (needs_non_negative_) check_non_negative(s, "formula");
  const ScaledValueOf values(s, dim, kept, [this](const Part& p) { return range_of_part(p); });
  return keep(body(values).expand_as(scores).to(scores.scalar_type()), mask, masked);
}

Tensor ScoreFormula::normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const {
  return evaluated(scores, dim, mask, 0, [&](const ScaledValueOf& values) { return values.value(expression_.root()); });
}

Tensor ScoreFormula::log_normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const {
  if (range_.low < 0) {
    expression_.fail(expression_.root(), fmt::format("it has no logarithm: its values can be {:g}", range_.low),
                     "a loss needs the logarithm: use softermax or soft_sigmoid, or a formula that is never negative");
  }
  return evaluated(scores, dim, mask, -kNoBound, [&](const ScaledValueOf& values) { return values.log(expression_.root()); });
}

Tensor ScoreFormula::log_complement(const Tensor& scores, std::int64_t dim, const Tensor& mask) const {
  if (complement_) {
    return evaluated(scores, dim, mask, 0,
                     [&](const ScaledValueOf& values) { return values.log(*complement_) - values.log(expression_.root().parts[1]); });
  }
  if (!competitive_ && range_.high > 1) {
    expression_.fail(expression_.root(), fmt::format("1 minus it has no logarithm: its values can be {:g}", range_.high),
                     "write it as a / (a + b), such as s / (s + 1), or keep it below 1");
  }
  return {};
}

Tensor ScoreFormula::log_weight(const Tensor& scores) const {
  if (!weight_) return {};
  if (needs_non_negative_) check_non_negative(scores, "formula");
  const ScaledValueOf values(scores, -1, {}, [this](const Part& p) { return range_of_part(p); });
  const Tensor logs = values.log(*weight_);
  return range_of_part(*weight_).positive() ? logs : keep(logs, values.value(*weight_) > 0, kNoShare);
}

}  // namespace yatlab
