#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/compose/search.h"

namespace yatlab {

/// The value of a parameter at `unit` in [0, 1): of a real rounded as `readable` does, of an integer or a choice the one in whose share `unit`
/// lies. Integers and choices have equal shares; integers with `log` have those between half below and half above on the logarithmic scale.
/// With `cells`, a real has as many digits as it takes to stay in that of so many equal intervals of [0, 1) in which `unit` lies.
double from_unit(const SearchParameter& parameter, double unit, double cells = 0);

/// Where in [0, 1) a value lies; integers and choices are in the middle of their share. NaN stays NaN; what is out of range is brought into it.
double to_unit(const SearchParameter& parameter, double value);

/// The share of [0, 1) that an integer or a choice has: from, to.
std::pair<double, double> unit_share(const SearchParameter& parameter, double value);

/// A real to four significant digits, as it is to stand in commands; to more where that would leave [low, high) or move it by a thousandth of
/// the range.
double readable(const SearchParameter& parameter, double value);

/// The values at a point of the unit cube.
SearchPoint from_unit(const SearchSpace& space, const std::vector<double>& unit, double cells = 0);

/// Any number, brought into [0, 1) by mirrors at every whole number.
double mirrored(double x);

/// Of the numbers that are mirrored to `unit` the one nearest to `x`.
double unmirrored(double unit, double x);

/// What `draw` gives first that the space allows. Throws a config error after 10,000 draws.
SearchPoint draw_allowed(const SearchSpace& space, const std::function<SearchPoint()>& draw);

}  // namespace yatlab
