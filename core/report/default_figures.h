#pragma once

#include <vector>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"

namespace yatlab {

/// What a run's config asks its report for. Where the run searched, tables that say nothing of their rows show each arm at its best point, by what was
/// searched for.
ReportConfig report_config(const RunView& run);

/// What is drawn that the experiment does not spell out. Of a search: its history, a slice for each parameter, importance where there are
/// several. Of a sweep, where the experiment's figures show none of its parameters: lines for one parameter, a heat map for two, parallel
/// coordinates and importance for more; of the metric that its first table leads with, not for studies, whose parts are not sweep. Of an
/// experiment without figures: learning curves, and every kind of figure whose artifact its jobs have left.
std::vector<FigureSpec> default_figures(const RunView& run, const ReportConfig& config);

/// The figures that the experiment spells out, then those.
std::vector<FigureSpec> all_figures(const RunView& run, const ReportConfig& config);

}  // namespace yatlab
