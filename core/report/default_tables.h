#pragma once

#include <vector>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"

namespace yatlab {

/// What is tabulated that the experiment does not spell out. Without `tables`, one of what those that measured it say is to be shown, else of what
/// was measured on the test split, and of the paper's numbers; of a search at each arm's best point. Of a search also its trials, in the
/// order in which they were asked for. Nothing for statements, which have tables of their own.
std::vector<TableSpec> default_tables(const RunView& run, const ReportConfig& config);

/// The tables that the experiment spells out, then those.
std::vector<TableSpec> all_tables(const RunView& run, const ReportConfig& config);

}  // namespace yatlab
