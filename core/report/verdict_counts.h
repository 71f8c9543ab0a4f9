#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/report/report_parts.h"

namespace yatlab {

/// What the rows of a scorecard come to. A measurement that is judged by several rows counts once, with the verdict that says the least
/// for the paper; closed forms and counts, which no training enters, stand apart.
struct Tally {
  struct Part {
    std::size_t counted = 0, rows = 0;
    std::vector<std::pair<std::string, std::size_t>> verdicts;  ///< in the order of all_verdicts; "not run" last
  };
  Part measured, formulas;
};
Tally tally_of(const std::vector<Score>& scores);

/// "9 measurements (13 numbers): 4 reproduced, 2 differs. 1 closed form or count (16 numbers): 1 reproduced."
std::string tally_text(const Tally& tally);

}  // namespace yatlab
