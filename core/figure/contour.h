#pragma once

#include <vector>

#include "core/figure/figure.h"

namespace yatlab {

/// A curve through points; closed ones end where they begin.
struct Polyline {
  std::vector<double> x, y;
};

/// The lines where the values of a grid, located at cell centres and interpolated between them, equal `level` (marching squares; saddles are resolved
/// by the mean of their four corners). Squares with a value that is not finite are skipped, so curves end there. In axis units, always in the same
/// order.
std::vector<Polyline> contour_lines(const Heat& grid, double level);

}  // namespace yatlab
