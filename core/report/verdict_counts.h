#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/report/report_parts.h"

namespace yatlab {

/// The totals of a scorecard. A measurement judged by several rows counts once, with the verdict that supports the paper least; closed forms and
/// counts, which involve no training, are separate.
struct VerdictCounts {
  struct Part {
    std::size_t counted = 0, rows = 0;
    std::vector<std::pair<std::string, std::size_t>> verdicts;  ///< in the order of all_verdicts; "not run" last
  };
  Part measured, formulas;
};
/// Equal for two numbers of one measurement: the same values of the same metric, in any table, or one formula. `id`: of a number without values.
std::string measurement_name(const std::string& id, const std::string& arm, const std::string& metric, const std::string& formula,
                             const std::vector<double>& values);

VerdictCounts count_verdicts(const std::vector<Score>& scores);

/// "9 measurements (13 numbers): 4 reproduced, 2 differ. 1 closed form or count (16 numbers): 1 reproduced."
std::string verdict_counts_text(const VerdictCounts& counts);

}  // namespace yatlab
