#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/plan/arm_names.h"

namespace yatlab {

using MeasuredArms = std::map<std::string, ArmNames>;

/// Throws for tables, comparisons, numbers of the paper and figures whose names no arm measures: they would be empty after hours of training.
/// `experiment` is the node that `report` was read from. Returns notices: names that the experiment's own file would measure but this run, with fewer
/// arms or other data, does not (calls `as_written`); and entries of `metrics` that nothing measures.
std::vector<std::string> check_names(const Node& experiment, const ReportConfig& report, const MeasuredArms& arms,
                                     const std::function<MeasuredArms()>& as_written);

}  // namespace yatlab
