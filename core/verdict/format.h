#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/metric_doc.h"
#include "core/base/node.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// The names that configs use, in the order of the enum: number, signed, percent, ...
const std::vector<std::pair<std::string, NumberFormat>>& number_formats();

bool is_percent(NumberFormat format);

/// Decimals for a mean with its spread: the smallest nonzero std keeps one significant digit, or two if the first is a 1; at most 2 for percentages
/// and 4 otherwise. Without any std: 2 for percentages, 0 for integers, and otherwise enough for 4 significant digits of the largest value. `stds`
/// and `values` are in the metric's own unit (0.923, not 92.3).
int decimals_for(NumberFormat format, const std::vector<double>& stds, const std::vector<double>& values);

/// As many more as an end of an interval that excludes 0 needs to differ from 0: "[−0.12, −0.004]".
int decimals_beside_zero(NumberFormat format, int decimals, const Interval& interval);

/// One value, without its unit: "92.30", "+13.1". Minus is U+2212; "-0.0" loses its sign. NaN: "nan".
std::string format_value(double value, NumberFormat format, int decimals);
/// A value with the precision of its source: "92.08" for 0.9208 as a percentage.
std::string format_exact(double value, NumberFormat format);
/// A difference of two values, always signed, without unit.
std::string format_difference(double value, NumberFormat format, int decimals);
/// " %" or "".
std::string unit(NumberFormat format);
/// "p = 0.012", "p < 0.001"
std::string format_p(double p);
/// "1e-5", "0.3", "true", "sqrt_n_over_log", "normal (std 0.3)": a swept value for display. Six digits, or enough to read back the same number, so
/// that different values never look alike.
std::string format_parameter(const Node& value);

}  // namespace yatlab
