#pragma once

#include <string>
#include <vector>

#include "core/report/report_parts.h"

namespace yatlab {

constexpr std::size_t kLinesAfterRun = 24;  ///< and one that says where the report is

/// What a run's terminal shows when its jobs are over, in `kLinesAfterRun` lines where the tables allow it: tables without what only the
/// page has room for, which arms are best, how many of the paper's numbers agree, the notes of all tables once, what could not be
/// reported. Numbers that cannot be compared with the paper stand without the paper's. The first table is always shown whole.
std::string text_after_run(const RunView& run, const ReportContents& contents, const std::vector<std::string>& problems, const TextStyle& style);

}  // namespace yatlab
