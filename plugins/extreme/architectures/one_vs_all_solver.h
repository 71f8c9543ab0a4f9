#pragma once

#include <cstdint>
#include <vector>

#include "plugins/extreme/architectures/sparse_lanes.h"

namespace yatlab {

struct OneVsAllOptions {
  enum class Loss { kSquaredHinge, kLogistic };
  Loss loss = Loss::kSquaredHinge;
  double c = 1;             ///< weight of the losses against the regulariser
  double bias = 1;          ///< value of an added constant feature, whose weight is regularised like the others; 0: none
  double tolerance = 0.01;  ///< see solve_one_vs_all
  int max_newton = 100, max_cg = 50;
};

/// Details of a solution, for each lane.
struct OneVsAllReport {
  std::vector<double> objective, gradient_norm;  ///< at the solution
  std::vector<bool> converged;
  int newton = 0, products = 0;  ///< Newton steps; passes over all or some of the rows
};

/// Trains up to sixteen binary linear classifiers on the same rows at once. positives[l] (at most 16 lists, ascending)
/// holds the positive rows of classifier l. -> [features + 1, 16] weights, the last row for the constant feature.
///
/// Each lane minimises, independently,
///
///     F(w) = |w|^2 / 2 + c * sum over rows i of loss(y_i w.x_i),   y_i = +1 or -1,
///
/// with the squared hinge max(0, 1 - m)^2 or the logistic loss ln(1 + e^-m), by Newton's method: conjugate gradients for
/// the step, then a backtracking line search (Armijo). A lane has converged when |grad F| <= tolerance times the norm of
/// the gradient of its positive rows alone at w = 0 (at least that of one row of unit length): a measure that does
/// not depend on the number of negative rows. The start is the best constant classifier, so that a rare label reads
/// few rows from the beginning.
LaneMatrix solve_one_vs_all(const SparseRows& x, const std::vector<std::vector<std::int64_t>>& positives, const OneVsAllOptions& options,
                            OneVsAllReport* report = nullptr);

}  // namespace yatlab
