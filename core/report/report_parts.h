// What the report of a run and the report of the paper share. Not part of the public interface.
#pragma once

#include "core/report/config.h"
#include "core/report/figure.h"
#include "core/report/report.h"
#include "core/report/run_view.h"

namespace yatlab {

/// Tables and figures of a run, written below `directory`.
Report report_run(const RunView& run, const ReportConfig& config, const fs::path& directory,
                  const ReportOptions& options);

/// The figures that a spec asks for. Throws when the run lacks what they show.
std::vector<Figure> draw_figures(const RunView& run, const ReportConfig& config, const FigureSpec& spec);

}  // namespace yatlab
