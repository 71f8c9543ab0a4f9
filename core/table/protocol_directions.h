#pragma once

#include <cstddef>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"
#include "core/table/comparisons.h"

namespace yatlab {

/// Whether a direction or number is found under nearly all recorded protocols (9 of 10 or more), nearly none (1 of 10 or fewer), or some.
enum class AmongProtocols { kNearlyAll, kSome, kNearlyNone };
AmongProtocols among_protocols(std::size_t count, std::size_t all);

/// Judges a direction under a fitted protocol over the protocols of its sweep instead (docs/results.md, Directions under a fitted protocol): changes
/// the line's verdict and why. `sweep`: null if it is not at hand. Leaves other lines unchanged.
void judge_over_protocols(ComparisonLine& line, const Fitted& fitted, const RunView* sweep);

}  // namespace yatlab
