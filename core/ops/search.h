#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace yatlab {

/// A search for the worst case: gradient ascent from many starts in parallel, then random steps of shrinking size around the best points.
struct SearchOptions {
  std::int64_t steps = 300;  ///< of Adam; the step size decays to 1 % by a cosine
  double step_size = 0.05;   ///< relative to the size of the starts' entries
  std::int64_t keep = 8;     ///< number of best points to refine
  std::int64_t refinements = 200;
  std::uint64_t seed = 0;
};

struct SearchResult {
  double value = 0;  ///< the largest value found
  at::Tensor point;  ///< its position, double, shaped like one start
};

/// Maximises f over points, in double. starts: [R, ...]; f: [R, ...] -> [R], differentiable; project: projects points onto the admissible set (may be
/// empty: no constraint). Non-finite values count as failures of f, not as maxima. The starts themselves are evaluated too.
SearchResult maximise(const std::function<at::Tensor(const at::Tensor&)>& f, const at::Tensor& starts,
                      const std::function<at::Tensor(const at::Tensor&)>& project, const SearchOptions& options = {});

}  // namespace yatlab
