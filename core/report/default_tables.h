#pragma once

#include <vector>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"

namespace yatlab {

/// The default tables, added to those in the experiment. Without `tables`: one with the metrics that their components mark as shown, else those
/// measured on the test split, and those of the paper's numbers (all metrics if that selects none); for a search at each arm's best point. For a
/// search also its trials, in the order in which they were proposed. Empty for statements, which have their own tables.
std::vector<TableSpec> default_tables(const RunView& run, const ReportConfig& config);

/// The experiment's own tables, then the default ones.
std::vector<TableSpec> all_tables(const RunView& run, const ReportConfig& config);

}  // namespace yatlab
