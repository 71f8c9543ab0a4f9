#pragma once

#include <string>

#include "core/base/node.h"
#include "core/system/cpu.h"

namespace yatlab {

/// Names the precision in a job's frozen config for which the CPU has no fast instructions, and the setting to use instead; empty if nothing is slow.
/// bfloat16 gives the same losses there (docs/language_models.md), but takes longer than float32.
std::string slow_precision(const Node& frozen, const CpuFlags& cpu);

}  // namespace yatlab
