#pragma once

#include "core/experiment/report_config.h"
#include "core/plan/plan.h"

namespace yatlab {

/// Refuses tables and numbers of the paper `at:` a point that the plan does not have, which would show nothing, and titles in `parameters:` of keys
/// that no job has. Points that only the command line or the scale took away become notices.
void check_points(Plan& plan, const ReportConfig& report);

}  // namespace yatlab
