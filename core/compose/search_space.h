#pragma once

#include <optional>
#include <vector>

#include "core/compose/search.h"
#include "core/config/sweep.h"

namespace yatlab {

/// What the dimensions of a sweep are to a search: ranges as they are; lists of ascending numbers by their position, so that neighbours count as
/// near; every other list, and zips, as choices without order.
SearchSpace space_of(const std::vector<Dimension>& dimensions);

/// What a point of that space sets.
SweepPoint sweep_point(const std::vector<Dimension>& dimensions, const SearchPoint& point);

/// The point of that space at which keys have these values (absent keys: NaN); nothing where a value is none of its list.
std::optional<SearchPoint> search_point(const std::vector<Dimension>& dimensions, const std::vector<std::pair<std::string, Node>>& values);

/// How many points there are, where that is a number.
std::optional<std::size_t> points_in(const std::vector<Dimension>& dimensions);

}  // namespace yatlab
