#pragma once

#include <string>

#include "core/base/node.h"
#include "core/system/cpu.h"

namespace yatlab {

/// What a job's frozen config asks of a CPU that has no instructions for it, and what to set instead; empty where nothing is slow.
/// bfloat16 gives the same losses there (docs/language_models.md), by conversions that cost more than they save.
std::string slow_precision(const Node& frozen, const CpuFlags& cpu);

}  // namespace yatlab
