#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"

namespace yatlab {

/// The run's machine-readable result, documented in docs/results.md. A pure function of the run directory: the same run gives the same bytes.
nlohmann::ordered_json build_summary(const RunView& run, const ReportConfig& config);

/// A summary as text, indented by two blanks, with a final newline; a list of numbers is one line.
std::string summary_text(const nlohmann::ordered_json& summary);
/// The same of `build_summary`.
std::string summary_text(const RunView& run, const ReportConfig& config);

/// What an entry of `comparisons` or `paper` is about, without its values: different for each entry of a list.
std::string subject_of(const nlohmann::ordered_json& entry);

/// Rewrites `comparisons` and `paper` of a recorded summary by the present rules. Measurements stay, and so do comparisons that the experiment no
/// longer makes: without the run, nothing is removed.
void renew_summary(const fs::path& summary, const RunView& run, const ReportConfig& config);

}  // namespace yatlab
