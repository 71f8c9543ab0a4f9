#pragma once

#include <vector>

#include "core/figure/figure.h"

namespace yatlab {

/// A curve through points; closed ones end where they begin.
struct Polyline {
  std::vector<double> x, y;
};

/// Where the values of a grid, taken at the middles of its cells and interpolated between them, equal `level`
/// (marching squares; saddles are told apart by the mean of their four corners). Squares with a value that is not
/// finite are left out, so that curves end there. In axis units, always in the same order.
std::vector<Polyline> contour_lines(const Heat& grid, double level);

}  // namespace yatlab
