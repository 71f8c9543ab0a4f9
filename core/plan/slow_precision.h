#pragma once

#include <string>

#include "core/base/node.h"
#include "core/system/cpu.h"

namespace yatlab {

/// Names the precision in a job's frozen config for which the CPU has no instructions, and the setting to use instead; empty if nothing is slow.
/// Emulated bfloat16 gives the same losses (docs/language_models.md), but its conversions cost more than they save.
std::string slow_precision(const Node& frozen, const CpuFlags& cpu);

}  // namespace yatlab
