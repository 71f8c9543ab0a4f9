#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/experiment/check_arm.h"
#include "core/report/config.h"

namespace yatlab {

/// Refuses tables, comparisons, numbers of the paper and figures that name what no arm measures: after hours of training they would be
/// empty. `experiment` is what `report` was read from. Returns notices: entries of `metrics` that nothing measures.
std::vector<std::string> check_names(const Node& experiment, const ReportConfig& report, const std::map<std::string, ArmNames>& arms);

}  // namespace yatlab
