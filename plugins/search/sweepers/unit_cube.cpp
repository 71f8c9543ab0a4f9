#include "plugins/search/sweepers/unit_cube.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"

namespace yatlab {
namespace {

using Kind = SearchParameter::Kind;

constexpr int kDraws = 10000;
constexpr double kBelowOne = 1 - 0x1p-53;

/// The range that `unit` in [0, 1) maps to: for integers it extends by half a step at both ends, so that each has its share.
struct Ends {
  double low, high;
};

Ends ends(const SearchParameter& p) {
  switch (p.kind) {
    case Kind::kChoice:
      return {-0.5, static_cast<double>(p.choices) - 0.5};
    case Kind::kInteger:
      return {p.low - 0.5, p.high + 0.5};
    case Kind::kReal:
      break;
  }
  return {p.low, p.high};
}

bool on_log_scale(const SearchParameter& p) { return p.log && p.kind != Kind::kChoice; }

/// Neither rounded nor clamped to the range.
double place(const SearchParameter& p, double value) {
  const auto [low, high] = ends(p);
  if (!(high > low)) return 0;
  return on_log_scale(p) ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

double rounded(double value, int digits) {
  const auto text = fmt::format("{:.{}g}", value, digits);
  double out = value;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

/// The shortest decimal, of at least four digits, that is in [low, high) and whose place satisfies `fits`; else the value itself.
template <class Fits>
double shortest_that(const SearchParameter& p, double value, const Fits& fits) {
  for (int digits = 4; digits < 17; ++digits) {
    const double out = rounded(value, digits);
    if (out >= p.low && out < p.high && fits(place(p, out))) return out;
  }
  return value;
}

/// Smallest distance of a rounded value from the ends of its cell, in cells, so that rounding errors do not decide the side.
constexpr double kCellMargin = 1e-6;

}  // namespace

double readable(const SearchParameter& p, double value) {
  const double at = place(p, value);
  return shortest_that(p, value, [&](double other) { return std::abs(other - at) <= 1e-3; });
}

double from_unit(const SearchParameter& p, double unit, double cells) {
  const auto [low, high] = ends(p);
  double value = on_log_scale(p) ? low * std::pow(high / low, unit) : low + unit * (high - low);
  if (p.kind != Kind::kReal) return std::clamp(std::floor(value + 0.5), low + 0.5, high - 0.5);
  value = std::clamp(value, low, std::max(low, std::nextafter(high, low)));  // floating-point error may exceed the ends
  if (cells == 0) return readable(p, value);
  const double cell = std::floor(unit * cells);
  return shortest_that(p, value, [&](double other) { return std::abs(other * cells - cell - 0.5) < 0.5 - kCellMargin; });
}

std::pair<double, double> unit_share(const SearchParameter& p, double value) {
  return {std::clamp(place(p, value - 0.5), 0.0, 1.0), std::clamp(place(p, value + 0.5), 0.0, 1.0)};
}

double to_unit(const SearchParameter& p, double value) {
  if (std::isnan(value)) return value;
  const auto [low, high] = ends(p);
  if (p.kind == Kind::kReal) return std::clamp(place(p, std::clamp(value, low, high)), 0.0, kBelowOne);
  const auto [from, to] = unit_share(p, std::clamp(value, low + 0.5, high - 0.5));
  return std::min((from + to) / 2, kBelowOne);
}

SearchPoint from_unit(const SearchSpace& space, const std::vector<double>& unit, double cells) {
  SearchPoint out(space.parameters.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = from_unit(space.parameters[i], unit[i], cells);
  return out;
}

double mirrored(double x) {
  const double at = x - 2 * std::floor(x / 2);
  return std::min(at < 1 ? at : 2 - at, kBelowOne);
}

double unmirrored(double unit, double x) {
  const double same = unit + 2 * std::round((x - unit) / 2);
  const double other = -unit + 2 * std::round((x + unit) / 2);
  return std::abs(same - x) <= std::abs(other - x) ? same : other;
}

SearchPoint draw_allowed(const SearchSpace& space, const std::function<SearchPoint()>& draw) {
  for (int i = 0; i < kDraws; ++i) {
    auto point = draw();
    if (!space.allowed || space.allowed(point)) return point;
  }
  std::string names;
  for (const auto& p : space.parameters) names += (names.empty() ? "" : ", ") + p.name;
  throw config_error(fmt::format("none of {} points of the search satisfied its condition", kDraws), names,
                     "the condition allows no values, or almost none", "widen the ranges of these parameters, or the condition");
}

}  // namespace yatlab
