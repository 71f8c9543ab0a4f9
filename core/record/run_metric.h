#pragma once

#include <string>

namespace yatlab {

/// Whether a metric describes the run itself (run/samples_per_s, run/diverged), so that diverged jobs have it too.
inline bool describes_run(const std::string& metric) { return metric.rfind("run/", 0) == 0; }

}  // namespace yatlab
