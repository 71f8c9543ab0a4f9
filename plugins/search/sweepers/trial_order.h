#pragma once

#include <cstddef>
#include <vector>

#include "core/compose/search.h"

namespace yatlab {

/// Whether a trial's value measures its point: completed or pruned, and a finite number.
bool has_value(const Trial& trial);

/// Sorts `indices` into `trials`, the best first: completed ones by value, pruned ones by value, then those that failed, are still running or have
/// no finite value. Ties keep the order in which the trials were proposed.
void best_first(const std::vector<Trial>& trials, std::vector<std::size_t>& indices);

}  // namespace yatlab
