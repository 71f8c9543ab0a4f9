#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// Positions and labels of ticks on a linear axis: steps of 1, 2, 2.5 or 5 times a power of ten, at most `most`
/// of them, all inside [low, high]. Labels share their decimals; `percent` multiplies by 100. Minus is U+2212.
std::vector<std::pair<double, std::string>> linear_ticks(double low, double high, int most, bool percent = false);

/// On a logarithmic axis (low > 0), three or more wherever labels have room: whole decades, or every second or third of many ("10^{-5}" in gnuplot's
/// enhanced notation, plain where all of the axis lies between 0.01 and 5000); 1, 2 and 5 times those when few decades are shown; round steps within less than that.
/// `apart` says of two neighbours whether their labels have room.
std::vector<std::pair<double, std::string>> log_ticks(
    double low, double high, int most, bool percent = false,
    const std::function<bool(const std::pair<double, std::string>&, const std::pair<double, std::string>&)>& apart = {});

}  // namespace yatlab
