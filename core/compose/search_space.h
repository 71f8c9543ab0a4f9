#pragma once

#include <optional>
#include <vector>

#include "core/compose/search.h"
#include "core/config/sweep.h"

namespace yatlab {

/// Converts the dimensions of a sweep into a search space. Ranges stay ranges. Lists of ascending numbers are searched by position, so that
/// neighbours count as near. All other lists, and zips, are unordered choices.
SearchSpace space_of(const std::vector<Dimension>& dimensions);

/// The overrides for a point of that space.
SweepPoint sweep_point(const std::vector<Dimension>& dimensions, const SearchPoint& point);

/// The point of that space at which the keys have these values (absent keys: NaN); nullopt if a value is not in its list.
std::optional<SearchPoint> search_point(const std::vector<Dimension>& dimensions, const std::vector<std::pair<std::string, Node>>& values);

/// The number of points; nullopt if it is infinite or more than 1e9.
std::optional<std::size_t> points_in(const std::vector<Dimension>& dimensions);

}  // namespace yatlab
