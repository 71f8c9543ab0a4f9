#pragma once

#include <string>

#include "core/plan/plan.h"

namespace yatlab {

/// The name of a run's folder: start time, scale (unless full), overrides of results and seeds, and the beginning of its plan's hash:
/// "2026-11-22_09-30-00-smoke-epsilon=0.1-no-linear-ab12cd". Only letters, digits and "._=,+-"; at most 120 characters: overrides that do not fit are
/// counted ("-and-3-more").
std::string run_name(const Plan& plan, const std::string& stamp);

/// Whether a run is the experiment as in its file: at full scale, without overrides that change results (seeds may differ).
bool is_full(const Plan& plan);

}  // namespace yatlab
