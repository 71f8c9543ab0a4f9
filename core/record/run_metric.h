#pragma once

#include <string>

namespace yatlab {

/// Whether a metric says something of the run itself (run/samples_per_s, run/diverged): it is known of diverged jobs too.
inline bool describes_run(const std::string& metric) { return metric.rfind("run/", 0) == 0; }

}  // namespace yatlab
