#pragma once

#include "core/experiment/report_config.h"
#include "core/plan/plan.h"

namespace yatlab {

/// Throws for tables and numbers of the paper `at:` a point that the plan lacks, which would show nothing, and for titles in `parameters:` of keys
/// that no job has. Points that only the command line or the scale removed become notices.
void check_points(Plan& plan, const ReportConfig& report);

}  // namespace yatlab
