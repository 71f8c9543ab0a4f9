#pragma once

#include <cstddef>
#include <vector>

#include "core/compose/search.h"

namespace yatlab {

/// Whether a trial's value says how good its point is: completed or pruned, and a finite number.
bool has_value(const Trial& trial);

/// Sorts `indices` into `trials`, the best first: completed ones by value, pruned ones by value, then those that failed, still run or have no finite
/// number for a value. Equal ones stay in the order in which they were asked for.
void best_first(const std::vector<Trial>& trials, std::vector<std::size_t>& indices);

}  // namespace yatlab
