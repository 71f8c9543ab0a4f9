#pragma once

#include <vector>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"

namespace yatlab {

/// The settings for a run's report from its config. For a search, tables without `rows` show each arm at its best point, by the search's metric.
ReportConfig report_config(const RunView& run);

/// The default figures, added to those in the experiment. For a search: its history, a slice for each parameter, importance if there are several. For
/// a sweep, if the experiment's figures show none of its parameters: lines for one parameter, a heat map for two, parallel coordinates and importance
/// for more; they show the first table's leading metric; not for studies, whose parts are not a sweep. For an experiment without figures: learning
/// curves, and every kind of figure whose artifact its jobs have written.
std::vector<FigureSpec> default_figures(const RunView& run, const ReportConfig& config);

/// The experiment's own figures, then the default ones.
std::vector<FigureSpec> all_figures(const RunView& run, const ReportConfig& config);

}  // namespace yatlab
