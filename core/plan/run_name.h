#pragma once

#include <string>

#include "core/plan/plan.h"

namespace yatlab {

/// The name of a run's folder: when it was begun, its scale where that is not the full one, what was overridden of results and seeds, and the
/// beginning of its plan's hash: "2026-11-22_09-30-00-smoke-epsilon=0.1-no-linear-ab12cd". Letters, digits and "._=,+-" alone; at most 120
/// characters: what does not fit is counted ("-and-3-more").
std::string run_name(const Plan& plan, const std::string& stamp);

/// Whether a run is the experiment as its file has it: at full scale, and nothing overridden that changes results (seeds may be).
bool is_full(const Plan& plan);

}  // namespace yatlab
