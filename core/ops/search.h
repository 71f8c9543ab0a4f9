#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace yatlab {

/// A search for the worst case: gradient ascent from many starts at once, then random steps of shrinking
/// size around the best points found.
struct SearchOptions {
  std::int64_t steps = 300;  ///< of Adam, the step size falling to 1 % by a cosine
  double step_size = 0.05;   ///< relative to the size of the starts' entries
  std::int64_t keep = 8;     ///< best points that are refined
  std::int64_t refinements = 200;
  std::uint64_t seed = 0;
};

struct SearchResult {
  double value = 0;  ///< the largest value found
  at::Tensor point;  ///< where, double, shaped like one start
};

/// Maximises f over points, in double. starts: [R, ...]; f: [R, ...] -> [R], differentiable;
/// project: brings points back into the admissible set (may be empty: everywhere). Values that are not
/// finite count as failures of f, not as maxima. The starts themselves are tried too.
SearchResult maximise(const std::function<at::Tensor(const at::Tensor&)>& f, const at::Tensor& starts,
                      const std::function<at::Tensor(const at::Tensor&)>& project, const SearchOptions& options = {});

}  // namespace yatlab
