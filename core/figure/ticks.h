#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// Positions and labels of ticks on a linear axis: steps of 1, 2, 2.5 or 5 times a power of ten, at most `most` of them, all inside [low, high].
/// Labels have equal numbers of decimals; `percent` multiplies by 100. Minus is U+2212.
std::vector<std::pair<double, std::string>> linear_ticks(double low, double high, int most, bool percent = false);

/// Ticks on a logarithmic axis (low > 0), three or more wherever labels have room. Over many decades: whole decades, or every second or third
/// ("10^{-5}" in gnuplot's enhanced notation, plain if the whole axis is between 0.01 and 5000). Over few: 1, 2 and 5 times those. Below one decade:
/// round steps. `apart` returns whether the labels of two neighbours have room.
std::vector<std::pair<double, std::string>> log_ticks(
    double low, double high, int most, bool percent = false,
    const std::function<bool(const std::pair<double, std::string>&, const std::pair<double, std::string>&)>& apart = {});

}  // namespace yatlab
