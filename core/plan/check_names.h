#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/plan/arm_names.h"

namespace yatlab {

using MeasuredArms = std::map<std::string, ArmNames>;

/// Refuses tables, comparisons, numbers of the paper and figures that name what no arm measures: after hours of training they would be
/// empty. `experiment` is what `report` was read from. Returns notices: of names that the experiment's own file would measure and this run,
/// with an arm less or other data, does not (`as_written` is asked then), and of entries of `metrics` that nothing measures.
std::vector<std::string> check_names(const Node& experiment, const ReportConfig& report, const MeasuredArms& arms,
                                     const std::function<MeasuredArms()>& as_written);

}  // namespace yatlab
