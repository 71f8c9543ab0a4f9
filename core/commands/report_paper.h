#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"
#include "core/report/report.h"

namespace yatlab::cli {

/// `yatlab report [PAPER]`: the report of a paper. It plans every experiment of the paper, to know the numbers of those that were
/// never run, so only `yatlab-torch` implements it. `arguments`: those that `args` was parsed from.
int report_paper(const Command& self, const std::vector<std::string>& arguments, const Arguments& args, const ReportOptions& options);

}  // namespace yatlab::cli
