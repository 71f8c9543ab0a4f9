#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"

namespace yatlab {

/// The run's machine-readable result, as docs/results.md documents it. A pure function of the run
/// directory: the same run gives the same bytes.
nlohmann::ordered_json build_summary(const RunView& run, const ReportConfig& config);

/// `build_summary` as text, indented by two blanks, with a final newline.
std::string summary_text(const RunView& run, const ReportConfig& config);

}  // namespace yatlab
