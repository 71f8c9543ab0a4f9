#pragma once

#include <string>
#include <string_view>

namespace yatlab {

/// Rows of a log (lines of metrics.jsonl) by column, which a browser reads much faster than lines: a line {"rows": n, "names": [...]},
/// padded to a multiple of 8 bytes, then n doubles for each name. NaN: not in that row. Infinity: in that row, but not a finite number.
/// Lines that are not rows are skipped.
std::string log_columns(std::string_view lines);

}  // namespace yatlab
