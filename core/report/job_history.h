#pragma once

#include <string>

#include "core/base/files.h"

namespace yatlab {

/// Where a job logs its metrics while it trains.
fs::path history_file(const fs::path& job_directory);

/// How a finished job's metrics.jsonl differs from what the job wrote (manifest.json); "" when it does not, and for a job without a manifest, which is
/// not finished. Every byte is read.
std::string damage_of_history(const fs::path& job_directory);

}  // namespace yatlab
