#pragma once

#include <string>
#include <vector>

#include "core/report/report_parts.h"

namespace yatlab {

constexpr std::size_t kLinesAfterRun = 24;  ///< plus one with the location of the report

/// The text in the terminal after a run, in `kLinesAfterRun` lines if the tables allow it: tables without details that only the page has room for,
/// which arms are best, how many of the paper's numbers agree, the notes of all tables once, and reporting problems. Numbers that are not comparable
/// with the paper appear without the paper's. The first table is always shown whole.
std::string text_after_run(const RunView& run, const ReportContents& contents, const std::vector<std::string>& problems,
                           const TextStyle& style);

}  // namespace yatlab
