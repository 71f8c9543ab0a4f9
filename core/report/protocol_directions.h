#pragma once

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"
#include "core/table/comparisons.h"

namespace yatlab {

/// A direction under a fitted protocol, judged over the protocols of the recorded sweep instead (docs/results.md, Directions under a fitted
/// protocol): changes the line's verdict and why. `sweep`: null where it is not recorded. Other lines stay.
void judge_over_protocols(ComparisonLine& line, const Fitted& fitted, const RunView* sweep);

/// Writes `comparisons` and `paper` of a summary anew, as the rules are now; what was measured stays.
void rewrite_judgements(const fs::path& summary, const RunView& run, const ReportConfig& config, const RunView* sweep);

}  // namespace yatlab
