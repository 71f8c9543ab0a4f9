#pragma once

#include <vector>

#include "core/report/config.h"
#include "core/report/run_view.h"

namespace yatlab {

/// What a sweep is drawn as where the experiment's figures show none of its parameters: lines for one parameter, a heat map for two,
/// parallel coordinates and importance for more; of the metric that its first table leads with. Nothing for studies, whose parts are no sweep.
std::vector<FigureSpec> default_figures(const RunView& run, const ReportConfig& config);

}  // namespace yatlab
