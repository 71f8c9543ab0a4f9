#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/ticks.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// Colours and level lines suited to a field of responses: diverging about 0 if it has both signs, logarithmic over three
/// decades if it is never negative and has peaks, else linear; the lowest 2 % of negative fields share a colour.
inline void scale_responses(const Heat& grid, ColorScale& colors, std::vector<double>& levels) {
  std::vector<double> sorted;
  for (double v : grid.values) {
    if (std::isfinite(v)) sorted.push_back(v);
  }
  if (sorted.empty()) sorted = {0, 1};
  std::sort(sorted.begin(), sorted.end());
  auto [low, high] = finite_limits(sorted);
  const double middle = percentile(sorted, 0.5);
  colors.log = false;
  if (low < 0 && high > 0) {
    colors.map = ColorMap::kDiverging;
    high = std::max(-low, high);
    low = -high;
  } else {
    colors.map = ColorMap::kLight;
    if (low >= 0 && high > 10 * middle) {
      colors.log = true;
      high = std::pow(10, std::ceil(std::log10(high) * 3 - 1e-9) / 3);
      low = high / 1000;
    } else if (high <= 0) {
      low = percentile(sorted, 0.02);
    }
  }
  colors.min = low;
  colors.max = high;
  levels.clear();
  if (colors.log) {
    for (double decade = std::pow(10, std::floor(std::log10(low))); decade < high; decade *= 10) {
      for (double m : {1.0, 2.0, 5.0}) {
        if (decade * m > low && decade * m < high) levels.push_back(decade * m);
      }
    }
  } else {
    for (const auto& tick : linear_ticks(low, high, 13)) levels.push_back(tick.first);
  }
}

/// "logarithmic", "linear": for captions.
inline const char* scale_word(const ColorScale& colors) { return colors.log ? "logarithmic" : "linear"; }

}  // namespace yatlab
