#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/compose/search.h"

namespace yatlab {

/// The value of a parameter at `unit` in [0, 1): a real is rounded as by `readable`; an integer or a choice is the one whose share contains
/// `unit`. Integers and choices have equal shares; integers with `log` extend from half below to half above on the logarithmic scale.
/// With `cells`, a real has enough digits to stay in the same one of that many equal intervals of [0, 1) as `unit`.
double from_unit(const SearchParameter& parameter, double unit, double cells = 0);

/// The place of a value in [0, 1); integers and choices map to the middle of their share. NaN stays NaN; values out of range are clamped.
double to_unit(const SearchParameter& parameter, double value);

/// The share of [0, 1) of an integer or a choice: from, to.
std::pair<double, double> unit_share(const SearchParameter& parameter, double value);

/// A real rounded to four significant digits, as written in commands; to more where that would leave [low, high) or move it by a thousandth of the
/// range.
double readable(const SearchParameter& parameter, double value);

/// The values at a point of the unit cube.
SearchPoint from_unit(const SearchSpace& space, const std::vector<double>& unit, double cells = 0);

/// Any number, mapped into [0, 1) by reflection at every whole number.
double mirrored(double x);

/// Of the numbers that `mirrored` maps to `unit`, the one nearest to `x`.
double unmirrored(double unit, double x);

/// The first result of `draw` that the space allows. Throws a config error after 10,000 draws.
SearchPoint draw_allowed(const SearchSpace& space, const std::function<SearchPoint()>& draw);

}  // namespace yatlab
