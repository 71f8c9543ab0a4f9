#pragma once

#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// Positions and labels of ticks on a linear axis: steps of 1, 2, 2.5 or 5 times a power of ten, at most `most`
/// of them, all inside [low, high]. Labels share their decimals; `percent` multiplies by 100. Minus is U+2212.
std::vector<std::pair<double, std::string>> linear_ticks(double low, double high, int most, bool percent = false);

/// On a logarithmic axis (low > 0): whole decades ("10^{-5}" in gnuplot's enhanced notation, plain from 0.01 to
/// 1000), every second or third if there are many; 1, 2, 5 multiples when fewer than two decades are shown.
std::vector<std::pair<double, std::string>> log_ticks(double low, double high, int most);

}  // namespace yatlab
